import ResultsDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A day as people write it, in the proleptic Gregorian calendar.
struct CivilDay {
  /// The day as `2026-11-03`.
  let text: String
  /// The month as `2026-11`.
  let monthText: String
  /// The place of the day in its month, from 1.
  let dayOfMonth: Int64
  /// How many days its month has.
  let monthLength: Int64

  /// A day of a number from 1970-01-01; beyond what an `Instant` can say it is the last that can be said.
  init(_ day: Int64) {
    let (microseconds, overflow) = day.multipliedReportingOverflow(by: 86_400_000_000)
    let instant = Instant(microseconds: overflow ? (day < 0 ? .min : .max) : microseconds)
    let text = instant.iso8601.prefix { $0 != "T" }
    self.text = String(text)
    monthText = String(text.dropLast(3))
    dayOfMonth = Int64(text.suffix(2)) ?? 1
    let month = Int(monthText.suffix(2)) ?? 1
    let year = Int(monthText.dropLast(3)) ?? 1970
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    monthLength = lengths[min(max(month, 1), 12) - 1]
  }

  /// Noon, Universal Time, of a day as `2026-11-03`, or `nil` for a text that is none and for years that calendars
  /// disagree about: before 1700 and from 10000 on.
  static func noon(of text: String) -> Date? {
    guard let instant = Instant(iso8601: text + "T12:00:00Z") else { return nil }
    let seconds = instant.microseconds / 1_000_000
    guard (-8_520_336_000..<253_402_300_800).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: Double(seconds))
  }
}
