import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads entities' rows through one connection, in its current transaction.
struct TableReader {
  let database: Database
  let tables: StoreTables

  /// Larger batches of keys are looked up in key order, so that neighbours share pages.
  static let sortingThreshold = 64

  /// The number of keys in a batch.
  private static let batchLimit = 4096

  /// The rows of some keys, in the order of the keys.
  func rows(_ keys: [ObjectKey], of table: EntityTable) throws -> [Row?] {
    guard !keys.isEmpty else { return [] }
    let lookup = try RowLookup(table, on: database)
    guard keys.count > TableReader.sortingThreshold, table.isRowNumber else {
      return try keys.map { try lookup.row($0) }
    }
    var rows = [Row?](repeating: nil, count: keys.count)
    let entries = keys.enumerated().compactMap { index, key -> (number: Int64, index: Int)? in
      guard case .integer(let number) = key else { return nil }
      return (number, index)
    }
    for entry in entries.sorted(by: { $0.number < $1.number }) {
      rows[entry.index] = try lookup.row(.integer(entry.number))
    }
    return rows
  }

  /// The number of rows that match a predicate.
  func count(of table: EntityTable, where predicate: FetchPredicate) throws -> Int {
    if case .all = predicate { return try database.countOfRows(of: table.source) }
    var sql = SQLText(reading: tables)
    let table = try sql.joining(table, for: [], where: predicate)
    sql.append("SELECT count(*) FROM ")
    sql.append(from: table)
    sql.append(where: predicate, in: table)
    let statement = try sql.prepare(on: database)
    defer { statement.reset() }
    return try withExtendedLifetime(sql.arguments) {
      try statement.step() ? Int(sqlite3_column_int64(statement.pointer, 0)) : 0
    }
  }

  /// Reads the encoded keys of a list, in batches; with a limit, the first ones.
  func entries(
    of definition: OrderDefinition,
    in table: EntityTable,
    limit: Int? = nil,
    _ body: (EntryBatch) throws -> Bool
  ) throws {
    var sql = try SQLText(entriesOf: definition, in: table, tables)
    if let limit { sql.append(" LIMIT \(limit)") }
    let columns = definition.layout.order + definition.layout.identity
    try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      try LongRead.whileWanted(on: database) {
        try deliver(statement, of: table, body) { batch in
          let failed = batch.appendColumns(
            columns,
            identity: definition.layout.identity.count,
            of: statement.pointer
          )
          guard failed < 0 else {
            throw unexpected(failed, of: definition, in: table, statement.pointer)
          }
        }
      }
    }
  }

  /// Reads the identity and the digest of each row of a list, in key order, in batches.
  func digests(
    of definition: OrderDefinition,
    in table: EntityTable,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws -> Bool
  ) throws {
    let attributes = attributes.indexes.filter(table.entity.attributes.indices.contains)
    var sql = SQLText(reading: tables)
    let table = try sql.joining(table, for: [], where: definition.predicate)
    let columns = table.keyColumns + attributes.map { table.attributeColumns[$0] }
    sql.append("SELECT \(columns.joined(separator: ", ")) FROM ")
    sql.append(from: table)
    sql.append(where: definition.predicate, in: table)
    sql.append(" ORDER BY \(table.keyOrder)")
    let identity = definition.layout.identity
    let kinds = attributes.map { table.entity.attributes[$0].storage }
    try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      try deliver(statement, of: table, digestLength: 8, body) { batch in
        let failed = batch.appendDigest(identity, kinds, of: statement.pointer)
        guard failed < 0 else { throw unexpectedKey(table, statement.pointer, from: 0) }
      }
    }
  }

  private func deliver(
    _ statement: PreparedStatement,
    of table: EntityTable,
    digestLength: Int = 0,
    _ body: (EntryBatch) throws -> Bool,
    _ append: (inout EntryBatch) throws -> Void
  ) throws {
    var batch = EntryBatch()
    var order = AscendingKeys()
    order.digestLength = digestLength
    while try statement.step() {
      try append(&batch)
      if batch.count == TableReader.batchLimit {
        try order.check(batch, of: table)
        guard try body(batch) else { return }
        batch.removeAll()
      }
    }
    guard batch.count > 0 else { return }
    try order.check(batch, of: table)
    _ = try body(batch)
  }

  /// The error for a row in which a column of the keys has a value of another storage class.
  func unexpected(
    _ column: Int,
    of definition: OrderDefinition,
    in table: EntityTable,
    _ statement: OpaquePointer
  ) -> any Error {
    let terms = definition.terms
    guard column < terms.count else {
      return unexpectedKey(table, statement, from: terms.count)
    }
    let key = table.key(in: statement, from: terms.count)
    return StoreError.unexpectedValue(table.id(key), what: terms[column].expression.description)
  }

  /// The error for a row whose key is null, which SQLite permits in most primary keys, or of another storage class.
  private func unexpectedKey(
    _ table: EntityTable,
    _ statement: OpaquePointer,
    from first: Int
  ) -> any Error {
    let names = table.entity.identity.columns
    let missing = names.indices.first { index in
      sqlite3_column_type(statement, Int32(first + index)) == SQLITE_NULL
    }
    guard let missing else {
      let key = table.key(in: statement, from: first)
      return StoreError.unexpectedValue(table.id(key), what: "the key")
    }
    return OpenFailureError(
      .schemaMismatch(
        entity: table.entity.name,
        detail: "a row has no key: its \(names[missing]) is null"
      )
    )
  }
}

