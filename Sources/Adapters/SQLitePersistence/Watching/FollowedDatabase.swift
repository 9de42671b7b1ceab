import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The database that a store works with: the one whose file has the store's path, also after another file has taken it.
///
/// While the store has listeners a watch follows the file; otherwise the path is checked after a commit that finds that the file no
/// longer has it. From then on the old file is not read, and nothing is ever committed into it.
///
/// Locks, in the order in which they are taken: `checking` serializes checks of the path, exchanges and the closing, and is held while a
/// database is opened and closed; `state` guards what calls read, is held for moments only, and is changed under `checking` except for
/// `isClosePending`; `watch` is set once. The queue `control` starts and stops the watch; it waits for `checking`, never the reverse.
final class FollowedDatabase: Sendable {
  /// Opens the file of the store's path; receives how often the log was rewound before.
  typealias Opening = @Sendable (UInt64) throws(StoreError) -> OpenDatabase

  private struct State {
    var database: OpenDatabase
    /// Why no file can be used.
    var failure: StoreError?
    /// Entered while one database is exchanged for another.
    var exchange: DispatchGroup?
    /// Whether a closure of the store has closed it, so that the database is closed when the closure has ended.
    var isClosePending = false
  }

  private let path: String
  private let options: SQLiteStoreOptions
  private let broadcaster: CommitBroadcaster
  private let open: Opening?
  private let state: Mutex<State>
  private let checking = Mutex(())
  private let watch = Mutex<StoreWatch?>(nil)
  private let control = DispatchQueue(label: "results.sqlite.follow")

  /// Follows the file of a database.
  /// - Parameters:
  ///   - database: The database to begin with.
  ///   - options: How it was opened.
  ///   - open: Opens the file of the path again; `nil` if the store must not.
  init(_ database: OpenDatabase, options: SQLiteStoreOptions, open: Opening?) {
    path = database.path
    self.options = options
    broadcaster = database.context.broadcaster
    self.open = open
    state = Mutex(State(database: database))
    guard database.capabilities.isDurable, let interval = options.pollInterval else { return }
    let subject = StoreWatch.Subject(
      path: path,
      interval: interval,
      markQuery: database.markQuery,
      opened: { [weak self] in self?.file ?? .unknown },
      isStale: { [weak self] in self?.database.mustReopen ?? false },
      foundJournal: { [weak self] in self?.database.noteRollbackJournal() },
      listener: { [weak self] in self?.receive($0) }
    )
    watch.withLock { $0 = StoreWatch(subject) }
    broadcaster.onActivityChange { [weak self] in self?.adjustWatch() }
  }

  deinit { watch.withLock { $0 }?.stop() }

  /// The database that was opened last.
  var database: OpenDatabase { state.withLock { $0.database } }

  /// Whether one database is being exchanged for another.
  var isExchanging: Bool { state.withLock { $0.exchange != nil } }

  /// The file that is open.
  private var file: FileIdentity.Finding {
    let database = database
    return database.isClosed ? .missing : database.file
  }
}

// MARK: - Calls

extension FollowedDatabase {
  /// Runs a closure with the current database, and again with the new one if the database is exchanged before the closure has begun.
  ///
  /// A read that would have to connect to a file that has taken the path since (`ConnectedFile`) waits for the exchange, and is repeated.
  /// - Parameter body: The work; it calls `begin` before anything that must not be done twice.
  /// - Returns: What the closure returned.
  /// - Throws: Why no file can be used, or what the closure throws.
  func withDatabase<Result>(
    _ body: (OpenDatabase, _ begin: () -> Void) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    var hasChecked = false
    while true {
      let database = try current()
      var hasBegun = false
      do {
        return try body(database) { hasBegun = true }
      } catch {
        guard !hasBegun, !broadcaster.isClosed else { throw error }
        if case .cannotOpen(_, .missingFile) = error, !hasChecked,
          !BodyScope.isInside(broadcaster)
        {
          hasChecked = true
          checkFile()
        } else {
          guard case .closed = error, self.database !== database || isExchanging else {
            throw error
          }
        }
      }
    }
  }

  private func current() throws(StoreError) -> OpenDatabase {
    guard !broadcaster.isClosed else { throw .closed(path: path) }
    if let exchange = state.withLock({ $0.exchange }) {
      // A call inside a closure of this store would wait for itself.
      guard exchange.wait(timeout: .now() + options.busyTimeout.timeInterval) == .success else {
        throw .busy(path: path, waited: options.busyTimeout)
      }
    }
    let (database, failure) = state.withLock { ($0.database, $0.failure) }
    guard let failure else { return database }
    checkFileSoon()
    throw failure
  }

  /// Checks soon which file has the path.
  func checkFileSoon() {
    if let watch = watch.withLock({ $0 }), watch.isRunning {
      watch.checkNow()
    } else {
      control.async { [weak self] in self?.followUnwatched() }
    }
  }

