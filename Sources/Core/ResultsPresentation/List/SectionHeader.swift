public import ResultsDomain

/// What tells a section from the others of its list: a value, compared bytewise.
public struct SectionID: Hashable, Sendable {
  /// The value its rows share; null for the one section of an unsectioned list and for rows without a value.
  public let value: Value
  /// Which run of that value it is, from 0; only lists that split sections have others (R04).
  public let occurrence: Int

  /// The identity of a section.
  public init(_ value: Value, occurrence: Int = 0) {
    self.value = value
    self.occurrence = occurrence
  }
}

extension SectionID: CustomStringConvertible {
  /// The value, with the occurrence where it is not the first.
  public var description: String {
    occurrence == 0 ? value.description : "\(value) (\(occurrence + 1))"
  }
}

/// A section's identity, title and aggregates, as deltas carry them.
public struct SectionHeader: Hashable, Sendable {
  /// What tells it from the others.
  public let id: SectionID
  /// What is shown.
  public let title: String
  /// What the list's declared aggregates came to over its rows (R78).
  public let aggregates: SectionAggregates

  /// A section's identity, title and aggregates.
  public init(id: SectionID, title: String, aggregates: SectionAggregates = .none) {
    self.id = id
    self.title = title
    self.aggregates = aggregates
  }

  /// Whether two headers have the same id, the same aggregates and, bytewise, the same title.
  public static func == (left: SectionHeader, right: SectionHeader) -> Bool {
    left.id == right.id && Value.text(left.title) == Value.text(right.title)
      && left.aggregates == right.aggregates
  }

  /// Feeds the id into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
