import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import Synchronization

/// The database that a store works with: the one whose file has the store's name, also after another has taken it.
///
/// While somebody listens, a watch follows the file; else it is looked for when a commit finds that its file has lost the name.
/// A file without the name is read no more once that was noticed, and never committed into.
final class FollowedDatabase: Sendable {
  /// Opens the file of the store's path, so many turns after the first.
  typealias Opening = @Sendable (UInt64) throws(StoreError) -> OpenDatabase

  private struct State {
    var database: OpenDatabase
    /// Why no file can be worked with.
    var failure: StoreError?
    /// Entered while one database is being exchanged for another.
    var turn: DispatchGroup?
    /// Whether the file was closed because its side files are lost, and not opened since.
    var hasAbandonedFile = false
    /// Whether a closure of the store's has closed it.
    var isCloseDue = false
  }

  private let path: String
  private let options: SQLiteStoreOptions
  private let hearers: StoreHearers
  private let open: Opening?
  private let state: Mutex<State>
  /// Held while it is found out which file has the name.
  private let following = Mutex(())
  private let watch = Mutex<StoreWatch?>(nil)
  /// Where the watch is started and stopped.
  private let control = DispatchQueue(label: "results.sqlite.follow")

  /// Follows the file of a database.
  /// - Parameters:
  ///   - database: The database to begin with.
  ///   - options: How it was opened.
  ///   - hearers: Who waits to hear of new versions.
  ///   - open: Opens the file of the path anew; `nil` if the store may not.
  init(
    _ database: OpenDatabase,
    options: SQLiteStoreOptions,
    hearers: StoreHearers,
    open: Opening?
  ) {
    path = database.path
    self.options = options
    self.hearers = hearers
    self.open = open
    state = Mutex(State(database: database))
    guard database.capabilities.isDurable, let interval = options.pollInterval else { return }
    let subject = StoreWatch.Subject(
      path: path,
      interval: interval,
      markQuery: """
        SELECT max(sequence), (SELECT schema_version FROM pragma_schema_version)
        FROM main._results_log
        """,
      opened: { [weak self] in self?.file ?? .unknown },
      isStale: { [weak self] in self?.database.hasLostSideFiles ?? false },
      listener: { [weak self] in self?.hear($0) }
    )
    watch.withLock { $0 = StoreWatch(subject) }
    hearers.whenTurning { [weak self] in self?.adjustWatch() }
  }

  deinit { watch.withLock { $0 }?.stop() }

  /// The database that was opened last.
  var database: OpenDatabase { state.withLock { $0.database } }

  /// Whether one database is being exchanged for another.
  var isTurning: Bool { state.withLock { $0.turn != nil } }

  /// The file that is open.
  private var file: FileIdentity.Finding {
    let database = database
    return database.core.isClosed ? .missing : database.file
  }

  /// Ends following, and closes the database.
  /// - Returns: Whether it was open.
  func close() throws(StoreError) {
    guard hearers.close() else { return }
    guard !BodyScope.isInside(hearers) else {
      // Whoever exchanges the file waits for that closure, and would be waited for here.
      state.withLock { $0.isCloseDue = true }
      return
    }
    try finishClosing()
  }

  /// Closes the database if a closure of the store's has asked for it; to be called behind each.
  func closeIfDue() {
    guard hearers.isClosed, !BodyScope.isInside(hearers) else { return }
    let isDue = state.withLock { state in
      defer { state.isCloseDue = false }
      return state.isCloseDue
    }
    if isDue { try? finishClosing() }
  }

  private func finishClosing() throws(StoreError) {
    let watch = watch.withLock { $0 }
    // Its connection must not be the last one, which cannot clear the log away.
    control.sync { watch?.stop() }
    try following.withLock { _ throws(StoreError) in _ = try database.close() }
  }
}

// MARK: - Serving

extension FollowedDatabase {
  /// Runs a closure with the database of the moment.
  /// - Parameter body: The work; it says when it begins with what must not be done twice.
  /// - Returns: What the closure returned.
  /// - Throws: Why no file can be worked with, or what the closure throws.
  func serving<Result>(
    _ body: (OpenDatabase, _ begin: () -> Void) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    while true {
      let database = try current()
      var hasBegun = false
      do {
        return try body(database) { hasBegun = true }
      } catch {
        // The database was exchanged between the two.
        guard case .closed = error, !hasBegun, !hearers.isClosed else { throw error }
        guard self.database !== database || state.withLock({ $0.turn != nil }) else { throw error }
      }
    }
  }

  private func current() throws(StoreError) -> OpenDatabase {
    guard !hearers.isClosed else { throw .closed(path: path) }
    if let turn = state.withLock({ $0.turn }) {
      // A call inside a closure of this store's would wait for itself.
      guard turn.wait(timeout: .now() + options.busyTimeout.timeInterval) == .success else {
        throw .busy(path: path, waited: options.busyTimeout)
      }
    }
    let (database, failure) = state.withLock { ($0.database, $0.failure) }
    guard let failure else { return database }
    noticeFile()
    throw failure
  }

  /// Looks soon which file has the name.
  func noticeFile() {
    if let watch = watch.withLock({ $0 }), watch.isRunning {
      watch.look()
    } else {
      control.async { [weak self] in self?.followUnwatched() }
    }
  }

