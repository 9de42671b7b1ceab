/// A date that follows the clock: the present time, or the beginning of the present day, with an offset.
///
/// A live list whose condition compares dates with one changes as time passes (R15): rows come and go as they cross it. In the text of a
/// predicate it is written as `now()`, `now(-90m)`, `today()` or `today(7d)`.
public struct RelativeDate: Sendable {
  private enum Base: Sendable {
    case now(microseconds: Int64)
    case day(Int64, any DayCalendar)
  }

  private let base: Base

  /// The present time.
  public static let now = RelativeDate(base: .now(microseconds: 0))

  /// The present time and a duration, which is negative for an earlier time; fractions of a microsecond are dropped.
  public static func now(adding duration: Duration) -> RelativeDate {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    let limit = seconds < 0 ? Int64.min : .max
    return RelativeDate(base: .now(microseconds: overflow || carry ? limit : sum))
  }

  /// The first instant of the present day of a calendar, or of a day that is some days later, or earlier if the number is negative.
  public static func today(adding days: Int = 0, in calendar: any DayCalendar) -> RelativeDate {
    RelativeDate(base: .day(Int64(days), calendar))
  }

  /// The instant that it denotes at a time.
  ///
  /// An instant that 64 bits cannot hold is the first or the last one.
  public func instant(at now: Instant) -> Instant {
    switch base {
    case .now(let offset): return now.adding(offset)
    case .day(let days, let calendar): return calendar.start(ofDay: days, from: now)
    }
  }

  /// Whether it denotes the beginning of a day, and stays the same until the next one begins.
  package var isDay: Bool { if case .day = base { true } else { false } }

  /// The next day, if it denotes the beginning of a day; otherwise the same time a day later.
  package var dayAfter: RelativeDate {
    switch base {
    case .now(let offset):
      let (sum, overflow) = offset.addingReportingOverflow(86_400_000_000)
      return RelativeDate(base: .now(microseconds: overflow ? .max : sum))
    case .day(let days, let calendar):
      return RelativeDate(base: .day(days == .max ? days : days + 1, calendar))
    }
  }

  /// The first time after another at which it denotes another instant; `nil` if it does so at any later time.
  package func nextChange(after now: Instant) -> Instant? {
    guard case .day(_, let calendar) = base else { return nil }
    return calendar.start(ofDay: 1, from: now)
  }

  /// The time at which the present time with its offset is an instant; `nil` for the beginning of a day.
  package func time(at instant: Instant) -> Instant? {
    guard case .now(let offset) = base else { return nil }
    return instant.adding(offset == .min ? .max : -offset)
  }
}

/// The days of a time zone, for dates that follow the clock.
///
/// `CalendarDays` of `FoundationAttributes` has those of a Foundation calendar.
public protocol DayCalendar: Sendable {
  /// Returns the first instant of the day that contains an instant, or of one that is some days later or earlier.
  func start(ofDay offset: Int64, from instant: Instant) -> Instant
  /// A text that identifies the days: calendars with equal texts have the same days.
  var identity: String { get }
}

extension Instant {
  /// The instant some microseconds later, or the first or the last one where 64 bits cannot hold it; infinite dates stay.
  package func adding(_ microseconds: Int64) -> Instant {
    guard !isInfinite else { return self }
    let (sum, overflow) = self.microseconds.addingReportingOverflow(microseconds)
    return overflow
      ? (microseconds < 0 ? .negativeInfinity : .infinity) : Instant(microseconds: sum)
  }
}

// MARK: - Equality

extension RelativeDate: Hashable {
  /// Whether two dates denote the same instant at any time: calendars are compared by their identities.
  public static func == (left: RelativeDate, right: RelativeDate) -> Bool {
    switch (left.base, right.base) {
    case (.now(let left), .now(let right)): left == right
    case (.day(let left, let calendar), .day(let right, let other)):
      left == right && calendar.identity.hasSameBytes(as: other.identity)
    case (.now, .day), (.day, .now): false
    }
  }

  /// Hashes what equality compares, but for the calendar.
  public func hash(into hasher: inout Hasher) {
    switch base {
    case .now(let offset): hasher.combine(offset)
    case .day(let days, _): hasher.combine(days)
    }
  }
}

// MARK: - Text

extension RelativeDate: CustomStringConvertible {
  /// The date as it is written in a predicate: `now()`, `now(-90m)`, `today()` or `today(7d)`.
  public var description: String {
    switch base {
    case .now(0): "now()"
    case .now(let offset):
      RelativeDate.units.first { offset.isMultiple(of: $0.microseconds) }
        .map { "now(\(offset / $0.microseconds)\($0.name))" } ?? "now()"
    case .day(0, _): "today()"
    case .day(let days, _): "today(\(days)d)"
    }
  }

  /// What identifies it: its text, and its calendar if it has one.
  package var identity: String {
    guard case .day(_, let calendar) = base else { return description }
    return "\(description) \(calendar.identity)"
  }

