#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// Statements that hold a lock of a table for long, and are ended as soon as another session waits for theirs.
///
/// `CREATE INDEX CONCURRENTLY` holds its lock while it waits for the transactions of others. If one of them then needs the table, for a
/// change of the schema, the two wait for each other, and the server may end the application's transaction. It looks for deadlocks only
/// after a session has waited for a while (`deadlock_timeout`, one second by default), so a statement that gives way sooner causes none.
struct YieldingStatements {
  let reader: TableReader
  let table: EntityTable
  let pool: ConnectionPool

  /// How often a statement is tried.
  private static let attempts = 20

  /// Runs a statement outside of a transaction, again after others had what they waited for.
  /// - Parameters:
  ///   - text: The statement.
  ///   - undoing: The statement that removes what a failure leaves.
  /// - Throws: The server's error; `StoreError.busy` if others have needed the table at every attempt.
  func run(_ text: String, undoing: String? = nil) throws(StoreError) {
    let start = ContinuousClock.now
    for _ in 0..<YieldingStatements.attempts {
      let watch = WaitersWatch(process: reader.connection.processID, table, pool)
      do {
        try ReadingInterest.reading(while: watch.isWanted) { () throws(StoreError) in
          _ = try reader.run([Statement(text, isPrepared: false)])
        }
        return
      } catch {
        if let undoing { _ = try? run(undoing) }
        guard watch.hasYielded else { throw error }
        _ = try? reader.run([Statement(TableLocks.pause, isPrepared: false)])
      }
    }
    throw .busy(path: reader.path, waited: ContinuousClock.now - start)
  }
}

/// Asks the server now and then whether another session waits for one.
///
/// `state` is guarded by its lock, under which nothing waits.
private final class WaitersWatch: Sendable {
  private struct State {
    /// When the server may be asked again.
    var nextLook = ContinuousClock.now
    var hasYielded = false
  }

  /// The time between two questions, a small part of the shortest `deadlock_timeout` in use.
  private static let interval = Duration.milliseconds(50)

  private let question: String
  private let pool: ConnectionPool
  private let state = Mutex(State())

  /// Creates a watch for a session, or for the one that holds the lock of a table: behind a pooler its number is not known.
  init(process: Int64?, _ table: EntityTable, _ pool: ConnectionPool) {
    self.pool = pool
    let sessions =
      process.map { "SELECT \($0)::int AS pid" }
        ?? """
        SELECT l.pid FROM pg_locks l WHERE l.locktype = 'relation' AND l.granted AND l.mode = 'ShareUpdateExclusiveLock' \
        AND l.relation = to_regclass(\(Connection.literal(table.quotedName))) \
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        """
    question = """
      SELECT EXISTS (SELECT FROM (\(sessions)) s, pg_locks w WHERE NOT w.granted AND w.pid <> s.pid \
      AND s.pid = ANY (pg_blocking_pids(w.pid)))
      """
  }

  /// Whether the statement was ended because another session waited.
  var hasYielded: Bool { state.withLock { $0.hasYielded } }

  /// Whether the statement may go on.
  var isWanted: @Sendable () -> Bool {
    { [self] in
      let isDue = state.withLock { state in
        guard !state.hasYielded, ContinuousClock.now >= state.nextLook else { return false }
        state.nextLook = .now + WaitersWatch.interval
        return true
      }
      guard isDue, isAwaited else { return !hasYielded }
      state.withLock { $0.hasYielded = true }
      return false
    }
  }

  private var isAwaited: Bool {
    func answer(_ connection: Connection) -> Bool {
      (try? connection.run(question))?.boolean(0, 0) ?? false
    }
    // This question is wanted.
    return ReadingInterest.$isWanted.withValue(nil) {
      let found = try? pool.withFree { (connection) throws(StoreError) in answer(connection) }
      if let found { return found }
      // All connections are in use.
      return (try? pool.openConnection()).map(answer) ?? false
    }
  }
}
#endif
