#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One attempt at a transaction: its turn, its statements, its commit, and the reading after it.
struct WriteSession {
  let context: StoreContext
  let broadcaster: CommitBroadcaster
  let pool: ConnectionPool

  /// The most changed rows of a commit that listeners follow in the call that makes it.
  private static let followedRows = 32

  /// Runs a closure as a transaction.
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    on connection: Connection,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    let pinned = try begin(on: connection)
    let snapshot = PostgreSQLSnapshot(connection, pinned, in: context)
    let transaction = PostgreSQLTransaction(snapshot)
    let lockWait = WriterWait.current.map { LockWait($0, of: connection, in: context, pool) }
    let isWanted = lockWait?.isWanted ?? ReadingInterest.isWanted
    let result: Result
    do {
      defer { transaction.end() }
      result = try ReadingInterest.$isWanted.withValue(isWanted) {
        try BodyScope.run(nil, of: broadcaster) { try body(transaction) }
      }
      // The closure may have gone on.
      if let failure = lockWait?.failure { throw failure }
    } catch {
      if connection.isUsable { _ = try? connection.run([.rollback]) }
      if let failure = lockWait?.failure { throw failure }
      if let error = error as? StoreError { throw error }
      throw .aborted(by: error)
    }
    guard connection.isInTransaction else {
      guard connection.isUsable else {
        throw .unreachable(path: context.path, detail: "the connection was lost")
      }
      throw .unexpected(path: context.path, detail: "the closure ended its own transaction")
    }
    guard let number = transaction.number.value else {
      try? connection.post([.commit])
      return Committed(result: result, version: pinned.version)
    }
    let after = try finish(number, origin: origin, on: connection)
    publish(after, since: pinned.version, on: connection)
    let version = context.changes.version(ofTransaction: number, in: after)
    return Committed(result: result, version: version)
  }

  /// Opens the transaction, after those of all other stores where they take turns.
  private func begin(on connection: Connection) throws(StoreError) -> PinnedVersion {
    let milliseconds = Int(context.options.busyTimeout / .milliseconds(1))
    var opening: [Statement]
    if case .inTurn = context.options.writing {
      opening = connection.opening(.repeatableRead)
    } else {
      opening = connection.opening(.serializable)
    }
    opening.append(Statement("SET LOCAL lock_timeout = \(max(1, milliseconds))"))
    if case .inTurn = context.options.writing, let turn = context.turn {
      // A statement that takes no snapshot, so that the transaction sees what the one before it has committed.
      opening.append(Statement("LOCK TABLE \(turn) IN EXCLUSIVE MODE"))
    }
    let start = ContinuousClock.now
    do {
      guard let wait = WriterWait.current else {
        return try context.changes.begin(
          on: connection,
          opening: opening,
          patience: context.options.busyTimeout
        )
      }
      return try ReadingInterest.reading(while: { !wait.isGivenUp }) { () throws(StoreError) in
        try context.changes.begin(
          on: connection,
          opening: opening,
          patience: context.options.busyTimeout
        )
      }
    } catch {
      guard case .busy(let path, _, _) = error else { throw error }
      if connection.isInTransaction { _ = try? connection.run([.rollback]) }
      WriterWait.current?.note(milliseconds: Int((ContinuousClock.now - start) / .milliseconds(1)))
      let waited = WriterWait.span(orLimit: context.options.busyTimeout)
      throw .busy(path: path, waited: waited, holder: holder(on: connection))
    }
  }

  /// The process that has the turn, as far as the server reports it.
  private func holder(on connection: Connection) -> LockHolder? {
    guard let turn = context.turn else { return nil }
    let result = try? connection.run(
      """
      SELECT l.pid::bigint, a.application_name, coalesce(host(a.client_addr), '') FROM pg_locks l \
      JOIN pg_stat_activity a ON a.pid = l.pid \
      WHERE l.relation = to_regclass(\(Connection.literal(turn))) AND l.granted AND l.mode = 'ExclusiveLock'
      """
    )
    return result.flatMap { LockHolder($0) }
  }

  /// Commits, and reads the version after it, in one round trip.
  private func finish(
    _ number: UInt64,
    origin: CommitOrigin,
    on connection: Connection
  ) throws(StoreError) -> PinnedVersion {
    do {
      return try context.changes.begin(
        on: connection,
        opening: context.changes.markers(origin: origin) + [.commit]
          + connection.opening(.reading)
      )
    } catch {
      if connection.isUsable { _ = try? connection.run([.rollback]) }
      // The reading can fail after the transaction has committed.
      guard try isCommitted(number, on: connection) else { throw error }
    }
    return try read(on: connection)
  }

  /// The version after a commit whose reading failed.
  private func read(on connection: Connection) throws(StoreError) -> PinnedVersion {
    let usable = connection.isUsable ? connection : try pool.connect()
    let pinned = try context.changes.begin(
      on: usable,
      opening: usable.opening(.reading)
    )
    if usable !== connection { try? usable.post([.commit]) }
    return pinned
  }

  /// Finds out what became of a transaction whose commit has failed, or whose connection broke meanwhile.
  /// - Throws: `StoreError.commitOutcomeUnknown` if the server does not answer in time, or has had a crash.
  private func isCommitted(
    _ number: UInt64,
    on connection: Connection
  ) throws(StoreError) -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + context.options.busyTimeout
    while true {
      if let connection = connection.isUsable ? connection : try? pool.connect(),
        (try? context.changes.isSameLife(on: connection)) == true,
        let result = try? connection.run(
          "SELECT pg_xact_status($1::xid8)",
          [.transaction(number)]
        )
      {
        switch result.text(0, 0) {
        case "committed": return true
        case "aborted": return false
        // The server has not noticed yet that its client is gone.
        case "in progress": break
        default: throw .commitOutcomeUnknown(path: context.path)
        }
      }
      guard clock.now < deadline else { throw .commitOutcomeUnknown(path: context.path) }
      usleep(50_000)
    }
  }

  /// Offers the version after the commit to the listeners, and ends the reading.
  private func publish(
    _ pinned: PinnedVersion,
    since version: StoreVersion,
    on connection: Connection
  ) {
    defer { try? connection.post([.commit]) }
    guard pinned.version != version else { return }
    guard broadcaster.hasFollowers, connection.isInTransaction,
      context.changes.isSmall(since: version, in: pinned, limit: WriteSession.followedRows)
    else {
      broadcaster.notify()
      return
    }
    let snapshot = PostgreSQLSnapshot(connection, pinned, in: context)
    defer { snapshot.end() }
    BodyScope.run(snapshot, of: broadcaster) { broadcaster.offer(snapshot) }
  }
}

