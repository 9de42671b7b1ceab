import CSQLiteHooks
import Dispatch
import Synchronization

/// Watches a database's file for commits of all connections and processes, and for changes of the file itself.
///
/// It works from `start()` to `stop()`, on a thread of its own. A sign does not prove that anything changed: commits of this process cause
/// signs too, and so do some checkpoints. Every commit is followed by a sign, at the latest after the interval.
///
/// `current` guards the run of the thread; it is changed by `start()` and `stop()`. The listener is called without any lock.
final class StoreWatch: Sendable {
  /// What a watch reports.
  enum Sign: Hashable, Sendable {
    /// Something may have been committed since the last sign; sent first when the watch has begun. The mark is the result of the mark
    /// query.
    case mayHaveChanged(mark: [Int64]?)
    /// Nothing happened for an interval.
    case intervalPassed
    /// The path names a different file from the one that the store has open.
    case fileReplaced
    /// The path no longer names a file.
    case fileMissing
    /// The path names a file again: the one that the store has open, or another.
    case fileBack
  }

  /// What a watch watches, and where it sends its signs.
  struct Subject: Sendable {
    /// The database's file.
    var path: String
    /// How long a change that the system does not report may go unnoticed.
    var interval: Duration = .seconds(1)
    /// A query for integers of which one changes with every relevant commit, if the database has such.
    var markQuery: String?
    /// Which file the store has open: missing if it has none, unknown if the system does not provide its identity.
    var opened: @Sendable () -> FileIdentity.Finding
    /// Whether the store must open its file again, although the file still has its name.
    var isStale: @Sendable () -> Bool = { false }
    /// Called when the file is found with a rollback journal, also if it was opened so.
    var foundJournal: @Sendable () -> Void = {}
    /// Receives the signs, on the watch's thread.
    ///
    /// While the path names a different file from the one that the store has open, the watch has none open, and reports it once an
    /// interval.
    var listener: @Sendable (Sign) -> Void
  }

  private let subject: Subject
  private let makeEvents: @Sendable (String) -> any FileEvents
  private let current = Mutex<WatchControl?>(nil)
  /// Runs the loop; a serial queue has a thread of its own while it works, which may block.
  private let queue = DispatchQueue(label: "results.sqlite.watch")
  private let queueMark = DispatchSpecificKey<Bool>()

  /// A watch that is not started yet.
  /// - Parameters:
  ///   - subject: What is watched.
  ///   - makeEvents: Creates the source of file events for a path; the system's by default.
  init(
    _ subject: Subject,
    makeEvents: @escaping @Sendable (String) -> any FileEvents = StoreWatch.systemEvents
  ) {
    self.subject = subject
    self.makeEvents = makeEvents
    queue.setSpecific(key: queueMark, value: true)
  }

  deinit { current.withLock { $0 }?.askToStop() }

  /// The system's events for a path, or the time alone where it has none.
  static func systemEvents(of path: String) -> any FileEvents {
    if let events = SystemFileEvents(path: path) { events } else { TimedFileEvents() }
  }

  /// Starts watching, unless it is running.
  func start() {
    current.withLock { current in
      guard current == nil else { return }
      let control = WatchControl(makeEvents(subject.path))
      current = control
      queue.async { [subject] in
        var loop = WatchLoop(subject, control)
        loop.run()
      }
    }
  }

  /// Whether it is started.
  var isRunning: Bool { current.withLock { $0 != nil } }

  /// Checks now, if it is running.
  func checkNow() { current.withLock { $0 }?.events.interrupt() }

  /// Sends the last sign again at the next check.
  func repeatSign() { current.withLock { $0 }?.repeatSign() }

  /// Stops watching; its connection is closed when this returns, unless the listener calls it.
  func stop() {
    let control = current.withLock { current in
      defer { current = nil }
      return current
    }
    control?.askToStop()
    if DispatchQueue.getSpecific(key: queueMark) == nil { queue.sync {} }
  }
}

/// What the thread of a watch does: waits, checks, and sends signs.
private struct WatchLoop {
  /// How the store's file and the file of its path related at the last check.
  private enum Relation {
    case same
    case different
    case missing
  }

