import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain

/// Opens a database as a store: checks it first, then makes or migrates what is needed in one transaction.
struct DatabaseOpener {
  /// A database that is ready for use.
  struct Opened {
    let writer: any DatabaseWriter
    let tables: StoreTables
    /// The store's own name, where the database keeps one.
    let identity: String?
    /// Whether the database has a log of what everybody changes.
    let hasLog: Bool
    /// Whether closing it has to remove what reading has made beside the file.
    var leavesSideFiles = false
  }

  private let path: String
  private let options: SQLiteStoreOptions
  private let inspector: SchemaInspector

  init(path: String, entities: [EntityDescription], options: SQLiteStoreOptions) {
    self.path = path
    self.options = options
    inspector = SchemaInspector(entities: entities, options: options)
  }

  /// Opens the database of a file.
  func openFile() throws(StoreError) -> Opened {
    let file = try StoreFile(path, isReadOnly: options.isReadOnly)
    let leavesSideFiles = options.isReadOnly && file.isAlone
    do throws(StoreError) {
      var opened = try opening(isNew: file.isNew) {
        try SchemaInspector.checkNames(of: inspector.entities)
        if !file.isNew { try look(at: file) }
        return try prepareClosing(try connect(to: file))
      }
      opened.leavesSideFiles = leavesSideFiles
      return opened
    } catch {
      if leavesSideFiles { SideFiles.removeUnused(beside: path) }
      throw error
    }
  }

