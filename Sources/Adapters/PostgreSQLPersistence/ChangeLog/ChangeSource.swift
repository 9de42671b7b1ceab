#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// Knows which transactions a reading sees and what they changed: a log written by triggers, or nothing but the server's snapshots.
protocol ChangeSource: Sendable {
  /// The writers whose commits the history has row by row.
  var coverage: StoreCapabilities.HistoryCoverage { get }
  /// Why the history omits commits although there is a log, one text for each reason.
  var problems: [String] { get }
  /// The name by which later processes recognize the store; it survives everything but a restored copy.
  var uniqueName: String { get }

  /// Opens a transaction and finds the version that it sees; the transaction stays open.
  /// - Parameters:
  ///   - connection: A connection without a transaction.
  ///   - opening: The statements that open the transaction, none of which takes a snapshot.
  ///   - patience: How long to wait for tables that others change; `nil` for as long as the session waits.
  /// - Returns: The version.
  /// - Throws: `StoreError`; the transaction is then rolled back, if the connection still exists.
  func begin(
    on connection: Connection,
    opening: [Statement],
    patience: Duration?
  ) throws(StoreError) -> PinnedVersion

  /// The newest version, as the server's snapshots show it; `nil` if it must be found out on this connection.
  func expectation(on connection: Connection) -> ExpectedVersion?

  /// The changes of entities between an earlier version and the one that an open transaction sees, without those of the transaction
  /// itself.
  func history(
    since version: StoreVersion,
    ofEach tables: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory

  /// The commits of stores that every later process finds too; `nil` if there is no log, or it is not complete.
  func retainedCommits(
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> RetainedCommits?

  /// The changes of entities from a retained commit on, up to the version that an open transaction sees.
  func history(
    from commit: RetainedCommits.Commit,
    ofEach tables: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory

  /// The statements that note the writer of a transaction, to be run as its last ones.
  func markers(origin: CommitOrigin) -> [Statement]

  /// The version that a transaction of this store made, which a later reading sees; that reading's version if it changed nothing.
  func version(ofTransaction number: UInt64, in pinned: PinnedVersion) -> StoreVersion

  /// A bookmark of a version.
  func bookmark(in pinned: PinnedVersion) -> StoreBookmark?

  /// The version of a bookmark, or `nil` if the store cannot prove that this version descends from it.
  func version(at bookmark: StoreBookmark, in pinned: PinnedVersion) -> StoreVersion?

  /// Whether a commit is known to have changed few rows since a version, so that listeners can follow it at once.
  func isSmall(since version: StoreVersion, in pinned: PinnedVersion, limit: Int) -> Bool

  /// Whether the server has not crashed, failed over or been restored since the store was opened.
  func isSameLife(on connection: Connection) throws(StoreError) -> Bool

  /// The table that transactions lock to take turns, in SQL; `nil` if there is none.
  var turn: String? { get }

  /// Whether others have committed since the latest version.
  func hasNews(on connection: Connection) throws(StoreError) -> Bool

  /// Notes that no list needs the history before a version.
  func release(through version: StoreVersion)
}

extension ChangeSource {
  /// By default, nothing is missing.
  var problems: [String] { [] }

  /// By default, nothing is retained.
  func retainedCommits(
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> RetainedCommits? { nil }

  /// By default, the history does not go back that far.
  func history(
    from commit: RetainedCommits.Commit,
    ofEach tables: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory { .gap(.trimmed) }

  /// By default, versions are not expected.
  func expectation(on connection: Connection) -> ExpectedVersion? { nil }

  /// Opens a transaction that waits for tables as long as the session does.
  func begin(on connection: Connection, opening: [Statement]) throws(StoreError) -> PinnedVersion {
    try begin(on: connection, opening: opening, patience: nil)
  }

  /// Opens a transaction that only reads.
  func begin(on connection: Connection) throws(StoreError) -> PinnedVersion {
    try begin(
      on: connection,
      opening: [.begin(.reading)]
    )
  }
}
#endif
