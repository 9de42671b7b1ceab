import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// A database that a store has open, for as long as its file has the store's path.
final class OpenDatabase: Sendable {
  let identity: StoreIdentity
  let capabilities: StoreCapabilities
  let context: StoreContext
  let session: CommitSession
  let writer: any DatabaseWriter
  /// The file, where the system provides its identity.
  let file: FileIdentity.Finding
  /// The connection that reads use first, if the store may have one of its own.
  private let reading: ReadingConnection?
  /// The side files beside the database, registered for as long as it is open.
  private let sideFileRegistration: SideFileRegistration?
  private let observer: CommitObserver
  /// Whether closing must remove the side files that reading has created.
  private let leavesSideFiles: Bool
  /// Whether a check for external commits waits for the writing connection.
  private let isCheckPending = Atomic(false)

  /// Takes an opened database into use.
  /// - Parameters:
  ///   - opened: The database.
  ///   - path: The store's path.
  ///   - options: How the store was opened.
  ///   - ownsWriter: Whether the store opened the database, and closes it.
  ///   - broadcaster: The store's listeners.
  ///   - rewinds: How often the store's log was rewound before.
  /// - Throws: `StoreError` if the database cannot be read or written.
  init(
    _ opened: DatabaseOpener.Opened,
    path: String,
    options: SQLiteStoreOptions,
    ownsWriter: Bool,
    broadcaster: CommitBroadcaster,
    rewinds: UInt64 = 0
  ) throws(StoreError) {
    leavesSideFiles = opened.leavesSideFiles
    writer = opened.writer
    let uniqueName =
      "sqlite-" + (opened.identity ?? StoreFile.canonicalName(of: path, path.isInMemory))
    identity = StoreIdentity(name: path, uniqueName: uniqueName)
    let recordsEveryWriter = path.isInMemory && ownsWriter || opened.hasLog
    var capabilities = StoreCapabilities(
      historyCoverage: recordsEveryWriter ? .everyWriter : .thisStore,
      isDurable: !path.isInMemory,
      isReadOnly: options.isReadOnly,
      answersPaths: true
    )
    capabilities.findsExtendedEntities = true
    if opened.hasMisfit { capabilities.captureProblems = [ChangeLog.problem] }
    self.capabilities = capabilities
    let context = StoreContext(
      path: path,
      uniqueName: uniqueName,
      tables: opened.tables,
      options: options,
      ownsWriter: ownsWriter,
      foreignFile: opened.foreignFile,
      broadcaster: broadcaster
    )
    let session = CommitSession(
      context,
      opened.writer,
      hasLog: opened.hasLog,
      rewinds: rewinds
    )
    let observer = CommitObserver(session)
    (self.context, self.session, self.observer) = (context, session, observer)
    let (file, found): (FileIdentity.Finding, SideFiles?) = try context.translating {
      try opened.writer.unsafeReentrantWrite { database in
        try session.open(on: database)
        if !options.isReadOnly { database.add(transactionObserver: observer) }
        // A copy has neither a file nor side files.
        if let file = opened.foreignFile { return (.file(file.identity), nil) }
        let connection = database.sqliteConnection
        if ownsWriter, let state = FileState(of: connection), !state.namesLog {
          try session.guardLog(state, on: database)
        }
        return (FileIdentity.find(openedBy: connection), SideFiles(of: connection))
      }
    }
    self.file = file
    sideFileRegistration = found.map { SideFileRegistration($0, of: file) }
    // The only connection of a queue may remove its log when it is closed.
    let mayGuard = ownsWriter || opened.writer is DatabasePool
    session.guardSideFiles(mayGuard ? sideFileRegistration?.files : nil)
    let pool = ownsWriter ? opened.writer as? DatabasePool : nil
    reading = pool.map { ReadingConnection(beside: $0) }
    if session.hasLostSideFiles || session.hasLostLog {
      // They were lost while the file was opened, or an application has it open.
      if ownsWriter { try abandon() }
      throw .inputOutput(path: path, detail: SideFiles.lossDetail)
    }
  }

  deinit {
    _ = session.close()
    closeReading()
  }

  var path: String { context.path }

  var isClosed: Bool { context.isClosed }

