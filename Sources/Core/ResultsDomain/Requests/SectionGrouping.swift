/// How values of a sort attribute are gathered into sections whose id is computed, such as days of a date.
///
/// A grouping must be monotone: as the value grows, its groups follow each other and none comes back. What it depends
/// on besides the value (a calendar, a time zone, a locale) is part of the grouping itself, so that a list made with one
/// grouping never shows the titles of another.
public protocol SectionGrouping: Sendable {
  /// The group of a value, which may be null.
  func group(of value: Value) -> SectionGroup
  /// The title of a group's section.
  func title(of id: Value) -> String
  /// Everything the groups depend on, as text: equal texts mean equal groups.
  var groupingIdentity: String { get }
  /// Everything the titles depend on, as text: equal texts mean equal titles.
  var titleIdentity: String { get }
  /// The locale, calendar and time zone among all that, each apart.
  var dependencies: GroupingDependencies { get }
}

/// A group of values: a section id, and the values around the one asked for that share it.
public struct SectionGroup: Hashable, Sendable {
  /// The section's id.
  public let id: Value
  /// The smallest value of the group, or `nil` if only the value asked for is known to belong.
  public let first: Value?
  /// The smallest value after the group, or `nil` if not known.
  public let next: Value?

  /// A group whose extent may be known.
  public init(id: Value, first: Value? = nil, next: Value? = nil) {
    self.id = id
    self.first = first
    self.next = next
  }
}

/// What a grouping depends on besides the value, each apart: a cache that was made under others can say which differs.
public struct GroupingDependencies: Hashable, Sendable {
  /// The locale that titles are written in, or nothing.
  public let locale: String
  /// The calendar that days or months are counted or written in, or nothing.
  public let calendar: String
  /// The time zone that decides which day an instant falls on, or nothing.
  public let timeZone: String

  /// What a grouping depends on; what it does not depend on is left out.
  public init(locale: String = "", calendar: String = "", timeZone: String = "") {
    self.locale = locale
    self.calendar = calendar
    self.timeZone = timeZone
  }
}

extension SectionGrouping {
  /// By default nothing is told apart; `groupingIdentity` and `titleIdentity` still say all that counts.
  public var dependencies: GroupingDependencies { GroupingDependencies() }
}
