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
