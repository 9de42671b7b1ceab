import CSQLiteHooks
import Dispatch
import Synchronization

/// Watches a database's file for commits of every connection and process, and for what happens to the file itself.
///
/// It works from `start()` to `stop()`, on a thread of its own. What it tells is a sign, not a truth: a commit of this process is
/// told as well, and so are some checkpoints. No commit goes by without a sign that follows it, at the latest after the
/// interval.
final class StoreWatch: Sendable {
  /// What a watch tells.
  enum Sign: Hashable, Sendable {
    /// Something may have been committed since the last sign; the first one is told when the watch has begun. The mark is
    /// what the query for it gave.
    case mayHaveChanged(mark: [Int64]?)
    /// An interval has gone by in which nothing happened.
    case intervalPassed
    /// The path names another file than the one that the store has open.
    case fileReplaced
    /// The path names no file any more.
    case fileMissing
    /// The path names a file again: the one that the store has open, or another.
    case fileBack
  }

  /// What a watch watches, and who hears of it.
  struct Subject: Sendable {
    /// The database's file.
    var path: String
    /// How long a change that the system does not tell of may go unseen.
    var interval: Duration = .seconds(1)
    /// A query for integers of which one changes with every commit that matters, if the database keeps such.
    var markQuery: String?
    /// Which file the store has open: missing if it has none, unknown if the system does not tell.
    var opened: @Sendable () -> FileIdentity.Finding
    /// Whether the store must open its file anew, although that has kept its name.
    var isStale: @Sendable () -> Bool = { false }
    /// Hears of signs, on the watch's thread.
    ///
    /// As long as the store has another file open than the path names, the watch has none open, and tells of it once an
    /// interval.
    var listener: @Sendable (Sign) -> Void
  }

  private let subject: Subject
  private let makeEvents: @Sendable (String) -> any FileEvents
  private let current = Mutex<WatchRun?>(nil)
  /// A serial queue has a thread of its own while it works, which may block.
  private let queue = DispatchQueue(label: "results.sqlite.watch")
  private let queueMark = DispatchSpecificKey<Bool>()

  /// A watch that does not run yet.
  /// - Parameters:
  ///   - subject: What is watched.
  ///   - makeEvents: What tells of changes of a path; the system by default.
  init(
    _ subject: Subject,
    makeEvents: @escaping @Sendable (String) -> any FileEvents = StoreWatch.systemEvents
  ) {
    self.subject = subject
    self.makeEvents = makeEvents
    queue.setSpecific(key: queueMark, value: true)
  }

  deinit { current.withLock { $0 }?.askToStop() }

  /// What the system tells of a path, or else the time alone.
  static func systemEvents(of path: String) -> any FileEvents {
    if let events = SystemFileEvents(path: path) { events } else { TimedFileEvents() }
  }

  /// Begins to watch, if it does not yet.
  func start() {
    current.withLock { current in
      guard current == nil else { return }
      let run = WatchRun(makeEvents(subject.path))
      current = run
      queue.async { [subject] in
        var loop = WatchLoop(subject, run)
        loop.run()
      }
    }
  }

  /// Whether it watches.
  var isRunning: Bool { current.withLock { $0 != nil } }

  /// Looks now, if it runs.
  func look() { current.withLock { $0 }?.events.interrupt() }

  /// Tells again that something may have changed, when it looks the next time.
  func tellAgain() { current.withLock { $0 }?.tellAgain() }

  /// Ends watching; its connection is closed when this returns, unless the listener calls it.
  func stop() {
    let run = current.withLock { current in
      defer { current = nil }
      return current
    }
    run?.askToStop()
    if DispatchQueue.getSpecific(key: queueMark) == nil { queue.sync {} }
  }
}

/// What the thread of a watch does: waits, looks, and tells.
struct WatchLoop {
  /// How the store's file and the one of its path stood to each other at the last look.
  private enum Standing {
    case same
    case different
    case missing
  }

  private let subject: StoreWatch.Subject
  private let control: WatchRun
  private var standing = Standing.same
  private var connection: WatchConnection?
  /// The number that commits change, as it was at the last sign.
  private var version: Int64?
  /// The file that the events are heard of.
  private var heard: FileIdentity.Finding?

  init(_ subject: StoreWatch.Subject, _ control: WatchRun) {
    self.subject = subject
    self.control = control
  }

  private var events: any FileEvents { control.events }

