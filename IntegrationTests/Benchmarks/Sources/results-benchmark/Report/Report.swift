import ResultsStoreKit
import Foundation

/// Prints figures as they are measured, and collects them for documents and curves.
struct Report {
  /// The output format of a report.
  enum Format: String, CaseIterable, Sendable {
    /// A table, printed line by line.
    case text
    /// An array of objects, printed at the end.
    case json
  }

  /// The figures measured so far.
  private(set) var measurements: [Measurement] = []
  private let format: Format

  init(_ format: Format) { self.format = format }

  /// Prints the header of a table.
  func begin() {
    guard format == .text else { return }
    show(ReportTable.head)
  }

  /// Adds figures, and prints them in the text format.
  mutating func add(_ more: [Measurement]) {
    measurements += more
    guard format == .text else { return }
    for each in more { show(ReportTable.line(of: each)) }
  }

  /// Prints a note to standard error.
  func note(_ text: String) {
    FileHandle.standardError.write(Data("results-benchmark: \(text)\n".utf8))
  }

  /// Prints the end of the report.
  func end() throws {
    switch format {
    case .json: show(try ReportRows.text(of: measurements))
    case .text:
      let limited = measurements.filter { $0.limit != nil || $0.value == nil }
      show("\(limited.filter(\.holds).count) of \(limited.count) limits hold.")
    }
  }

  /// Prints without buffering, so that figures appear as they are measured.
  private func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}

// MARK: - Text

/// The text format of figures: one line each, in columns.
enum ReportTable {
  private static let widths = [4, 58, 9, 14, 12, 9, 14]

  /// The names of the columns.
  static var head: String {
    line(["goal", "what", "rows", "figure", "reference", "ratio", "limit", "against"])
  }

  /// Returns the line of a figure, which says if the limit is missed, or why the figure could not be measured.
  static func line(of each: Measurement) -> String {
    line([
      each.goal == 0 ? "" : String(each.goal),
      each.name,
      String(each.rows),
      each.value.map { ReportNumber.text($0, each.unit) } ?? "–",
      each.reference.map { ReportNumber.text($0, each.unit) } ?? "",
      each.ratio.map { ReportNumber.short($0) } ?? "",
      limit(of: each),
      verdict(on: each),
    ])
  }

  /// Returns the limit with its unit or as a ratio, followed by the target if there is one.
  static func limit(of each: Measurement) -> String {
    guard let limit = each.limit else { return "" }
    func text(_ number: Double) -> String {
      each.reference == nil
        ? ReportNumber.text(number, each.unit) : "\(ReportNumber.short(number))x"
    }
    return each.target.map { "\(text(limit)) (target \(text($0)))" } ?? text(limit)
  }

  private static func verdict(on each: Measurement) -> String {
    guard each.value != nil else { return "NOT MEASURED: \(each.reason)" }
    return each.holds ? each.against : "MISSED; \(each.against)"
  }

  private static func line(_ cells: [String]) -> String {
    var text = ""
    for (column, cell) in cells.enumerated() {
      text += cell
      guard column < widths.count else { continue }
      text += String(repeating: " ", count: max(1, widths[column] + 1 - cell.count))
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}

// MARK: - JSON

/// The JSON format of figures: an array of objects, each with the same nine members.
///
/// ```json
/// [{"goal":1,"name":"…","rows":1000,"value":2.5,"unit":"µs","reference":500,"ratio":0.005,"limit":0.01,"holds":true}]
/// ```
///
/// A limit applies to the ratio if there is a reference, otherwise to the value. Missing numbers are `null`. A figure whose limit is
/// not yet the one that the project aims at has a tenth member, `target`.
enum ReportRows {
  /// Returns the array, one object per line.
  static func text(of measurements: [Measurement]) throws -> String {
    let lines = try measurements.map { each in
      [
        "{\"goal\":\(each.goal)", "\"name\":\(try quoted(each.fullName))",
        "\"rows\":\(each.rows)", "\"value\":\(ReportNumber.json(each.value))",
        "\"unit\":\(try quoted(each.unit))",
        "\"reference\":\(ReportNumber.json(each.reference))",
        "\"ratio\":\(ReportNumber.json(each.ratio))",
        "\"limit\":\(ReportNumber.json(each.limit))", "\"holds\":\(each.holds)",
      ].joined(separator: ",")
        + (each.target.map { ",\"target\":\(ReportNumber.json($0))}" } ?? "}")
    }
    return "[\(lines.joined(separator: ",\n"))]"
  }

  /// Reads the figures that an earlier run has printed.
  /// - Throws: `BenchmarkError.noReport` if the file is not such a report.
  static func read(_ path: String) throws -> [Measurement] {
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return try JSONDecoder().decode([Line].self, from: data).map(\.measurement)
    } catch {
      throw BenchmarkError.noReport(path: path, detail: BenchmarkError.message(for: error))
    }
  }

  private struct Line: Decodable {
    var goal: Int
    var name: String
    var rows: Int
    var value: Double?
    var unit: String
    var reference: Double?
    var ratio: Double?
    var limit: Double?
    var target: Double?

    var measurement: Measurement {
      let parts = name.split(separator: ", against ", maxSplits: 1).map(String.init)
      return Measurement(
        goal: goal,
        name: parts.first ?? name,
        rows: rows,
        value: value,
        unit: unit,
        reference: reference,
        against: parts.count > 1 ? parts[1] : "",
        pairedRatio: ratio,
        limit: limit,
        target: target
      )
    }
  }

  private static func quoted(_ text: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(text), as: UTF8.self)
  }
}

// MARK: - Numbers

/// The numbers of reports: independent of the locale, with a decimal point and without grouping.
enum ReportNumber {
  /// Formats a number for people, with about three significant digits.
  static func short(_ number: Double) -> String {
    guard number.isFinite else { return "–" }
    if number == number.rounded(), abs(number) < 1e6 { return String(Int(number)) }
    let size = abs(number)
    let decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : size >= 0.001 ? 4 : 7
    var text = String(format: "%.\(decimals)f", locale: Locale(identifier: "en_US_POSIX"), number)
    guard decimals > 0 else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// Formats a number for programs: a JSON number with at most six significant digits, or `null`.
  static func json(_ number: Double?) -> String {
    guard let number, number.isFinite else { return "null" }
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    let text = String(format: "%.6g", locale: Locale(identifier: "en_US_POSIX"), number)
    // Swift formats every finite number as valid JSON.
    guard let rounded = Double(text) else { return "null" }
    return rounded == rounded.rounded() && abs(rounded) < 1e15
      ? String(Int64(rounded)) : "\(rounded)"
  }

  /// Formats a number of rows with commas between thousands, for documents.
  static func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (offset, digit) in digits.enumerated() {
      if offset > 0, (digits.count - offset).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Formats a figure with its unit; long times are in milliseconds or seconds.
  static func text(_ number: Double, _ unit: String) -> String {
    guard unit == "µs" else { return unit.isEmpty ? short(number) : "\(short(number)) \(unit)" }
    if number >= 1e6 { return "\(short(number / 1e6)) s" }
    return number >= 10_000 ? "\(short(number / 1000)) ms" : "\(short(number)) µs"
  }
}
