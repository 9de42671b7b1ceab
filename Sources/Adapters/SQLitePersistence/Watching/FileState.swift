import CSQLiteHooks

/// What a database's file and its rollback journal show of their content without a lock.
///
/// It is read through the handle that SQLite has on the file. A statement would take a shared lock, which makes the commit of a program
/// fail that does not wait.
struct FileState: Equatable, Sendable {
  private let state: results_file_state

  /// The state of the file that a connection has open; `nil` if it cannot be read.
  init?(of connection: OpaquePointer?) {
    var state = results_file_state()
    guard results_read_file_state(connection, &state) != 0 else { return nil }
    self.state = state
  }

  /// Whether the file is a database with a rollback journal.
  var hasRollbackJournal: Bool { state.format == Int32(RESULTS_ROLLBACK_JOURNAL) }

  /// Whether the header names a write-ahead log.
  var namesLog: Bool { state.named_format == Int32(RESULTS_WRITE_AHEAD_LOG) }

  /// Whether SQLite uses a write-ahead log that the header does not name.
  var hasUnnamedLog: Bool {
    !hasRollbackJournal && state.named_format == Int32(RESULTS_ROLLBACK_JOURNAL)
  }

  /// Whether other programs use a rollback journal, although there may be a write-ahead log: no writer of a log takes this lock.
  var isUsedWithJournal: Bool { hasRollbackJournal || hasUnnamedLog && state.is_reserved != 0 }

  /// Whether the file holds committed pages only.
  ///
  /// A writer whose journal has not been written out has not written into the file either. Without a journal in a file, and where the
  /// journal is never written out, its locks show it, if the system shows them.
  var isCommitted: Bool {
    switch Int(state.journal) {
    case RESULTS_NO_JOURNAL: state.is_reserved == 0 || isPreparing
    case RESULTS_JOURNAL_BEGUN: true
    default: isPreparing
    }
  }

  /// Whether the system shows that a writer will commit, and has not begun to: a lock would make that fail.
  var isPreparing: Bool { state.is_preparing != 0 }

  /// Whether every later write changes the file's time.
  var isSettled: Bool { state.is_settled != 0 }

  /// The size of the file in bytes.
  var size: Int64 { state.size }

  /// What is said of a file that SQLite calls damaged, if it is shorter than its header says.
  /// - Parameter path: The file's path.
  /// - Returns: `nil` for any other file, and where a log may have the rest.
  static func truncation(at path: String) -> String? {
    var opened: OpaquePointer?
    defer { sqlite3_close(opened) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    guard !path.isInMemory,
      sqlite3_open_v2(path.databasePath, &opened, flags, nil) == SQLITE_OK,
      let state = FileState(of: opened)?.state, state.page_size > 0,
      state.size < state.stated_size, results_side_file_size(path, "-wal") <= 0
    else { return nil }
    let size = Int64(state.page_size)
    return
      "the file ends at page \(state.size / size) of \(state.stated_size / size); perhaps it is still being copied"
  }

  /// The file that has the path.
  var identity: FileIdentity { FileIdentity(device: state.device, number: state.number) }

  /// A number that changes with every commit.
  ///
  /// It consists of the change counter and a mixture of what else SQLite compares (sqlite.org/fileformat2.html#file_change_counter).
  var version: Int64 {
    let (first, second) = state.version
    let others = first >> 32 ^ second ^ second >> 32
    return Int64(bitPattern: first << 32 | others & 0xFFFF_FFFF)
  }

  /// Whether what was read from the file between two states is the content of one commit.
  func isSameContent(as later: FileState) -> Bool {
    isCommitted && isSettled && later.isCommitted && state.version == later.state.version
      && size == later.size && state.modified == later.state.modified && identity == later.identity
  }

  /// Whether neither the file nor its journal has changed, and the same lock is held.
  static func == (first: FileState, second: FileState) -> Bool {
    let (one, other) = (first.state, second.state)
    return one.format == other.format && one.journal == other.journal
      && one.is_reserved == other.is_reserved && one.version == other.version
      && one.size == other.size && one.modified == other.modified
      && one.journal_size == other.journal_size && one.journal_modified == other.journal_modified
      && first.identity == second.identity
  }
}
