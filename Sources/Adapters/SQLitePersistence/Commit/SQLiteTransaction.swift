import CSQLiteHooks
public import GRDB
public import ResultsDomain
public import ResultsStoreKit

/// A transaction of a `SQLiteStore`, which can also run the application's SQL.
///
/// The closure of `commit(origin:_:)` receives one: `(transaction as? SQLiteTransaction)?.withDatabase { … }`.
public final class SQLiteTransaction: StoreTransaction {
  let snapshot: SQLiteSnapshot
  private var writers: [RowWriter] = []

  init(_ snapshot: SQLiteSnapshot) { self.snapshot = snapshot }

  /// Runs the application's statements in the transaction.
  ///
  /// What they change in the store's entities is part of the commit's history, including savepoints, triggers and cascades. The closure must
  /// leave no statement unfinished and must not end the transaction.
  /// - Throws: What the closure throws, as `StoreError.aborted(by:)` unless it is a store's or SQLite's error.
  public func withDatabase<Result>(
    _ body: (Database) throws -> Result
  ) throws(StoreError) -> Result {
    let session = snapshot.session
    session.capture.forgetNewImages()
    session.log?.willRunForeignSQL()
    defer { session.capture.forgetNewImages() }
    return try snapshot.with { database in
      let result = try body(database)
      if let start = snapshot.position {
        try session.log?.didRunForeignSQL(on: database, since: start)
      }
      return result
    }
  }

  /// Ends the use of the transaction.
  func end() {
    snapshot.end()
    writers = []
  }

  private func write<Result>(
    _ entity: EntityDescription,
    _ body: (RowWriter) throws -> Result
  ) throws(StoreError) -> Result {
    try snapshot.with(entity) { database, table in
      if let writer = writers.first(where: { $0.table === table }) { return try body(writer) }
      let writer = try RowWriter(table, on: database, in: snapshot.session)
      writers.append(writer)
      return try body(writer)
    }
  }
}

extension SQLiteTransaction {
  /// Inserts a row.
  @discardableResult
  public func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    try write(entity) { try $0.insert(entity.storedValues(values), key: key) }
  }

  /// Writes new values into a row; nothing is written if the row has them already.
  public func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: ResultsDomain.Row?
  ) throws(StoreError) {
    try write(entity) {
      try $0.update(id, to: entity.storedValues(values), ifUnchangedFrom: expected)
    }
  }

  /// Deletes a row.
  @discardableResult
  public func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try write(entity) { try $0.delete(id) }
  }
}

extension SQLiteTransaction {
  /// The version that the transaction is based on.
  public var version: StoreVersion { snapshot.version }

  /// The rows of some objects, including the transaction's changes.
  public func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [ResultsDomain.Row?] {
    try snapshot.rows(keys, of: entity)
  }

  /// The encoded keys of a list, including the transaction's changes.
  public func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.entries(of: definition, body)
  }

  /// The first encoded keys of a list, including the transaction's changes.
  public func firstEntries(
    of definition: OrderDefinition,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    try snapshot.firstEntries(of: definition, limit: limit)
  }

  /// The number of rows that match a predicate, including the transaction's changes.
  public func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try snapshot.count(of: entity, where: predicate)
  }

  /// A digest of each row of a list, including the transaction's changes.
  public func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.digests(of: definition, attributes: attributes, body)
  }

  /// Aggregates of the rows of a list, including the transaction's changes.
  public func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  /// The history up to the version that the transaction is based on.
  public func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try snapshot.history(since: version, of: entity)
  }

  /// The objects that hold some keys, including the transaction's changes.
  public func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    try snapshot.referrers(to: keys, through: columns, of: entity, limit: limit)
  }

  /// A bookmark with which a later process finds the version that the transaction is based on.
  public func bookmark() throws(StoreError) -> StoreBookmark? { try snapshot.bookmark() }

  /// The version of a bookmark.
  public func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try snapshot.version(at: bookmark)
  }
}
