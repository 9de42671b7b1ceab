public import Foundation
public import ResultsDomain

/// Groups dates by where they are from the present day: overdue, today, tomorrow, later (R15).
///
/// ```swift
/// let list = FetchedResultsController(
///   FetchRequest<Message>(sortedBy: [.descending(\.sent)]),
///   sectionedBy: .periods(.recent, of: \.sent),
///   in: store,
///   options: ResultsOptions(wallClock: .system)
/// )
/// ```
///
/// The list follows the clock of its options: at midnight exactly the rows whose period is another one move. A period is a range of days of
/// a calendar's time zone, which begin as those of `CalendarGrouping` do; infinite dates have sections of their own.
public struct PeriodGrouping: ClockGrouping {
  /// A range of days, from its first one to the first one of the next period.
  public struct Period: Hashable, Sendable {
    /// What identifies its section.
    public let id: String
    /// The title of its section.
    public let title: String
    /// Its first day, counted from the present one, or `nil` for no beginning.
    public let firstDay: Int?

    /// Creates a period.
    public init(_ id: String, _ title: String, firstDay: Int?) {
      self.id = id
      self.title = title
      self.firstDay = firstDay
    }
  }

  /// The periods, ascending.
  public let periods: [Period]
  private let days: LocalDays
  /// The present day, in days since 1970-01-01.
  private let today: Int64

  /// Periods of a calendar's time zone.
  /// - Parameters:
  ///   - periods: The periods in any order; dates before all of them are in the first one.
  ///   - calendar: The calendar, of which the time zone counts.
  ///   - now: The present time, until a list resolves the grouping at another one.
  public init(
    _ periods: [Period],
    calendar: Calendar = .current,
    at now: Instant = SystemWallClock.shared.now
  ) {
    self.periods = periods.sorted { ($0.firstDay ?? .min) < ($1.firstDay ?? .min) }
    days = LocalDays(timeZone: calendar.timeZone)
    today = days.day(ofInstant: now)
  }

  private init(_ grouping: PeriodGrouping, today: Int64) {
    (periods, days, self.today) = (grouping.periods, grouping.days, today)
  }

  /// Whether a list has to merge sections whose rows do not stand together, as for `CalendarGrouping`.
  public var contiguity: SectionContiguity { days.scattersWholeDays ? .merge : .error }

  /// The period of an instant in microseconds, with its first instant and that of the next one.
  public func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value, !periods.isEmpty else {
      return SectionGroup(id: .null)
    }
    let instant = Instant(microseconds: microseconds)
    let scattered = days.scatteredDay(of: microseconds)
    guard instant > .negativeInfinity, instant < .infinity else {
      return SectionGroup(id: .text(instant < .infinity ? "-infinity" : "infinity"))
    }
    let day = scattered ?? days.day(ofInstant: instant)
    let last = periods.lastIndex { Int64($0.firstDay ?? .min) <= day - today }
    let index = last ?? 0
    let id = Value.text(periods[index].id)
    guard scattered == nil else { return SectionGroup(id: id) }
    return SectionGroup(
      id: id,
      first: index == 0 ? .integer(.min + 1) : start(of: index) ?? .integer(.min + 1),
      next: index == periods.count - 1 ? .integer(.max) : start(of: index + 1) ?? .integer(.max)
    )
  }

  private func start(of index: Int) -> Value? {
    let (day, overflow) = today.addingReportingOverflow(Int64(periods[index].firstDay ?? 0))
    return overflow ? nil : days.instant(of: day)
  }

  /// The title of a period.
  public func title(of id: Value) -> String {
    guard case .text(let text) = id else { return "" }
    return periods.first { Value.text($0.id) == id }?.title ?? text
  }

  /// The periods, the time zone and the present day, which decide the section of an instant.
  public var groupingIdentity: String {
    let names = periods.map { "\($0.id) \($0.firstDay.map(String.init) ?? "*")" }
    return "\(names.joined(separator: ",")) \(days.timeZone.identifier) \(today)"
  }

  /// The titles.
  public var titleIdentity: String { periods.map(\.title).joined(separator: ",") }

  /// The time zone.
  public var dependencies: GroupingDependencies {
    GroupingDependencies(timeZone: days.timeZone.identifier)
  }

  /// The periods at another time.
  public func resolved(at now: Instant) -> any SectionGrouping {
    PeriodGrouping(self, today: days.day(ofInstant: now))
  }

  /// The next midnight.
  public func nextChange(after now: Instant) -> Instant? { days.start(ofDay: 1, from: now) }
}

