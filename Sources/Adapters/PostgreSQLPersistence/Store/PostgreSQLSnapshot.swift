#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// One version of a store, as a connection's transaction sees it, for as long as the closure around it runs.
final class PostgreSQLSnapshot: StoreSnapshot {
  let context: StoreContext
  let pinned: PinnedVersion
  private var connection: Connection?
  /// The sources that were handed out.
  private var sources: [PostgreSQLOrderedSource] = []

  /// The rows of the last page that a source has read.
  private let paged = PagedRows()
  /// The connections for parts of a long pass.
  private let pool: ConnectionPool?

  init(
    _ connection: Connection,
    _ pinned: PinnedVersion,
    in context: StoreContext,
    pool: ConnectionPool? = nil
  ) {
    self.connection = connection
    self.pinned = pinned
    self.context = context
    self.pool = pool
  }

  /// The version that the transaction sees.
  var version: StoreVersion { pinned.version }

  /// Ends the use; later calls fail.
  func end() {
    connection = nil
    for source in sources { source.end() }
    sources = []
  }

  /// Runs a closure with the connection.
  /// - Throws: `StoreError.unexpected` after the closure of the read has returned, and what the closure throws.
  func with<Result>(
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard let connection else {
      throw .unexpected(
        path: context.path,
        detail: "a snapshot was used after its closure had returned"
      )
    }
    return try body(connection)
  }

  private func reader(_ connection: Connection) -> TableReader {
    TableReader(connection, tables: context.tables, path: context.path)
  }

  // MARK: - Rows and keys

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try with { (connection) throws(StoreError) in
      if let rows = paged.take(keys, of: entity) { return rows }
      return try reader(connection).rows(keys, of: entity)
    }
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with { (connection) throws(StoreError) in
      try reader(connection).entries(of: definition, body)
    }
  }

  func firstEntries(of definition: OrderDefinition, limit: Int) throws(StoreError) -> EntryBatch {
    try with { (connection) throws(StoreError) in
      try reader(connection).firstEntries(of: definition, limit: limit)
    }
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    do {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    return try with { (connection) throws(StoreError) in
      try reader(connection).count(of: entity, where: predicate)
    }
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with { (connection) throws(StoreError) in
      try reader(connection).digests(of: definition, attributes: attributes, body)
    }
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with { (connection) throws(StoreError) in
      try reader(connection)
        .aggregates(aggregates, of: definition, groupedByFirst: columns, body)
    }
  }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    try with { (connection) throws(StoreError) in
      try reader(connection).referrers(to: keys, through: columns, of: entity, limit: limit)
    }
  }

  // MARK: - History

  func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try history(since: version, ofEach: [entity])
  }

  func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    var tables: [EntityTable] = []
    for entity in entities { tables.append(try context.tables.table(of: entity)) }
    return try with { (connection) throws(StoreError) in
      try context.changes.history(since: version, ofEach: tables, in: pinned, on: connection)
    }
  }

  func retainedCommits() throws(StoreError) -> RetainedCommits? {
    try with { (connection) throws(StoreError) in
      try context.changes.retainedCommits(in: pinned, on: connection)
    }
  }

  func history(
    from commit: RetainedCommits.Commit,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    var tables: [EntityTable] = []
    for entity in entities { tables.append(try context.tables.table(of: entity)) }
    return try with { (connection) throws(StoreError) in
      try context.changes.history(from: commit, ofEach: tables, in: pinned, on: connection)
    }
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { context.changes.bookmark(in: pinned) }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    context.changes.version(at: bookmark, in: pinned)
  }

  // MARK: - Ordered sources

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    let table = try context.tables.table(of: definition.entity)
    return try with { (connection) throws(StoreError) in
      let reader = reader(connection)
      let ordered = try context.orderedPlans.plan(of: definition, in: table, reader)
      return try OrderedRemedy(reader: reader).plan(of: definition, in: table, ordered)
    }
  }

  /// Rows are in no order of their own, so without an index they are sorted.
  func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    let table = try context.tables.table(of: definition.entity)
    return try with { (connection) throws(StoreError) in
      try context.orderedPlans.plan(of: definition, in: table, reader(connection))
        .map { .index($0.index.name) } ?? .sorting
    }
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    let table = try context.tables.table(of: definition.entity)
    return try with { (connection) throws(StoreError) in
      let reader = reader(connection)
      guard let plan = try context.orderedPlans.plan(of: definition, in: table, reader)
      else { return nil }
      let source = PostgreSQLOrderedSource(plan, reader, pool: pool, paged)
      sources.append(source)
      return source
    }
  }
}

/// The rows of a page whose keys a source has read, until the snapshot is asked for them.
final class PagedRows {
  /// The most rows that are read with their keys.
  static let limit = 1000

  private var rows: [ObjectKey: Row] = [:]
  private var table: EntityTable?

  /// Keeps the rows of a page, instead of those of another.
  func keep(_ rows: [ObjectKey: Row], of table: EntityTable) {
    (self.rows, self.table) = (rows, table)
  }

  /// The rows of some keys, which are kept no longer.
  /// - Returns: `nil` unless all are among those of the page.
  func take(_ keys: [ObjectKey], of entity: EntityDescription) -> [Row?]? {
    guard let table, [table.entity].index(matching: entity) != nil else { return nil }
    var found: [Row?] = []
    found.reserveCapacity(keys.count)
    for key in keys {
      guard let row = rows[key] else { return nil }
      found.append(row)
    }
    (rows, self.table) = ([:], nil)
    return found
  }
}
#endif
