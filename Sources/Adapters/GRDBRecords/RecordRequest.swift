public import GRDB
public import ResultsDomain
public import ResultsPresentation
public import SQLitePersistence

/// What to list: records of one type, with a condition, an order and sections that name columns and paths as text.
///
/// ```swift
/// let list = try FetchedResultsController(
///   RecordRequest<Book>(
///     where: "author.name BEGINSWITH 'U' AND deletedAt == nil",
///     sortedBy: [.ascending("author.name"), .ascending("title")]
///   ),
///   in: store
/// )
/// ```
///
/// Each foreign key of a table is a relationship: `authorId` gives a book its `author`, and an author its `books`. The text is the predicate language of
/// `FetchPredicate(parsing:arguments:entity:transients:)`.
public struct RecordRequest<Record: ListedRecord>: Sendable {
  /// The condition for records to be listed, as text.
  public var condition: String
  /// The arguments of the condition's placeholders, in order, or of its variables by name.
  public var arguments: PredicateArguments
  /// The order of the records; the key is appended, so that the order is always total.
  public var order: [RecordOrder]
  /// The column or path whose values divide the list into sections, in their order; `nil` for one section.
  public var section: RecordOrder?
  /// The largest number of records, or `nil` for no limit.
  public var fetchLimit: Int?
  /// The number of records to skip before the first result.
  public var fetchOffset: Int
  /// The number of records that are read at a time.
  public var fetchBatchSize: Int

  /// Creates a request; names are resolved when a store is given.
  public init(
    where condition: String = "TRUEPREDICATE",
    arguments: PredicateArguments = [],
    sortedBy order: [RecordOrder],
    sectionedBy section: RecordOrder? = nil,
    fetchLimit: Int? = nil,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 50
  ) {
    self.condition = condition
    self.arguments = arguments
    self.order = order
    self.section = section
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = fetchBatchSize
  }

  /// Resolves the names of the request in a store.
  /// - Throws: `RecordRequestError` for a record that the store was not opened with, or a name or condition that is not valid.
  /// - Complexity: O(*n*) in the texts.
  public func definition(
    in store: SQLiteStore
  ) throws(RecordRequestError) -> ResultsDefinition<FetchedRecord<Record>> {
    let entity: EntityDescription
    do {
      entity = try store.entity(of: Record.self)
    } catch {
      throw .unknownRecord("\(Record.self)", error)
    }
    let request = ListRequest<FetchedRecord<Record>>(
      entity: entity,
      where: try RecordRequestError.parsing {
        () throws(PredicateParseError) in
        try FetchPredicate(parsing: condition, arguments: arguments, entity: entity)
      },
      sortedBy: try order.map { (term) throws(RecordRequestError) in
        try term.descriptor(in: entity)
      },
      fetchLimit: fetchLimit,
      fetchOffset: fetchOffset,
      fetchBatchSize: fetchBatchSize
    )
    guard let section = try section?.descriptor(in: entity) else {
      return ResultsDefinition(request)
    }
    let key = SectionKey.expression(section.expression, section.direction, nulls: section.nulls)
    return ResultsDefinition(request, sectionedBy: key)
  }
}

/// A term of an order: a column or a path such as `author.name`, and a direction.
public struct RecordOrder: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The column's name, or the path.
  public let path: String
  /// The direction.
  public let direction: SortDirection
  /// The position of nulls; `nil` as in SQLite, where null is smaller than every other value.
  public let nulls: NullPlacement?

  /// Creates a term of an order.
  public init(_ path: String, _ direction: SortDirection, nulls: NullPlacement? = nil) {
    self.path = path
    self.direction = direction
    self.nulls = nulls
  }

  /// Sorts by a column or a path, smaller values first.
  public init(stringLiteral path: String) { self.init(path, .ascending) }

  /// Sorts by a column or a path, smaller values first.
  public static func ascending(_ path: String, nulls: NullPlacement? = nil) -> RecordOrder {
    RecordOrder(path, .ascending, nulls: nulls)
  }

  /// Sorts by a column or a path, larger values first.
  public static func descending(_ path: String, nulls: NullPlacement? = nil) -> RecordOrder {
    RecordOrder(path, .descending, nulls: nulls)
  }

  /// Sorts by a column of GRDB, smaller values first.
  public static func ascending(
    _ column: some ColumnExpression,
    nulls: NullPlacement? = nil
  ) -> RecordOrder {
    RecordOrder(column.quotedName, .ascending, nulls: nulls)
  }

  /// Sorts by a column of GRDB, larger values first.
  public static func descending(
    _ column: some ColumnExpression,
    nulls: NullPlacement? = nil
  ) -> RecordOrder {
    RecordOrder(column.quotedName, .descending, nulls: nulls)
  }

  fileprivate func descriptor(
    in entity: EntityDescription
  ) throws(RecordRequestError) -> FetchSortDescriptor {
    let expression = try RecordRequestError.parsing { () throws(PredicateParseError) in
      try FetchExpression(path: path, in: entity)
    }
    return FetchSortDescriptor(expression, direction, nulls: nulls)
  }
}

extension ColumnExpression {
  /// The column's name as the language of predicates writes it.
  fileprivate var quotedName: String { "\(FetchExpression.attribute(name))" }
}

/// A request for records that a store cannot serve.
public enum RecordRequestError: Error, Sendable {
  /// The store was not opened with the record.
  case unknownRecord(String, StoreError)
  /// A condition, or a column or path of the order or the sections, is not valid.
  case invalidText(PredicateParseError)

  fileprivate static func parsing<Parsed>(
    _ parse: () throws(PredicateParseError) -> Parsed
  ) throws(RecordRequestError) -> Parsed {
    do throws(PredicateParseError) {
      return try parse()
    } catch {
      throw .invalidText(error)
    }
  }
}

extension RecordRequestError: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .unknownRecord(let record, let error):
      "\(error) Open the store with \(record) among its records."
    case .invalidText(let error): "\(error)"
    }
  }
}

// MARK: - Lists

extension FetchedResultsController {
  /// Creates a controller for records of a GRDB application; nothing is fetched before `performFetch()`.
  /// - Parameters:
  ///   - request: What to list.
  ///   - store: The store, opened with the record among others.
  ///   - options: How changes are delivered.
  /// - Throws: `RecordRequestError` for names and conditions that the record's table does not have.
  public convenience init<Record: ListedRecord>(
    _ request: RecordRequest<Record>,
    in store: SQLiteStore,
    options: ResultsOptions = ResultsOptions()
  ) throws(RecordRequestError) where Object == FetchedRecord<Record> {
    self.init(try request.definition(in: store), in: store, options: options)
  }
}
