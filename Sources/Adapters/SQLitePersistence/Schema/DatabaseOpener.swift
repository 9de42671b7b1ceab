import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Opens a database as a store: checks it first, then creates or migrates what is needed in one transaction.
struct DatabaseOpener {
  /// A database that is ready for use.
  struct Opened {
    let writer: any DatabaseWriter
    let tables: StoreTables
    /// The store's persistent name, where the database has one.
    let identity: String?
    /// Whether the database has a change log that records every writer.
    let hasLog: Bool
    /// Whether there is a log that misses changes.
    let hasMisfit: Bool
    /// The limits of the log, if it has any.
    let logBound: ChangeLogBound?
    /// Whether closing must remove the side files that reading has created.
    var leavesSideFiles = false
    /// The file, if it belongs to others, has a rollback journal and is only read.
    var foreignFile: ForeignFile?
  }

  private let path: String
  private let options: SQLiteStoreOptions
  private let inspector: SchemaInspector
  /// Keeps the connections on one file, if another one is open already.
  private var connected: ConnectedFile?
  /// Whether another connection has created the files beside the file.
  private var leavesSideFiles = false

  init(path: String, entities: [EntityDescription], options: SQLiteStoreOptions) {
    self.path = path
    self.options = options
    inspector = SchemaInspector(entities: entities, options: options)
  }

  /// Opens the database of a file that a description holds open, and ends that; another file that has the path by now is opened as well.
  func openFile(beside held: HeldFile?) throws(StoreError) -> Opened {
    defer { held?.close() }
    guard options.isReadOnly, let held, let connection = held.connection else {
      // What is written needs no reader beside it.
      held?.close()
      return try openFile()
    }
    var opener = self
    let connected = ConnectedFile()
    opener.connected = connected
    opener.leavesSideFiles = held.leavesSideFiles
    do {
      try opening(isNew: false) {
        try connection.unsafeReentrantRead { try connected.check($0.sqliteConnection) }
      }
      let opened = try opener.openFile()
      held.handOver()
      return opened
    } catch .cannotOpen(_, .missingFile) {
      held.close()
      return try openFile()
    }
  }

  /// Opens the database of a file.
  func openFile() throws(StoreError) -> Opened {
    let file = try StoreFile(path, isReadOnly: options.isReadOnly)
    guard !SideFileRegistration.usesLostFiles(at: path) else {
      throw .inputOutput(path: path, detail: SideFiles.lossDetail)
    }
    try waitForFormerFile()
    guard !file.isNew || !options.onlyReads else {
      // Reading makes no store of an empty file, and creates none.
      throw .cannotOpen(path: path, file.exists ? .notADatabase : .missingFile)
    }
    let foreignFile = options.isReadOnly ? ForeignFile(path, options: options) : nil
    let leavesSideFiles =
      options.isReadOnly && (file.isAlone || leavesSideFiles) && foreignFile == nil
    do throws(StoreError) {
      var opened = try opening(isNew: file.isNew) {
        try SchemaInspector.checkNames(of: inspector.entities)
        if let queue = try foreignFile?.openCopy(configuration) {
          try queue.unsafeReentrantRead { try check($0) }
          return try prepareClosing(queue)
        }
        if !file.isNew { try check(file) }
        return try prepareClosing(try connect(to: file))
      }
      (opened.leavesSideFiles, opened.foreignFile) = (leavesSideFiles, foreignFile)
      return opened
    } catch {
      if leavesSideFiles { SideFiles.removeUnused(beside: path) }
      throw error
    }
  }

  /// Reads a file through a connection that writes nothing and leaves no file beside it.
  /// - Parameters:
  ///   - held: What keeps the connection open, if it may stay open.
  ///   - copies: Whether a file with a rollback journal is copied, so that its writers meet no lock.
  ///   - body: The work.
  /// - Returns: What the closure returned.
  /// - Throws: Why the file cannot be read, as a store's error.
  func readFile<Result>(
    holding held: HeldFile? = nil,
    copying copies: Bool = true,
    _ body: (Database) throws -> Result
  ) throws(StoreError) -> Result {
    if let connection = held?.connection { return try read(connection, body) }
    try waitForFormerFile()
    let file = try StoreFile(path, isReadOnly: true)
    let foreignFile = copies ? ForeignFile(path, options: options) : nil
    var isHeld = false
    defer {
      if file.isAlone, foreignFile == nil, !isHeld { SideFiles.removeUnused(beside: path) }
    }
    return try opening(isNew: false) {
      var configuration = configuration
      configuration.readonly = true
      let queue =
        try foreignFile?.openCopy(configuration)
        ?? DatabaseQueue(path: databasePath, configuration: configuration)
      defer { if !isHeld { try? queue.close() } }
      let result = try DatabaseOpener.read(queue, body)
      if foreignFile == nil {
        isHeld = held?.keep(queue, leavesSideFiles: file.isAlone) ?? false
      }
      return result
    }
  }

