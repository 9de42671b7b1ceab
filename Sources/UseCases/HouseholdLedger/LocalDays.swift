import ResultsDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The days of a time zone, numbered from 1970-01-01, as instants run through them.
///
/// The day of a second is the last day that has begun: where clocks go back across midnight, as in St. John's on 2006-10-29,
/// the repeated minutes before midnight belong to the new day, so that days never come back. A day that a zone
/// left out, as Samoa did in 2011, is empty.
struct LocalDays: Sendable {
  let timeZone: TimeZone
  /// Whether the instant of a whole day can fall on a neighbour of its day here, as it does in Kiritimati and Pago Pago.
  let scattersWholeDays: Bool

  init(timeZone: TimeZone) {
    self.timeZone = timeZone
    scattersWholeDays = LocalDays.years.contains { year in
      // In summer and in winter.
      [Int64(0), 182].contains { day in
        guard let instant = Instant(wholeDay: year * 365 + day) else { return false }
        let second = instant.microseconds / 1_000_000
        let date = Date(timeIntervalSince1970: Double(second))
        let local = second + Int64(timeZone.secondsFromGMT(for: date))
        return LocalDays.quotient(local, LocalDays.perDay) != instant.wholeDay
      }
    }
  }

  /// Years from 1970 in which offsets are looked at: about 1900 to 2100.
  private static let years: ClosedRange<Int64> = -70...130

  /// Before 1800 and from 10000 on a zone keeps the offset it has there; both in seconds since 1970.
  private static let knownOffsets: ClosedRange<Int64> = -5_364_662_400...253_402_300_799
  /// No zone is or was further than this from Greenwich.
  private static let largestOffset: Int64 = 16 * 3600
  private static let perDay: Int64 = 86_400

  /// The day of a second since 1970-01-01T00:00:00Z.
  func day(of second: Int64) -> Int64 {
    var day = LocalDays.quotient(second + offset(at: second), LocalDays.perDay)
    while firstSecond(of: day + 1) <= second { day += 1 }
    return day
  }

  /// The day that an instant, in microseconds since 1970, stands for whatever its neighbours are; elsewhere the instant of a
  /// whole day falls on it by itself.
  func scatteredDay(of microseconds: Int64) -> Int64? {
    scattersWholeDays ? Instant(microseconds: microseconds).wholeDay : nil
  }

  /// The first second of a day; for a day that was left out, that of the day after it.
  func firstSecond(of day: Int64) -> Int64 {
    let midnight = day * LocalDays.perDay
    let (start, end) = (midnight - LocalDays.largestOffset, midnight + LocalDays.largestOffset)
    var (second, offset) = (start, offset(at: start))
    guard offset != self.offset(at: end) else { return midnight - offset }
    // The clocks are changed nearby: the first stretch of one offset that reaches the day decides.
    while second < end {
      let change = nextChange(from: second, to: end, offset)
      let candidate = max(second, midnight - offset)
      if candidate < change { return candidate }
      (second, offset) = (change, self.offset(at: change))
    }
    return midnight - offset
  }

  /// The first second with another offset, or the end; two changes within an hour are not looked for.
  private func nextChange(from start: Int64, to end: Int64, _ offset: Int64) -> Int64 {
    var low = start
    while low < end {
      var high = min(low + 3600, end)
      if self.offset(at: high) != offset {
        while high - low > 1 {
          let middle = low + (high - low) / 2
          if self.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
      }
      low = high
    }
    return end
  }

  private func offset(at second: Int64) -> Int64 {
    let (first, last) = (LocalDays.knownOffsets.lowerBound, LocalDays.knownOffsets.upperBound)
    let known = min(max(second, first), last)
    return Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(known))))
  }

  /// A quotient rounded down.
  static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
