#if Web
import Synchronization

/// What the server counts for its operator, in the text form that Prometheus reads.
final class WebFigures: Sendable {
  enum Counter: Int, CaseIterable {
    case requests
    case refusals
    case bytes
    case changes
    case resets
    case failures

    var name: String {
      switch self {
      case .requests: "results_web_requests_total"
      case .refusals: "results_web_refusals_total"
      case .bytes: "results_web_stream_bytes_total"
      case .changes: "results_web_changes_total"
      case .resets: "results_web_resets_total"
      case .failures: "results_web_failures_total"
      }
    }

    var help: String {
      switch self {
      case .requests: "Requests that were answered."
      case .refusals: "Requests that were answered by an error."
      case .bytes: "Bytes that were written to streams and exports."
      case .changes: "Changes of lists."
      case .resets: "Times a list was fetched again, since no change from the one before is known."
      case .failures: "Times a list could not be read."
      }
    }
  }

  private struct State {
    var counts = [Int](repeating: 0, count: Counter.allCases.count)
    /// Lags by the bound that they are within; the last ones are beyond all.
    var lags = [Int](repeating: 0, count: WebFigures.bounds.count + 1)
    var lagSum = Duration.zero
  }

  private let state = Mutex(State())
  /// Bounds of lags, in milliseconds.
  private static let bounds = [5, 10, 25, 50, 100, 250, 500, 1000, 5000]

  /// Counts more of something.
  func count(_ counter: Counter, _ number: Int = 1) {
    state.withLock { $0.counts[counter.rawValue] += number }
  }

  /// Counts the time from a list's change to the moment at which a client has taken it.
  func count(lag: Duration) {
    let index = WebFigures.bounds.firstIndex { lag <= .milliseconds($0) }
    state.withLock { state in
      state.lags[index ?? WebFigures.bounds.count] += 1
      state.lagSum += lag
    }
  }

  /// The figures of a server.
  func text(_ sites: Sites) -> String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    for counter in Counter.allCases {
      lines += WebFigures.head(counter.name, counter.help, "counter")
      lines.append("\(counter.name) \(state.counts[counter.rawValue])")
    }
    let counts = sites.all.map(\.counts)
    let gauges = [
      ("results_web_streams", "Streams that are open.", sites.streamCount),
      ("results_web_clients", "Windows that are shown.", counts.reduce(0) { $0 + $1.clients }),
      ("results_web_lists", "Lists that are open.", counts.reduce(0) { $0 + $1.lists }),
      (
        "results_web_compared_lists",
        "Lists that are compared with the store, since its log of changes has a gap.",
        counts.reduce(0) { $0 + $1.compared }
      ),
      ("results_web_key_bytes", "Bytes of keys that lists hold in memory.", sites.parts.room.bytes),
    ]
    for (name, help, value) in gauges {
      lines += WebFigures.head(name, help, "gauge")
      lines.append("\(name) \(value)")
    }
    return (lines + lags(state)).joined(separator: "\n") + "\n"
  }

  private func lags(_ state: State) -> [String] {
    let name = "results_web_lag_seconds"
    let help = "The time from a list's change to the moment at which a client has taken it."
    var lines = WebFigures.head(name, help, "histogram")
    var count = 0
    for (bound, lags) in zip(WebFigures.bounds, state.lags) {
      count += lags
      lines.append("\(name)_bucket{le=\"\(Double(bound) / 1000)\"} \(count)")
    }
    count += state.lags.last ?? 0
    return lines + [
      "\(name)_bucket{le=\"+Inf\"} \(count)",
      "\(name)_sum \(state.lagSum / .seconds(1))", "\(name)_count \(count)",
    ]
  }

  private static func head(_ name: String, _ help: String, _ type: String) -> [String] {
    ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
  }
}
#endif
