import CSQLiteHooks
import Dispatch
import GRDB
import Synchronization

/// A connection that belongs to the store and serves one read at a time.
///
/// A pool checks the schema in a separate transaction before each read and passes several queues, which takes longer than finding a row.
/// This connection also remembers the log's position, so that a read reads it again only after a commit. Reads that begin while it is in
/// use go to the pool.
///
/// The semaphore `free` is held by the read that uses the connection, and taken before the lock of `state`; only the read that holds it,
/// and `close()`, change `state`.
final class ReadingConnection: Sendable {
  private struct State {
    var queue: DatabaseQueue?
    var isClosed = false
    /// The mark of a content of the file, and the position of the log in it.
    var known: (mark: UInt32, position: ChangeLog.Position)?
  }

  private let path: String
  private let configuration: Configuration
  private let state = Mutex(State())
  private let free = DispatchSemaphore(value: 1)

  /// A connection beside those of a pool; the first read opens it.
  /// - Parameter pool: The pool that reads and writes the file.
  init(beside pool: DatabasePool) {
    path = pool.path
    var configuration = pool.configuration
    configuration.readonly = true
    self.configuration = configuration
  }

  /// Runs a closure with the connection.
  /// - Returns: `nil` if it is in use, or cannot be used.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    guard free.wait(timeout: .now()) == .success else { return nil }
    defer { free.signal() }
    guard let queue = opened() else { return nil }
    return try queue.unsafeReentrantRead(body)
  }

  /// Closes the connection permanently, after the read that is running, which must not call it.
  func close() {
    free.wait()
    defer { free.signal() }
    let queue = state.withLock { state in
      state.isClosed = true
      return state.queue.take()
    }
    try? queue?.close()
  }

  private func opened() -> DatabaseQueue? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      if let queue = state.queue { return queue }
      // The path may name another file since the pool was opened (`ConnectedFile`). The pool reports what is wrong.
      guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
        state.isClosed = true
        return nil
      }
      state.queue = queue
      return queue
    }
  }
}

extension ReadingConnection {
  /// The known position of the log for a content of the file.
  func position(at mark: UInt32) -> ChangeLog.Position? {
    state.withLock { $0.known?.mark == mark ? $0.known?.position : nil }
  }

  /// Remembers the position of the log for a content of the file.
  func note(_ position: ChangeLog.Position?, at mark: UInt32) {
    state.withLock { $0.known = position.map { (mark, $0) } }
  }
}

extension Database {
  /// A number that changes with every commit that the connection sees, or `nil` if SQLite does not provide it.
  ///
  /// It is that of the open transaction (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, SQLITE_FCNTL_DATA_VERSION).
  var contentMark: UInt32? {
    var mark: UInt32 = 0
    let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_DATA_VERSION, &mark)
    return code == SQLITE_OK ? mark : nil
  }
}
