import GRDB
import ResultsDomain

/// Triggers of the writing connection's own, which tell it of updated rows.
///
/// The pre-update hook would have to look at every column of every update; a trigger is asked for its columns only. They are
/// in the TEMP schema: no other connection has them, and they run where the schema's triggers are off.
struct UpdateTriggers {
  private let tables: StoreTables

  init(_ tables: StoreTables) { self.tables = tables }

  private func name(_ table: EntityTable) -> String { "_results_update_\(table.index)" }

  /// Makes the triggers, in place of earlier ones.
  func install(on database: Database) throws {
    try remove(on: database)
    for table in tables.all {
      let attributes = table.attributeColumns
      let names = table.isRowNumber ? ["rowid", "oid", "_rowid_"].filter(isFree(table)) : []
      let keys = table.isCompound ? [] : table.keyColumns + names
      let arguments =
        ["\(table.index)"] + table.keyColumns.map { "old.\($0)" }
        + table.keyColumns.map { "new.\($0)" } + attributes.map { "old.\($0)" }
      // No update names a column that is calculated.
      let columns = " OF \((attributes + keys).joined(separator: ", "))"
      try database.execute(
        sql: """
          CREATE TEMP TRIGGER \(name(table))
          AFTER UPDATE\(table.generatedIndexes.isEmpty ? columns : "") ON main.\(table.quotedName)
          BEGIN SELECT \(ChangeCapture.function)(\(arguments.joined(separator: ", "))); END
          """
      )
    }
  }

  /// Removes the triggers.
  func remove(on database: Database) throws {
    for table in tables.all {
      try database.execute(sql: "DROP TRIGGER IF EXISTS temp.\(name(table))")
    }
  }

  /// Whether no column of a table has a name, which then is one of the row number.
  private func isFree(_ table: EntityTable) -> (String) -> Bool {
    let taken = table.entity.attributes.map(\.name) + table.entity.identity.columns
    return { name in !taken.contains { $0.caselessIdentifier == Array(name.utf8) } }
  }
}
