#if PostgreSQL
import ResultsDomain

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
    let result: Result
    do {
      defer { transaction.end() }
      result = try BodyScope.run(nil, of: broadcaster) { try body(transaction) }
    } catch {
      _ = try? connection.run("ROLLBACK")
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
      try? connection.post([Connection.commit])
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
      opening = connection.opening("REPEATABLE READ")
    } else {
      opening = connection.opening("SERIALIZABLE")
    }
    opening.append(Statement("SET LOCAL lock_timeout = \(max(1, milliseconds))"))
    if case .inTurn = context.options.writing, let turn = context.turn {
      // A statement that takes no snapshot, so that the transaction sees what the one before it has committed.
      opening.append(Statement("LOCK TABLE \(turn) IN EXCLUSIVE MODE"))
    }
    let start = ContinuousClock.now
    do {
      guard let wait = WriterWait.current else {
        return try context.changes.begin(on: connection, opening: opening)
      }
      return try ReadingInterest.reading(while: { !wait.isGivenUp }) { () throws(StoreError) in
        try context.changes.begin(on: connection, opening: opening)
      }
    } catch {
      guard case .busy(let path, _, _) = error else { throw error }
      if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
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
    guard let result, result.count > 0 else { return nil }
    let (name, host) = (result.text(0, 1) ?? "", result.text(0, 2) ?? "")
    return LockHolder(
      processID: result.integer(0, 0) ?? 0,
      name: host.isEmpty ? name : "\(name) at \(host)"
    )
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
        opening: context.changes.markers(origin: origin) + [Connection.commit]
          + connection.opening("REPEATABLE READ READ ONLY")
      )
    } catch {
      if connection.isUsable { _ = try? connection.run("ROLLBACK") }
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
      opening: usable.opening("REPEATABLE READ READ ONLY")
    )
    if usable !== connection { try? usable.post([Connection.commit]) }
    return pinned
  }

  /// Finds out what became of a transaction whose commit has failed, or whose connection broke meanwhile.
  /// - Throws: `StoreError.undecided` if the server does not answer in time, or has had a crash.
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
        default: throw .undecided(path: context.path)
        }
      }
      guard clock.now < deadline else { throw .undecided(path: context.path) }
      usleep(50_000)
    }
  }

  /// Offers the version after the commit to the listeners, and ends the reading.
  private func publish(
    _ pinned: PinnedVersion,
    since version: StoreVersion,
    on connection: Connection
  ) {
    defer { try? connection.post([Connection.commit]) }
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
#endif