extension [PeriodGrouping.Period] {
  /// For dates by which something is due: overdue, today, tomorrow, the rest of the next seven days, later.
  public static let due = [
    PeriodGrouping.Period("overdue", "Overdue", firstDay: nil),
    PeriodGrouping.Period("today", "Today", firstDay: 0),
    PeriodGrouping.Period("tomorrow", "Tomorrow", firstDay: 1),
    PeriodGrouping.Period("week", "Next 7 days", firstDay: 2),
    PeriodGrouping.Period("later", "Later", firstDay: 7),
  ]

  /// For dates on which something happened: earlier, the last 30 and the last seven days, yesterday, today, and what is to come.
  public static let recent = [
    PeriodGrouping.Period("earlier", "Earlier", firstDay: nil),
    PeriodGrouping.Period("month", "Last 30 days", firstDay: -30),
    PeriodGrouping.Period("week", "Last 7 days", firstDay: -7),
    PeriodGrouping.Period("yesterday", "Yesterday", firstDay: -1),
    PeriodGrouping.Period("today", "Today", firstDay: 0),
    PeriodGrouping.Period("upcoming", "Upcoming", firstDay: 1),
  ]
}

// MARK: - Days with names

/// The days of a calendar, of which yesterday, today and tomorrow have names as long as they are that (R15).
///
/// A section keeps its id, the date. At midnight its title is another one, and no row moves.
public struct NamedDays: ClockGrouping {
  /// The names of the days around the present one.
  public struct Names: Hashable, Sendable {
    /// The title of the day before.
    public var yesterday: String
    /// The title of the present day.
    public var today: String
    /// The title of the day after.
    public var tomorrow: String

    /// Creates names.
    public init(yesterday: String, today: String, tomorrow: String) {
      (self.yesterday, self.today, self.tomorrow) = (yesterday, today, tomorrow)
    }

    /// Yesterday, Today, Tomorrow.
    public static let english = Names(
      yesterday: "Yesterday",
      today: "Today",
      tomorrow: "Tomorrow"
    )
  }

  private let calendar: CalendarGrouping
  private let names: Names
  private let days: LocalDays
  /// The ids of the sections of yesterday, today and tomorrow.
  private var named: [Value]

  /// Names days of a calendar's time zone.
  /// - Parameters:
  ///   - names: The names.
  ///   - calendar: The calendar and its time zone.
  ///   - locale: The locale of the other titles, or `nil` for the ids.
  ///   - now: The present time, until a list resolves the grouping at another one.
  public init(
    _ names: Names = .english,
    calendar: Calendar = .current,
    locale: Locale? = .current,
    at now: Instant = SystemWallClock.shared.now
  ) {
    self.calendar = CalendarGrouping(.day, calendar: calendar, locale: locale)
    self.names = names
    days = LocalDays(timeZone: calendar.timeZone)
    named = []
    named = ids(at: now)
  }

  private func ids(at now: Instant) -> [Value] {
    [Int64(-1), 0, 1].map {
      calendar.group(of: .integer(days.start(ofDay: $0, from: now).microseconds)).id
    }
  }

  /// Whether a list has to merge sections whose rows do not stand together, as for `CalendarGrouping`.
  public var contiguity: SectionContiguity { calendar.contiguity }

  /// The day of an instant in microseconds, with its first instant and that of the next one.
  public func group(of value: Value) -> SectionGroup { calendar.group(of: value) }

