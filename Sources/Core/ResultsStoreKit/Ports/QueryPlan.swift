package import ResultsDomain

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
  /// The relationships that the list follows.
  public var relationships: [RelationshipPlan] = []

  /// Creates a plan.
  public init(source: Source, steps: [String] = [], remedy: String? = nil) {
    self.source = source
    self.steps = steps
    self.remedy = remedy
  }
}

/// How a store reads a relationship that a list follows, and finds the rows that a change of a related object concerns.
public struct RelationshipPlan: Hashable, Sendable {
  /// A search for the rows that hold the key of a related object.
  public struct Search: Hashable, Sendable {
    /// The columns that hold the key, as `Book.authorID`.
    public var columns: String
    /// What is searched, as `the index BookByAuthorID`; `nil` if all rows are read.
    public var index: String?
    /// The statement that creates the index that the search lacks.
    public var remedy: String?

    /// Creates the description of a search.
    public init(columns: String, index: String?, remedy: String? = nil) {
      self.columns = columns
      self.index = index
      self.remedy = remedy
    }
  }

  /// The entity and the relationship, as `Book.author`.
  public var name: String
  /// The conditions that join its objects, as `Author.id = Book.authorID`.
  public var join: String
  /// The searches, one for each foreign key of the relationship.
  public var searches: [Search]

  /// Creates a plan.
  public init(name: String, join: String, searches: [Search]) {
    self.name = name
    self.join = join
    self.searches = searches
  }
}

extension RelationshipPlan: CustomStringConvertible {
  /// The join, and for each foreign key the index that is searched or the statement that creates it.
  public var description: String {
    let searches = searches.map { search in
      if let index = search.index { return "\(search.columns) is found by \(index)" }
      return "\(search.columns) has no index"
        + (search.remedy.map { ", so all rows are read; this creates one: \($0)" } ?? "")
    }
    return "\(name) joins \(join); \(searches.joined(separator: ", "))"
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

// MARK: - Names of indexes

extension FetchExpression {
  /// The expression's part of the name of an index.
  package var indexName: String {
    switch self {
    case .attribute(let name): name.prefix(1).uppercased() + name.dropFirst()
    case .objectKey: "Key"
    case .literal: "Constant"
    case .prefix(let inner, let length): "\(inner.indexName)Prefix\(max(0, length))"
    case .lowercased(let inner): inner.indexName + "Lowercased"
    case .uppercased(let inner): inner.indexName + "Uppercased"
    case .length(let inner): inner.indexName + "Length"
    case .bucket(let inner, let width): "\(inner.indexName)Bucket\(width)"
    case .ifNull(let inner, .literal): inner.indexName + "OrOther"
    case .ifNull(let inner, let other): "\(inner.indexName)Or\(other.indexName)"
    case .related, .relatedAggregate: "Related"
    case .transformed(let transform, let inner): inner.indexName + transform.rawValue
    }
  }
}
