import ArgumentParser
import Foundation

/// The forms of the report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  /// A table, line by line as figures come.
  case text
  /// One array, at the end.
  case json
}

/// Prints figures.
struct Report {
  private let format: ReportFormat
  private var all: [Measurement] = []

  init(_ format: ReportFormat) { self.format = format }

  func begin() {
    guard format == .text else { return }
    show(line("goal", "what", "rows", "figure", "reference", "ratio", "limit", "against"))
  }

  mutating func add(_ measurements: [Measurement]) {
    all += measurements
    guard format == .text else { return }
    for each in measurements {
      show(
        line(
          String(each.goal),
          each.name,
          String(each.rows),
          "\(number(each.value)) \(each.unit)",
          each.reference.map { "\(number($0)) \(each.unit)" } ?? "",
          each.ratio.map(number) ?? "",
          limit(of: each) + (each.holds ? "" : " MISSED"),
          each.against
        )
      )
    }
  }

  /// Prints at once, so that a reader sees figures come.
  private func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Says something beside the figures.
  func note(_ text: String) {
    FileHandle.standardError.write(Data("results-benchmark: \(text)\n".utf8))
  }

  func end() {
    guard format == .json else { return }
    let objects = all.map { each in
      var parts = [
        "\"goal\":\(each.goal)", "\"name\":\"\(each.name)\"", "\"rows\":\(each.rows)",
        "\"value\":\(each.value)", "\"unit\":\"\(each.unit)\"",
      ]
      if let reference = each.reference { parts.append("\"reference\":\(reference)") }
      if !each.against.isEmpty { parts.append("\"against\":\"\(each.against)\"") }
      if let ratio = each.ratio { parts.append("\"ratio\":\(ratio)") }
      switch each.limit {
      case .value(let most): parts.append("\"limit\":\(most),\"limitOf\":\"value\"")
      case .ratio(let most): parts.append("\"limit\":\(most),\"limitOf\":\"ratio\"")
      case nil: break
      }
      parts.append("\"holds\":\(each.holds)")
      return "{\(parts.joined(separator: ","))}"
    }
    show("[\(objects.joined(separator: ",\n"))]")
  }

  private func limit(of each: Measurement) -> String {
    switch each.limit {
    case .value(let most): "\(number(most)) \(each.unit)"
    case .ratio(let most): "\(number(most))x"
    case nil: ""
    }
  }

  private func number(_ number: Double) -> String {
    if number == number.rounded(), abs(number) < 1e15 { return String(Int(number)) }
    return String(format: abs(number) < 0.01 ? "%.5f" : abs(number) < 10 ? "%.2f" : "%.0f", number)
  }

  private func line(_ cells: String...) -> String {
    let widths = [4, 42, 7, 14, 14, 8, 16, 0]
    return zip(cells, widths).map {
      $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0)
    }
    .joined(separator: " ")
  }
}
