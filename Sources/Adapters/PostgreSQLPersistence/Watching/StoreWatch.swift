#if PostgreSQL
import Dispatch
import ResultsDomain
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Watches a database for commits of all connections, on a thread and a connection of its own, from `start()` to `stop()`.
///
/// Commits of this store are noticed too, so what it reports is not always new. Every commit is followed by a report, and so is a connection
/// that was lost and restored. Once a minute it maintains the log.
///
/// `current` guards the run of the thread. The listener is called without any lock, on the watch's thread.
final class StoreWatch: Sendable {
  /// How long the watch waits for what.
  struct Timing: Hashable, Sendable {
    /// Between two looks while commits come.
    var look: Duration = .milliseconds(10)
    /// Without a commit until the watch sleeps.
    var quiet: Duration = .milliseconds(50)
    /// How many times as long at the most, after sleeps that have ended at once.
    var patience = 16.0
    /// Without a commit until the watch sleeps although transactions run: many may be waiting for a disk that stalls.
    var busy: Duration = .seconds(2)
    /// Between two looks while a transaction is open that began before the bell was armed.
    var careful: Duration = .milliseconds(5)
    /// How long it sleeps at a time.
    var sleep: Duration = .seconds(5)
    /// The longest time between two looks where commits cannot notify.
    var poll: Duration = .seconds(1)
    /// Between two maintenances of the log.
    var maintenance: Duration = .seconds(60)
  }

  /// What the watch has done, for tests and for reports.
  struct Tally: Hashable, Sendable {
    var looks = 0
    var armings = 0
    var sleeps = 0
    var notifications = 0
    /// How often news was found after a sleep that no notification had ended; it should never be.
    var missed = 0
    var connections = 0
    /// Whether notifications arrive.
    var isListening = false
    /// Whether it sleeps now, until it is notified.
    var isAsleep = false
  }

  private let log: ChangeLog
  private let timing: Timing
  private let connect: @Sendable () throws(PostgreSQLFailure) -> Connection
  private let onNews: @Sendable () -> Void
  private let current = Mutex<WatchSignal?>(nil)
  private let tally = Mutex(Tally())
  /// Runs the loop; a serial queue has a thread of its own while it works, which may block.
  private let queue = DispatchQueue(label: "results.postgresql.watch")
  private let queueMark = DispatchSpecificKey<Bool>()

  /// A watch that is not started yet.
  /// - Parameters:
  ///   - log: The log.
  ///   - timing: How long to wait for what.
  ///   - connect: Opens a connection.
  ///   - onNews: Is called when something may have been committed.
  init(
    log: ChangeLog,
    timing: Timing = Timing(),
    connect: @escaping @Sendable () throws(PostgreSQLFailure) -> Connection,
    onNews: @escaping @Sendable () -> Void
  ) {
    (self.log, self.timing, self.connect, self.onNews) = (log, timing, connect, onNews)
    queue.setSpecific(key: queueMark, value: true)
  }

  deinit { current.withLock { $0 }?.stop() }

  /// What the watch has done so far.
  var report: Tally { tally.withLock { $0 } }

  /// Whether it is started.
  var isRunning: Bool { current.withLock { $0 != nil } }

  /// Starts watching, unless it is running.
  func start() {
    current.withLock { current in
      guard current == nil else { return }
      let signal = WatchSignal()
      current = signal
      queue.async { [log, timing, connect, onNews, weak self] in
        var loop = WatchLoop(log, timing, signal, connect: connect, onNews: onNews) { change in
          self?.tally.withLock { change(&$0) }
        }
        loop.run()
      }
    }
  }

  /// Looks now, if it is running.
  func checkNow() { current.withLock { $0 }?.wake() }

  /// Stops watching; its connection is closed when this returns, unless the listener calls it.
  func stop() {
    let signal = current.withLock { current in
      defer { current = nil }
      return current
    }
    signal?.stop()
    if DispatchQueue.getSpecific(key: queueMark) == nil { queue.sync {} }
  }
}

/// Wakes the thread of a watch.
///
/// `isStopped` is set before the pipe is written, and the descriptors live as long as the object.
private final class WatchSignal: Sendable {
  private let stopped = Atomic<Bool>(false)
  private let reading: Int32
  private let writing: Int32

