import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// A file with a rollback journal that belongs to other programs and is only read.
///
/// A reader of such a file holds a shared lock, and the commit of a program that does not wait fails meanwhile. So the file is copied
/// without a lock, and the copy is read: a copy counts if nothing was committed, rolled back or written meanwhile (`FileState`). Otherwise it
/// is made again later. Only a file that is too large for that is read in place, and then at most a twentieth of the time.
///
/// The connection runs no statement unless a lock is needed after all (`lockedContent(_:isLast:)`). The lock guards `state`, is held while a copy is
/// made, and no other lock is taken under it.
final class ForeignFile: Sendable {
  /// How the file is followed.
  enum Refresh: Hashable, Sendable {
    /// The copy is what is committed.
    case unchanged
    /// The connection reads a new copy.
    case changed
    /// A writer is at work, or the file must rest; the same may be tried again later.
    case unsettled
  }

  /// The result of an attempt to copy the file.
  private enum Attempt {
    case content(ForeignContent)
    case unchanged
    case unsettled(until: ContinuousClock.Instant)
    /// The path does not name this file, or it cannot be read.
    case unreadable
    /// The file has no rollback journal any more, or has grown beyond what is copied.
    case unsuitable
  }

  private struct State {
    /// The connection whose handle is read; closed with the object.
    let connection: OpaquePointer
    /// What is read at present; `nil` if the file is read in place.
    var copy: ForeignCopy?
    /// The version of the copy (`FileState.version`).
    var version: Int64?
    /// When the attempts began of which all have failed, and how many there were.
    var failing: (since: ContinuousClock.Instant, count: Int)?
    /// The state that the last attempts have found, and since when it has not changed.
    var found: (state: FileState, since: ContinuousClock.Instant)?
    /// When a copy may be tried again.
    var nextAttempt = ContinuousClock.now
    /// When the file may be read under a lock again.
    var nextReading = ContinuousClock.now
    /// Whether the store must open the file again.
    var isUnsuitable = false
  }

  /// The pauses after attempts that have failed; the last one is repeated.
  private static let pauses: [Duration] = [5, 10, 20, 40, 80, 160].map { .milliseconds($0) }
  /// The pause after an attempt that took no time.
  private static let shortPause: Duration = .milliseconds(20)
  /// How long a writer must have done nothing to be disturbed.
  private static let stillness: Duration = .milliseconds(100)
  /// A file is read under a lock for at most this part of the time.
  private static let restFactor = 20

  let path: String
  let identity: FileIdentity
  private let sizeLimit: Int64
  /// How long copying without a lock is tried.
  private let patience: Duration
  private let state: Mutex<State>

  /// Opens a file; `nil` if it is not a database with a rollback journal, or cannot be opened.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - options: The store's options.
  init?(_ path: String, options: SQLiteStoreOptions) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path.databasePath, &opened, flags, nil) == SQLITE_OK,
      let connection = opened, let found = FileState(of: connection), found.hasRollbackJournal,
      let identity = FileIdentity.find(openedBy: connection).file
    else {
      sqlite3_close(opened)
      return nil
    }
    self.path = path
    self.identity = identity
    sizeLimit = options.copyLimit
    patience = options.busyTimeout
    state = Mutex(State(connection: connection))
  }

  deinit { _ = state.withLock { sqlite3_close($0.connection) } }

  /// Whether the file is read itself, under a lock, and not a copy of it.
  var isReadDirectly: Bool { state.withLock { $0.copy == nil } }

  /// Whether the file must be opened again, because it is not one for this object any more.
  var mustReopen: Bool { state.withLock { $0.isUnsuitable } }
}

// MARK: - Reading copies

