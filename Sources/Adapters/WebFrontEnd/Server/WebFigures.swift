#if Web
import Synchronization

/// What the server counts for its operator, in the text form that Prometheus reads.
final class WebFigures: Sendable {
  enum Figure: Int, CaseIterable {
    case requests
    case refusals

    var name: String {
      switch self {
      case .requests: "results_web_requests_total"
      case .refusals: "results_web_refusals_total"
      }
    }

    var help: String {
      switch self {
      case .requests: "Requests that were answered."
      case .refusals: "Requests that were answered by an error."
      }
    }
  }

  private let values = Mutex([Int](repeating: 0, count: Figure.allCases.count))

  /// Counts one more.
  func count(_ figure: Figure) { values.withLock { $0[figure.rawValue] += 1 } }

  /// The figures of a server.
  func text(_ sites: Sites) -> String {
    let values = values.withLock { $0 }
    var lines: [String] = []
    for figure in Figure.allCases {
      lines += [
        "# HELP \(figure.name) \(figure.help)", "# TYPE \(figure.name) counter",
        "\(figure.name) \(values[figure.rawValue])",
      ]
    }
    let counts = sites.all.map(\.counts)
    let gauges = [
      ("results_web_streams", "Streams that are open.", sites.streamCount),
      ("results_web_clients", "Windows that are shown.", counts.reduce(0) { $0 + $1.clients }),
      ("results_web_lists", "Lists that are open.", counts.reduce(0) { $0 + $1.lists }),
    ]
    for (name, help, value) in gauges {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) gauge", "\(name) \(value)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
#endif
