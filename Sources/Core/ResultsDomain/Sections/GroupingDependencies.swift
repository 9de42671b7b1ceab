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
