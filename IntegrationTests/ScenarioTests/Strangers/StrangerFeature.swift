import Foundation

/// Something that a random database or its writers may have.
///
/// `RESULTS_STRANGERS_WITHOUT` leaves features out, by name with commas, so that what stands behind a known defect can be tested.
enum StrangerFeature: String, CaseIterable, Sendable {
  /// Names of tables and columns with quotes, spaces, words of SQL, and any Unicode.
  case strangeNames
  /// Texts are stored in UTF-16.
  case otherEncodings
  /// Keys are NULL, in one row or several.
  case nullKeys
  /// Texts that are not UTF-8.
  case brokenTexts
  /// Infinite reals.
  case infinities
  /// Tables without a primary key, with several equal rows.
  case missingKeys
  /// Tables `WITHOUT ROWID`.
  case withoutRowID
  /// Keys that compare without regard to case.
  case collations
  /// Generated columns, checks, defaults, STRICT tables.
  case constraints
  /// References that name no row.
  case dangling
  /// Views: of one table or several, with equal rows, with aggregates, of what does not exist.
  case views
  /// Views that never end.
  case endlessViews
  /// Triggers that write into other tables, write back, refuse, and ignore.
  case triggers
  /// Full text and spatial indexes.
  case virtualTables
  /// Hundreds of tables, each of which refers to the next.
  case manyTables
  /// Rollback journals in place of a write-ahead log.
  case rollbackJournals
  /// The watch adds a change log.
  case changeLogs
  /// Columns are added.
  case addedColumns
  /// Columns are dropped or renamed, or a table gets other columns under its name.
  case changedColumns
  /// Tables are dropped, renamed, and created again.
  case changedTables
  /// Two tables swap their names.
  case swaps
  /// VACUUM, REINDEX, ANALYZE, and pragmas.
  case maintenance
  /// A writer attaches a second file, and writes to both.
  case attachedFiles
  /// A writer holds an exclusive lock for a while.
  case heldLocks
  /// The file is replaced by another one.
  case replacedFiles
  /// A writer is killed in its transaction.
  case killedWriters

  /// The features that are used.
  static let used: Set<StrangerFeature> = {
    let text = ProcessInfo.processInfo.environment["RESULTS_STRANGERS_WITHOUT"] ?? ""
    return Set(allCases).subtracting(
      text.split(separator: ",").compactMap { Self(rawValue: String($0)) }
    )
  }()
}
