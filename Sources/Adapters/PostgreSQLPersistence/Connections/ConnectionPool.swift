#if PostgreSQL
import Dispatch
import ResultsDomain
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The connections of one store that read, and the one that writes; those that nobody uses for a minute are closed.
///
/// `state` is guarded by a lock that is held for moments only: nothing is sent while it is held. A connection belongs to the caller that
/// took it until it is given back.
final class ConnectionPool: Sendable {
  private struct State: @unchecked Sendable {
    // A connection here is in nobody's use; the one that was used last comes last.
    var idle: [Idle] = []
    var writer: Idle?
    /// Whether it is looked at again who is idle for too long.
    var isClosingIdle = false
    /// The cancellers of connections that are in use.
    var inUse: [ObjectIdentifier: Canceller] = [:]
    var isClosed = false
    /// The password that the user typed, once the server has asked for one.
    var password: String?
  }

  let settings: ConnectionSettings
  private let askForPassword: (@Sendable (_ store: String) -> String?)?
  private let state = Mutex(State())
  private let readers: DispatchSemaphore
  private let writerTurn = DispatchSemaphore(value: 1)
  /// How long to try again while the server starts, or has no connection left.
  private let patience: Duration
  /// How long a connection is kept that nobody uses.
  private let idleTime: Duration

  init(
    _ settings: ConnectionSettings,
    limit: Int,
    patience: Duration,
    idleTime: Duration = .seconds(60),
    password: (@Sendable (_ store: String) -> String?)? = nil
  ) {
    self.settings = settings
    askForPassword = password
    self.patience = patience
    self.idleTime = idleTime
    readers = DispatchSemaphore(value: max(1, limit))
  }

  /// A connection that nobody uses, and since when.
  private struct Idle {
    let connection: Connection
    let since: ContinuousClock.Instant
  }

  /// The use of a connection.
  enum Role {
    case reading
    case writing
  }

  /// Runs a closure with a connection that no other thread uses; it waits while all are in use.
  ///
  /// A connection that was lost, or in which the closure left a transaction open, is not used again.
  /// - Throws: `StoreError.closed`, `StoreError.unreachable`, and what the closure throws.
  func with<Result>(
    _ role: Role,
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let turn = role == .writing ? writerTurn : readers
    turn.wait()
    defer { turn.signal() }
    let connection = try take(role)
    defer { give(connection, role) }
    return try body(connection)
  }

  /// Runs a closure with a connection for reading, if one is free at this moment, or can be opened at the first attempt.
  /// - Returns: The closure's result, or `nil` if all are in use.
  func withFree<Result>(
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    guard readers.wait(timeout: .now()) == .success else { return nil }
    defer { readers.signal() }
    let connection = try take(.reading, isPatient: false)
    defer { give(connection, .reading) }
    return try body(connection)
  }

  private func take(_ role: Role, isPatient: Bool = true) throws(StoreError) -> Connection {
    let known: Connection? = try state.withLock { (state) throws(StoreError) -> Connection? in
      guard !state.isClosed else { throw .closed(path: settings.name) }
      return role == .writing ? state.writer.take()?.connection : state.idle.popLast()?.connection
    }
    let connection: Connection
    if let known, known.isUsable {
      connection = known
    } else {
      connection = try connect(patience: isPatient ? patience : .zero)
    }
    let isClosed = state.withLock { state in
      state.inUse[ObjectIdentifier(connection)] = connection.canceller
      return state.isClosed
    }
    guard !isClosed else {
      give(connection, role)
      throw .closed(path: settings.name)
    }
    return connection
  }

  private func give(_ connection: Connection, _ role: Role) {
    if connection.isUsable, connection.isInTransaction { _ = try? connection.run([.rollback]) }
    let starts = state.withLock { state in
      state.inUse[ObjectIdentifier(connection)] = nil
      guard connection.isUsable, !state.isClosed else { return false }
      let idle = Idle(connection: connection, since: .now)
      if role == .writing { state.writer = idle } else { state.idle.append(idle) }
      defer { state.isClosingIdle = true }
      return !state.isClosingIdle
    }
    if starts { closeIdle(after: idleTime) }
  }