  /// Waits until no store of this process uses the side files of a file that had the path before: one with listeners notices at once that
  /// its file was replaced, and leaves it.
  private func waitForFormerFile() throws(StoreError) {
    let end = ContinuousClock.now + min(options.busyTimeout, .seconds(1))
    while SideFileRegistration.usesFilesOfAnother(at: path) {
      guard .now < end else {
        throw .cannotOpen(
          path: path,
          .modelMismatch(
            detail: "it has replaced a file that this program still has open."
              + " Close that one first; this one was not touched."
          )
        )
      }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
    }
  }

  /// Reads a database that is already open.
  func read<Result>(
    _ reader: any DatabaseReader,
    _ body: (Database) throws -> Result
  ) throws(StoreError) -> Result {
    try opening(isNew: false) { try DatabaseOpener.read(reader, body) }
  }

  /// Reads in a transaction.
  ///
  /// Damage that a statement has met is reported again at its end (seen with SQLite 3.40), also where the closure could
  /// do without what is damaged.
  private static func read<Result>(
    _ reader: any DatabaseReader,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    var result: Result?
    do {
      return try reader.read { database in
        let found = try body(database)
        result = found
        return found
      }
    } catch  where SQLiteFailure(error)?.primaryCode == SQLITE_CORRUPT {
      guard let result else { throw error }
      return result
    }
  }