  /// Whether other processes have created a new log or log index, so that they and this process do not see each other's commits.
  var hasLostSideFiles: Bool { !isClosed && session.hasLostSideFiles }

  /// Whether the store must open the file again, although it still has its path.
  var mustReopen: Bool {
    !isClosed
      && (session.hasLostSideFiles || hasLostLog || context.foreignFile?.mustReopen == true)
  }

  /// Whether the write-ahead log that its connections use is none for other programs any more.
  ///
  /// Each of those connections holds a lock on the file, for which a writer with a rollback journal waits.
  var hasLostLog: Bool { session.hasLostLog }

  /// Notes that the file has a rollback journal.
  func noteRollbackJournal() { session.noteRollbackJournal() }

  /// How often the log turned out to be an older state of itself, as after a restore.
  var rewinds: UInt64 { session.log?.log.rewinds ?? 0 }
}

// MARK: - Reading

extension OpenDatabase {
  /// Runs a closure with one consistent version of the database.
  func read<Result>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try context.checkOpen()
    return try context.translating {
      try withVersion { database, pinned in
        let snapshot = SQLiteSnapshot(database, pinned, of: session)
        let start = ContinuousClock.now
        defer {
          snapshot.end()
          context.foreignFile?.noteReading(since: start)
        }
        return try BodyScope.run(snapshot, of: context.broadcaster) { try body(snapshot) }
      }
    }
  }

  /// Runs a closure in a read transaction whose version is known exactly.
  ///
  /// While this object makes a commit it is unknown whether a new snapshot holds it; then the snapshot is taken again.
  private func withVersion<Result>(
    _ body: (Database, CommitSession.Pinned) throws -> Result
  ) throws -> Result {
    let hasLog = session.log != nil
    for _ in 0..<10_000 {
      // A log numbers its versions itself.
      if !hasLog, !waitForCommit() { continue }
      let outcome: Result? = try withConnection { database, reading in
        guard let pinned = try session.pin(database, knownTo: reading) else { return nil }
        defer { session.unpin(database, pinned) }
        return .some(try body(database, pinned))
      }
      if let outcome { return outcome }
      if hasLog { _ = waitForCommit() }
    }
    throw StoreError.busy(path: path, waited: context.busyTimeout)
  }

  /// Waits for the commit that is being made.
  /// - Returns: Whether none is being made any more.
  private func waitForCommit() -> Bool {
    guard !session.waitForCommit() else { return true }
    writer.unsafeReentrantWrite { session.reconcile(with: $0) }
    return false
  }

  /// Runs a closure with a connection that is in no transaction: the store's own, or one of the pool's.
  private func withConnection<Result>(
    _ body: (Database, ReadingConnection?) throws -> Result
  ) throws -> Result {
    if let reading, let outcome = try reading.read({ try body($0, reading) }) { return outcome }
    let outcome: Result? = try writer.unsafeReentrantRead { database in
      if !database.isInsideTransaction { return .some(try body(database, nil)) }
      // Inside a transaction of the writer, GRDB provides the writer's connection, which sees uncommitted rows.
      guard writer is DatabasePool, session.isWriter(database) else {
        throw StoreError.busy(path: path, waited: .zero)
      }
      return nil
    }
    if let outcome { return outcome }
    return try writer.unsafeRead { database in
      guard !database.isInsideTransaction else {
        throw StoreError.busy(path: path, waited: .zero)
      }
      return try body(database, nil)
    }
  }
}

// MARK: - Checking for external commits

extension OpenDatabase {
  /// Checks for commits of other writers, after the transaction that is running.
  func checkForExternalChanges() throws(StoreError) {
    try context.checkOpen()
    let end = ContinuousClock.now + context.busyTimeout
    try context.translating {
      while true {
        let isDone = try writer.unsafeReentrantWrite { database in
          guard !database.isInsideTransaction else { return true }
          session.reconcile(with: database)
          return try session.noteExternalCommits(on: database)
        }
        // Other connections wait for their locks themselves.
        guard !isDone, !mustReopen, context.foreignFile?.isReadDirectly == false, .now < end else {
          return
        }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
      }
    }
  }