  /// Watches until it is told to end.
  mutating func run() {
    var schedule = WatchSchedule(interval: subject.interval)
    while !control.isStopped {
      look()
      let sign: FileSign
      if case .different = standing {
        // Trying to open the file makes side files: hearing of them would mean to try for ever.
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

  private mutating func look() {
    guard subject.opened() != .unknown else {
      // Such as a database that is in no file: nothing can be said of a file then.
      subject.listener(.mayHaveChanged(mark: nil))
      return
    }
    let found = FileIdentity.find(subject.path)
    if found != heard || found == .missing {
      // Before the look at the content, so that nothing is written unheard after it.
      events.renew()
      heard = found
    }
    switch found {
    case .missing:
      if standing != .missing { subject.listener(.fileMissing) }
      standing = .missing
      // The connection stays: while it has the file open, no other file can be taken for it.
      return
    case .file where !isOpened(found):
      // Two connections of a process to one log's index, over different files, would spoil it for each other.
      connection = nil
      subject.listener(standing == .missing ? .fileBack : .fileReplaced)
      standing = isOpened(found) ? .same : .different
    case .file, .unknown:
      if standing != .same { subject.listener(.fileBack) }
      standing = .same
    }
    if standing == .same { ask(found) }
  }

  /// Whether the store has a file open.
  private func isOpened(_ found: FileIdentity.Finding) -> Bool {
    subject.opened() == found && !subject.isStale()
  }

  private mutating func ask(_ found: FileIdentity.Finding) {
    if let file = found.file, connection?.identity != file {
      connection = nil
      connection = WatchConnection(path: subject.path, markQuery: subject.markQuery)
      version = nil
    }
    if control.takeTellAgain() { version = nil }
    switch connection?.answer() ?? .failed {
    case .version(version): break
    case .version(let number):
      version = number
      subject.listener(.mayHaveChanged(mark: connection?.mark()))
    case .busy: break
    case .failed:
      // Whoever cannot look has to take it that there is something to see.
      connection = nil
      subject.listener(.mayHaveChanged(mark: nil))
    }
  }
}

/// One life of a watch's thread, and what other threads ask of it.
final class WatchRun: Sendable {
  let events: any FileEvents
  private let stop = Atomic(false)
  private let again = Atomic(false)

  init(_ events: any FileEvents) { self.events = events }

  /// Whether it shall end.
  var isStopped: Bool { stop.load(ordering: .sequentiallyConsistent) }

  /// Makes it end.
  func askToStop() {
    stop.store(true, ordering: .sequentiallyConsistent)
    events.interrupt()
  }

  /// Makes it tell at its next look what it told at the last one.
  func tellAgain() { again.store(true, ordering: .sequentiallyConsistent) }

  /// Whether it shall tell again; asked once.
  func takeTellAgain() -> Bool { again.exchange(false, ordering: .sequentiallyConsistent) }
}

/// When a watch looks at its database.
///
/// A commit is told by the file system when it is written, and can be read a moment later, with a store into shared memory that
/// no system tells of. So every change is followed by looks that come ever later, and all of them by one a poll interval. The beginning of
/// a watch is such a change: a commit may be half made when its events begin to be reported.
struct WatchSchedule {
  /// What a watch does until it looks again.
  enum Step: Hashable {
    case wait(Duration)
    /// Many changes came at once: let them gather.
    case gather(Duration)
  }

  /// The pauses between the looks that follow a change.
  static let delays: [Duration] = [50, 200, 1000, 3000, 10_000, 30_000, 100_000, 300_000].map {
    .microseconds($0)
  }
  /// How many changes in a row are each looked at at once; a commit is a few.
  static let burst = 8

  /// How long many changes are left to gather.
  static let gathering = Duration.milliseconds(1)

  private let interval: Duration
  private var place = 0
  private var changesInARow = 0

  /// A schedule that looks at least once an interval.
  init(interval: Duration) { self.interval = interval }

  /// Whether no look is due for a change.
  var isAtRest: Bool { changesInARow == 0 && place == Self.delays.count }

  /// What to do now.
  var step: Step {
    if changesInARow > Self.burst { return .gather(Self.gathering) }
    return .wait(place < Self.delays.count ? min(Self.delays[place], interval) : interval)
  }

  /// A change was told.
  mutating func change() {
    place = 0
    changesInARow += 1
  }

  /// The time of the step has passed.
  mutating func timePassed() {
    defer { changesInARow = 0 }
    // After a gathering the looks that follow a change are still to come.
    if changesInARow <= Self.burst, place < Self.delays.count { place += 1 }
  }
}

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
