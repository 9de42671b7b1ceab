public import Foundation
public import ResultsDomain

/// Groups dates by the days, weeks, months or years of a time zone, with titles in a locale: the sections of a chat, a ledger or a diary.
///
/// ```swift
/// let list = FetchedResultsController(
///   FetchRequest<Message>(sortedBy: [.descending(\.sent)]),
///   sectionedBy: .calendar(.day, of: \.sent),
///   in: store
/// )
/// ```
///
/// The id of a section is the same in every locale: `2026-11-03`, `2026-W45`, `2026-11` or `2026`. Only its title depends on the locale, and
/// that of a week, which is its id, does not. All others are made with `Date.FormatStyle`, so two forms of a date never mix in one list. The
/// values are those of an attribute of type `date`,
/// in any stored form.
///
/// The day of an instant is the last day that has begun, so days of 23 and 25 hours are whole, and a day that a zone skipped is empty.
/// Where clocks go back across midnight, as in St. John's on 2006-10-29, the repeated minutes before midnight belong to the new
/// day, so the rows of a day stand together. Weeks, months and years consist of these days.
///
/// A date without a time (`Instant.wholeDay`) is that day in every time zone. In the few zones with an offset below -10 or above +14
/// hours, it may be sorted among the instants of a neighbouring day; `contiguity` says whether a list has to merge such sections.
public struct CalendarGrouping: SectionGrouping {
  /// A span of dates that share a section.
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    /// A day.
    case day
    /// A week of ISO 8601, from Monday; the first week of a year is that of its first Thursday.
    case week
    /// A month of the Gregorian calendar.
    case month
    /// A year of the Gregorian calendar.
    case year
  }

  /// The span of a section.
  public let unit: Unit
  private let days: LocalDays
  private let calendar: Calendar
  private let locale: Locale?

  /// Days, weeks, months or years of a calendar's time zone.
  /// - Parameters:
  ///   - unit: The span of a section.
  ///   - calendar: The calendar and its time zone. Sections are Gregorian; another calendar decides how titles count years.
  ///   - locale: The locale of titles, or `nil` for the ids.
  public init(_ unit: Unit, calendar: Calendar = .current, locale: Locale? = .current) {
    self.unit = unit
    days = LocalDays(timeZone: calendar.timeZone)
    self.calendar = calendar
    self.locale = locale
  }

  /// Whether a list has to merge sections whose rows do not stand together: only in zones where a date without a time can be sorted
  /// among the instants of another day.
  public var contiguity: SectionContiguity { days.scattersWholeDays ? .merge : .error }

  /// The section of an instant in microseconds, with its first instant and that of the next one.
  public func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    if let day = days.scatteredDay(of: microseconds) {
      return SectionGroup(id: .text(CivilDay(day).text(of: unit)))
    }
    let instant = Instant(microseconds: microseconds)
    guard !instant.isInfinite else { return SectionGroup(id: .text(instant.plainText)) }
    let day = CivilDay(days.day(of: LocalDays.quotient(microseconds, 1_000_000)))
    let span = day.span(of: unit)
    return SectionGroup(
      id: .text(day.text(of: unit)),
      first: days.instant(of: span.lowerBound) ?? .integer(.min + 1),
      next: days.instant(of: span.upperBound) ?? .integer(.max)
    )
  }

  /// The title of a section: the numeric date of a day, the number of a week, the month in words with its year, or the year.
  public func title(of id: Value) -> String {
    guard case .text(let text) = id else { return "" }
    guard let locale, let noon = CivilDay.noon(of: text, unit) else { return text }
    guard unit != .day else {
      return noon.formatted(
        Date.FormatStyle(
          date: .numeric,
          time: .omitted,
          locale: locale,
          calendar: calendar,
          timeZone: .gmt
        )
      )
    }
    let fields = Date.FormatStyle.dateTime.year()
    var style = (unit == .month ? fields.month(.wide) : fields).locale(locale)
    style.calendar = hasGregorianMonths ? calendar : Calendar(identifier: .gregorian)
    style.timeZone = .gmt
    return noon.formatted(style)
  }

  /// The span and the time zone, which decide the section of an instant.
  public var groupingIdentity: String { "\(unit.rawValue) \(calendar.timeZone.identifier)" }

  /// The locale and the calendar, which decide the title of a section.
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

// MARK: - Section keys

extension SectionKey {
  /// Sections by the days, weeks, months or years of a date, which has to be the first sort descriptor (R03).
  /// - Parameters:
  ///   - unit: The span of a section.
  ///   - source: The name of the date's attribute, or a path such as `chat.opened`.
  ///   - calendar: The calendar and its time zone.
  ///   - locale: The locale of titles, or `nil` for the ids.
  /// - Returns: A key that merges sections only in the zones where rows of one day can stand apart.
  public static func calendar(
    _ unit: CalendarGrouping.Unit,
    of source: String,
    in calendar: Calendar = .current,
    locale: Locale? = .current
  ) -> SectionKey {
    let grouping = CalendarGrouping(unit, calendar: calendar, locale: locale)
    var key = SectionKey.transient(source: source, grouping: grouping)
    key.contiguity = grouping.contiguity
    return key
  }
}

