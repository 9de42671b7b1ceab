public import ResultsDomain

#if canImport(FoundationEssentials)
public import FoundationEssentials
import FoundationInternationalization
#else
public import Foundation
#endif

/// Groups instants by the days of a time zone, with titles in the short form of a locale.
///
/// The id of a day is the same in every locale, as in `2026-11-03`; only its title depends on the locale. All titles are made
/// with `Date.FormatStyle`, so two forms of a date never mix in one list.
///
/// The day of an instant is the last day that has begun. Where clocks go back across midnight, as in St. John's on 2006-10-29,
/// the repeated minutes before midnight belong to the new day, so the rows of a day stand together.
///
/// A whole day, which is a date without a time, is that day in every time zone. In the few zones with an offset below -10 or
/// above +14 hours, it may be sorted among the instants of a neighbouring day.
public struct DayGrouping: SectionGrouping {
  private let days: LocalDays
  private let calendar: Calendar
  private let locale: Locale?

  /// Days of a calendar's time zone.
  /// - Parameters:
  ///   - calendar: The calendar and its time zone; the calendar only decides how titles count years.
  ///   - locale: The locale of titles, or `nil` for ISO dates.
  public init(calendar: Calendar, locale: Locale?) {
    days = LocalDays(timeZone: calendar.timeZone)
    self.calendar = calendar
    self.locale = locale
  }

  /// Whether a list merges rows of a day that do not stand together: only in zones where this can happen.
  var contiguity: SectionContiguity { days.scattersWholeDays ? .merge : .error }

  /// The day of an instant, with its first instant and that of the next day.
  public func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    if let day = days.scatteredDay(of: microseconds) {
      return SectionGroup(id: .text(CivilDay(day).text))
    }
    let day = days.day(of: LocalDays.quotient(microseconds, 1_000_000))
    return SectionGroup(id: .text(CivilDay(day).text), days, from: day, upTo: day + 1)
  }

  /// The title of a day.
  public func title(of id: Value) -> String {
    guard case .text(let day) = id else { return "" }
    guard let locale, let noon = CivilDay.noon(of: day) else { return day }
    let style = Date.FormatStyle(
      date: .numeric,
      time: .omitted,
      locale: locale,
      calendar: calendar,
      timeZone: .gmt
    )
    return noon.formatted(style)
  }

  /// The time zone, which decides the day of an instant.
  public var groupingIdentity: String { "day \(calendar.timeZone.identifier)" }

  /// The locale and the calendar, which decide the title of a day.
  public var titleIdentity: String { "\(locale?.identifier ?? "ISO") \(calendar.identifier)" }

  /// The locale, the calendar and the time zone.
  public var dependencies: GroupingDependencies {
    GroupingDependencies(
      locale: locale?.identifier ?? "ISO",
      calendar: "\(calendar.identifier)",
      timeZone: calendar.timeZone.identifier
    )
  }
}

extension SectionGroup {
  /// The group of instants from the beginning of one day to that of another, if both fit in 64 bits.
  fileprivate init(id: Value, _ days: LocalDays, from first: Int64, upTo next: Int64) {
    let (start, startOverflow) = days.firstSecond(of: first)
      .multipliedReportingOverflow(by: 1_000_000)
    let (end, endOverflow) = days.firstSecond(of: next)
      .multipliedReportingOverflow(by: 1_000_000)
    guard !startOverflow, !endOverflow else {
      self.init(id: id)
      return
    }
    self.init(id: id, first: .integer(start), next: .integer(end))
  }
}

#if canImport(FoundationEssentials)
#else
#endif

/// Groups instants by the months of a time zone, with titles in the words of a locale.
///
/// A month consists of the days of `DayGrouping`, so the two always agree about an instant.
public struct MonthGrouping: SectionGrouping {
  private let days: LocalDays
  private let calendar: Calendar
  private let locale: Locale?

  /// Months of a calendar's time zone.
  /// - Parameters:
  ///   - calendar: The calendar and its time zone; the calendar only decides how titles count years.
  ///   - locale: The locale of titles, or `nil` for ISO months.
  public init(calendar: Calendar, locale: Locale?) {
    days = LocalDays(timeZone: calendar.timeZone)
    self.calendar = calendar
    self.locale = locale
  }

  /// Whether a list merges rows of a month that do not stand together: only in zones where this can happen.
  var contiguity: SectionContiguity { days.scattersWholeDays ? .merge : .error }

