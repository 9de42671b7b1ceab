import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import Synchronization

/// A database that a store has open, for as long as its file has the store's name.
final class OpenDatabase: Sendable {
  let path: String
  let identity: StoreIdentity
  let capabilities: StoreCapabilities
  let core: StoreCore
  let writer: any DatabaseWriter
  /// Whether the store opened the database, and closes it.
  let ownsWriter: Bool
  /// The file, if the system tells.
  let file: FileIdentity.Finding
  /// The side files that lay beside it, for as long as it is open.
  private let sideFilesUse: SideFilesUse?
  /// The connection that reads go through first, if the store may have one of its own.
  let reading: ReadingConnection?
  private let observer: CommitObserver
  /// Whether closing it has to remove what reading has made beside the file.
  private let leavesSideFiles: Bool
  /// Whether the writing connection has been asked to look, and has not done it yet.
  private let isLookDue = Atomic(false)

  /// Takes a database into use.
  /// - Parameters:
  ///   - opened: The database.
  ///   - path: The store's path.
  ///   - options: How the store was opened.
  ///   - ownsWriter: Whether the store opened the database.
  ///   - hearers: Who waits to hear of new versions.
  ///   - rewinds: How often the store's log went back before.
  /// - Throws: `StoreError` if the database cannot be read or written.
  init(
    _ opened: DatabaseOpener.Opened,
    path: String,
    options: SQLiteStoreOptions,
    ownsWriter: Bool,
    hearers: StoreHearers,
    rewinds: UInt64 = 0
  ) throws(StoreError) {
    self.path = path
    self.ownsWriter = ownsWriter
    leavesSideFiles = opened.leavesSideFiles
    writer = opened.writer
    let isMemory = path.isEmpty || path == ":memory:"
    let uniqueName = "sqlite-" + (opened.identity ?? StoreFile.canonicalName(of: path, isMemory))
    identity = StoreIdentity(name: path, uniqueName: uniqueName)
    let hearsAll = isMemory && ownsWriter || opened.hasLog
    capabilities = StoreCapabilities(
      historyCoverage: hearsAll ? .everyWriter : .thisStore,
      isDurable: !isMemory,
      isReadOnly: options.isReadOnly
    )
    let core = StoreCore(
      path: path,
      hearers: hearers,
      uniqueName: uniqueName,
      tables: opened.tables,
      options: options,
      ownsWriter: ownsWriter,
      hasLog: opened.hasLog,
      rewinds: rewinds
    )
    self.core = core
    let observer = CommitObserver(core)
    self.observer = observer
    let (file, found) = try core.translating {
      try opened.writer.unsafeReentrantWrite { database in
        try core.begin(on: database)
        if !options.isReadOnly { database.add(transactionObserver: observer) }
        let connection = database.sqliteConnection
        return (FileIdentity.find(openedBy: connection), SideFiles(of: connection))
      }
    }
    self.file = file
    sideFilesUse = found.map { SideFilesUse($0, of: file) }
    // The one connection of a queue may give its log up in order.
    let sideFiles = ownsWriter || opened.writer is DatabasePool ? sideFilesUse?.files : nil
    core.state.withLock { $0.sideFiles = sideFiles }
    let pool = ownsWriter ? opened.writer as? DatabasePool : nil
    reading = pool.map { ReadingConnection(beside: $0, of: file) }
    if core.hasLostSideFiles {
      // Another store of this process has it open, and has not noticed yet.
      if ownsWriter { try abandon() }
      throw .inputOutput(path: path, detail: SideFiles.lossDetail)
    }
  }

  deinit {
    _ = core.close()
    closeReading()
  }

  /// The side files that lay beside it.
  var sideFiles: SideFiles? { sideFilesUse?.files }

  /// Whether others have begun a new log, or a new index of it, beside which this process neither sees nor is seen.
  var hasLostSideFiles: Bool { !core.isClosed && core.hasLostSideFiles }

  /// Makes sure that what others have in a new log is not cut off by closing the database.
  private func leaveLostLog() {
    guard ownsWriter, core.hasLostSideFiles else { return }
    writer.unsafeReentrantWrite { _ = results_leave_log($0.sqliteConnection) }
  }

  /// Closes a database whose side files are lost, after the calls that are running.
  func abandon() throws(StoreError) {
    guard core.close() else { return }
    leaveLostLog()
    closeReading()
    defer { endSideFilesUse() }
    try core.translating { try writer.close() }
  }

  /// Notes that the side files are not used any more.
  func endSideFilesUse() { sideFilesUse?.end() }

  /// Closes the database, if the store opened it, after the calls that are running.
  /// - Returns: Whether it was in use.
  @discardableResult
  func close() throws(StoreError) -> Bool {
    guard core.close() else { return false }
    // A lease that cannot be given up ends by itself.
    try? writer.unsafeReentrantWrite { try core.giveLeaseUp(on: $0) }
    leaveLostLog()
    closeReading()
    defer { endSideFilesUse() }
    // Whoever opens the file from here on finds the files that it then has.
    if !core.hasLostSideFiles { endSideFilesUse() }
    if ownsWriter {
      // Whichever connection is closed last clears the log away, and one that only reads may not.
      (writer as? DatabasePool)?.invalidateReadOnlyConnections()
      try core.translating { try writer.close() }
      if leavesSideFiles { SideFiles.removeUnused(beside: path) }
    } else {
      writer.asyncWriteWithoutTransaction { [observer] in $0.remove(transactionObserver: observer) }
    }
    return true
  }

  /// Closes the store's own connection for reads; within such a read it ends with the read.
  func closeReading() {
    guard BodyScope.snapshot(of: core.hearers) == nil else { return }
    reading?.close()
  }

  /// Looks for commits of other writers, after the transaction that is running.
  func checkForExternalChanges() throws(StoreError) {
    try core.checkOpen()
    try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else { return }
        core.reconcile(with: database)
        try core.noteOtherWriters(on: database)
      }
    }
  }

  /// Looks for commits of other writers as soon as the writing connection is free.
  /// - Parameters:
  ///   - mark: The newest number of the log and the schema's version; if they are known, there were none.
  ///   - retry: Called if somebody keeps the database busy, so that it must be looked again.
  func lookSoon(mark: [Int64]?, _ retry: @escaping @Sendable () -> Void) {
    if let mark, mark.count == 2, core.catalog?.hasTold(mark[0], cookie: mark[1]) == true { return }
    guard !isLookDue.exchange(true, ordering: .sequentiallyConsistent) else { return }
    writer.asyncWriteWithoutTransaction { [self] database in
      isLookDue.store(false, ordering: .sequentiallyConsistent)
      guard !core.isClosed, !database.isInsideTransaction else { return }
      core.reconcile(with: database)
      if (try? core.noteOtherWriters(on: database)) != true { retry() }
    }
  }

  /// Enters a store that somebody listens to into the table of readers, or does so again in good time, as soon as the writing
  /// connection is free.
  func keepLeaseSoon() {
    if core.needsLease {
      writer.asyncWriteWithoutTransaction { [core] in try? core.takeLease(on: $0) }
    } else if core.isLeaseOld {
      writer.asyncWriteWithoutTransaction { [core] in try? core.keepLease(on: $0) }
    }
  }
}