  private func connect(to file: StoreFile) throws -> any DatabaseWriter {
    // A pool writes into a file when it is opened, and several connections are of no use to whoever only reads.
    if options.onlyReads, !file.isNew {
      return try DatabaseQueue(path: databasePath, configuration: configuration)
    }
    if let queue = try openBesideWriter(file) { return queue }
    do {
      return try retryingWhileBusy {
        try DatabasePool(path: databasePath, configuration: configuration)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && !file.isNew {
      return try openBesideWriter(error)
    }
  }

  /// Prepares a database for use, or closes it if it does not fit: what SQLite has made beside the file is then gone.
  private func prepareClosing(_ writer: some DatabaseWriter) throws -> Opened {
    do {
      return try prepare(writer)
    } catch {
      (writer as? DatabasePool)?.invalidateReadOnlyConnections()
      try? writer.close()
      throw error
    }
  }

  /// Opens a file whose log is empty while another process writes, if so.
  ///
  /// It is asked for no longer than a person would not notice; whoever begins to write afterwards is waited for.
  private func openBesideWriter(_ file: StoreFile) throws -> DatabaseQueue? {
    guard !file.isNew, !options.isReadOnly, !file.hasUnfinishedWork else { return nil }
    var asking = Configuration()
    asking.busyMode = .timeout(min(options.busyTimeout.secondsToWait, 0.2))
    do {
      let queue = try DatabaseQueue(path: databasePath, configuration: asking)
      defer { try? queue.close() }
      try queue.inDatabase { database in
        try database.execute(sql: "BEGIN IMMEDIATE TRANSACTION; ROLLBACK TRANSACTION")
      }
      return nil
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // A file that keeps no log yet has to wait for the writer like everybody.
      return try? openBesideWriter(error)
    }
  }

  /// Opens a file whose log is empty while another process writes.
  ///
  /// A pool begins such a log itself, and so waits for every writer, although nothing is to be written.
  /// - Throws: The failure that the pool met, if the file keeps no log yet, which a reader cannot change.
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

  /// Uses a database that is open already.
  func open(_ writer: any DatabaseWriter) throws(StoreError) -> Opened {
    try opening(isNew: false) {
      try SchemaInspector.checkNames(of: inspector.entities)
      return try prepare(writer)
    }
  }

  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = options.isReadOnly
    configuration.busyMode = .timeout(options.busyTimeout.secondsToWait)
    configuration.label = "results.sqlite"
    if options.durability == .full {
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }
    return configuration
  }

  /// Looks at a file before anything is changed, so that a file that is refused stays as it is.
  private func look(at file: StoreFile) throws {
    var looking = Configuration()
    looking.busyMode = .timeout(options.busyTimeout.secondsToWait)
    // A connection that can write clears its log away when it is closed, but also what a crash left in one.
    looking.readonly = options.isReadOnly || file.hasUnfinishedWork
    do {
      try check(DatabaseQueue(path: databasePath, configuration: looking), file)
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_READONLY || error.resultCode == .SQLITE_CANTOPEN
    {
      // What a crash left behind can be recovered by a writer only.
      guard !options.isReadOnly, looking.readonly else { throw error }
      looking.readonly = false
      try check(DatabaseQueue(path: databasePath, configuration: looking), file)
    }
  }

  private func check(_ queue: DatabaseQueue, _ file: StoreFile) throws {
    defer { try? queue.close() }
    try queue.unsafeRead { database in
      let findings = try inspector.inspect(database)
      let pages = try database.integer("PRAGMA page_count")
      let expected = try pages * database.integer("PRAGMA page_size")
      if file.logSize == 0, Int64(file.size) < expected {
        throw OpenFailureError(
          .damaged(detail: "it has \(file.size) bytes where its header says \(expected)")
        )
      }
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
    // A pool writes into a file before it can be asked anything; by then the file must fit.
    if !queue.configuration.readonly, !options.onlyReads { _ = try prepare(queue) }
  }

  /// A store that is read only must fit as it is; columns that are too many do not matter.
  private func refuseToChange(_ findings: SchemaInspector.Findings) throws(OpenFailureError) {
    guard options.isReadOnly else { return }
    for change in findings.changes {
      let refusal: OpenFailure? =
        switch change {
        case .create(let entity):
          .schemaMismatch(
            entity: entity.name,
            detail: "there is no such table, and nothing may be made"
          )
        case .add(let attribute, let entity):
          .schemaMismatch(
            entity: entity.name,
            detail: "\(attribute.name) is new, and the store is open for reading only"
          )
        case .drop: nil
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
        let findings = try inspector.inspect(database)
        try refuseToChange(findings)
        return try opened(writer, findings, database)
      }
      // A file that needs no change is opened while another process writes into it.
      if let opened = try openUnchanged(writer, database) { return opened }
      // Whoever comes second waits here and finds the work done.
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

  /// What was opened, once it needs no change any more.
  private func opened(
    _ writer: some DatabaseWriter,
    _ findings: SchemaInspector.Findings,
    _ database: Database
  ) throws -> Opened {
    let tables = try inspector.tables(on: database)
    return Opened(
      writer: writer,
      tables: tables,
      identity: findings.identity,
      hasLog: try options.maintainsChangeLog != false && LogLayout(of: tables, on: database) != nil
    )
  }

  private func openUnchanged(_ writer: some DatabaseWriter, _ database: Database) throws -> Opened?
  {
    var opened: Opened?
    try database.inTransaction(.deferred) {
      let findings = try inspector.inspect(database)
      guard findings.changes.isEmpty,
        findings.format == StoreFormat.version || !keepsStore(findings)
      else { return .commit }
      let found = try self.opened(writer, findings, database)
      // Who only reads can do without the log; the next writer puts it in order.
      if found.hasLog == maintainsChangeLog(findings) || options.onlyReads { opened = found }
      return .commit
    }
    return opened
  }

  /// Whether the database has, or gets, the store's own tables.
  private func keepsStore(_ findings: SchemaInspector.Findings) -> Bool {
    findings.identity != nil || !options.adoptsTables || options.maintainsChangeLog == true
  }

  /// Whether the database gets a log, or keeps the one it has.
  private func maintainsChangeLog(_ findings: SchemaInspector.Findings) -> Bool {
    guard keepsStore(findings) else { return false }
    return options.maintainsChangeLog
      ?? (!isMemory && (!options.adoptsTables || findings.identity != nil))
  }

  private var isMemory: Bool { path.isEmpty || path == ":memory:" }

  private var databasePath: String { path.databasePath }

  private func migrate(_ database: Database) throws -> SchemaInspector.Findings {
    var findings = try inspector.inspect(database)
    if findings.identity == nil, keepsStore(findings) {
      try StoreFormat.create(on: database, adopted: options.adoptsTables)
    } else if let format = findings.format {
      try StoreFormat.upgrade(from: format, on: database)
    }
    let installer = LogInstaller(entities: inspector.entities)
    for change in findings.changes {
      if keepsStore(findings) { try installer.removeTriggers(of: change.entity, on: database) }
      try apply(change, to: database)
    }
    guard keepsStore(findings) else { return findings }
    for entity in inspector.entities {
      let recorded = try StoreFormat.recorded(entity.name, on: database)
      let isAdopted = findings.isAdopted || (findings.identity == nil && options.adoptsTables)
      if isAdopted {
        try StoreFormat.record(entity, keeping: recorded, on: database)
      } else if !findings.changes.isEmpty || recorded == nil {
        try StoreFormat.record(entity, on: database)
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
      try change.apply(to: database)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // Such as a column that an index of another program's uses.
      throw OpenFailureError(
        .schemaMismatch(entity: change.entity.name, detail: error.message ?? "no message")
      )
    }
  }

  /// Switching a new file to its log is refused at once, without waiting, while another process does the same.
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

  private func opening(
    isNew: Bool,
    _ body: () throws -> Opened
  ) throws(StoreError) -> Opened {
    do {
      return try body()
    } catch let error as OpenFailureError {
      throw .cannotOpen(path: path, error.failure)
    } catch {
      let code = SQLiteFailure(error)?.primaryCode
      if options.isReadOnly, code == SQLITE_READONLY || code == SQLITE_CANTOPEN {
        let detail = "reading it needs the right to make files in its folder"
        throw .cannotOpen(path: path, .noPermission(detail: detail))
      }
      throw StoreError(opening: path, error, waited: options.busyTimeout, isNew: isNew)
    }
  }
}

extension SchemaChange {
  fileprivate var entity: EntityDescription {
    switch self {
    case .create(let entity), .add(_, let entity), .drop(_, let entity): entity
    }
  }
}

extension Duration {
  /// The duration in seconds, as far as SQLite can wait: it counts milliseconds in 32 bits.
  fileprivate var secondsToWait: Double {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    return min(max(0, seconds), Double(Int32.max / 1000))
  }
}