  /// Reads the newest row of the log and the schema's version, where a watch may read them.
  ///
  /// Without a log the statement would fail, and over a file of others even a statement that fails takes a lock.
  var markQuery: String? {
    guard session.log != nil, context.foreignFile == nil else { return nil }
    return """
      SELECT max(sequence), (SELECT schema_version FROM pragma_schema_version)
      FROM main._results_log
      """
  }

  /// Checks for commits of other writers as soon as the writing connection is free.
  /// - Parameters:
  ///   - mark: The newest sequence number of the log and the schema's version, if known: without a change nothing is checked.
  ///   - retry: Called if another connection keeps the database busy, so that the check must be repeated.
  func checkSoon(mark: [Int64]?, _ retry: @escaping @Sendable () -> Void) {
    if let mark, mark.count == 2, session.log?.log.hasNotified(mark[0], cookie: mark[1]) == true {
      return
    }
    guard context.foreignFile?.hasRested != false else { return retry() }
    guard !isCheckPending.exchange(true, ordering: .sequentiallyConsistent) else { return }
    writer.asyncWriteWithoutTransaction { [self] database in
      isCheckPending.store(false, ordering: .sequentiallyConsistent)
      guard !isClosed, !database.isInsideTransaction else { return }
      session.reconcile(with: database)
      if (try? session.noteExternalCommits(on: database)) != true { retry() }
    }
  }

  /// Takes the lease that a store with listeners needs, or renews an old one, as soon as the writing connection is free.
  func maintainLeaseSoon() {
    guard let lease = session.log?.lease else { return }
    if lease.isNeeded {
      writer.asyncWriteWithoutTransaction { [session] in try? lease.take(on: $0, in: session) }
    } else if lease.isOld {
      writer.asyncWriteWithoutTransaction { [session] in
        try? lease.renewIfOld(on: $0, in: session)
      }
    }
  }
}

// MARK: - Closing

extension OpenDatabase {
  /// Closes the database, if the store opened it, after the calls that are running.
  /// - Returns: Whether it was open.
  @discardableResult
  func close() throws(StoreError) -> Bool {
    guard session.close() else { return false }
    // A lease that cannot be given up expires by itself.
    try? writer.unsafeReentrantWrite { try session.log?.lease.giveUp(on: $0, in: session) }
    preserveLostLog()
    closeReading()
    defer { endSideFileRegistration() }
    // A store that opens the file from here on finds the side files that it then has.
    if !session.hasLostSideFiles { endSideFileRegistration() }
    if context.ownsWriter {
      // The connection that is closed last removes the log, and one that only reads cannot.
      (writer as? DatabasePool)?.invalidateReadOnlyConnections()
      try context.translating { try writer.close() }
      if leavesSideFiles { SideFiles.removeUnused(beside: path) }
    } else {
      writer.asyncWriteWithoutTransaction { [observer] in $0.remove(transactionObserver: observer) }
    }
    return true
  }

  /// Closes a database whose side files are lost, after the calls that are running.
  func abandon() throws(StoreError) {
    guard session.close() else { return }
    preserveLostLog()
    closeReading()
    defer { endSideFileRegistration() }
    try context.translating { try writer.close() }
  }

  /// Closes a file that has lost its path, and removes its side files from beside the path.
  func leaveFile() throws(StoreError) {
    guard !isClosed else { return }
    let isClear = try context.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else { return false }
        return try sideFileRegistration?.files
          .clear(on: database, isReadOnly: capabilities.isReadOnly) ?? true
      }
    }
    guard isClear else {
      throw .cannotOpen(
        path: path,
        .damaged(detail: "beside it is the log of the file that had its name, still in use")
      )
    }
    _ = session.close()
    closeReading()
    endSideFileRegistration()
    try context.translating { try writer.close() }
  }

  /// Makes sure that closing the database does not cut off what others have in a new log.
  private func preserveLostLog() {
    guard context.ownsWriter, session.hasLostSideFiles else { return }
    writer.unsafeReentrantWrite { _ = results_leave_log($0.sqliteConnection) }
  }

  /// Closes the store's own connection for reads; inside such a read it is closed when the read ends.
  private func closeReading() {
    guard BodyScope.snapshot(of: context.broadcaster) == nil else { return }
    reading?.close()
  }

  private func endSideFileRegistration() { sideFileRegistration?.end() }
}
