/// A rule that groups the values of a sort attribute into sections with computed ids, such as the days of a date.
///
/// A grouping must be monotone: as values grow, each group is one contiguous range of values. What the groups depend
/// on besides the value (a calendar, a time zone, a locale) is part of the grouping, so that a list with one grouping never
/// shows the titles of another.
public protocol SectionGrouping: Sendable {
  /// The group of a value, which can be null.
  func group(of value: Value) -> SectionGroup
  /// The title of a group's section.
  func title(of id: Value) -> String
  /// A text that identifies everything the groups depend on: equal texts mean equal groups.
  var groupingIdentity: String { get }
  /// A text that identifies everything the titles depend on: equal texts mean equal titles.
  var titleIdentity: String { get }
  /// The locale, calendar and time zone among those, separately.
  var dependencies: GroupingDependencies { get }
}

/// A group of values: a section id, and the range of values around the requested one that share it.
public struct SectionGroup: Hashable, Sendable {
  /// The section's id.
  public let id: Value
  /// The smallest value of the group, or `nil` if only the requested value is known to belong to it.
  public let first: Value?
  /// The smallest value after the group, or `nil` if unknown.
  public let next: Value?

  /// Creates a group, with its range if it is known.
  public init(id: Value, first: Value? = nil, next: Value? = nil) {
    self.id = id
    self.first = first
    self.next = next
  }
}

/// What a grouping depends on besides the value, separately, so that a cache with other dependencies can report which differ.
public struct GroupingDependencies: Hashable, Sendable {
  /// The locale of titles, or an empty string.
  public let locale: String
  /// The calendar of days or months, or an empty string.
  public let calendar: String
  /// The time zone that decides which day an instant falls on, or an empty string.
  public let timeZone: String

  /// Creates dependencies; omit what the grouping does not depend on.
  public init(locale: String = "", calendar: String = "", timeZone: String = "") {
    self.locale = locale
    self.calendar = calendar
    self.timeZone = timeZone
  }
}

extension SectionGrouping {
  /// By default, no dependency is listed separately; `groupingIdentity` and `titleIdentity` still cover them.
  public var dependencies: GroupingDependencies { GroupingDependencies() }
}

/// A grouping whose groups or titles depend on the present time, such as overdue, today and later (R15).
///
/// A live list shows the groups of the present time, and changes when that time comes. Elsewhere the grouping has the groups of the time
/// at which it is resolved.
public protocol ClockGrouping: SectionGrouping {
  /// Returns the grouping at a time, whose identities identify that time as far as groups and titles depend on it.
  func resolved(at now: Instant) -> any SectionGrouping
  /// Returns the first time after another at which groups or titles differ, or `nil` for never.
  func nextChange(after now: Instant) -> Instant?
}
