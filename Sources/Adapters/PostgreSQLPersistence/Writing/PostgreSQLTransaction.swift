#if PostgreSQL
public import ResultsDomain
public import ResultsStoreKit
import SQLStoreSupport

/// A transaction of a `PostgreSQLStore`, which can also run the application's SQL.
///
/// The closure of `commit(origin:_:)` receives one: `(transaction as? PostgreSQLTransaction)?.execute("…")`.
public final class PostgreSQLTransaction: StoreTransaction {
  let snapshot: PostgreSQLSnapshot
  private var writers: [RowWriter] = []
  let number = TransactionNumber()

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

extension PostgreSQLTransaction {
  /// The version that the transaction is based on.
  public var version: StoreVersion { snapshot.version }

  /// The rows of some objects, including the transaction's changes.
  public func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
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

  /// The history of several entities up to the version that the transaction is based on.
  public func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    try snapshot.history(since: version, ofEach: entities)
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