  /// Looks now which file has the name, if that is another one than is open.
  func checkFile() {
    let file = file
    guard file != .unknown, FileIdentity.find(path) != file || database.hasLostSideFiles else {
      return
    }
    let end = DispatchGroup()
    control.async(group: end) { [weak self] in self?.followUnwatched() }
    // Inside a closure of this store's it would wait for itself.
    _ = end.wait(timeout: .now() + options.busyTimeout.timeInterval)
  }
}

// MARK: - Watching

extension FollowedDatabase {
  private func adjustWatch() {
    control.async { [weak self] in
      guard let self, let watch = watch.withLock({ $0 }) else { return }
      if hearers.isEmpty { watch.stop() } else { watch.start() }
    }
  }

  /// On the watch's thread.
  private func hear(_ sign: StoreWatch.Sign) {
    switch sign {
    case .mayHaveChanged(let mark): look(mark)
    case .intervalPassed: database.keepLeaseSoon()
    case .fileMissing, .fileReplaced, .fileBack: follow()
    }
  }

  private func look(_ mark: [Int64]?) {
    database.lookSoon(mark: mark) { [weak self] in self?.watch.withLock { $0 }?.tellAgain() }
  }

  /// The watch has a connection of its own, which must not be open while the store's are exchanged.
  private func followUnwatched() {
    let watch = watch.withLock { $0 }
    watch?.stop()
    follow()
    if !hearers.isEmpty { watch?.start() }
  }
}

// MARK: - Following

extension FollowedDatabase {
  /// Finds out which file has the name, and opens it if it is another one.
  private func follow() {
    following.withLock { _ in
      guard !hearers.isClosed else { return }
      switch (FileIdentity.find(path), file) {
      case (.unknown, _), (_, .unknown): break
      case (.missing, _): fail(.cannotOpen(path: path, .missingFile))
      case (let found, let opened) where found == opened && !database.hasLostSideFiles:
        goOn(with: database)
      default: exchange()
      }
    }
  }

  private func fail(_ failure: StoreError) {
    let isNew = state.withLock { state in
      defer { state.failure = failure }
      return state.failure == nil
    }
    if isNew { hearers.hint() }
  }

  private func goOn(with database: OpenDatabase) {
    let (isNew, isExchanged) = state.withLock { state in
      defer { (state.database, state.failure) = (database, nil) }
      return (state.database !== database || state.failure != nil, state.database !== database)
    }
    if isNew { hearers.hint() }
    if isExchanged { database.keepLeaseSoon() }
  }

  /// Closes the file that has lost the name, and opens the one that has it.
  private func exchange() {
    let hasLostSideFiles = database.hasLostSideFiles
    guard let open else {
      let detail = "another file has taken its name; open that one"
      fail(.inputOutput(path: path, detail: hasLostSideFiles ? SideFiles.lossDetail : detail))
      return
    }
    let turn = DispatchGroup()
    turn.enter()
    let isRenewal = state.withLock { state in
      state.turn = turn
      state.hasAbandonedFile = state.hasAbandonedFile || hasLostSideFiles
      return state.hasAbandonedFile
    }
    defer {
      state.withLock { $0.turn = nil }
      turn.leave()
    }
    do {
      guard isRenewal else { return try goOn(with: opened(by: open)) }
      let new = try SideFilesUse.renewal.withLockIfAvailable { _ throws(StoreError) in
        try database.abandon()
        return try opened(by: open)
      }
      guard let new else { throw StoreError.inputOutput(path: path, detail: SideFiles.lossDetail) }
      state.withLock { $0.hasAbandonedFile = false }
      goOn(with: new)
    } catch {
      fail(StoreError(error, path: path, waited: options.busyTimeout))
    }
  }

  /// Opens the file of the path, after the one that is open is closed.
  private func opened(by open: Opening) throws(StoreError) -> OpenDatabase {
    let old = database
    try old.leaveFile()
    guard !hearers.isClosed else { throw .closed(path: path) }
    // A file that is being written by whoever copies it is empty at first, and nothing may be made in it.
    guard results_file_size(path) > 0 else { throw .cannotOpen(path: path, .notADatabase) }
    let new = try open(old.rewinds &+ 1)
    guard new.file == FileIdentity.find(path) else {
      try new.close()
      throw .cannotOpen(path: path, .missingFile)
    }
    return new
  }
}

extension OpenDatabase {
  /// How often the log was found to have gone back.
  fileprivate var rewinds: UInt64 { core.catalog?.rewinds ?? 0 }

  /// Closes a file that has lost its name, and clears away what lies beside the path of it.
  fileprivate func leaveFile() throws(StoreError) {
    guard !core.isClosed else { return }
    let isClear = try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else { return false }
        return try sideFiles?.clear(on: database, isReadOnly: capabilities.isReadOnly) ?? true
      }
    }
    guard isClear else {
      throw .cannotOpen(
        path: path,
        .damaged(detail: "beside it is the log of the file that had its name, still in use")
      )
    }
    _ = core.close()
    closeReading()
    endSideFilesUse()
    try core.translating { try writer.close() }
  }
}

extension Duration {
  fileprivate var timeInterval: DispatchTimeInterval {
    let milliseconds = self / .milliseconds(1)
    return .milliseconds(Int(min(max(0, milliseconds), 1e9)))
  }
}
