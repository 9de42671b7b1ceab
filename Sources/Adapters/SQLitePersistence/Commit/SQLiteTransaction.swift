import CSQLiteHooks
public import GRDB
public import ResultsDomain

/// A transaction of a `SQLiteStore`, which can also run the application's own SQL.
///
/// A closure given to `commit(origin:_:)` gets one: `(transaction as? SQLiteTransaction)?.withDatabase { … }`.
public final class SQLiteTransaction: StoreTransaction {
  let access: SnapshotAccess
  private var writers: [RowWriter] = []

  init(_ access: SnapshotAccess) { self.access = access }

  /// Runs statements of the application's own in the transaction.
  ///
  /// What they change in the store's entities is part of the commit's history like everything else, savepoints, triggers and
  /// cascades included. The closure must leave no statement unfinished and not end the transaction.
  /// - Throws: What the closure throws, as `StoreError.aborted(by:)` unless it is a store's or SQLite's error.
  public func withDatabase<Result>(
    _ body: (Database) throws -> Result
  ) throws(StoreError) -> Result {
    let core = access.core
    core.capture.forgetNewImages()
    core.expectForeignSQL()
    defer { core.capture.forgetNewImages() }
    return try access.with { database in
      let result = try body(database)
      try core.noteForeignSQL(on: database, since: access.position)
      return result
    }
  }

  /// Ends the use of the transaction.
  func end() {
    access.end()
    writers = []
  }

  private func write<Result>(
    _ entity: EntityDescription,
    _ body: (RowWriter) throws -> Result
  ) throws(StoreError) -> Result {
    try access.with(entity) { database, table in
      if let writer = writers.first(where: { $0.table === table }) { return try body(writer) }
      let writer = try RowWriter(table, on: database, core: access.core)
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
    try write(entity) { try $0.insert(values, key: key) }
  }

  /// Writes new values into a row; nothing is written if they are those it has.
  public func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: ResultsDomain.Row?
  ) throws(StoreError) {
    try write(entity) { try $0.update(id, to: values, ifUnchangedFrom: expected) }
  }

  /// Deletes a row.
  @discardableResult
  public func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try write(entity) { try $0.delete(id) }
  }
}

extension SQLiteTransaction {
  /// The version that the transaction is based on.
  public var version: StoreVersion { access.version }

  /// The rows of some objects, the transaction's own changes included.
  public func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [ResultsDomain.Row?] {
    try access.rows(keys, of: entity)
  }

  /// The encoded keys of a list, the transaction's own changes included.
  public func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.entries(of: definition, body)
  }

  /// How many rows a predicate holds for, the transaction's own changes included.
  public func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try access.count(of: entity, where: predicate)
  }

  /// A digest of each row of a list, the transaction's own changes included.
  public func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.digests(of: definition, attributes: attributes, body)
  }

  /// Aggregates of the rows of a list, the transaction's own changes included.
  public func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  /// What happened up to the version that the transaction is based on.
  public func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try access.history(since: version, of: entity)
  }

  /// What a later process needs to find again the version that the transaction is based on.
  public func bookmark() throws(StoreError) -> StoreBookmark? { try access.bookmark() }

  /// The version that a bookmark names.
  public func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try access.version(at: bookmark)
  }
}