  private func connect(to file: StoreFile) throws -> any DatabaseWriter {
    // A pool writes into a file when it is opened, and a verb that only reads has no use for several connections.
    if options.onlyReads, !file.isNew {
      return try DatabaseQueue(path: databasePath, configuration: configuration)
    }
    if let queue = try openBesideWriter(file) { return queue }
    removeUnnamedLog(of: file)
    do {
      return try retryingWhileBusy {
        try DatabasePool(path: databasePath, configuration: configuration)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && !file.isNew {
      return try openBesideWriter(error)
    }
  }

  /// Removes a write-ahead log that the header of its file does not name, if nobody else uses it; its content is in the file then.
  ///
  /// SQLite uses a log that it finds, whatever the header says: a file may have replaced another one in the moment in which the log of that
  /// one was created again. Once a checkpoint empties such a log, other programs take the file for one with a rollback journal, and wait
  /// for the lock that each connection with the log holds while it is open (`OpenDatabase.hasLostLog`).
  private func removeUnnamedLog(of file: StoreFile) {
    guard !file.isNew, !options.isReadOnly, file.logSize > 0 else { return }
    var opened: OpaquePointer?
    defer { sqlite3_close(opened) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(databasePath, &opened, flags, nil) == SQLITE_OK,
      FileState(of: opened)?.hasUnnamedLog == true
    else { return }
    sqlite3_exec(opened, "PRAGMA journal_mode = DELETE", nil, nil, nil)
  }

  /// Prepares a database for use, or closes it if it does not fit, so that SQLite removes the side files it has created.
  private func prepareClosing(_ writer: some DatabaseWriter) throws -> Opened {
    do {
      return try prepare(writer)
    } catch {
      (writer as? DatabasePool)?.invalidateReadOnlyConnections()
      try? writer.close()
      throw error
    }
  }

  /// Opens a file whose write-ahead log is empty while another process writes; `nil` if none does.
  ///
  /// It waits only for a time that no user notices; a process that begins to write afterwards is waited for.
  private func openBesideWriter(_ file: StoreFile) throws -> DatabaseQueue? {
    guard !file.isNew, !options.isReadOnly, !file.hasUnfinishedWork else { return nil }
    var probing = Configuration()
    probing.busyMode = .timeout(min(options.busyTimeout.secondsToWait, 0.2))
    do {
      let queue = try DatabaseQueue(path: databasePath, configuration: probing)
      defer { try? queue.close() }
      try queue.inDatabase { database in
        try database.execute(sql: "BEGIN IMMEDIATE TRANSACTION; ROLLBACK TRANSACTION")
      }
      return nil
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // A file without a write-ahead log has to wait for the writer.
      return try? openBesideWriter(error)
    }
  }

  /// Opens a file whose write-ahead log is empty while another process writes.
  ///
  /// A pool begins such a log itself, and so waits for every writer although it has nothing to write.
  /// - Throws: The pool's failure, if the file has no write-ahead log yet, which a reader cannot change.
  private func openBesideWriter(_ failure: DatabaseError) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: databasePath, configuration: configuration)
    let mode = try queue.unsafeRead { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    guard mode == "wal" else { throw failure }
    return queue
  }

  /// Opens a database in memory.
  func openMemory() throws(StoreError) -> Opened {
    try opening(isNew: true) {
      try SchemaInspector.checkNames(of: inspector.entities)
      return try prepare(DatabaseQueue(configuration: configuration))
    }
  }

  /// Uses a database that is already open.
  func open(_ writer: any DatabaseWriter) throws(StoreError) -> Opened {
    try opening(isNew: false) {
      try SchemaInspector.checkNames(of: inspector.entities)
      return try writer.unsafeReentrantWrite { database in
        try database.waiting(for: options.busyTimeout, path: path) { try prepare(writer) }
      }
    }
  }

  /// The settings of a database; each time for another one.
  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = options.isReadOnly
    configuration.busyMode = .waiting(milliseconds: Int(options.busyTimeout.secondsToWait * 1000))
    configuration.label = "results.sqlite"
    let file = connected ?? ConnectedFile()
    configuration.prepareDatabase { try file.check($0.sqliteConnection) }
    defend(&configuration)
    if options.durability == .full {
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }
    return configuration
  }

  /// Prepares connections for a file whose author is unknown: one that is discovered, or only read.
  private func defend(_ configuration: inout Configuration) {
    guard options.isDiscovered || options.isReadOnly else { return }
    configuration.prepareDatabase { database in
      guard results_defend(database.sqliteConnection) == SQLITE_OK else {
        throw SQLiteFailure(database.sqliteConnection)
      }
    }
  }

  /// Checks a file before anything is changed, so that a file that is refused stays as it is.
  private func check(_ file: StoreFile) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(options.busyTimeout.secondsToWait)
    // A connection that can write removes the log when it is closed, including what a crash has left in it.
    configuration.readonly = options.isReadOnly || file.hasUnfinishedWork
    if let connected { configuration.prepareDatabase { try connected.check($0.sqliteConnection) } }
    defend(&configuration)
    do {
      try check(DatabaseQueue(path: databasePath, configuration: configuration))
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_READONLY || error.resultCode == .SQLITE_CANTOPEN
    {
      // Only a writer can recover what a crash has left behind.
      guard !options.isReadOnly, configuration.readonly else { throw error }
      configuration.readonly = false
      try check(DatabaseQueue(path: databasePath, configuration: configuration))
    }
  }

  private func check(_ queue: DatabaseQueue) throws {
    defer { try? queue.close() }
    try queue.unsafeRead { try check($0) }
    // A pool writes into a file before it answers anything; by then the file must fit.
    if !queue.configuration.readonly, !options.onlyReads { _ = try prepare(queue) }
  }

  private func check(_ database: Database) throws {
    let findings = try inspector.inspect(database)
    let encoding = try String.fetchOne(database, sql: "PRAGMA encoding") ?? "UTF-8"
    guard encoding == "UTF-8" || findings.isEmpty else {
      throw OpenFailureError(
        .schemaMismatch(
          entity: inspector.entities.first?.name ?? "",
          detail: "its texts are stored in \(encoding), whose order differs"
        )
      )
    }
    try refuseToChange(findings)
  }

  /// Refuses changes for a read-only store, which must fit as it is; additional columns do not matter.
  ///
  /// A call that only reads does not add a table to a store of other entities.
  private func refuseToChange(_ findings: SchemaInspector.Findings) throws(OpenFailureError) {
    if !options.isReadOnly, options.onlyReads, findings.identity != nil {
      let missing = findings.changes.filter { $0.phase == .create }.map(\.entity)
      // A store that has some of the entities is one of an earlier version.
      if let entity = missing.first, missing.count == inspector.entities.count {
        throw OpenFailureError(
          .schemaMismatch(
            entity: entity.name,
            detail: "this is a store of other objects; there is no such table"
          )
        )
      }
    }
    guard options.isReadOnly else { return }
    for case .replace(let replacement, _) in findings.changes {
      throw OpenFailureError(
        .earlierVersion(entity: replacement.entity, attribute: replacement.attribute)
      )
    }
    for change in findings.changes {
      let refusal: OpenFailure? =
        switch change {
        case .create(let entity):
          .schemaMismatch(
            entity: entity.name,
            detail: "there is no such table, and the store is open for reading only"
          )
        case .add(let attribute, let entity):
          .schemaMismatch(
            entity: entity.name,
            detail: "\(attribute.name) is new, and the store is open for reading only"
          )
        case .replace, .drop, .index: nil
        }
      if let refusal { throw OpenFailureError(refusal) }
    }
  }

  private func prepare(_ writer: some DatabaseWriter) throws -> Opened {
    try writer.unsafeReentrantWrite { database in
      guard !database.isInsideTransaction else {
        throw StoreError.busy(path: path, waited: .zero)
      }
      guard !options.isReadOnly else {
        return try SchemaCatalog.using(database) { _ in
          let findings = try inspector.inspect(database)
          try refuseToChange(findings)
          return try opened(writer, findings, database)
        }
      }
      // A file that needs no change is opened while another process writes into it.
      if let opened = try openUnchanged(writer, database) { return opened }
      // A second process waits here and finds the work done.
      try database.beginTransaction(.immediate)
      do {
        let findings = try migrate(database)
        let opened = try opened(writer, findings, database)
        try database.commit()
        return opened
      } catch {
        if database.isInsideTransaction { try? database.rollback() }
        throw error
      }
    }
  }

  /// The opened database, once it needs no more changes.
  private func opened(
    _ writer: some DatabaseWriter,
    _ findings: SchemaInspector.Findings,
    _ database: Database
  ) throws -> Opened {
    let tables = try inspector.tables(on: database)
    let mayHaveLog = options.maintainsChangeLog != false
    let layout = mayHaveLog ? try ChangeLogLayout.read(of: tables, on: database) : nil
    return Opened(
      writer: writer,
      tables: tables,
      identity: findings.identity,
      hasLog: layout != nil,
      hasMisfit: try mayHaveLog && layout == nil && ChangeLogFormat.exists(on: database),
      logBound: layout?.bound
    )
  }

  private func openUnchanged(_ writer: some DatabaseWriter, _ database: Database) throws -> Opened?
  {
    var opened: Opened?
    try database.inTransaction(.deferred) {
      let findings = try inspector.inspect(database)
      guard findings.changes.isEmpty,
        (findings.format ?? 0) >= StoreFormat.version || !hasStoreTables(findings)
      else { return .commit }
      let found = try self.opened(writer, findings, database)
      // A reader can do without the log; the next writer repairs it.
      let isMaintained = maintainsChangeLog(findings)
      let isRight = found.hasLog == isMaintained && (!isMaintained || isBounded(found.logBound))
      if isRight || options.onlyReads { opened = found }
      return .commit
    }
    return opened
  }

  /// Whether a log has the limits that this store needs: earlier versions of this library set none.
  private func isBounded(_ found: ChangeLogBound?) -> Bool {
    found.map { $0 == $0.joined(with: ChangeLogBound(options)) } ?? false
  }

  /// Whether the database has, or gets, the store's own tables.
  private func hasStoreTables(_ findings: SchemaInspector.Findings) -> Bool {
    findings.identity != nil || !options.adoptsTables || options.maintainsChangeLog == true
  }

  /// Whether the database gets a change log, or retains the one it has.
  private func maintainsChangeLog(_ findings: SchemaInspector.Findings) -> Bool {
    guard hasStoreTables(findings) else { return false }
    return options.maintainsChangeLog
      ?? (!isMemory && (!options.adoptsTables || findings.identity != nil))
  }

  private var isMemory: Bool { path.isEmpty || path == ":memory:" }

  private var databasePath: String { path.databasePath }

  private func migrate(_ database: Database) throws -> SchemaInspector.Findings {
    var findings = try inspector.inspect(database)
    if findings.identity == nil, hasStoreTables(findings) {
      try StoreFormat.create(on: database, adopted: options.adoptsTables)
    } else if let format = findings.format {
      try StoreFormat.upgrade(from: format, on: database)
    }
    let installer = ChangeLogInstaller(
      entities: inspector.entities,
      bound: ChangeLogBound(options)
    )
    for change in findings.changes {
      if hasStoreTables(findings), change.altersColumns {
        try installer.removeTriggers(of: change.entity, on: database)
      }
      try apply(change, to: database)
    }
    guard hasStoreTables(findings) else { return findings }
    for entity in inspector.entities {
      let recorded = try StoreFormat.recorded(entity.name, on: database)
      let isAdopted = findings.isAdopted || (findings.identity == nil && options.adoptsTables)
      if isAdopted || !findings.changes.isEmpty || recorded == nil {
        try StoreFormat.record(entity, retaining: recorded, on: database)
      }
    }
    if maintainsChangeLog(findings) { try installer.install(on: database) }
    findings.identity = try String.fetchOne(
      database,
      sql: "SELECT identity FROM _results_store"
    )
    return findings
  }

  private func apply(_ change: SchemaChange, to database: Database) throws {
    do {
      try change.apply(to: database, among: inspector.entities)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // Such as a column that another program's index uses.
      throw OpenFailureError(
        .schemaMismatch(entity: change.entity.name, detail: error.message ?? "no message")
      )
    }
  }

  /// Repeats a closure while the database is busy.
  ///
  /// SQLite refuses to switch a new file to its write-ahead log, without waiting, while another process does the same.
  private func retryingWhileBusy<Result>(_ body: () throws -> Result) throws -> Result {
    let deadline = ContinuousClock.now + .seconds(options.busyTimeout.secondsToWait)
    while true {
      do {
        return try body()
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
      {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
      }
    }
  }

  private func opening<Result>(
    isNew: Bool,
    _ body: () throws -> Result
  ) throws(StoreError) -> Result {
    do {
      return try body()
    } catch let error as OpenFailureError {
      throw .cannotOpen(path: path, error.failure)
    } catch {
      let failure = SQLiteFailure(error)
      let code = failure?.primaryCode
      if options.isReadOnly, failure?.code == SQLiteFailure.unfinishedWork {
        let detail = """
          a program ended in the middle of a commit, which only a connection that may write can undo: open it with that program, \
          or once with sqlite3
          """
        throw .cannotOpen(path: path, .noPermission(detail: detail))
      }
      if options.isReadOnly, code == SQLITE_READONLY || code == SQLITE_CANTOPEN {
        let detail = "reading it needs permission to create files in its folder"
        throw .cannotOpen(path: path, .noPermission(detail: detail))
      }
      throw StoreError(opening: path, error, waited: options.busyTimeout, isNew: isNew)
    }
  }
}

extension SchemaChange {
  /// Whether the log's triggers, which name the columns, do not fit afterwards.
  fileprivate var altersColumns: Bool {
    if case .index = self { false } else { true }
  }

  fileprivate var entity: EntityDescription {
    switch self {
    case .create(let entity), .add(_, let entity), .replace(_, let entity), .drop(_, let entity),
      .index(_, let entity):
      entity
    }
  }
}

extension Database.BusyMode {
  /// Waits for other connections as SQLite's own timeout does, but only until the caller gives up (`WriterWait`).
  /// - Parameter limit: The longest time to wait.
  /// - Returns: The mode.
  fileprivate static func waiting(milliseconds limit: Int) -> Database.BusyMode {
    // The times between two attempts of SQLite's own handler (`sqliteDefaultBusyCallback` in main.c).
    let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
    return .callback { attempt in
      let last = delays.count - 1
      let waited =
        attempt <= last
        ? delays[..<attempt].reduce(0, +) : delays[..<last].reduce(0, +) + 100 * (attempt - last)
      WriterWait.current?.note(milliseconds: waited)
      guard WriterWait.current?.isGivenUp != true else { return false }
      let delay = min(delays[min(attempt, last)], limit - waited)
      guard delay > 0 else { return false }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(delay))
      return true
    }
  }
}

extension Duration {
  /// The duration in seconds, limited to what SQLite can wait: it counts milliseconds in 32 bits.
  var secondsToWait: Double {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    return min(max(0, seconds), Double(Int32.max / 1000))
  }
}