extension EntitySectionKey {
  /// Sections by the days, weeks, months or years of a date, which has to be the first sort descriptor (R03).
  /// - Parameters:
  ///   - unit: The span of a section.
  ///   - source: The property of the date, an `Instant` or a `Date`.
  ///   - calendar: The calendar and its time zone.
  ///   - locale: The locale of titles, or `nil` for the ids.
  /// - Returns: A key that merges sections only in the zones where rows of one day can stand apart.
  public static func calendar<Property: AttributeConvertible>(
    _ unit: CalendarGrouping.Unit,
    of source: any KeyPath<Root, Property> & Sendable,
    in calendar: Calendar = .current,
    locale: Locale? = .current
  ) -> Self {
    Self(
      .calendar(unit, of: Root.schema.attributeName(of: source), in: calendar, locale: locale)
    )
  }
}

// MARK: - Days

/// The days of a time zone, numbered from 1970-01-01.
///
/// The day of a second is the last day that has begun. Where clocks go back across midnight, the repeated minutes before
/// midnight belong to the new day. A day that a zone skipped, as Samoa did in 2011, is empty.
struct LocalDays: Sendable {
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

  /// The day of an instant, or the nearest one that 64 bits can hold in microseconds.
  func day(ofInstant instant: Instant) -> Int64 {
    day(of: LocalDays.quotient(instant.microseconds, 1_000_000))
  }

  /// The first instant of a day that is some days later than that of an instant, or the first or the last one where 64 bits cannot hold it.
  func start(ofDay offset: Int64, from instant: Instant) -> Instant {
    let (day, overflow) = day(ofInstant: instant).addingReportingOverflow(offset)
    let limit: Instant = offset < 0 ? .negativeInfinity : .infinity
    guard !overflow, day.magnitude < 1 << 40, case .integer(let start)? = self.instant(of: day)
    else {
      return limit
    }
    return Instant(microseconds: start)
  }

  /// The whole day of an instant, in microseconds since 1970, if the zone scatters whole days; in other zones
  /// `day(of:)` gives the right day.
  func scatteredDay(of microseconds: Int64) -> Int64? {
    scattersWholeDays ? Instant(microseconds: microseconds).wholeDay : nil
  }

  /// The first instant of a day, in microseconds; `nil` if it does not fit in 64 bits.
  func instant(of day: Int64) -> Value? {
    let (start, overflow) = firstSecond(of: day).multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : .integer(start)
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

/// A day of the proleptic Gregorian calendar, with its text.
private struct CivilDay {
  private let number: Int64
  /// The day as `2026-11-03`.
  private let text: String

  /// A day by its number from 1970-01-01, limited to the range of `Instant`.
  init(_ day: Int64) {
    let (microseconds, overflow) = day.multipliedReportingOverflow(by: 86_400_000_000)
    let instant = Instant(microseconds: overflow ? (day < 0 ? .min : .max) : microseconds)
    number = day
    text = String(instant.iso8601.prefix { $0 != "T" })
  }

  /// The day, or the month or the year in which it is.
  func text(of unit: CalendarGrouping.Unit) -> String {
    switch unit {
    case .day: text
    case .week: week
    case .month: String(text.dropLast(3))
    case .year: String(text.dropLast(6))
    }
  }

  /// The number of the day in its week, from 0 for Monday; 1970-01-01 was a Thursday.
  private var weekday: Int64 { ((number + 3) % 7 + 7) % 7 }

  /// The week in which the day is, as `2026-W45`.
  private var week: String {
    let thursday = CivilDay(number - weekday + 3)
    let start = thursday.span(of: .year).lowerBound
    let digits = String((thursday.number - start) / 7 + 1)
    return "\(thursday.text(of: .year))-W\(digits.utf8.count == 1 ? "0" : "")\(digits)"
  }

  /// The days of the span in which the day is.
  func span(of unit: CalendarGrouping.Unit) -> Range<Int64> {
    guard unit != .day else { return number..<number + 1 }
    guard unit != .week else { return number - weekday..<number - weekday + 7 }
    let year = Int(text(of: .year)) ?? 1970
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let month = min(max(Int(text(of: .month).suffix(2)) ?? 1, 1), 12) - 1
    let first = number - (Int64(text.suffix(2)) ?? 1) + 1
    guard unit == .year else { return first..<first + lengths[month] }
    let start = first - lengths[..<month].reduce(0, +)
    return start..<start + lengths.reduce(0, +)
  }

  /// Noon in UTC of a day in the middle of a section with an id such as `2026-11-03`, `2026-11` or `2026`; `nil` for another text, and
  /// for years before 1700 and from 10000 on, about which calendars disagree.
  static func noon(of text: String, _ unit: CalendarGrouping.Unit) -> Date? {
    let middle =
      switch unit {
      case .day: ""
      // A week has the same title in every locale.
      case .week: "-"
      case .month: "-15"
      case .year: "-07-01"
      }
    guard let instant = Instant(iso8601: text + middle + "T12:00:00Z") else { return nil }
    let seconds = instant.microseconds / 1_000_000
    guard (-8_520_336_000..<253_402_300_800).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: Double(seconds))
  }
}
