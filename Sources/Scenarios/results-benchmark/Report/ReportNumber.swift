import Foundation

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