  /// Checks now which file has the path, and waits for the exchange if it is not the one that is open.
  func checkFile() {
    let file = file
    guard file != .unknown, FileIdentity.find(path) != file || database.mustReopen else {
      return
    }
    let end = DispatchGroup()
    control.async(group: end) { [weak self] in self?.followUnwatched() }
    // Inside a closure of this store it would wait for itself.
    _ = end.wait(timeout: .now() + options.busyTimeout.timeInterval)
  }
}

// MARK: - Closing

extension FollowedDatabase {
  /// Stops following, and closes the database.
  func close() throws(StoreError) {
    guard broadcaster.close() else { return }
    guard !BodyScope.isInside(broadcaster) else {
      // An exchange waits for that closure, and this call would wait for the exchange.
      state.withLock { $0.isClosePending = true }
      return
    }
    try finishClosing()
  }

  /// Closes the database if a closure of the store has closed the store; called after each such closure.
  func closeIfPending() {
    guard broadcaster.isClosed, !BodyScope.isInside(broadcaster) else { return }
    let isPending = state.withLock { state in
      defer { state.isClosePending = false }
      return state.isClosePending
    }
    if isPending { try? finishClosing() }
  }

  private func finishClosing() throws(StoreError) {
    let watch = watch.withLock { $0 }
    // The watch's connection must not be the last one, since it cannot remove the log.
    control.sync { watch?.stop() }
    try checking.withLock { _ throws(StoreError) in _ = try database.close() }
  }
}

// MARK: - Watching

extension FollowedDatabase {
  private func adjustWatch() {
    control.async { [weak self] in
      guard let self, let watch = watch.withLock({ $0 }) else { return }
      if broadcaster.hasListeners { watch.start() } else { watch.stop() }
    }
  }

  /// Handles a sign of the watch, on the watch's thread.
  private func receive(_ sign: StoreWatch.Sign) {
    switch sign {
    case .mayHaveChanged(let mark):
      database.checkSoon(mark: mark) { [weak self] in self?.watch.withLock { $0 }?.repeatSign() }
    case .intervalPassed: database.maintainLeaseSoon()
    case .fileMissing, .fileReplaced, .fileBack: follow()
    }
  }

  /// Follows the file with the watch stopped: its connection must not be open while the store's are exchanged.
  private func followUnwatched() {
    let watch = watch.withLock { $0 }
    watch?.stop()
    follow()
    if broadcaster.hasListeners { watch?.start() }
  }
}

// MARK: - Following

extension FollowedDatabase {
  /// Finds out which file has the path, and opens it if it is not the one that is open.
  private func follow() {
    checking.withLock { _ in
      guard !broadcaster.isClosed else { return }
      switch (FileIdentity.find(path), file) {
      case (.unknown, _), (_, .unknown): break
      case (.missing, _): fail(.cannotOpen(path: path, .missingFile))
      case (let found, let opened) where found == opened && !database.mustReopen:
        use(database)
      default: exchange()
      }
    }
  }

  private func fail(_ failure: StoreError) {
    let isNew = state.withLock { state in
      defer { state.failure = failure }
      return state.failure == nil
    }
    if isNew { broadcaster.notify() }
  }

  private func use(_ database: OpenDatabase) {
    let (isNew, isExchanged) = state.withLock { state in
      defer { (state.database, state.failure) = (database, nil) }
      return (state.database !== database || state.failure != nil, state.database !== database)
    }
    if isNew { broadcaster.notify() }
    if isExchanged { database.maintainLeaseSoon() }
  }

  /// Closes the file that has lost the path, and opens the one that has it.
  private func exchange() {
    let hasLostSideFiles = database.hasLostSideFiles
    guard let open else {
      let detail = "another file has taken its name; open that one"
      fail(.inputOutput(path: path, detail: hasLostSideFiles ? SideFiles.lossDetail : detail))
      return
    }
    let exchange = DispatchGroup()
    exchange.enter()
    state.withLock { $0.exchange = exchange }
    defer {
      state.withLock { $0.exchange = nil }
      exchange.leave()
    }
    do {
      // Regardless of other stores of the process: none of them can open the file before all have closed it.
      if hasLostSideFiles || database.hasLostLog { try database.abandon() }
      use(try reopened(by: open))
    } catch {
      fail(StoreError(error, path: path, waited: options.busyTimeout))
    }
  }

  /// Closes the file that is open, and opens the one that has the path.
  private func reopened(by open: Opening) throws(StoreError) -> OpenDatabase {
    let old = database
    try old.leaveFile()
    guard !broadcaster.isClosed else { throw .closed(path: path) }
    // A file that is being copied is empty at first, and nothing must be created in it.
    guard results_file_size(path) > 0 else { throw .cannotOpen(path: path, .notADatabase) }
    let new = try open(old.rewinds &+ 1)
    guard new.file == FileIdentity.find(path) else {
      try new.close()
      throw .cannotOpen(path: path, .missingFile)
    }
    return new
  }
}

extension Duration {
  fileprivate var timeInterval: DispatchTimeInterval {
    let milliseconds = self / .milliseconds(1)
    return .milliseconds(Int(min(max(0, milliseconds), 1e9)))
  }
}