  /// The month of an instant, with its first instant and that of the next month.
  public func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    if let day = days.scatteredDay(of: microseconds) {
      return SectionGroup(id: .text(CivilDay(day).monthText))
    }
    let day = days.day(of: LocalDays.quotient(microseconds, 1_000_000))
    let civil = CivilDay(day)
    let first = day - civil.dayOfMonth + 1
    return SectionGroup(
      id: .text(civil.monthText),
      days,
      from: first,
      upTo: first + civil.monthLength
    )
  }

  /// The title of a month.
  public func title(of id: Value) -> String {
    guard case .text(let month) = id else { return "" }
    guard let locale, let noon = CivilDay.noon(of: month + "-15") else { return month }
    var style = Date.FormatStyle.dateTime.year().month(.wide).locale(locale)
    style.calendar = hasGregorianMonths ? calendar : Calendar(identifier: .gregorian)
    style.timeZone = .gmt
    return noon.formatted(style)
  }

  /// The time zone, which decides the month of an instant.
  public var groupingIdentity: String { "month \(calendar.timeZone.identifier)" }

  /// The locale and the calendar, which decide the title of a month.
  public var titleIdentity: String { "\(locale?.identifier ?? "ISO") \(calendar.identifier)" }

  /// The locale, the calendar and the time zone.
  public var dependencies: GroupingDependencies {
    GroupingDependencies(
      locale: locale?.identifier ?? "ISO",
      calendar: "\(calendar.identifier)",
      timeZone: calendar.timeZone.identifier
    )
  }

  /// Whether the calendar has the Gregorian months; others cannot name them.
  private var hasGregorianMonths: Bool {
    switch calendar.identifier {
    case .gregorian, .iso8601, .japanese, .buddhist, .republicOfChina: true
    default: false
    }
  }
}

#if canImport(FoundationEssentials)
#else
#endif

/// The days of a time zone, numbered from 1970-01-01.
///
/// The day of a second is the last day that has begun. Where clocks go back across midnight, the repeated minutes before
/// midnight belong to the new day. A day that a zone skipped, as Samoa did in 2011, is empty.
private struct LocalDays: Sendable {
  let timeZone: TimeZone
  /// Whether the instant of a whole day can fall on a neighbouring day, as in Kiritimati and Pago Pago.
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

  /// The years from 1970 whose offsets are checked: about 1900 to 2100.
  private static let years: ClosedRange<Int64> = -70...130

  /// The years 1800 to 9999, in seconds since 1970; outside of them the offset is taken as constant.
  private static let knownOffsets: ClosedRange<Int64> = -5_364_662_400...253_402_300_799
  /// No zone has or had a larger offset than this.
  private static let largestOffset: Int64 = 16 * 3600
  private static let perDay: Int64 = 86_400

  /// The day of a second since 1970-01-01T00:00:00Z.
  func day(of second: Int64) -> Int64 {
    var day = LocalDays.quotient(second + offset(at: second), LocalDays.perDay)
    while firstSecond(of: day + 1) <= second { day += 1 }
    return day
  }

  /// The whole day of an instant, in microseconds since 1970, if the zone scatters whole days; in other zones
  /// `day(of:)` gives the right day.
  func scatteredDay(of microseconds: Int64) -> Int64? {
    scattersWholeDays ? Instant(microseconds: microseconds).wholeDay : nil
  }

  /// The first second of a day; for a skipped day, that of the next day.
  func firstSecond(of day: Int64) -> Int64 {
    let midnight = day * LocalDays.perDay
    let (start, end) = (midnight - LocalDays.largestOffset, midnight + LocalDays.largestOffset)
    var (second, offset) = (start, offset(at: start))
    guard offset != self.offset(at: end) else { return midnight - offset }
    // The offset changes nearby: the first stretch with a constant offset that reaches the day decides.
    while second < end {
      let change = nextChange(from: second, to: end, offset)
      let candidate = max(second, midnight - offset)
      if candidate < change { return candidate }
      (second, offset) = (change, self.offset(at: change))
    }
    return midnight - offset
  }

  /// The first second with another offset, or the end; two changes within one hour are not detected.
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

#if canImport(FoundationEssentials)
#else
#endif

/// A day of the proleptic Gregorian calendar, with its text.
private struct CivilDay {
  /// The day as `2026-11-03`.
  let text: String
  /// The month as `2026-11`.
  let monthText: String
  /// The day of the month, from 1.
  let dayOfMonth: Int64
  /// The number of days of the month.
  let monthLength: Int64

  /// A day by its number from 1970-01-01, limited to the range of `Instant`.
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

  /// Noon in UTC of a day such as `2026-11-03`; `nil` for another text, and for years before 1700 and from 10000 on, about
  /// which calendars disagree.
  static func noon(of text: String) -> Date? {
    guard let instant = Instant(iso8601: text + "T12:00:00Z") else { return nil }
    let seconds = instant.microseconds / 1_000_000
    guard (-8_520_336_000..<253_402_300_800).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: Double(seconds))
  }
}