  /// Closes the connections that nobody has used for a while, later, and again until there is none.
  private func closeIdle(after time: Duration) {
    let seconds = time / .seconds(1)
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.closeIdle()
    }
  }

  private func closeIdle() {
    let now = ContinuousClock.now
    let (dropped, next) = state.withLock { state in
      let kept = state.idle.filter { now - $0.since < idleTime }
      let old = state.idle.filter { now - $0.since >= idleTime }
      let oldWriter = state.writer.flatMap { now - $0.since >= idleTime ? $0 : nil }
      state.idle = kept
      if oldWriter != nil { state.writer = nil }
      let oldest = (kept + [state.writer].compactMap(\.self)).map(\.since).min()
      state.isClosingIdle = oldest != nil
      return (Dropped(old + [oldWriter].compactMap(\.self)), oldest)
    }
    withExtendedLifetime(dropped) {}
    if let next { closeIdle(after: max(.milliseconds(1), next + idleTime - now)) }
  }

  /// Opens a connection with the settings of a session, apart from the pool.
  ///
  /// While the server starts, or has no connection left, it tries again for a while.
  /// - Parameter patience: For how long it tries; as long as the pool does if it is left out.
  /// - Returns: The connection.
  /// - Throws: `StoreError.unreachable`, with libpq's or the server's words.
  func connect(patience: Duration? = nil) throws(StoreError) -> Connection {
    let clock = ContinuousClock()
    let deadline = clock.now + (patience ?? self.patience)
    var pause: UInt32 = 50_000
    var password = state.withLock { $0.password }
    while true {
      do {
        let connection = try openConnection(password: password)
        state.withLock { $0.password = password }
        return connection
      } catch {
        if error.needsPassword, password == nil, let typed = askForPassword?(settings.name) {
          password = typed
          continue
        }
        guard error.isPassing, clock.now < deadline, !isClosed else {
          throw error.storeError(path: settings.name, waited: .zero)
        }
      }
      usleep(pause)
      pause = min(pause * 2, 500_000)
    }
  }

  /// Opens a connection with the settings of a session, apart from the pool, at the first attempt or not at all.
  func openConnection() throws(PostgreSQLFailure) -> Connection {
    try openConnection(password: state.withLock { $0.password })
  }

  private func openConnection(password: String?) throws(PostgreSQLFailure) -> Connection {
    let connection = try Connection(password.map(settings.settingPassword) ?? settings)
    try connection.startSession()
    return connection
  }

  /// Whether the pool was closed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Drops the connections that nobody uses, because the server has another life.
  func forgetIdle() {
    let dropped = state.withLock { state in
      defer {
        state.idle = []
        state.writer = nil
      }
      return Dropped(state.idle + [state.writer].compactMap(\.self))
    }
    withExtendedLifetime(dropped) {}
  }

  private struct Dropped: @unchecked Sendable {
    // Nobody else knows these connections.
    let connections: [Connection]

    init(_ idle: [Idle]) { connections = idle.map(\.connection) }
  }

  /// Refuses further calls, and closes the connections that nobody uses; the others are closed when they are given back.
  /// - Returns: Whether the pool was open.
  func close() -> Bool {
    let (wasOpen, dropped) = state.withLock { state in
      defer {
        state.isClosed = true
        state.idle = []
        state.writer = nil
      }
      return (!state.isClosed, Dropped(state.idle + [state.writer].compactMap(\.self)))
    }
    withExtendedLifetime(dropped) {}
    return wasOpen
  }

  /// Whether some connection is in use.
  var isInUse: Bool { state.withLock { !$0.inUse.isEmpty } }

  /// Cancels what the connections in use are running.
  func cancelAll() {
    let cancellers = state.withLock { Array($0.inUse.values) }
    for canceller in cancellers { canceller.cancel() }
  }
}

extension PostgreSQLFailure {
  /// Whether a new attempt to connect may succeed soon.
  fileprivate var isPassing: Bool {
    isConnectionLost
      && (state == "57P03" || state == "53300"
        || ["starting up", "too many clients", "shutting down", "in recovery mode"].contains {
          message.contains($0)
        })
  }
}
#endif
