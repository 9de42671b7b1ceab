import ResultsStoreKit
import Foundation

/// A Markdown document with the tables of figures between two comment lines.
struct PerformanceDocument {
  /// The line before the tables.
  static let start = "<!-- figures: results-benchmark -->"
  /// The line after the tables.
  static let end = "<!-- end of figures -->"

  private let path: String

  init(at path: String) { self.path = path }

  /// Replaces the tables.
  /// - Throws: `BenchmarkError.noMarkers` if the document lacks the two lines, `BenchmarkError.cannotWrite`.
  func rewrite(with measurements: [Measurement]) throws {
    let url = URL(fileURLWithPath: path)
    do {
      let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      guard let head = text.range(of: Self.start),
        let tail = text.range(of: Self.end, range: head.upperBound..<text.endIndex)
      else { throw BenchmarkError.noMarkers(path: path) }
      let tables = Self.tables(of: measurements)
      let whole = text[..<head.upperBound] + "\n\n" + tables + "\n" + text[tail.lowerBound...]
      try Data(whole.utf8).write(to: url, options: .atomic)
    } catch let error as BenchmarkError {
      throw error
    } catch {
      let detail = (error as NSError).localizedDescription
      throw BenchmarkError.cannotWrite(path: path, detail: detail)
    }
  }

  /// Checks that the document has both lines, before a long run.
  func check() throws {
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    guard let text, let head = text.range(of: Self.start),
      text.range(of: Self.end, range: head.upperBound..<text.endIndex) != nil
    else { throw BenchmarkError.noMarkers(path: path) }
  }

  /// Returns the tables of the goals and of the other cases; the sizes of a case are adjacent rows.
  static func tables(of measurements: [Measurement]) -> String {
    let goals = Dictionary(grouping: measurements) { $0.goal }
    let numbered = goals.keys.sorted().filter { $0 > 0 }.flatMap { grouped(goals[$0] ?? []) }
    let tables = [("### The goals", numbered), ("### Other cases", grouped(goals[0] ?? []))]
    return tables.filter { !$0.1.isEmpty }.map { table($0, $1) }.joined(separator: "\n")
  }

  /// Returns the figures grouped by case, in the order of the first figure of each, by ascending size.
  private static func grouped(_ measurements: [Measurement]) -> [Measurement] {
    let cases = Dictionary(grouping: measurements) { $0.fullName }
    var seen: Set<String> = []
    return measurements.filter { seen.insert($0.fullName).inserted }.flatMap { first in
      (cases[first.fullName] ?? []).sorted { $0.rows < $1.rows }
    }
  }

  private static func table(_ title: String, _ measurements: [Measurement]) -> String {
    var lines = [
      title, "", "| goal | case | rows | figure | reference | ratio | limit | holds |",
      "|---|---|---|---|---|---|---|---|",
    ]
    var previous: Measurement?
    for each in measurements {
      let isSame = previous?.fullName == each.fullName && previous?.goal == each.goal
      lines.append(line(of: each, isSame: isSame))
      previous = each
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a row of a table; cells that repeat the row above are empty.
  private static func line(of each: Measurement, isSame: Bool) -> String {
    let name = each.value == nil ? each.fullName : each.name
    let against = isSame || each.against.isEmpty ? "" : ", \(each.against)"
    let cells = [
      each.goal == 0 || isSame ? "" : String(each.goal), isSame ? "" : name,
      ReportNumber.grouped(each.rows),
      each.value.map { ReportNumber.text($0, each.unit) } ?? "–",
      each.reference.map { ReportNumber.text($0, each.unit) + against } ?? "",
      each.ratio.map { ReportNumber.short($0) } ?? "",
      ReportTable.limit(of: each),
      each.limit == nil && each.value != nil ? "" : each.holds ? "yes" : "**no**",
    ]
    return "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
  }
}
