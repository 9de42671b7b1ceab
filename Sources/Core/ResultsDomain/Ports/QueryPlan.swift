/// How a store comes by the keys of a list in their order, in the store's own words: read off its plan, never guessed.
public struct QueryPlan: Hashable, Sendable {
  /// Where the order comes from.
  public enum Source: Hashable, Sendable {
    /// An index of this name holds the keys in order.
    case index(String)
    /// The rows lie in this order by themselves.
    case table
    /// The keys are sorted at every reading.
    case sorting
    /// The store does not say.
    case unknown
  }

  /// Where the order comes from.
  public var source: Source
  /// The steps of the plan, as the store describes them.
  public var steps: [String]
  /// A statement that would make the keys come in order, proved on an empty copy of the table; `nil` if none is needed or none would.
  public var remedy: String?

  /// How a store comes by the keys of a list.
  public init(source: Source, steps: [String] = [], remedy: String? = nil) {
    self.source = source
    self.steps = steps
    self.remedy = remedy
  }
}

extension QueryPlan.Source: CustomStringConvertible {
  /// A few words for a person.
  public var description: String {
    switch self {
    case .index(let name): "read from the index \(name)"
    case .table: "read in the table's own order"
    case .sorting: "sorted on every read (no index)"
    case .unknown: "the store does not say how it is read"
    }
  }
}