  init() {
    var descriptors: [Int32] = [-1, -1]
    if pipe(&descriptors) != 0 { descriptors = [-1, -1] }
    (reading, writing) = (descriptors[0], descriptors[1])
    for descriptor in descriptors where descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    if reading >= 0 { close(reading) }
    if writing >= 0 { close(writing) }
  }

  var isStopped: Bool { stopped.load(ordering: .acquiring) }

  func stop() {
    stopped.store(true, ordering: .releasing)
    wake()
  }

  func wake() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// What ended a wait.
  enum Event {
    case time
    case woken
    case readable
  }

  /// Waits until a socket is readable, the signal is given, or a time has passed.
  func wait(_ duration: Duration, socket: Int32 = -1) -> Event {
    var descriptors = [
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = Int32(clamping: Int64((duration / .milliseconds(1)).rounded(.up)))
    // Without a pipe, stopping is noticed after a second.
    let limit = reading < 0 ? min(milliseconds, 1000) : milliseconds
    guard poll(&descriptors, 2, max(0, limit)) > 0 else { return .time }
    if descriptors[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(reading, &bytes, 64) == 64 {}
      return .woken
    }
    return .readable
  }
}

/// What the thread of a watch does: looks, arms the bell, and sleeps.
private struct WatchLoop {
  private let log: ChangeLog
  private let timing: StoreWatch.Timing
  private let signal: WatchSignal
  private let connect: @Sendable () throws(PostgreSQLFailure) -> Connection
  private let onNews: @Sendable () -> Void
  private let note: ((inout StoreWatch.Tally) -> Void) -> Void
  private let clock = ContinuousClock()
  /// What the last look saw.
  private var seen: LogLook?
  private var nextMaintenance: ContinuousClock.Instant
  private var lastNews: ContinuousClock.Instant
  /// How many times as long as usual it must be quiet, since sleeps have ended at once.
  private var patience = 1.0

  init(
    _ log: ChangeLog,
    _ timing: StoreWatch.Timing,
    _ signal: WatchSignal,
    connect: @escaping @Sendable () throws(PostgreSQLFailure) -> Connection,
    onNews: @escaping @Sendable () -> Void,
    note: @escaping ((inout StoreWatch.Tally) -> Void) -> Void
  ) {
    (self.log, self.timing, self.signal) = (log, timing, signal)
    (self.connect, self.onNews, self.note) = (connect, onNews, note)
    nextMaintenance = clock.now
    lastNews = clock.now
  }

  /// Watches until it is asked to stop.
  mutating func run() {
    var pause = Duration.milliseconds(100)
    var isConnected = false
    while !signal.isStopped {
      do {
        let connection = try connect()
        note { $0.connections += 1 }
        isConnected = true
        pause = .milliseconds(100)
        try watch(on: connection)
      } catch {
        note { $0.isListening = false }
        // A listener that reads now learns that the server cannot be reached.
        if isConnected, !signal.isStopped { onNews() }
        isConnected = false
        // Jitter, so that not all programs come back at once.
        _ = signal.wait(pause * Double.random(in: 0.5...1))
        pause = min(pause * 2, .seconds(5))
      }
    }
  }

  private mutating func watch(on connection: Connection) throws {
    let bell = Doorbell(schema: log.schema)
    let isListening =
      log.canListen && connection.preparesByName
      ? try bell.reaches(connection, from: connect()) : false
    note { $0.isListening = isListening }
    var interval = timing.look
    while !signal.isStopped {
      try look(on: connection)
      try maintain(on: connection)
      let quiet = clock.now - lastNews
      // Tables that are not captured have nothing that notifies.
      if isListening, log.isComplete, quiet >= timeUntilSleep {
        let start = clock.now
        try sleep(on: connection, bell)
        // Under load with short pauses, each arming makes commits notify.
        patience = clock.now - start < timing.look * 2.5 ? min(timing.patience, patience * 2) : 1
        interval = timing.look
      } else {
        interval =
          isListening || quiet < timing.quiet
          ? timing.look : min(timing.poll, interval * 1.5)
        if case .woken = signal.wait(interval) { interval = timing.look }
      }
    }
  }

