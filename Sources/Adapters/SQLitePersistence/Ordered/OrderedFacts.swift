import GRDB
import ResultsDomain

/// What a version of the schema says of a table and its indexes.
struct OrderedFacts: Sendable {
  let shape: TableShape
  /// What may hold keys of its rows in order, the table itself first.
  let indexes: [OrderedIndex]

  /// Reads the schema.
  /// - Returns: `nil` for a table that is not there, or where texts are kept in another form than that in which keys are written.
  init?(of table: EntityTable, on database: Database) throws {
    guard try database.texts("PRAGMA main.encoding") == [["UTF-8"]],
      let shape = try OrderedFacts.shape(of: table, on: database)
    else { return nil }
    self.shape = shape
    indexes = try OrderedIndex.all(of: table, shape, on: database)
  }

  /// The shape that was read when the store was opened, if the table is declared by the same text.
  private static func shape(of table: EntityTable, on database: Database) throws -> TableShape? {
    let statement = try PreparedStatement(
      "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?",
      on: database
    )
    try statement.bind(.text(table.shape.name), at: 1)
    let isSame =
      try statement.step()
      && Value(statement.pointer, column: 0, storage: .text)
        == .text(table.shape.declaration)
    statement.reset()
    guard !isSame else { return table.shape }
    return try database.tableShape(of: String(decoding: table.name, as: UTF8.self))
  }
}
