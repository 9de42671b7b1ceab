import Foundation

/// Prints figures as they come, and keeps them for what is made of all.
struct Report {
  /// The forms of a report.
  enum Format: String, CaseIterable, Sendable {
    /// A table, line by line as figures come.
    case text
    /// One array of objects, at the end.
    case json
  }

  /// The figures so far.
  private(set) var measurements: [Measurement] = []
  private let format: Format

  init(_ format: Format) { self.format = format }

  /// Prints the head of a table.
  func begin() {
    guard format == .text else { return }
    show(ReportTable.head)
  }

  /// Takes figures, and prints them if the form allows it.
  mutating func add(_ more: [Measurement]) {
    let said = more.filter { !$0.isIdle }
    measurements += said
    guard format == .text else { return }
    for each in said { show(ReportTable.line(of: each)) }
  }

  /// Says something beside the figures.
  func note(_ text: String) {
    FileHandle.standardError.write(Data("results-benchmark: \(text)\n".utf8))
  }

  /// Prints what can only be printed at the end.
  func end() throws {
    switch format {
    case .json: show(try ReportRows.text(of: measurements))
    case .text:
      let limited = measurements.filter { $0.limit != nil || $0.value == nil }
      show("\(limited.filter(\.holds).count) of \(limited.count) limits hold.")
    }
  }

  /// Prints at once, so that a reader sees figures come.
  private func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}

// MARK: - Text

/// The text form of figures: one line each, in columns.
enum ReportTable {
  private static let widths = [4, 58, 9, 14, 12, 9, 14]

  /// The columns' names.
  static var head: String {
    line(["goal", "what", "rows", "figure", "reference", "ratio", "limit", "against"])
  }

  /// A figure's line.
  ///
  /// What misses its limit says so; what could not be measured says why.
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

  /// What a figure may be at most, with its unit or as a ratio.
  static func limit(of each: Measurement) -> String {
    guard let limit = each.limit else { return "" }
    return each.reference == nil
      ? ReportNumber.text(limit, each.unit) : "\(ReportNumber.short(limit))x"
  }

  private static func verdict(on each: Measurement) -> String {
    guard each.value != nil else { return "NOT MEASURED: \(each.reason)" }
    return each.holds ? each.against : "MISSED; \(each.against)"
  }

  private static func line(_ cells: [String]) -> String {
    var text = ""
    for (place, cell) in cells.enumerated() {
      text += cell
      guard place < widths.count else { continue }
      text += String(repeating: " ", count: max(1, widths[place] + 1 - cell.count))
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}

// MARK: - JSON

/// The JSON form of figures: one array of objects, each with the same nine members.
///
/// ```json
/// [{"goal":1,"name":"…","rows":1000,"value":2.5,"unit":"µs","reference":500,"ratio":0.005,"limit":0.01,"holds":true}]
/// ```
///
/// A limit is one of the ratio where there is a reference, else of the value. What there is not is `null`.
enum ReportRows {
  /// The array, one object a line.
  static func text(of measurements: [Measurement]) throws -> String {
    let lines = try measurements.map { each in
      [
        "{\"goal\":\(each.goal)", "\"name\":\(try quoted(each.fullName))",
        "\"rows\":\(each.rows)", "\"value\":\(ReportNumber.json(each.value))",
        "\"unit\":\(try quoted(each.unit))",
        "\"reference\":\(ReportNumber.json(each.reference))",
        "\"ratio\":\(ReportNumber.json(each.ratio))",
        "\"limit\":\(ReportNumber.json(each.limit))", "\"holds\":\(each.holds)}",
      ].joined(separator: ",")
    }
    return "[\(lines.joined(separator: ",\n"))]"
  }

  /// Reads figures that an earlier run has printed.
  /// - Throws: `BenchmarkError.noReport` for a file that holds something else.
  static func read(_ path: String) throws -> [Measurement] {
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return try JSONDecoder().decode([Line].self, from: data).map(\.measurement)
    } catch {
      throw BenchmarkError.noReport(path: path, detail: BenchmarkError.words(for: error))
    }
  }

  private struct Line: Decodable {
    var goal: Int
    var name: String
    var rows: Int
    var value: Double?
    var unit: String
    var reference: Double?
    var limit: Double?

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
        limit: limit
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

/// Numbers as reports write them: the same on every machine, with a point and without grouping.
enum ReportNumber {
  /// A number for people: about three digits that count.
  static func short(_ number: Double) -> String {
    guard number.isFinite else { return "–" }
    if number == number.rounded(), abs(number) < 1e6 { return String(Int(number)) }
    let size = abs(number)
    let places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : size >= 0.001 ? 4 : 7
    var text = String(format: "%.\(places)f", locale: Locale(identifier: "en_US_POSIX"), number)
    guard places > 0 else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// A number for programs: a JSON number of at most six digits that count, or `null`.
  static func json(_ number: Double?) -> String {
    guard let number, number.isFinite else { return "null" }
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    let text = String(format: "%.6g", locale: Locale(identifier: "en_US_POSIX"), number)
    // Read back and written as Swift does, which is always a JSON number.
    guard let rounded = Double(text) else { return "null" }
    return rounded == rounded.rounded() && abs(rounded) < 1e15
      ? String(Int64(rounded)) : "\(rounded)"
  }

  /// A number of rows with commas between thousands, for documents.
  static func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A figure with its unit: long microseconds become milliseconds or seconds.
  static func text(_ number: Double, _ unit: String) -> String {
    guard unit == "µs" else { return unit.isEmpty ? short(number) : "\(short(number)) \(unit)" }
    if number >= 1e6 { return "\(short(number / 1e6)) s" }
    return number >= 10_000 ? "\(short(number / 1000)) ms" : "\(short(number)) µs"
  }
}
