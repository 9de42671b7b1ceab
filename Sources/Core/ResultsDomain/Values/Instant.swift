/// A point in time: whole microseconds since 1970-01-01T00:00:00Z.
///
/// Dates are stored as integers, so that they have the same order in every store. Adapters convert to and from
/// their platform's date type; the core needs no calendar.
public struct Instant: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z; negative before it.
  public var microseconds: Int64

  /// Creates an instant from microseconds since 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Whether the first instant is earlier.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}

// MARK: - Infinity

extension Instant {
  /// The last instant.
  ///
  /// It stands for a date without an end, PostgreSQL's `infinity`, and sorts after every other.
  public static let infinity = Instant(microseconds: .max)

  /// The first instant.
  ///
  /// It stands for a date without a beginning, PostgreSQL's `-infinity`, and sorts before every other.
  public static let negativeInfinity = Instant(microseconds: .min)

  /// The infinite date that PostgreSQL writes as a text, `infinity` or `-infinity`; `nil` for any other text.
  package init?(infinity text: String) {
    switch PredicateWord.capitals(text) {
    case "INFINITY": self = .infinity
    case "-INFINITY": self = .negativeInfinity
    default: return nil
    }
  }

  /// Whether this is the first or the last instant, which stand for infinite dates.
  package var isInfinite: Bool { self == .infinity || self == .negativeInfinity }
}

// MARK: - Text

extension Instant: CustomStringConvertible {
  /// The same text as `iso8601`.
  public var description: String { iso8601 }

  /// The instant in ISO 8601 with offset `Z` and without trailing zeros in the fraction.
  ///
  /// Dates are those of the proleptic Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date
  /// algorithms", civil_from_days).
  public var iso8601: String {
    let perDay: Int64 = 86_400_000_000
    var (days, rest) = microseconds.quotientAndRemainder(dividingBy: perDay)
    if rest < 0 {
      days -= 1
      rest += perDay
    }
    let (year, month, day) = Instant.civil(fromDays: days)
    let seconds = rest / 1_000_000
    let fraction = rest % 1_000_000
    let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
    let tail = fraction == 0 ? "" : "." + trimmedFraction(fraction)
    let sign = year < 0 ? "-" : ""
    let date = "\(sign)\(padded(abs(year), 4))-\(padded(month, 2))-\(padded(day, 2))"
    return "\(date)T\(time.joined(separator: ":"))\(tail)Z"
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfCycle = shifted - cycle * 146_097
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
  }

  private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private func trimmedFraction(_ fraction: Int64) -> String {
    var digits = padded(fraction, 6)
    while digits.hasSuffix("0") { digits.removeLast() }
    return digits
  }
}

// MARK: - Whole days

/// A whole day is a date without a time, such as the date of a booking: the same date in every time zone.
///
/// It is stored as one instant of its day, a microsecond after 10:00 UTC, which does not occur as a time in practice. At
/// 10:00 UTC it is that day from Honolulu to the Chatham Islands, so a whole day sorts among the other instants of its day
/// in nearly every time zone.
extension Instant {
  private static let microsecondsPerDay: Int64 = 86_400_000_000
  /// The offset of a whole day's instant from midnight UTC.
  private static let wholeDayOffset: Int64 = 10 * 3_600_000_000 + 1

  /// Creates the instant of a whole day, or returns `nil` if 64 bits cannot hold it.
  /// - Parameter day: The number of days since 1970-01-01.
  public init?(wholeDay day: Int64) {
    let (midnight, overflow) = day.multipliedReportingOverflow(by: Instant.microsecondsPerDay)
    let (sum, carry) = midnight.addingReportingOverflow(Instant.wholeDayOffset)
    guard !overflow, !carry else { return nil }
    self.init(microseconds: sum)
  }

  /// The number of days since 1970-01-01, if this is the instant of a whole day.
  public var wholeDay: Int64? {
    let (day, rest) = microseconds.quotientAndRemainder(dividingBy: Instant.microsecondsPerDay)
    if rest == Instant.wholeDayOffset { return day }
    return rest == Instant.wholeDayOffset - Instant.microsecondsPerDay ? day - 1 : nil
  }

  /// Parses a date without a time as a whole day, a date with a time as `init(iso8601:)` does, and `infinity` and `-infinity`.
  /// - Complexity: O(*n*) in the bytes.
  public init?(plainText text: String) {
    if let infinite = Instant(infinity: text) {
      self = infinite
      return
    }
    guard let instant = Instant(iso8601: text) else { return nil }
    guard !text.utf8.contains(UInt8(ascii: ":")) else {
      self = instant
      return
    }
    let (day, rest) = instant.microseconds.quotientAndRemainder(
      dividingBy: Instant.microsecondsPerDay
    )
    self.init(wholeDay: rest < 0 ? day - 1 : day)
  }