  /// How long there must have been no commit before the bell is armed.
  ///
  /// Whatever runs will find it armed, and notify.
  private var timeUntilSleep: Duration {
    let time = timing.quiet * patience
    let runs = seen.map { !$0.mark.unseen.isEmpty } ?? false
    return runs ? max(time, timing.busy) : time
  }

  /// Looks once, and reports what is new.
  @discardableResult
  private mutating func look(on connection: Connection) throws -> LogLook {
    // The look sees what those have committed who have notified so far. While it is awake, nothing else takes them from the connection.
    _ = try connection.notifications()
    let found = try log.look(since: seen, on: connection)
    note { $0.looks += 1 }
    let news = seen == nil ? .much : found.news
    seen = found
    if news != .none { lastNews = clock.now }
    if news != .none { onNews() }
    return found
  }

  /// Arms the bell, makes sure that nobody has missed it, and waits.
  private mutating func sleep(on connection: Connection, _ bell: Doorbell) throws {
    let news = lastNews
    let start = clock.now
    guard let arming = try bell.arm(on: connection) else {
      // Without the right to arm it, the bell never rings. Perhaps a lock was waited for.
      _ = signal.wait(timing.poll - (clock.now - start))
      return
    }
    // However long it takes until it may sleep, it must be awake when commits do not notify any more.
    let end = start + min(timing.sleep, Doorbell.duration)
    note { $0.armings += 1 }
    var pause = timing.careful
    // A writer that tested the bell before has an older number: it is running, or its changes are visible.
    while try look(on: connection).oldest < arming.own, lastNews == news, !signal.isStopped {
      guard case .time = signal.wait(pause) else { return try bell.leave(arming, on: connection) }
      pause = min(timing.quiet, pause * 1.1)
    }
    guard lastNews == news, !signal.isStopped else {
      return try bell.leave(arming, on: connection)
    }
    note {
      $0.sleeps += 1
      $0.isAsleep = true
    }
    defer { note { $0.isAsleep = false } }
    let event = try waitForHints(of: arming, until: end, since: news, on: connection, bell)
    guard lastNews == news else {
      try bell.disarm(arming, on: connection)
      // Those who were notified read now.
      _ = signal.wait(timing.look)
      return
    }
    var staysArmed = false
    if case .time = event, !signal.isStopped {
      try look(on: connection)
      if lastNews == news { staysArmed = true } else { note { $0.missed += 1 } }
    }
    // Otherwise every commit would notify for ten seconds, and nobody be there.
    if !staysArmed { try bell.leave(arming, on: connection) }
  }

  /// Waits until a look finds something, the time of a sleep has passed, or the bell is not armed any more.
  ///
  /// It looks when it is notified. False alarms make it look now and then, however many there are, and no later than it does while awake
  /// and quiet.
  /// - Returns: What has ended the wait; `.readable` if it was a notification.
  private mutating func waitForHints(
    of arming: Doorbell.Arming,
    until end: ContinuousClock.Instant,
    since news: ContinuousClock.Instant,
    on connection: Connection,
    _ bell: Doorbell
  ) throws -> WatchSignal.Event {
    var pause = timing.careful
    while true {
      let hints = try connection.notifications().count
      guard hints > 0 else {
        let event = signal.wait(end - clock.now, socket: connection.socket)
        guard case .readable = event else { return event }
        continue
      }
      note {
        $0.isAsleep = false
        $0.notifications += hints
      }
      try look(on: connection)
      // Another watch that has gone may have disarmed the bell.
      guard lastNews == news, try bell.isArmed(since: arming, on: connection) else {
        return .readable
      }
      note { $0.isAsleep = true }
      guard clock.now < end else { return .time }
      guard case .time = signal.wait(pause) else { return .woken }
      pause = min(timing.quiet, pause * 2)
    }
  }

  private mutating func maintain(on connection: Connection) throws {
    guard clock.now >= nextMaintenance else { return }
    nextMaintenance = clock.now + timing.maintenance
    try log.maintain(on: connection)
  }
}
#endif
