/// A point in time: whole microseconds since 1970-01-01T00:00:00Z.
///
/// Dates are stored as integers so that their order is numeric in every store. Adapters convert to and from
/// their platform's date type; the core needs no calendar.
public struct Instant: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z; negative before it.
  public var microseconds: Int64

  /// An instant a number of microseconds after 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Whether the first instant is earlier.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension Instant: CustomStringConvertible {
  /// The instant as ISO 8601 with offset `Z`, with as many fraction digits as it needs.
  public var description: String { iso8601 }

  /// The instant as ISO 8601 with offset `Z`; the fraction appears only when it is not zero.
  ///
  /// Days are counted by the proleptic Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date
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
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
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

/// A whole day: a date without a time, such as that of a booking, which is the same date for every reader.
///
/// It is stored as one instant of its day, a microsecond after ten in the morning at Greenwich, which no clock shows in
/// practice. At ten it is that day from Honolulu to the Chatham Islands, so a whole day stands among the other instants
/// of its day in nearly every time zone.
extension Instant {
  private static let microsecondsOfDay: Int64 = 86_400_000_000
  private static let markOfDay: Int64 = 10 * 3_600_000_000 + 1

  /// The instant that stands for a whole day, or `nil` beyond what 64 bits hold.
  /// - Parameter day: The day's number, from 1970-01-01.
  public init?(wholeDay day: Int64) {
    let (midnight, overflow) = day.multipliedReportingOverflow(by: Instant.microsecondsOfDay)
    let (sum, carry) = midnight.addingReportingOverflow(Instant.markOfDay)
    guard !overflow, !carry else { return nil }
    self.init(microseconds: sum)
  }

  /// The number of the day, from 1970-01-01, if this instant stands for a whole day.
  public var wholeDay: Int64? {
    let (day, rest) = microseconds.quotientAndRemainder(dividingBy: Instant.microsecondsOfDay)
    if rest == Instant.markOfDay { return day }
    return rest == Instant.markOfDay - Instant.microsecondsOfDay ? day - 1 : nil
  }

  /// Reads a date alone as a whole day, and a date with a time as `init(iso8601:)` does.
  /// - Complexity: O(*n*) in the bytes.
  public init?(plainText text: String) {
    guard let instant = Instant(iso8601: text) else { return nil }
    guard !text.utf8.contains(UInt8(ascii: ":")) else {
      self = instant
      return
    }
    let (day, rest) = instant.microseconds.quotientAndRemainder(
      dividingBy: Instant.microsecondsOfDay
    )
    self.init(wholeDay: rest < 0 ? day - 1 : day)
  }

  /// The date of a whole day, as `2026-11-03`; else the instant as ISO 8601 with offset `Z`.
  public var plainText: String {
    wholeDay == nil ? iso8601 : String(iso8601.prefix { $0 != "T" })
  }
}

// MARK: - Parsing

extension Instant {
  /// Reads an ISO 8601 date and time with an offset, such as `2024-02-29T08:30:00.5+09:00`.
  ///
  /// A date alone is its midnight UTC. Seconds may be left out; `T` may be a space; the offset is `Z`, `±hh:mm`, `±hhmm`
  /// or `±hh`, and a time without one gives `nil`, because it names no instant. Digits beyond microseconds are
  /// dropped. Years have four to six digits and may be negative, by the proleptic Gregorian calendar.
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
    // The first representable second begins before the first representable microsecond.
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
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { place == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func number(digits: ClosedRange<Int>) -> Int64? {
    var (value, count) = (Int64(0), 0)
    while count < digits.upperBound, place < bytes.count,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
    {
      value = value * 10 + Int64(bytes[place] - UInt8(ascii: "0"))
      place += 1
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
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  mutating func time() -> (seconds: Int64, fraction: Int64)? {
    guard let hour = number(0...23), skip(":"), let minute = number(0...59) else { return nil }
    var second: Int64 = 0
    var fraction: Int64 = 0
    if skip(":") {
      guard let found = number(0...59) else { return nil }
      second = found
      if skip(".") || skip(",") {
        let start = place
        guard let digits = number(digits: 1...6) else { return nil }
        fraction = (place - start..<6).reduce(digits) { value, _ in value * 10 }
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