/// The waits of one transaction for rows that other sessions have locked: they end when the caller gives them up (`WriterWait`).
///
/// A statement that waits for nobody is not ended. `state` is guarded by its lock, under which nothing waits.
private final class LockWait: Sendable {
  private struct State {
    /// When the server may be asked again.
    var nextLook = ContinuousClock.now
    /// Whether a wait was ended, and the session that was waited for, as far as the server reports it.
    var ended: (milliseconds: Int, holder: LockHolder?)?
  }

  /// The time between two questions to the server.
  private static let interval = Duration.milliseconds(50)

  private let wait: WriterWait
  private let path: String
  private let pool: ConnectionPool
  /// The server's process that runs the transaction.
  private let process: Int64?
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(
    _ wait: WriterWait,
    of connection: Connection,
    in context: StoreContext,
    _ pool: ConnectionPool
  ) {
    (self.wait, self.pool, path) = (wait, pool, context.path)
    process =
      connection.processID
      ?? (try? connection.run("SELECT pg_backend_pid()::bigint"))?.integer(0, 0)
  }

  /// Whether to go on: not if the caller has given up and the transaction waits for another session.
  var isWanted: @Sendable () -> Bool {
    { [self] in
      guard wait.isGivenUp, isLookDue, let holder = blocker() else { return true }
      state.withLock { state in
        let waited = Int((ContinuousClock.now - start) / .milliseconds(1))
        state.ended = state.ended ?? (waited, holder)
      }
      return false
    }
  }

  /// The error of a transaction of which a wait was ended.
  var failure: StoreError? {
    guard let (milliseconds, holder) = state.withLock({ $0.ended }) else { return nil }
    wait.note(milliseconds: milliseconds)
    return .busy(path: path, waited: .milliseconds(max(milliseconds, 1)), holder: holder)
  }

  private var isLookDue: Bool {
    state.withLock { state in
      guard ContinuousClock.now >= state.nextLook else { return false }
      state.nextLook = .now + LockWait.interval
      return true
    }
  }

  /// The session for which the transaction waits, if it waits for one; the inner `nil` is one of which nothing is known.
  private func blocker() -> LockHolder?? {
    guard let process else { return nil }
    // This question is wanted.
    return ReadingInterest.$isWanted.withValue(nil) {
      let result = try? pool.withFree { (connection) throws(StoreError) in
        try? connection.run(
          """
          SELECT a.pid::bigint, a.application_name, coalesce(host(a.client_addr), '') \
          FROM unnest(pg_blocking_pids($1::int)) AS b (pid) LEFT JOIN pg_stat_activity a ON a.pid = b.pid LIMIT 1
          """,
          [.integer(process)]
        )
      }
      guard let result = result ?? nil, result.count > 0 else { return nil }
      return .some(LockHolder(result))
    }
  }
}

extension LockHolder {
  /// The process in a result with its number, its name and its host.
  fileprivate init?(_ result: QueryResult) {
    guard result.count > 0, let number = result.integer(0, 0) else { return nil }
    let (name, host) = (result.text(0, 1) ?? "", result.text(0, 2) ?? "")
    self.init(processID: number, name: host.isEmpty ? name : "\(name) at \(host)")
  }
}
#endif
