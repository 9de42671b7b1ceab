import CSQLiteHooks
import Dispatch
import GRDB
import Synchronization

/// A connection of a store's own, which a read goes through while no other one does.
///
/// A pool asks for the schema in a transaction of its own before each read, and passes several queues on the way, which takes
/// longer than finding a row. What was read of the log last is known of this connection, too, so that a read asks for it
/// anew only if there was a commit. Reads that come while it is in use are the pool's.
final class ReadingConnection: Sendable {
  private struct State {
    var queue: DatabaseQueue?
    var isClosed = false
    /// What SQLite tells apart the contents of the file by, and the version that they are.
    var known: (mark: UInt32, position: LogCatalog.Position)?
  }

  private let path: String
  private let file: FileIdentity.Finding
  private let configuration: Configuration
  private let state = Mutex(State())
  /// Held by whoever uses the connection.
  private let free = DispatchSemaphore(value: 1)

  /// The connection beside those of a pool; it is opened by the first read.
  /// - Parameters:
  ///   - pool: What else reads and writes the file.
  ///   - file: The file that the pool has open.
  init(beside pool: DatabasePool, of file: FileIdentity.Finding) {
    path = pool.path
    self.file = file
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

  /// Closes the connection for good, after the read that is running.
  ///
  /// It must not be called by that read.
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
      let queue = try? DatabaseQueue(path: path, configuration: configuration)
      // The name may have become another file's since the pool was opened. The pool tells what else is wrong.
      let isSame = queue?.unsafeReentrantRead { database in
        FileIdentity.find(openedBy: database.sqliteConnection) == file
      }
      guard isSame == true else {
        state.isClosed = true
        return nil
      }
      state.queue = queue
      return queue
    }
  }
}

extension ReadingConnection {
  /// The version that is known of some contents of the file.
  func position(at mark: UInt32) -> LogCatalog.Position? {
    state.withLock { $0.known?.mark == mark ? $0.known?.position : nil }
  }

  /// Notes which version some contents of the file are.
  func note(_ position: LogCatalog.Position?, at mark: UInt32) {
    state.withLock { $0.known = position.map { (mark, $0) } }
  }
}

extension Database {
  /// What changes with every commit that the connection comes to see, or `nil` if SQLite does not tell.
  ///
  /// It is that of the transaction that is open (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, SQLITE_FCNTL_DATA_VERSION).
  var contentMark: UInt32? {
    var mark: UInt32 = 0
    let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_DATA_VERSION, &mark)
    return code == SQLITE_OK ? mark : nil
  }
}
