import CSQLiteHooks
import GRDB
import ResultsDomain

/// Reads single rows of one entity by key, with one prepared statement.
struct RowLookup {
  private let table: EntityTable
  private let statement: PreparedStatement
  private let columns: RowColumns

  init(_ table: EntityTable, on database: Database) throws {
    self.table = table
    statement = try PreparedStatement(table.selectSQL, on: database)
    columns = RowColumns(table, in: statement)
  }

  /// The row of a key, or `nil` if there is none.
  func row(_ key: ObjectKey) throws(SQLiteFailure) -> Row? {
    guard let values = try values(of: key) else { return nil }
    return Row(entity: table.entity, id: table.id(key), values: values)
  }

  /// The values of a key's row; texts of `earlier` are taken instead of new ones with the same bytes.
  /// - Returns: `nil` if there is no row.
  /// - Throws: `SQLiteFailure`.
  func values(
    of key: ObjectKey,
    like earlier: [Value]? = nil
  ) throws(SQLiteFailure) -> [Value]? {
    guard table.accepts(key) else { return nil }
    switch key {
    case .integer(let number): sqlite3_bind_int64(statement.pointer, 1, number)
    case .text, .compound:
      for (index, part) in key.parts.enumerated() {
        try statement.bind(part, at: Int32(index + 1))
      }
    }
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return columns.values(like: earlier)
  }
}

extension EntityTable {
  /// Whether a key is of the entity's kind; SQLite would convert others instead of finding nothing.
  func accepts(_ key: ObjectKey) -> Bool {
    switch (entity.identity, key) {
    case (.integer, .integer), (.text, .text): return true
    case (.compound, .compound(let parts)):
      let storage = keyStorage
      return parts.count == storage.count
        && zip(parts, storage).allSatisfy { $0.storage == $1 }
    default: return false
    }
  }
}