  private let subject: StoreWatch.Subject
  private let control: WatchControl
  private var relation = Relation.same
  private var connection: WatchConnection?
  /// The number of the content at the last sign.
  private var version: Int64?
  /// The file whose events are received.
  private var subscribed: FileIdentity.Finding?

  init(_ subject: StoreWatch.Subject, _ control: WatchControl) {
    self.subject = subject
    self.control = control
  }

  private var events: any FileEvents { control.events }

  /// Watches until it is asked to stop.
  mutating func run() {
    var schedule = WatchSchedule(interval: subject.interval)
    while !control.isStopped {
      check()
      let sign: FileSign
      if case .different = relation {
        // Trying to open the file creates side files, whose events would cause the next try.
        sign = events.pause(for: subject.interval)
      } else {
        switch schedule.step {
        case .wait(let limit): sign = events.wait(atMost: limit)
        case .gather(let duration): sign = events.pause(for: duration)
        }
      }
      switch sign {
      case .changed: schedule.change()
      case .timePassed:
        if schedule.isAtRest { subject.listener(.intervalPassed) }
        schedule.timePassed()
      case .interrupted: break
      }
    }
  }

  private mutating func check() {
    guard subject.opened() != .unknown else {
      // Such as a database that is in no file.
      subject.listener(.mayHaveChanged(mark: nil))
      return
    }
    let found = FileIdentity.find(subject.path)
    if found != subscribed || found == .missing {
      // Before the check of the content, so that no write after it is missed.
      events.renew()
      subscribed = found
    }
    switch found {
    case .missing:
      if relation != .missing { subject.listener(.fileMissing) }
      relation = .missing
      // The connection stays open, so that no new file gets the identity of the old one.
      return
    case .file where !isOpened(found):
      reopen(found)
    case .file, .unknown:
      if relation != .same { subject.listener(.fileBack) }
      relation = .same
    }
    if relation == .same { checkContent(of: found) }
  }

  /// Makes the store open the file that has the path.
  private mutating func reopen(_ found: FileIdentity.Finding) {
    // Two connections of one process over different files must not share one log index.
    connection = nil
    subject.listener(relation == .missing ? .fileBack : .fileReplaced)
    relation = isOpened(found) ? .same : .different
  }

  /// Whether the store has a file open.
  private func isOpened(_ found: FileIdentity.Finding) -> Bool {
    subject.opened() == found && !subject.isStale()
  }

  private mutating func checkContent(of found: FileIdentity.Finding) {
    if let file = found.file, connection?.identity != file {
      connection = nil
      connection = WatchConnection(path: subject.path, file: file, markQuery: subject.markQuery)
      version = nil
    }
    if control.takeRepeatRequest() { version = nil }
    let answer = connection?.poll() ?? .failed
    if connection?.hasRollbackJournal == true {
      subject.foundJournal()
      guard isOpened(found) else { return reopen(found) }
    }
    switch answer {
    case .version(version): break
    case .version(let number):
      version = number
      subject.listener(.mayHaveChanged(mark: connection?.mark()))
    case .busy: break
    case .failed:
      // What cannot be read may have changed.
      connection = nil
      subject.listener(.mayHaveChanged(mark: nil))
    }
  }
}

/// What other threads request of one run of a watch's thread.
private final class WatchControl: Sendable {
  let events: any FileEvents
  private let mustStop = Atomic(false)
  private let mustRepeat = Atomic(false)

  init(_ events: any FileEvents) { self.events = events }

  /// Whether the thread should end.
  var isStopped: Bool { mustStop.load(ordering: .sequentiallyConsistent) }

  /// Makes the thread end.
  func askToStop() {
    mustStop.store(true, ordering: .sequentiallyConsistent)
    events.interrupt()
  }

  /// Requests the last sign again at the next check.
  func repeatSign() { mustRepeat.store(true, ordering: .sequentiallyConsistent) }

  /// Whether the last sign was requested again since the last call.
  func takeRepeatRequest() -> Bool { mustRepeat.exchange(false, ordering: .sequentiallyConsistent) }
}

