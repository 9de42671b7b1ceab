import ResultsDomain

/// Parses the date and date-time forms of RFC 3339 and W3C-DTF, and nothing else.
enum ISODate {
  /// What a text says.
  enum Form: Sendable {
    case day(CivilDate)
    case instant(Instant)
  }

  /// `2026-11-03`, `2026-11-03T09:00Z`, `2026-11-03T09:00:00.25+09:00`; `nil` for anything else.
  static func form(of text: String) -> Form? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(digits: 4), scanner.take("-"),
      let month = scanner.number(digits: 2), scanner.take("-"),
      let day = scanner.number(digits: 2),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    if scanner.isAtEnd { return .day(date) }
    guard scanner.take("T") || scanner.take("t") || scanner.take(" "),
      let hour = scanner.number(digits: 2), scanner.take(":"),
      let minute = scanner.number(digits: 2), hour < 24, minute < 60
    else { return nil }
    var microseconds = 0
    if scanner.take(":") {
      guard let second = scanner.number(digits: 2), second < 60 else { return nil }
      microseconds = second * 1_000_000
      if scanner.take(".") {
        guard let fraction = scanner.fraction(places: 6) else { return nil }
        microseconds += fraction
      }
    }
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    let minutes = date.daysSince1970 * 1440 + hour * 60 + minute - offset
    return .instant(Instant(microseconds: Int64(minutes * 60_000_000 + microseconds)))
  }
}