extension EntityTable {
  /// The key in a row's columns from an index on; inexact if a column has another storage class.
  func key(in statement: OpaquePointer, from first: Int) -> ObjectKey {
    let parts = keyStorage.enumerated().map { index, storage in
      Value(statement, column: Int32(first + index), storage: storage)
    }
    return ObjectKey(parts: parts, of: entity.identity) ?? .compound(parts)
  }
}

extension TableReader {
  /// The values of some rows, in the order of their keys, with `nil` where there is no row.
  ///
  /// Many row numbers are looked up by one statement, in their order, so that neighbours share pages. A text that has not changed is not
  /// copied again: most changed rows differ in some values only.
  /// - Parameters:
  ///   - keys: The rows' keys, each once.
  ///   - table: The table.
  ///   - earlier: Returns the earlier values of the row with an index in the keys, if they are known.
  /// - Returns: As many elements as there are keys.
  /// - Throws: `SQLiteFailure`.
  func images(
    of keys: [ObjectKey],
    in table: EntityTable,
    like earlier: (Int) -> [Value]?
  ) throws -> [[Value]?] {
    guard !keys.isEmpty else { return [] }
    var images = [[Value]?](repeating: nil, count: keys.count)
    guard keys.count > TableReader.sortingThreshold, table.isRowNumber else {
      let lookup = try RowLookup(table, on: database)
      for (index, key) in keys.enumerated() {
        images[index] = try lookup.values(of: key, like: earlier(index))
      }
      return images
    }
    let numbers = keys.map { key in
      if case .integer(let number) = key { number } else { nil as Int64? }
    }
    var indexes = numbers.indices.filter { numbers[$0] != nil }
    if !zip(indexes, indexes.dropFirst()).allSatisfy({ numbers[$0] ?? 0 <= numbers[$1] ?? 0 }) {
      indexes.sort { numbers[$0] ?? 0 < numbers[$1] ?? 0 }
    }
    let list = ValueList(columns: 1, keys: indexes.map { keys[$0] })
    try withExtendedLifetime(list) {
      try ConnectionFunctions.register(on: database)
      let statement = try PreparedStatement(table.sql.selectList, on: database)
      defer { statement.reset() }
      try list.bind(to: statement, at: 1)
      let row = RowColumns(table, in: statement, from: 1)
      while try statement.step() {
        let index = indexes[Int(sqlite3_column_int64(statement.pointer, 0))]
        images[index] = row.values(like: earlier(index))
      }
    }
    return images
  }
}

/// The columns of a statement that hold the attributes of a row.
private struct RowColumns {
  private let statement: OpaquePointer
  private let storage: [StorageClass]
  private let first: Int

  init(_ table: EntityTable, in statement: PreparedStatement, from first: Int = 0) {
    self.statement = statement.pointer
    self.first = first
    storage = table.attributeStorage
  }

  /// The values of the statement's current row; texts of `earlier` are used instead of new ones with the same bytes.
  func values(like earlier: [Value]? = nil) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(storage.count)
    let known = earlier?.count == storage.count ? earlier : nil
    for index in storage.indices {
      let column = Int32(first + index)
      if case .text(let text) = known?[index], text.isColumn(column, of: statement) {
        values.append(.text(text))
      } else {
        values.append(Value(statement, column: column, storage: storage[index]))
      }
    }
    return values
  }
}

extension String {
  /// Whether a column of a statement's current row is a text with the same bytes.
  fileprivate func isColumn(_ column: Int32, of statement: OpaquePointer) -> Bool {
    guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return false }
    let bytes = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return hasBytes(UnsafeBufferPointer(start: bytes, count: count))
  }
}

/// Reads single rows of one entity by key, with one prepared statement.
struct RowLookup {
  private let table: EntityTable
  private let statement: PreparedStatement
  private let columns: RowColumns

  init(_ table: EntityTable, on database: Database) throws {
    self.table = table
    statement = try PreparedStatement(table.sql.select, on: database)
    columns = RowColumns(table, in: statement)
  }

  /// The row of a key, or `nil` if there is none.
  func row(_ key: ObjectKey) throws(SQLiteFailure) -> Row? {
    guard let values = try values(of: key) else { return nil }
    return Row(entity: table.entity, id: table.id(key), values: values)
  }

