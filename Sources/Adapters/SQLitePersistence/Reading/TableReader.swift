import CSQLiteHooks
import GRDB
import ResultsDomain

/// Reads entities' rows through one connection, in whatever transaction it is.
struct TableReader {
  let database: Database
  let tables: StoreTables

  /// Batches of more keys than this are looked up in key order, where neighbours share pages.
  static let sortingThreshold = 64

  /// How many bytes of keys are handed over at a time, at least.
  private static let batchLimit = 4096

  /// The rows of some keys, in the order asked.
  func rows(_ keys: [ObjectKey], of table: EntityTable) throws -> [Row?] {
    guard !keys.isEmpty else { return [] }
    let lookup = try RowLookup(table, on: database)
    guard keys.count > TableReader.sortingThreshold, table.isRowNumber else {
      return try keys.map { try lookup.row($0) }
    }
    var rows = [Row?](repeating: nil, count: keys.count)
    let places = keys.enumerated().compactMap { place, key -> (number: Int64, place: Int)? in
      guard case .integer(let number) = key else { return nil }
      return (number, place)
    }
    for entry in places.sorted(by: { $0.number < $1.number }) {
      rows[entry.place] = try lookup.row(.integer(entry.number))
    }
    return rows
  }

  /// How many rows a predicate holds for.
  func count(of table: EntityTable, where predicate: FetchPredicate) throws -> Int {
    var sql = SQLText()
    sql.append("SELECT count(*) FROM \(table.quotedName)")
    sql.append(where: predicate, in: table)
    let statement = try sql.prepare(on: database)
    defer { statement.reset() }
    return try withExtendedLifetime(sql.arguments) {
      try statement.step() ? Int(sqlite3_column_int64(statement.pointer, 0)) : 0
    }
  }

  /// Hands over the encoded keys of a list.
  func entries(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ body: (EntryBatch) throws -> Bool
  ) throws {
    let sql = SQLText(entriesOf: definition, in: table)
    let columns = definition.layout.order + definition.layout.identity
    try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      try deliver(statement, of: table, body) { batch in
        let failed = batch.appendColumns(columns, of: statement.pointer)
        guard failed < 0 else {
          throw unexpected(failed, of: definition, in: table, statement.pointer)
        }
      }
    }
  }

  /// Hands over the identity and the digest of each row of a list, in key order.
  func digests(
    of definition: OrderDefinition,
    in table: EntityTable,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws -> Bool
  ) throws {
    let attributes = attributes.indexes.filter(table.entity.attributes.indices.contains)
    var sql = SQLText()
    let columns = table.keyColumns + attributes.map { table.attributeColumns[$0] }
    sql.append("SELECT \(columns.joined(separator: ", ")) FROM \(table.quotedName)")
    sql.append(where: definition.predicate, in: table)
    sql.append(" ORDER BY \(table.keyOrder)")
    let identity = definition.layout.identity
    let kinds = attributes.map { table.entity.attributes[$0].type.storage }
    try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      try deliver(statement, of: table, body) { batch in
        let failed = batch.appendDigest(identity, kinds, of: statement.pointer)
        guard failed < 0 else {
          let key = table.key(in: statement.pointer, from: 0)
          throw StoreError.unexpectedValue(table.id(key), what: "the key")
        }
      }
    }
  }

  private func deliver(
    _ statement: PreparedStatement,
    of table: EntityTable,
    _ body: (EntryBatch) throws -> Bool,
    _ append: (inout EntryBatch) throws -> Void
  ) throws {
    var batch = EntryBatch()
    var order = AscendingKeys()
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

  /// The error of a row in which a column of the keys holds a value of another storage class.
  func unexpected(
    _ column: Int,
    of definition: OrderDefinition,
    in table: EntityTable,
    _ statement: OpaquePointer
  ) -> StoreError {
    let key = table.key(in: statement, from: definition.terms.count)
    let terms = definition.terms
    return .unexpectedValue(
      table.id(key),
      what: column < terms.count ? terms[column].expression.description : "the key"
    )
  }
}

extension EntityTable {
  /// The key that stands in a row's columns from a place on; a column of a foreign kind gives an inexact key.
  func key(in statement: OpaquePointer, from place: Int) -> ObjectKey {
    let parts = keyStorage.enumerated().map { index, storage in
      Value(statement, column: Int32(place + index), storage: storage)
    }
    return ObjectKey(parts: parts, of: entity.identity) ?? .compound(parts)
  }
}
