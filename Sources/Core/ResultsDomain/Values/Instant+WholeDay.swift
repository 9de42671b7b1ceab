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
