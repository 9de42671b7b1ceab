import GRDB
import ResultsDomain

/// What tells whether the tables of a store's entities may have been altered, or made anew, between two looks.
struct SchemaMark: Hashable, Sendable {
  /// The schema's version, which every change of the schema changes.
  let cookie: Int64
  private let tables: [[Value]]
  private let others: [[Value]]

  /// Reads the schema.
  init(of tables: StoreTables, on database: Database) throws {
    cookie = try database.integer("PRAGMA main.schema_version")
    let names = Set(tables.all.map { String(decoding: $0.name, as: UTF8.self).caselessIdentifier })
    var found: (own: [[Value]], others: [[Value]]) = ([], [])
    let statement = try PreparedStatement(
      "SELECT name, type, rowid, rootpage, sql FROM main.sqlite_master ORDER BY rowid",
      on: database
    )
    defer { statement.reset() }
    while try statement.step() {
      let row = (0..<5).map { Value(statement.pointer, column: $0, storage: .text) }
      let isOwn = row[1] == "table" && names.contains((row[0].text ?? "").caselessIdentifier)
      if isOwn { found.own.append(row) } else { found.others.append(row) }
    }
    (self.tables, others) = found
  }

  /// Whether the tables are still the same ones at a later look.
  ///
  /// A table that is dropped and made again can come to stand where it stood. Then nothing at all explains the schema's new version.
  func keepsTables(of later: SchemaMark) -> Bool {
    cookie == later.cookie || tables == later.tables && others != later.others
  }
}
