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
