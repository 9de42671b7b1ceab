public import ResultsDomain

/// An aggregate that is kept for every section of a list, under a name (R78).
///
/// It is over the rows that the section shows: with a limit or an offset over those in the window, like the section's count.
public struct SectionAggregate: Hashable, Sendable {
  /// What it is called, in headers and on the wire.
  public let name: String
  /// What is worked out.
  public let aggregate: FetchAggregate

  /// An aggregate under a name.
  public init(_ name: String, _ aggregate: FetchAggregate) {
    self.name = name
    self.aggregate = aggregate
  }

  /// Whether two have the same aggregate and, bytewise, the same name.
  public static func == (left: SectionAggregate, right: SectionAggregate) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.aggregate == right.aggregate
  }

  /// Feeds the aggregate into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(aggregate) }
}
