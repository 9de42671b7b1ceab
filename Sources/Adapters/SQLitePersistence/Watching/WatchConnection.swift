import CSQLiteHooks

/// A connection that is asked one thing, again and again: whether anybody has committed.
///
/// It is open for reading, holds no transaction between two questions, and stays open: opening and closing a connection
/// makes and removes side files, which would wake the watch itself. One thread uses it.
final class WatchConnection {
  /// What asking gave.
  enum Answer: Hashable {
    /// A number that is another one after every commit of another connection, and after some checkpoints.
    case version(Int64)
    /// Somebody keeps the database from being read at this moment.
    case busy
    /// The file cannot be read, for another reason.
    case failed
  }

  /// The file that is open.
  let identity: FileIdentity
  private let connection: OpaquePointer
  private let dataVersion: OpaquePointer
  /// Gives the mark of the latest commit that matters, where the database keeps one.
  private let latestMark: OpaquePointer?

  /// Opens a database's file, if it is there and still named so afterwards.
  /// - Parameters:
  ///   - path: The file.
  ///   - markQuery: Gives integers of which one changes with every commit that matters.
  init?(path: String, markQuery: String?) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path.databasePath, &opened, flags, nil) == SQLITE_OK,
      let connection = opened,
      case .file(let identity) = FileIdentity.find(openedBy: connection),
      identity == FileIdentity.find(path).file,
      let statement = Self.statement("PRAGMA data_version", on: connection)
    else {
      sqlite3_close(opened)
      return nil
    }
    self.identity = identity
    self.connection = connection
    dataVersion = statement
    latestMark = markQuery.flatMap { Self.statement($0, on: connection) }
  }

  deinit {
    sqlite3_finalize(dataVersion)
    sqlite3_finalize(latestMark)
    sqlite3_close(connection)
  }

  private static func statement(_ sql: String, on connection: OpaquePointer) -> OpaquePointer? {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    return sqlite3_prepare_v3(connection, sql, -1, flags, &statement, nil) == SQLITE_OK
      ? statement : nil
  }

  /// Asks for the number that commits change.
  func answer() -> Answer {
    defer { sqlite3_reset(dataVersion) }
    return switch sqlite3_step(dataVersion) & 0xFF {
    case SQLITE_ROW: .version(sqlite3_column_int64(dataVersion, 0))
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    default: .failed
    }
  }

  /// The mark of the latest commit that matters, or `nil` if the database keeps none or cannot be read.
  func mark() -> [Int64]? {
    guard let latestMark else { return nil }
    defer { sqlite3_reset(latestMark) }
    guard sqlite3_step(latestMark) == SQLITE_ROW, sqlite3_column_type(latestMark, 0) != SQLITE_NULL
    else { return nil }
    return (0..<sqlite3_column_count(latestMark)).map { sqlite3_column_int64(latestMark, $0) }
  }
}
