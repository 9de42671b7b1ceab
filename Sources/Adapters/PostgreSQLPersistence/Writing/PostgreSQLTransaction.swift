#if PostgreSQL
public import ResultsDomain
public import ResultsStoreKit
import SQLStoreSupport

/// A transaction of a `PostgreSQLStore`, which can also run the application's SQL.
///
/// The closure of `commit(origin:_:)` receives one: `(transaction as? PostgreSQLTransaction)?.execute("…")`.
public final class PostgreSQLTransaction: StoreTransaction, SnapshotForwarding {
  let snapshot: PostgreSQLSnapshot
  private var writers: [RowWriter] = []
  let number = TransactionNumber()

  /// The snapshot that reads see, with the changes of the transaction.
  public var base: any StoreSnapshot { snapshot }

  init(_ snapshot: PostgreSQLSnapshot) { self.snapshot = snapshot }

  /// Ends the use of the transaction.
  func end() {
    snapshot.end()
    writers = []
  }

  /// Runs a statement of the application in the transaction.
  ///
  /// What it changes in the store's entities is part of the commit's history. Names need their schemas: the search path is `pg_catalog`.
  /// The statement must not end the transaction. If it fails, it has no effect, and the transaction can go on.
  /// - Returns: The number of rows that it changed.
  /// - Throws: `StoreError`, as for writes of the store.
  @discardableResult
  public func execute(_ sql: String) throws(StoreError) -> Int {
    let context = snapshot.context
    return try snapshot.with { (connection) throws(StoreError) in
      do throws(PostgreSQLFailure) {
        let results = try connection.inSavepoint(
          true,
          [Statement(sql, isPrepared: false)] + number.questions
        )
        number.note(results)
        return results[0].affectedCount
      } catch {
        throw StoreError(
          writing: error,
          id: nil,
          entity: nil,
          path: context.path,
          waited: context.options.busyTimeout
        )
      }
    }
  }

  private func write<Result>(
    _ entity: EntityDescription,
    _ body: (RowWriter) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let table = try snapshot.context.tables.table(of: entity)
    if let writer = writers.first(where: { $0.table === table }) { return try body(writer) }
    let number = number
    let writer = try snapshot.with { (connection) throws(StoreError) in
      try RowWriter(table, on: connection, in: snapshot.context, number)
    }
    writers.append(writer)
    return try snapshot.with { (_) throws(StoreError) in try body(writer) }
  }
}

extension PostgreSQLTransaction {
  /// Inserts a row.
  @discardableResult
  public func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    let values = entity.storedValues(values)
    return try write(entity) { (writer) throws(StoreError) in try writer.insert(values, key: key) }
  }

  /// Inserts rows; their values travel as one array for each column.
  @discardableResult
  public func insert(
    _ rows: [[Value]],
    keys: [ObjectKey?],
    into entity: EntityDescription
  ) throws(StoreError) -> [ObjectID] {
    let rows = rows.map(entity.storedValues)
    return try write(entity) { (writer) throws(StoreError) in try writer.insert(rows, keys: keys) }
  }

  /// Writes new values into a row; nothing is written if the row has them already.
  public func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    let values = entity.storedValues(values)
    try write(entity) { (writer) throws(StoreError) in
      try writer.update(id, to: values, ifUnchangedFrom: expected)
    }
  }

  /// Deletes a row.
  @discardableResult
  public func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try write(entity) { (writer) throws(StoreError) in try writer.delete(id) }
  }
}

/// The number of a transaction, which the server assigns with its first write.
///
/// It is asked for in the round trip of that write, so that it is known before the commit, whose outcome it settles if the connection
/// breaks.
final class TransactionNumber {
  private(set) var value: UInt64?

  /// The statement that asks for it, until it is known; it must follow the write.
  var questions: [Statement] {
    value == nil ? [Statement("SELECT pg_current_xact_id_if_assigned()")] : []
  }

  /// Notes the answer, which is the last result.
  func note(_ results: [QueryResult]) {
    guard value == nil, let result = results.last, result.count == 1 else { return }
    value = result.unsigned(0, 0)
  }
}
#endif
