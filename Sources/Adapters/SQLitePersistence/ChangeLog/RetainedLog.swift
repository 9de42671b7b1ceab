import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// The commits of stores that a change log still has from their first row to their last.
///
/// The log is trimmed from its beginning, also within a commit. So a commit is retained only if the row before its first one is there, or
/// that was the first row ever.
enum RetainedLog {
  /// The retained commits up to a version.
  /// - Parameters:
  ///   - last: The sequence number of the version.
  ///   - database: A connection that sees the version.
  /// - Returns: The commits of stores, with the sequence number of their last row; changes of others have no name.
  /// - Throws: SQLite's failures.
  /// - Complexity: O(*n*) in the rows of the log, of which the packed changes are not read.
  static func commits(through last: UInt64, on database: Database) throws -> RetainedCommits {
    let kind = ChangeLogFormat.Kind.self
    let marker = kind.marker.rawValue
    let statement = try PreparedStatement(
      """
      SELECT sequence, kind, CASE kind WHEN \(marker) THEN key END, \
      CASE WHEN kind IN (\(kind.commit.rawValue), \(marker)) THEN v0 END \
      FROM main._results_log WHERE sequence <= ? ORDER BY sequence
      """,
      on: database
    )
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: last)), at: 1)
    var oldest: UInt64?
    // The first row of the commit whose parts are being read.
    var begin: UInt64?
    var commits: [RetainedCommits.Commit] = []
    while try statement.step() {
      let row = statement.pointer
      let sequence = UInt64(clamping: sqlite3_column_int64(row, 0))
      let first = oldest ?? sequence
      oldest = first
      let start: UInt64
      switch kind.init(rawValue: sqlite3_column_int64(row, 1)) {
      case .part:
        begin = begin ?? sequence
        continue
      case .commit: start = begin ?? sequence
      case .marker: start = UInt64(clamping: sqlite3_column_int64(row, 2))
      default:
        begin = nil
        continue
      }
      begin = nil
      guard start > first || start == 1 else { continue }
      let name = Value(row, column: 3, storage: .text).text ?? ""
      commits.append(RetainedCommits.Commit(number: sequence, origin: CommitOrigin(name)))
    }
    return RetainedCommits(commits, isWhole: (oldest ?? last + 1) == 1)
  }

  /// The sequence number of the version before a retained commit.
  /// - Parameters:
  ///   - number: The sequence number of the commit's last row.
  ///   - database: A connection that sees the row.
  /// - Returns: `nil` if the log does not have the commit.
  /// - Throws: SQLite's failures.
  static func sequence(before number: UInt64, on database: Database) throws -> UInt64? {
    let kind = ChangeLogFormat.Kind.self
    let statement = try PreparedStatement(
      """
      SELECT CASE l.kind WHEN \(kind.marker.rawValue) THEN l.key - 1 ELSE ifnull((SELECT max(p.sequence) \
      FROM main._results_log p WHERE p.sequence < l.sequence AND p.kind <> \(kind.part.rawValue)), 0) END \
      FROM main._results_log l WHERE l.sequence = ? \
      AND l.kind IN (\(kind.commit.rawValue), \(kind.marker.rawValue))
      """,
      on: database
    )
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: number)), at: 1)
    guard try statement.step() else { return nil }
    return UInt64(clamping: sqlite3_column_int64(statement.pointer, 0))
  }
}