/// When a watch checks its database.
///
/// The file system reports a commit when it is written; it can be read a moment later, after a store into shared memory that no system
/// reports. So every change is followed by checks at growing distances, and then by one per poll interval. The start of a watch counts as
/// a change: a commit may be half written when events begin to be reported.
struct WatchSchedule {
  /// What a watch does until its next check.
  enum Step: Hashable {
    case wait(Duration)
    /// Many changes arrive in a row: let them gather.
    case gather(Duration)
  }

  /// The pauses between the checks that follow a change.
  static let delays: [Duration] = [50, 200, 1000, 3000, 10_000, 30_000, 100_000, 300_000].map {
    .microseconds($0)
  }
  /// How many changes in a row are each checked at once; a commit is a few.
  static let burst = 8

  /// How long changes gather.
  static let gathering = Duration.milliseconds(1)

  private let interval: Duration
  private var delayIndex = 0
  private var changesInARow = 0

  /// A schedule that checks at least once per interval.
  init(interval: Duration) { self.interval = interval }

  /// Whether no check is due for a change.
  var isAtRest: Bool { changesInARow == 0 && delayIndex == Self.delays.count }

  /// What to do now.
  var step: Step {
    if changesInARow > Self.burst { return .gather(Self.gathering) }
    return .wait(delayIndex < Self.delays.count ? min(Self.delays[delayIndex], interval) : interval)
  }

  /// Notes that a change was reported.
  mutating func change() {
    delayIndex = 0
    changesInARow += 1
  }

  /// Notes that the time of the step has passed.
  mutating func timePassed() {
    defer { changesInARow = 0 }
    // After gathering, the checks that follow a change are still due.
    if changesInARow <= Self.burst, delayIndex < Self.delays.count { delayIndex += 1 }
  }
}

/// A connection that is polled for commits of others.
///
/// It only reads, holds no transaction between polls, and stays open: opening and closing a connection creates and removes side files,
/// which would wake the watch itself. One thread uses it.
final class WatchConnection {
  /// The result of a poll.
  enum Answer: Hashable {
    /// A number that changes with every commit of another connection, and with some checkpoints.
    case version(Int64)
    /// Another connection writes, or keeps the database from being read.
    case busy
    /// The file cannot be read, for another reason.
    case failed
  }

  /// The file that is open.
  let identity: FileIdentity
  /// Whether the last poll has found a file with a rollback journal.
  private(set) var hasRollbackJournal = false
  private let connection: OpaquePointer
  private let dataVersion: OpaquePointer
  /// Reads the mark of the latest relevant commit, where the database has one.
  private let latestMark: OpaquePointer?

  /// Opens a database's file, if it has its path; of another one nothing is read (`ConnectedFile`).
  /// - Parameters:
  ///   - path: The path.
  ///   - file: The file.
  ///   - markQuery: Reads integers of which one changes with every relevant commit.
  init?(path: String, file: FileIdentity, markQuery: String?) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path.databasePath, &opened, flags, nil) == SQLITE_OK,
      let connection = opened,
      FileIdentity.find(openedBy: connection).file == file,
      let statement = Self.statement("PRAGMA data_version", on: connection)
    else {
      sqlite3_close(opened)
      return nil
    }
    identity = file
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

  /// Reads SQLite's data version, and that of a file with a rollback journal without a lock (`FileState`).
  func poll() -> Answer {
    let state = FileState(of: connection)
    hasRollbackJournal = state?.hasRollbackJournal == true
    if let state, hasRollbackJournal {
      return state.isCommitted ? .version(state.version) : .busy
    }
    defer { sqlite3_reset(dataVersion) }
    return switch sqlite3_step(dataVersion) & 0xFF {
    case SQLITE_ROW: .version(sqlite3_column_int64(dataVersion, 0))
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    default: .failed
    }
  }

  /// Reads the mark of the latest relevant commit; `nil` if the database has none or cannot be read.
  func mark() -> [Int64]? {
    guard let latestMark else { return nil }
    defer { sqlite3_reset(latestMark) }
    guard sqlite3_step(latestMark) == SQLITE_ROW, sqlite3_column_type(latestMark, 0) != SQLITE_NULL
    else { return nil }
    return (0..<sqlite3_column_count(latestMark)).map { sqlite3_column_int64(latestMark, $0) }
  }
}
