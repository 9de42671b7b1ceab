public import ResultsDomain

/// The identity of a section in its list: a value, compared bytewise.
public struct SectionID: Hashable, Sendable {
  /// The value the section's rows share; null for the one section of a list without a section key, and for rows without a value.
  public let value: Value
  /// The number of the run of that value, from 0; only lists that split sections have others (R04).
  public let occurrence: Int

  /// Creates the identity of a section.
  public init(_ value: Value, occurrence: Int = 0) {
    self.value = value
    self.occurrence = occurrence
  }
}

extension SectionID: CustomStringConvertible {
  /// The value, followed by the occurrence where it is not the first.
  public var description: String {
    occurrence == 0 ? value.description : "\(value) (\(occurrence + 1))"
  }
}

/// A section's identity, title and aggregates, as deltas carry them.
public struct SectionHeader: Identifiable, Hashable, Sendable {
  /// The section's identity.
  public let id: SectionID
  /// The title to display.
  public internal(set) var title: String
  /// The values of the list's declared aggregates over the section's rows (R78), those beyond its limit included (R107).
  public let aggregates: SectionAggregates
  /// The number of rows in a section with a limit, those beyond it included (R107); `nil` for a section without a limit.
  public internal(set) var matchingCount: Int?

  /// Creates a header.
  public init(
    id: SectionID,
    title: String,
    aggregates: SectionAggregates = .none,
    matchingCount: Int? = nil
  ) {
    self.id = id
    self.title = title
    self.aggregates = aggregates
    self.matchingCount = matchingCount
  }

  /// Returns whether two headers have the same identity, aggregates and number of rows and, bytewise, the same title.
  public static func == (left: SectionHeader, right: SectionHeader) -> Bool {
    left.id == right.id && Value.text(left.title) == Value.text(right.title)
      && left.aggregates == right.aggregates && left.matchingCount == right.matchingCount
  }

  /// Feeds the identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
