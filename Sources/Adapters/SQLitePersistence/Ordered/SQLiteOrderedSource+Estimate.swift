import CSQLiteHooks
import GRDB
import ResultsDomain

extension SQLiteOrderedSource {
  /// The greatest key of a table whose keys are numbers: SQLite gives them from 1 on, so it is too large by the rows that were deleted.
  ///
  /// Of rows that a predicate chooses nothing is known beforehand.
  func estimatedCount() throws(StoreError) -> Int? {
    guard plan.holdsAll, case .integer = table.entity.identity, let key = table.keyColumns.first
    else { return nil }
    return try with { database in
      let sql = "SELECT max(\(key)) FROM \(table.quotedName)"
      let statement = try PreparedStatement(sql, on: database)
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      return max(0, Int(sqlite3_column_int64(statement.pointer, 0)))
    }
  }
}
