/// How a store reads the keys of a list in order, according to its own query plan.
public struct QueryPlan: Hashable, Sendable {
  /// The source of the order.
  public enum Source: Hashable, Sendable {
    /// An index of this name has the keys in order.
    case index(String)
    /// The table itself is in this order.
    case table
    /// The keys are sorted on every read.
    case sorting
    /// The store does not report it.
    case unknown
  }

  /// The source of the order.
  public var source: Source
  /// The steps of the plan, in the store's own words.
  public var steps: [String]
  /// A statement that creates an index with the keys in order, verified on an empty copy of the table, and those that create indexes
  /// over foreign keys that the list follows, separated by semicolons; `nil` if none is needed or
  /// none helps.
  public var remedy: String?

  /// Creates a plan.
  public init(source: Source, steps: [String] = [], remedy: String? = nil) {
    self.source = source
    self.steps = steps
    self.remedy = remedy
  }
}

extension QueryPlan.Source: CustomStringConvertible {
  /// A short description for messages.
  public var description: String {
    switch self {
    case .index(let name): "read from the index \(name)"
    case .table: "read in the table's own order"
    case .sorting: "sorted on every read (no index)"
    case .unknown: "unknown: the store does not report its plan"
    }
  }
}