  /// The values of a key's row; texts of `earlier` are used instead of new ones with the same bytes.
  /// - Returns: `nil` if there is no row.
  /// - Throws: `SQLiteFailure`.
  func values(
    of key: ObjectKey,
    like earlier: [Value]? = nil
  ) throws(SQLiteFailure) -> [Value]? {
    guard table.accepts(key) else { return nil }
    _ = try statement.bind(key, from: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return columns.values(like: earlier)
  }
}

extension EntityTable {
  /// Whether a key is of the entity's kind; SQLite would convert other keys instead of finding nothing.
  func accepts(_ key: ObjectKey) -> Bool {
    switch (entity.identity, key) {
    case (.integer, .integer), (.text, .text): return true
    case (.text, .compound): return key.illFormedText != nil
    case (.compound, .compound(let parts)):
      let storage = keyStorage
      return parts.count == storage.count
        && zip(parts, storage).allSatisfy { $1 == .any || $0.storage == $1 }
    default: return false
    }
  }
}

extension SQLText {
  /// The statement that reads the keys of a list in their order: the terms' values, then the key's.
  /// - Throws: `StoreError.unknownEntity` for a path to an entity that the store was not opened with.
  init(
    entriesOf definition: OrderDefinition,
    in table: EntityTable,
    _ tables: StoreTables
  ) throws(StoreError) {
    self.init(reading: tables)
    writesConstants = true
    let table = try joining(
      table,
      for: definition.terms.map(\.expression),
      where: definition.predicate
    )
    append("SELECT ")
    for term in definition.terms {
      append(term.expression, in: table)
      append(", ")
    }
    append(table.keyColumns.joined(separator: ", "))
    append(" FROM ")
    append(from: table)
    append(where: definition.predicate, in: table)
    append(" ORDER BY ")
    for (index, term) in definition.terms.enumerated() {
      // A number stands for a result column, so that the expression's arguments are bound once.
      append(
        "\(index + 1)\(table.direction(of: term, column: definition.layout.order[index])), "
      )
    }
    // No index is in the order of other tables' values. SQLite would still read the table through any index, row by row, only because each one
    // ends with the key; a plus sign hides the key from it (sqlite.org/optoverview.html, 3.2).
    let hidden = definition.terms.contains(where: \.expression.usesPaths) ? "+" : ""
    append(table.keyColumnsInOrder.map { hidden + $0 }.joined(separator: ", "))
  }
}

extension EntityTable {
  /// The direction of a term in `ORDER BY`; nulls are mentioned only where their order is not SQLite's default, so that indexes can be used.
  func direction(of term: FetchSortDescriptor, column: KeyColumn) -> String {
    let collation = column.storage.hasTexts ? " COLLATE BINARY" : ""
    // Where nothing is null, any order of nulls is the default.
    let nulls =
      canBeNull(term.expression) ? term.nulls : term.direction == .ascending ? .first : .last
    switch (term.direction, nulls) {
    case (.ascending, .first): return collation
    case (.ascending, .last): return collation + " NULLS LAST"
    case (.descending, .last): return collation + " DESC"
    case (.descending, .first): return collation + " DESC NULLS FIRST"
    }
  }

  /// The key's columns in `ORDER BY`.
  var keyOrder: String { keyColumnsInOrder.joined(separator: ", ") }

  /// The key's columns, each as it is in `ORDER BY`.
  fileprivate var keyColumnsInOrder: [String] {
    zip(keyColumns, keyStorage).map { $1.hasTexts ? $0 + " COLLATE BINARY" : $0 }
  }
}

// MARK: - Long reads

/// A read that SQLite ends early when its result is not wanted any more, also while it finds no rows (R123).
private final class LongRead {
  private let isWanted: @Sendable () -> Bool
  /// The number of SQLite's instructions between two checks: about a tenth of a millisecond.
  private static let instructions: Int32 = 10_000

  private init(_ isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }

  /// Runs a read.
  /// - Throws: `StoreError.aborted(by:)` with a `CancellationError` if it was ended, or what the closure throws.
  static func whileWanted(on database: Database, _ body: () throws -> Void) throws {
    guard let isWanted = ReadingInterest.isWanted else { return try body() }
    let read = LongRead(isWanted)
    let connection = database.sqliteConnection
    try withExtendedLifetime(read) {
      sqlite3_progress_handler(
        connection,
        LongRead.instructions,
        { context in
          guard let context else { return 0 }
          return Unmanaged<LongRead>.fromOpaque(context).takeUnretainedValue().isWanted() ? 0 : 1
        },
        Unmanaged.passUnretained(read).toOpaque()
      )
      defer { sqlite3_progress_handler(connection, 0, nil, nil) }
      do {
        try body()
      } catch let failure as SQLiteFailure where failure.primaryCode == SQLITE_INTERRUPT {
        throw StoreError.aborted(by: CancellationError())
      }
    }
  }
}