  /// The units in which an offset is written, the longest first.
  private static let units: [(name: String, microseconds: Int64)] = [
    ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("us", 1),
  ]

  /// The date of `today(…)`, if there is a calendar, or of `now(…)`, with an offset such as `-90m`.
  /// - Returns: `nil` if the offset is none, or has a unit that the function does not have.
  init?(today calendar: (any DayCalendar)?, offset: String) {
    let digits = offset.utf8.prefix { !(0x41...0x7A).contains($0) }
    let unit = PredicateWord.capitals(String(offset.utf8.dropFirst(digits.count)) ?? "")
    guard let text = String(digits), var number = Int64(text) else { return nil }
    var overflow = false
    if unit == "W" { (number, overflow) = number.multipliedReportingOverflow(by: 7) }
    let name = unit == "W" ? "D" : unit
    let length = RelativeDate.units.first { PredicateWord.capitals($0.name) == name }
    guard let length, !overflow else { return nil }
    if let calendar {
      guard name == "D", let days = Int(exactly: number) else { return nil }
      self = .today(adding: days, in: calendar)
    } else {
      (number, overflow) = number.multipliedReportingOverflow(by: length.microseconds)
      guard !overflow else { return nil }
      self.init(base: .now(microseconds: number))
    }
  }
}

// MARK: - Predicates

extension FetchPredicate {
  /// Whether it compares anything with a date that follows the clock.
  public var followsClock: Bool { !relativeComparisons.isEmpty }

  /// The comparisons with dates that follow the clock, in their order.
  package var relativeComparisons: [RelativeComparison] {
    switch self {
    case .relative(let expression, let comparison, let date):
      [RelativeComparison(expression, date, comparison)]
    case .not(let inner), .quantified(_, _, let inner): inner.relativeComparisons
    case .and(let parts), .or(let parts): parts.flatMap(\.relativeComparisons)
    case .all, .none, .comparison, .between, .membership, .identity, .text, .isNull: []
    }
  }

  /// Returns the predicate as it is at a time, with constants in place of the dates that follow the clock.
  ///
  /// A store is asked for it, and so is a fetch outside of a live list.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - entity: The entity whose attributes it compares; the constants get the forms in which these store dates.
  /// - Returns: The predicate, which stores and evaluators take.
  /// - Complexity: O(*n*) in the predicate's size.
  public func resolved(at now: Instant, in entity: EntityDescription) -> FetchPredicate {
    switch self {
    case .relative(let expression, let comparison, let date):
      let value = Value.integer(date.instant(at: now).microseconds)
      return FetchPredicate.comparison(expression, comparison, .literal(value)).storing(in: entity)
    case .not(let inner): return .not(inner.resolved(at: now, in: entity))
    case .and(let parts): return .and(parts.map { $0.resolved(at: now, in: entity) })
    case .or(let parts): return .or(parts.map { $0.resolved(at: now, in: entity) })
    case .all, .none, .comparison, .between, .membership, .identity, .text, .isNull, .quantified:
      return self
    }
  }
}

/// The two sides of a comparison with a date that follows the clock.
package struct RelativeComparison: Hashable, Sendable {
  /// What is compared.
  package let expression: FetchExpression
  /// With what.
  package let date: RelativeDate
  /// Whether the two are on one side while they are equal, as with `<=` and `>`: the side is another one a microsecond earlier than with
  /// `<` and `>=`.
  private let turnsWhenEqual: Bool

  init(_ expression: FetchExpression, _ date: RelativeDate, _ comparison: ComparisonOperator) {
    self.expression = expression
    self.date = date
    turnsWhenEqual = comparison != .less && comparison != .greaterOrEqual
  }

  /// The rows whose value may be on another side at one time than at another, the ends included.
  /// - Returns: `nil` if both times have the same sides.
  package func crossed(
    from earlier: Instant,
    to later: Instant,
    in entity: EntityDescription
  ) -> FetchPredicate? {
    let ends = [date.instant(at: earlier), date.instant(at: later)].sorted()
    guard ends[0] != ends[1] else { return nil }
    return FetchPredicate.between(
      expression,
      .integer(ends[0].microseconds),
      .integer(ends[1].microseconds)
    ).storing(in: entity)
  }

  /// The rows that time has not reached yet.
  package func upcoming(after now: Instant, in entity: EntityDescription) -> FetchPredicate {
    FetchPredicate.comparison(
      expression,
      turnsWhenEqual ? .greater : .greaterOrEqual,
      .literal(.integer(date.instant(at: now).microseconds))
    ).storing(in: entity)
  }

  /// The first time at which a stored value is on the other side; `nil` for what is no date, and for the beginning of a day.
  package func time(ofStored value: Value, in entity: EntityDescription) -> Instant? {
    let logical = expression.form(in: entity)?.logical(value) ?? value
    guard case .integer(let microseconds) = logical else { return nil }
    return date.time(at: Instant(microseconds: microseconds))?.adding(turnsWhenEqual ? 0 : 1)
  }
}
