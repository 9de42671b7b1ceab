import CSQLiteHooks
public import GRDB
public import ResultsDomain
public import ResultsStoreKit

/// A transaction of a `SQLiteStore`, which can also run the application's SQL.
///
/// The closure of `commit(origin:_:)` receives one: `(transaction as? SQLiteTransaction)?.withDatabase { … }`.
public final class SQLiteTransaction: StoreTransaction, SnapshotForwarding {
  let snapshot: SQLiteSnapshot
  private var writers: [RowWriter] = []

  /// The snapshot that reads see, with the changes of the transaction.
  public var base: any StoreSnapshot { snapshot }

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