  /// The name of a day that has one, or its date.
  public func title(of id: Value) -> String {
    guard let index = named.firstIndex(of: id) else { return calendar.title(of: id) }
    return [names.yesterday, names.today, names.tomorrow][index]
  }

  /// The time zone, which decides the section of an instant.
  public var groupingIdentity: String { calendar.groupingIdentity }

  /// The names, the locale, the calendar and the present day, which decide the title of a section.
  public var titleIdentity: String {
    "\(names.yesterday),\(names.today),\(names.tomorrow) \(named[1]) \(calendar.titleIdentity)"
  }

  /// The locale, the calendar and the time zone.
  public var dependencies: GroupingDependencies { calendar.dependencies }

  /// The names at another time.
  public func resolved(at now: Instant) -> any SectionGrouping {
    var resolved = self
    resolved.named = ids(at: now)
    return resolved
  }

  /// The next midnight.
  public func nextChange(after now: Instant) -> Instant? { days.start(ofDay: 1, from: now) }
}

// MARK: - Section keys

extension SectionKey {
  /// Sections by where dates are from the present day; the date has to be the first sort descriptor.
  /// - Parameters:
  ///   - periods: The periods, such as `.due` or `.recent`.
  ///   - source: The name of the date's attribute, or a path.
  ///   - calendar: The calendar, of which the time zone counts.
  /// - Returns: A key that merges sections only in the zones where rows of one day can stand apart.
  public static func periods(
    _ periods: [PeriodGrouping.Period],
    of source: String,
    in calendar: Calendar = .current
  ) -> SectionKey {
    let grouping = PeriodGrouping(periods, calendar: calendar)
    var key = SectionKey.transient(source: source, grouping: grouping)
    key.contiguity = grouping.contiguity
    return key
  }

  /// Sections by the days of a date, of which yesterday, today and tomorrow have names; the date has to be the first sort descriptor.
  /// - Parameters:
  ///   - names: The names.
  ///   - source: The name of the date's attribute, or a path.
  ///   - calendar: The calendar and its time zone.
  ///   - locale: The locale of the other titles, or `nil` for the ids.
  /// - Returns: A key that merges sections only in the zones where rows of one day can stand apart.
  public static func namedDays(
    _ names: NamedDays.Names = .english,
    of source: String,
    in calendar: Calendar = .current,
    locale: Locale? = .current
  ) -> SectionKey {
    let grouping = NamedDays(names, calendar: calendar, locale: locale)
    var key = SectionKey.transient(source: source, grouping: grouping)
    key.contiguity = grouping.contiguity
    return key
  }
}

extension EntitySectionKey {
  /// Sections by where dates are from the present day; the date has to be the first sort descriptor.
  /// - Parameters:
  ///   - periods: The periods, such as `.due` or `.recent`.
  ///   - source: The property of the date, an `Instant` or a `Date`.
  ///   - calendar: The calendar, of which the time zone counts.
  /// - Returns: A key that merges sections only in the zones where rows of one day can stand apart.
  public static func periods<Property: AttributeConvertible>(
    _ periods: [PeriodGrouping.Period],
    of source: any KeyPath<Root, Property> & Sendable,
    in calendar: Calendar = .current
  ) -> Self {
    Self(.periods(periods, of: Root.schema.attributeName(of: source), in: calendar))
  }

  /// Sections by the days of a date, of which yesterday, today and tomorrow have names; the date has to be the first sort descriptor.
  /// - Parameters:
  ///   - names: The names.
  ///   - source: The property of the date, an `Instant` or a `Date`.
  ///   - calendar: The calendar and its time zone.
  ///   - locale: The locale of the other titles, or `nil` for the ids.
  /// - Returns: A key that merges sections only in the zones where rows of one day can stand apart.
  public static func namedDays<Property: AttributeConvertible>(
    _ names: NamedDays.Names = .english,
    of source: any KeyPath<Root, Property> & Sendable,
    in calendar: Calendar = .current,
    locale: Locale? = .current
  ) -> Self {
    Self(
      .namedDays(names, of: Root.schema.attributeName(of: source), in: calendar, locale: locale)
    )
  }
}
