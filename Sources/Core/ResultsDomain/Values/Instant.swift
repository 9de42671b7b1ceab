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
