import ResultsDomain

/// Parses the date and date-time forms of RFC 3339 and W3C-DTF, and nothing else.
enum ISODate {
  /// A date, or a date with a time.
  enum Form: Sendable {
    case day(CivilDate)
    case instant(Instant)
  }

  /// Parses `2026-11-03`, `2026-11-03T09:00Z`, `2026-11-03T09:00:00.25+09:00`; `nil` for any other form.
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
        guard let fraction = scanner.fraction(digits: 6) else { return nil }
        microseconds += fraction
      }
    }
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    let minutes = date.daysSince1970 * 1440 + hour * 60 + minute - offset
    return .instant(Instant(microseconds: Int64(minutes * 60_000_000 + microseconds)))
  }
}

/// An existing day of the proleptic Gregorian calendar.
struct CivilDate: Hashable, Sendable {
  let year: Int
  let month: Int
  let day: Int

  /// The day, or `nil` if it does not exist.
  init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDate.days(in: month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms",
  /// days_from_civil).
  var daysSince1970: Int {
    let shifted = month <= 2 ? year - 1 : year
    let cycle = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfCycle = shifted - cycle * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * 146_097 + dayOfCycle - 719_468
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

/// Scans fixed forms of ASCII digits, letters and signs.
struct DigitScanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, UInt32(byte) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Scans a number with exactly this number of digits.
  mutating func number(digits: Int) -> Int? { number(digits: digits...digits) }

  /// Scans a number whose digits number in this range.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.contains(found.count) else { return nil }
    rest = rest.dropFirst(found.count)
    return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Scans the digits after a decimal point as an integer of this many digits; further digits are cut off.
  mutating func fraction(digits count: Int) -> Int? {
    let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !found.isEmpty else { return nil }
    rest = rest.dropFirst(found.count)
    let digits =
      Array(found.prefix(count)) + Array(repeating: 0x30, count: max(0, count - found.count))
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Scans an offset from UTC, in minutes: `Z`, `+09:00` or `+0900`.
  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let first = rest.first, first >= 0x30 else { return nil }
    var digits = 0
    if rest.dropFirst(2).first == UInt8(ascii: ":") {
      guard let hours = number(digits: 2), take(":"), let minutes = number(digits: 2) else {
        return nil
      }
      digits = hours * 100 + minutes
    } else {
      guard let number = number(digits: 4) else { return nil }
      digits = number
    }
    guard digits / 100 < 24, digits % 100 < 60 else { return nil }
    return (digits / 100 * 60 + digits % 100) * (isWest ? -1 : 1)
  }

  /// Scans letters and returns them in lower case.
  mutating func word() -> String {
    let found = rest.prefix { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
    rest = rest.dropFirst(found.count)
    return String(decoding: found.map { $0 | 0x20 }, as: UTF8.self)
  }

  /// Skips white space and returns whether there was any.
  mutating func skipSpaces() -> Bool {
    let found = rest.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    rest = rest.dropFirst(found.count)
    return !found.isEmpty
  }
}
