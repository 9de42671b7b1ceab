#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// The history of a database without a log: every commit of anybody is a gap, after which lists are read again and compared.
///
/// `history` is guarded by a lock that is held for moments only.
final class SnapshotComparison: ChangeSource {
  private struct State {
    var history: InMemoryHistory
    /// The server's words for the latest snapshot, as `770:772:770`.
    var snapshot = ""
    /// The snapshot of the last look that was news.
    var reported = ""
    /// Whether a reading has seen commits of which there has been no news: those who only read do not pass them on.
    var hasUnreportedGap = false
    /// The locks of the tables, as far as the user may take them; `nil` for readings that need none.
    var locks: ReadingLocks?
    /// Until when readings take none, because a table was not free for too long.
    var unlockedUntil: ContinuousClock.Instant?
  }

  /// The most tables that a reading locks before it reads any; the server has room for 64 a session, and all sessions share it.
  ///
  /// Of more tables a reading locks those that it comes to, and waits for none of them.
  private static let lockLimit = 48

  /// How long readings take no locks after a table was not free for too long.
  private static let unlockedTime = Duration.seconds(10)

  private let tables: StoreTables
  /// Whether there are more tables than a reading locks.
  private let isCrowded: Bool

  let coverage = StoreCapabilities.HistoryCoverage.thisStore
  let uniqueName: String
  private let path: String
  private let state: Mutex<State>

  /// Creates the history of a database that is named by its server and its number.
  init(
    of tables: StoreTables,
    on connection: Connection,
    path: String
  ) throws(StoreError) {
    (self.tables, self.path) = (tables, path)
    isCrowded = Set(tables.all.map(\.quotedName)).count > SnapshotComparison.lockLimit
    let result: QueryResult
    let locks: ReadingLocks?
    do {
      locks = try SnapshotComparison.locks(of: tables, on: connection)
      result = try connection.run(
        """
        SELECT (SELECT system_identifier FROM pg_control_system()), (SELECT oid FROM pg_database WHERE datname = current_database())
        """
      )
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
    let (system, database) = (result.unsigned(0, 0) ?? 0, result.unsigned(0, 1) ?? 0)
    uniqueName = "postgresql-\(String(system, radix: 16))-\(database)"
    var generator = SystemRandomNumberGenerator()
    let history = InMemoryHistory(epoch: generator.next(), capacity: 4096)
    state = Mutex(State(history: history, locks: locks))
  }

  /// The locks of the tables that this user may lock, if a reading can come to read several: other tables, partitions, or those of a view.
  private static func locks(
    of tables: StoreTables,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> ReadingLocks? {
    let names = Set(tables.all.map(\.quotedName))
    guard names.count <= lockLimit else { return nil }
    let found = try connection.run(
      """
      SELECT n.name, n.kind = 'r' AND NOT n.subclasses FROM (SELECT t AS name, c.relkind AS kind, c.relhassubclass AS subclasses, \
      has_table_privilege(c.oid, 'SELECT') AS readable FROM unnest($1) t JOIN pg_class c ON c.oid = to_regclass(t)) n \
      WHERE n.kind IN ('r', 'p', 'v') AND n.readable ORDER BY 1
      """,
      [Parameter.texts(names.sorted())]
    )
    guard found.count > 1 || found.boolean(0, 1) == false else { return nil }
    return ReadingLocks(names: (0..<found.count).compactMap { found.text($0, 0) })
  }

  func begin(
    on connection: Connection,
    opening: [Statement],
    patience: Duration?
  ) throws(StoreError) -> PinnedVersion {
    do {
      var opening = opening
      while true {
        let isReading = opening.contains { $0.kind == .begin(.reading) }
        if let text = try begin(&opening, isReading, patience, on: connection) {
          return PinnedVersion(version: note(text))
        }
      }
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  /// One attempt to open a transaction, which locks the tables if it only reads.
  /// - Returns: The snapshot in the server's words, or `nil` if the tables were not free.
  private func begin(
    _ opening: inout [Statement],
    _ isReading: Bool,
    _ limit: Duration?,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> String? {
    let (locks, isImpatient) = state.withLock { state in
      let isImpatient = state.unlockedUntil.map { .now < $0 } ?? false
      return (isReading && !isImpatient ? state.locks : nil, isReading && isImpatient)
    }
    // A transaction that has not locked its tables does not wait for one while it holds another.
    let waitsForNone = isImpatient || isReading && isCrowded
    let added =
      locks.map { [$0.statement] }
      ?? (waitsForNone ? [Statement("SET LOCAL lock_timeout = '1ms'", isPrepared: false)] : [])
    do throws(PostgreSQLFailure) {
      let question = Statement("SELECT pg_current_snapshot()::text")
      return try connection.run(opening + added + [question]).last?.text(0, 0) ?? ""
    } catch {
      guard let locks, error.statement == opening.count, !error.isConnectionLost
      else { throw error }
      opening.removeEndOfLastTransaction()
      try connection.run([.rollback])
      try yield(locks, after: error, limit, on: connection)
      return nil
    }
  }

  /// Waits for the tables, holding none; or finds out which of them can be locked now.
  private func yield(
    _ locks: ReadingLocks,
    after error: PostgreSQLFailure,
    _ patience: Duration?,
    on connection: Connection
  ) throws(PostgreSQLFailure) {
    guard error.isLocked else {
      let found = try SnapshotComparison.locks(of: tables, on: connection)
      return state.withLock { $0.locks = found == locks ? nil : found }
    }
    do throws(PostgreSQLFailure) {
      _ = try connection.run(locks.waiting(patience))
    } catch {
      guard error.isLocked else { throw error }
      try connection.run([.rollback])
      // The table may be one that is not needed.
      state.withLock { $0.unlockedUntil = .now + SnapshotComparison.unlockedTime }
    }
  }

  /// The version of a snapshot: another one if anything may have been committed since.
  private func note(_ snapshot: String) -> StoreVersion {
    state.withLock { state in
      if state.snapshot != snapshot {
        if !state.snapshot.isEmpty {
          state.history.append(.gap(.otherWriter))
          state.hasUnreportedGap = snapshot != state.reported
        }
        state.snapshot = snapshot
      }
      return state.history.version
    }
  }

  func history(
    since version: StoreVersion,
    ofEach tables: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory {
    state.withLock { state in
      state.history.history(after: version, through: pinned.version, ofTable: 0)
    }
  }

  func markers(origin: CommitOrigin) -> [Statement] { [] }

  func version(ofTransaction number: UInt64, in pinned: PinnedVersion) -> StoreVersion {
    pinned.version
  }

  func bookmark(in pinned: PinnedVersion) -> StoreBookmark? { nil }

  func version(at bookmark: StoreBookmark, in pinned: PinnedVersion) -> StoreVersion? { nil }

  func isSmall(since version: StoreVersion, in pinned: PinnedVersion, limit: Int) -> Bool { false }

  func isSameLife(on connection: Connection) throws(StoreError) -> Bool { true }

  var turn: String? { nil }

  func hasNews(on connection: Connection) throws(StoreError) -> Bool {
    do {
      let text = try connection.run("SELECT pg_current_snapshot()::text").text(0, 0) ?? ""
      return state.withLock { state in
        guard state.hasUnreportedGap || state.snapshot != text else { return false }
        state.reported = text
        state.hasUnreportedGap = false
        return true
      }
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  func release(through version: StoreVersion) {}
}
#endif