  /// The date of a whole day, such as `2026-11-03`, and `infinity` or `-infinity`; for any other instant, `iso8601`.
  public var plainText: String {
    guard !isInfinite else { return self == .infinity ? "infinity" : "-infinity" }
    return wholeDay == nil ? iso8601 : String(iso8601.prefix { $0 != "T" })
  }
}

// MARK: - Parsing

extension Instant {
  /// Parses an ISO 8601 date and time with an offset, such as `2024-02-29T08:30:00.5+09:00`.
  ///
  /// A date without a time is midnight UTC. Seconds are optional; `T` can be a space; the offset is `Z`, `±hh:mm`, `±hhmm`
  /// or `±hh`, and a time without an offset gives `nil`, because it is not an instant. Digits beyond microseconds are
  /// dropped. Years have four to six digits and can be negative; the calendar is the proleptic Gregorian one.
  /// - Complexity: O(*n*) in the bytes.
  public init?(iso8601 text: String) {
    var reader = DigitReader(text)
    guard let days = reader.days() else { return nil }
    var seconds: Int64 = 0
    var fraction: Int64 = 0
    if !reader.isAtEnd {
      guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
        let time = reader.time(),
        let offset = reader.offset(),
        reader.isAtEnd
      else { return nil }
      seconds = time.seconds - offset
      fraction = time.fraction
    }
    let (whole, overflow) = (days * 86_400 + seconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(fraction)
    // The earliest representable second begins before the earliest representable microsecond.
    if overflow, let earliest = Instant.inFirstSecond(days * 86_400 + seconds, fraction) {
      self = earliest
      return
    }
    guard !overflow, !carry else { return nil }
    self.init(microseconds: sum)
  }

  private static func inFirstSecond(_ seconds: Int64, _ fraction: Int64) -> Instant? {
    let (whole, overflow) = (seconds + 1).multipliedReportingOverflow(by: 1_000_000)
    guard !overflow, seconds < 0 else { return nil }
    let (sum, carry) = whole.addingReportingOverflow(fraction - 1_000_000)
    return carry ? nil : Instant(microseconds: sum)
  }
}

private struct DigitReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func number(digits: ClosedRange<Int>) -> Int64? {
    var (value, count) = (Int64(0), 0)
    while count < digits.upperBound, index < bytes.count,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
    {
      value = value * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
      index += 1
      count += 1
    }
    return count >= digits.lowerBound ? value : nil
  }

  private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
    number(digits: 2...2).flatMap { range.contains($0) ? $0 : nil }
  }

  /// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil).
  mutating func days() -> Int64? {
    let isNegative = skip("-")
    guard let digits = number(digits: 4...6), !(isNegative && digits == 0), skip("-"),
      let month = number(1...12), skip("-"), let day = number(1...31)
    else { return nil }
    let civilYear = isNegative ? -digits : digits
    let isLeap = civilYear % 4 == 0 && (civilYear % 100 != 0 || civilYear % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[Int(month) - 1] else { return nil }
    let year = month <= 2 ? civilYear - 1 : civilYear
    let cycle = (year >= 0 ? year : year - 399) / 400
    let yearOfCycle = year - cycle * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * 146_097 + dayOfCycle - 719_468
  }

  mutating func time() -> (seconds: Int64, fraction: Int64)? {
    guard let hour = number(0...23), skip(":"), let minute = number(0...59) else { return nil }
    var second: Int64 = 0
    var fraction: Int64 = 0
    if skip(":") {
      guard let found = number(0...59) else { return nil }
      second = found
      if skip(".") || skip(",") {
        let start = index
        guard let digits = number(digits: 1...6) else { return nil }
        fraction = (index - start..<6).reduce(digits) { value, _ in value * 10 }
        while number(digits: 1...1) != nil {}
      }
    }
    return (hour * 3600 + minute * 60 + second, fraction)
  }

  /// Seconds east of Greenwich.
  mutating func offset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = number(0...23) else { return nil }
    var minutes: Int64 = 0
    if skip(":") || !isAtEnd {
      guard let found = number(0...59) else { return nil }
      minutes = found
    }
    let seconds = hours * 3600 + minutes * 60
    return isWest ? -seconds : seconds
  }
}