extension ForeignFile {
  /// Opens a connection to a copy of the file, and waits for one.
  /// - Parameter configuration: The connection's configuration.
  /// - Returns: `nil` if the file is too large for a copy.
  /// - Throws: SQLite's failure if the file cannot be read.
  func openCopy(_ configuration: Configuration) throws -> DatabaseQueue? {
    while true {
      switch try state.withLock({ try attempt(&$0) }) {
      case .unsuitable, .unreadable, .unchanged: return nil
      case .unsettled(let next):
        let pause = next - ContinuousClock.now
        let (seconds, attoseconds) = pause.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(max(0, nanoseconds)))
      case .content(let content):
        guard let copy = ForeignCopy(content) else { return nil }
        defer { copy.removeName() }
        let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
        state.withLock { ($0.copy, $0.version) = (copy, content.version) }
        return queue
      }
    }
  }

  /// Makes a connection read a new copy if something was committed since the last one.
  ///
  /// It is called on the queue of the connection that reads the copies, while that is in no transaction.
  /// - Returns: What has happened.
  func refresh() -> Refresh {
    state.withLock { state in
      switch try? attempt(&state) {
      case .unchanged: return .unchanged
      case .content(let content):
        guard state.copy?.write(content) == true else { fallthrough }
        state.version = content.version
        return .changed
      case .unsuitable:
        state.isUnsuitable = true
        return .unsettled
      case .unsettled, .unreadable, nil: return .unsettled
      }
    }
  }

  /// Tries to copy the file.
  /// - Throws: SQLite's failure if the file can be read neither without a lock nor with one.
  private func attempt(_ state: inout State) throws(SQLiteFailure) -> Attempt {
    let now = ContinuousClock.now
    guard now >= state.nextAttempt else { return .unsettled(until: state.nextAttempt) }
    guard let before = FileState(of: state.connection), before.identity == identity else {
      return .unreadable
    }
    guard before.hasRollbackJournal, before.size <= sizeLimit else { return .unsuitable }
    if before.isCommitted, before.version == state.version {
      state.failing = nil
      return .unchanged
    }
    guard let content = ForeignContent(ofSize: before.size, version: before.version) else {
      return .unsuitable
    }
    if before.isCommitted, before.isSettled, content.read(from: state.connection),
      let after = FileState(of: state.connection), before.isSameContent(as: after)
    {
      (state.failing, state.found) = (nil, nil)
      return .content(content)
    }
    let failing = state.failing ?? (now, 0)
    state.failing = (failing.since, failing.count + 1)
    if state.found?.state != before { state.found = (before, now) }
    let pauses = ForeignFile.pauses
    let pause = pauses[min(failing.count, pauses.count - 1)]
    // Where an attempt costs little, many are made before a lock is taken.
    state.nextAttempt =
      .now + min(pause, max(ForeignFile.shortPause, (.now - now) * ForeignFile.restFactor))
    let isStill = state.found.map { now - $0.since >= ForeignFile.stillness } ?? false
    let isLast = now - failing.since >= patience
    let mayLock = !before.isPreparing || now - failing.since >= patience * 2
    if isStill || isLast, mayLock, now >= state.nextReading,
      let content = try lockedContent(&state, isLast: isLast)
    {
      (state.failing, state.found) = (nil, nil)
      return .content(content)
    }
    return .unsettled(until: state.nextAttempt)
  }

  /// Copies the file under a shared lock: if a writer does nothing, if none leaves enough time for a copy, or if the writer has died, which
  /// SQLite finds out.
  /// - Parameters:
  ///   - state: The state, which is locked.
  ///   - isLast: Whether a lock of another program is a failure.
  /// - Returns: `nil` if the file is locked.
  /// - Throws: SQLite's failure if it is not locked and cannot be read.
  private func lockedContent(_ state: inout State, isLast: Bool) throws(SQLiteFailure)
    -> ForeignContent?
  {
    let start = ContinuousClock.now
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      noteReading(&state, since: start)
    }
    var code = sqlite3_prepare_v2(
      state.connection,
      "SELECT count(*) FROM sqlite_master",
      -1,
      &statement,
      nil
    )
    if code == SQLITE_OK { code = sqlite3_step(statement) }
    guard code == SQLITE_ROW else {
      let failure = SQLiteFailure(state.connection)
      if failure.primaryCode == SQLITE_BUSY, !isLast { return nil }
      throw failure
    }
    guard let found = FileState(of: state.connection),
      let content = ForeignContent(ofSize: found.size, version: found.version),
      content.read(from: state.connection)
    else { throw SQLiteFailure(code: SQLITE_IOERR, message: "it could not be copied") }
    return content
  }
}

// MARK: - Reading in place

extension ForeignFile {
  /// Whether the file may be read in place again, on account of a change.
  var hasRested: Bool {
    state.withLock { state in
      // A write-ahead log lets everybody write and read at the same time.
      state.copy != nil || ContinuousClock.now >= state.nextReading
        || FileState(of: state.connection)?.hasRollbackJournal == false
    }
  }

  /// Notes a reading of the file itself, after which it rests.
  func noteReading(since start: ContinuousClock.Instant) {
    state.withLock { state in
      if state.copy == nil { noteReading(&state, since: start) }
    }
  }

  private func noteReading(_ state: inout State, since start: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    // Readings before the end of the rest prolong it.
    state.nextReading =
      max(now, state.nextReading) + (now - start) * (ForeignFile.restFactor - 1)
  }
}

/// One committed state of a file, in memory that belongs to this process.
private final class ForeignContent: Sendable {
  /// What SQLite changes with every commit.
  let version: Int64
  let size: Int64
  private let address: UInt

  /// Reserves the memory, whose content is not known yet; `nil` if there is no room.
  init?(ofSize size: Int64, version: Int64) {
    guard size > 0, let bytes = results_allocate_copy(size) else { return nil }
    (self.version, self.size, address) = (version, size, UInt(bitPattern: bytes))
  }

  deinit { results_free_copy(bytes, size) }

  var bytes: UnsafeMutablePointer<UInt8>? { UnsafeMutablePointer(bitPattern: address) }

  /// Reads the file that a connection has open.
  /// - Returns: Whether all of it was read.
  func read(from connection: OpaquePointer) -> Bool {
    results_copy_file(connection, bytes, size) != 0
  }
}

/// The file that is read in place of another one.
///
/// SQLite has it open. Its content is replaced while no statement runs, which SQLite notices as it notices the commits of others. It has no
/// name once SQLite has opened it, and its folder is closed to other users.
private final class ForeignCopy: Sendable {
  let path: String
  private let file: Int32

  /// Creates the file; `nil` if there is no room.
  init?(_ content: ForeignContent) {
    var path = [CChar](repeating: 0, count: 4096)
    file = results_create_copy(content.size, &path, Int32(path.count))
    self.path = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guard file >= 0 else { return nil }
    guard write(content) else {
      removeName()
      return nil
    }
  }

  deinit { if file >= 0 { results_close_copy(file) } }

  /// Replaces the content, while no statement runs.
  /// - Returns: Whether there was room.
  func write(_ content: ForeignContent) -> Bool {
    results_write_copy(file, content.bytes, content.size) != 0
  }

  /// Removes the name, by which SQLite has opened the file.
  func removeName() { results_remove_copy(path) }
}
