public import ResultsDomain

/// A group's identity, title, numbers and aggregates, as deltas carry them (R11).
public struct GroupHeader: Identifiable, Hashable, Sendable {
  /// The group's identity: the value that its sections share.
  public let id: Value
  /// The title to display.
  public let title: String
  /// The number of its sections, which follow those of the groups before it.
  public let sectionCount: Int
  /// The number of rows in its sections, those beyond the limits of sections included (R107).
  public let rowCount: Int
  /// The values of the list's declared aggregates over those rows (R78).
  public let aggregates: SectionAggregates

  /// Creates a header.
  public init(
    id: Value,
    title: String,
    sectionCount: Int,
    rowCount: Int,
    aggregates: SectionAggregates = .none
  ) {
    self.id = id
    self.title = title
    self.sectionCount = sectionCount
    self.rowCount = rowCount
    self.aggregates = aggregates
  }

  /// Returns whether two headers have the same identity, numbers and aggregates and, bytewise, the same title.
  public static func == (left: GroupHeader, right: GroupHeader) -> Bool {
    left.id == right.id && left.title.hasSameBytes(as: right.title)
      && left.sectionCount == right.sectionCount && left.rowCount == right.rowCount
      && left.aggregates == right.aggregates
  }

  /// Feeds the identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension GroupHeader: CustomStringConvertible {
  /// The identity, the title, the numbers and the aggregates.
  public var description: String {
    let values = aggregates.isEmpty ? "" : " and \(aggregates)"
    return "\(id) with title '\(title)', \(sectionCount) sections, \(rowCount) rows\(values)"
  }
}
