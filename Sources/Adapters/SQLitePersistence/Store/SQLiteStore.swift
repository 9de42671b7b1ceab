import Dispatch
public import GRDB
public import ResultsDomain

/// A store in an SQLite database: a file, memory, or a GRDB database that an application has open.
///
/// An entity is a table of its name and an attribute a column of its name, as `docs/sqlite-schema.md` tells, so other
/// programs can read and write the file. A store's own file keeps a log of changes: its history tells row by row what was
/// committed by whatever connection of whatever program. An application's database gets one only if `maintainsChangeLog` asks for
/// it; else commits of other processes and objects are noticed and told as a gap.
///
/// A borrowed writer serves one `SQLiteStore` without a log at a time: SQLite tells of changed rows to one listener only, and
/// a second store would turn the first one's history into gaps.
public final class SQLiteStore: Store {
  /// The database file's path, or `:memory:`.
  public let path: String
  /// The entities it was opened with.
  public let entities: [EntityDescription]
  let hearers: StoreHearers
  let followed: FollowedDatabase
  private let ownExecutor = StoreExecutor(label: "results.sqlite.calls")

  /// Opens the database of a file, and makes it if there is none.
  /// - Parameters:
  ///   - path: The file's path; `:memory:` is a database in memory.
  ///   - entities: The entities to work with. The file may hold others.
  ///   - options: How it is opened.
  /// - Throws: `StoreError.cannotOpen` with the reason; the file is then as it was.
  public convenience init(
    at path: String,
    entities: [EntityDescription],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    let opener = DatabaseOpener(path: path, entities: entities, options: options)
    let isMemory = path == ":memory:"
    let hearers = StoreHearers()
    let database = try OpenDatabase(
      isMemory ? opener.openMemory() : opener.openFile(),
      path: path,
      options: options,
      ownsWriter: true,
      hearers: hearers
    )
    self.init(database, entities, options) { (rewinds) throws(StoreError) in
      try OpenDatabase(
        opener.openFile(),
        path: path,
        options: options,
        ownsWriter: true,
        hearers: hearers,
        rewinds: rewinds
      )
    }
  }

  /// Uses a GRDB database that an application has open.
  ///
  /// The tables of the entities are used as they are, whoever made them. Nothing is added to the database, unless
  /// `createsTables` or `maintainsChangeLog` asks for it. Closing the store leaves the database open.
  /// - Parameters:
  ///   - writer: A `DatabasePool` or a `DatabaseQueue`.
  ///   - entities: The entities to work with.
  ///   - options: How it is opened; waiting for other writers and durability are the writer's own affair.
  /// - Throws: `StoreError.cannotOpen` with the reason; the database is then as it was.
  public convenience init(
    writer: any DatabaseWriter,
    entities: [EntityDescription],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    var options = options
    options.adoptsTables = true
    options.isReadOnly = options.isReadOnly || writer.configuration.readonly
    let opener = DatabaseOpener(path: writer.path, entities: entities, options: options)
    let database = try OpenDatabase(
      opener.open(writer),
      path: writer.path,
      options: options,
      ownsWriter: false,
      hearers: StoreHearers()
    )
    self.init(database, entities, options, open: nil)
  }

  /// A new store in memory, which ends with the object.
  /// - Throws: `StoreError.cannotOpen` for entities that no database can hold.
  public static func inMemory(
    entities: [EntityDescription],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(at: ":memory:", entities: entities, options: options)
  }

  private init(
    _ database: OpenDatabase,
    _ entities: [EntityDescription],
    _ options: SQLiteStoreOptions,
    open: FollowedDatabase.Opening?
  ) {
    path = database.path
    self.entities = entities
    hearers = database.core.hearers
    followed = FollowedDatabase(database, options: options, hearers: hearers, open: open)
  }

  deinit { _ = hearers.close() }
}

extension SQLiteStore {
  /// What the store is called: its path, and the name that its database keeps.
  ///
  /// It is another one after another file has taken the path.
  public var identity: StoreIdentity { followed.database.identity }

  /// What the store can do.
  public var capabilities: StoreCapabilities { followed.database.capabilities }

  var core: StoreCore { followed.database.core }

  var writer: any DatabaseWriter { followed.database.writer }

  var ownsWriter: Bool { followed.database.ownsWriter }

  /// Where blocking calls are run for asynchronous callers.
  public var executor: (any TaskExecutor)? { ownExecutor }

  /// Hints that the version may have grown.
  ///
  /// While somebody listens, commits of other processes are heard as well, and what happens to the file.
  public func commitNotifications() -> AsyncStream<Void> {
    defer { followed.database.keepLeaseSoon() }
    return hearers.commitNotifications()
  }

  /// Hints of what the closure has not followed; it is given commits of at most a few rows that this object made.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    defer { followed.database.keepLeaseSoon() }
    return hearers.commitNotifications(following: follow)
  }

  /// Keeps the log from a version on for those who listen, whoever else asked for more of it meanwhile.
  public func releaseHistory(through version: StoreVersion) {
    followed.database.core.catalog?.catchUp(to: version)
  }

  /// Looks for commits of other writers now, after the transaction that is running, and whether the path still names the file.
  /// - Throws: `StoreError.closed`; `StoreError.cannotOpen` if the path names no file that the store can work with.
  public func checkForExternalChanges() throws(StoreError) {
    followed.checkFile()
    try followed.serving { (database, _) throws(StoreError) in
      try database.checkForExternalChanges()
    }
  }

  /// Closes the store; a database that was opened by it is closed too, after the calls that are running.
  ///
  /// Called in a closure of the store's own, it returns at once, and the database is closed when that closure has ended.
  public func close() throws(StoreError) { try followed.close() }
}

extension SQLiteStore {
  /// Runs a closure with one consistent version of the database.
  ///
  /// A read inside the closure is answered from the same version. Inside a transaction of this store it sees what was
  /// committed before, in a file; a database in memory has one connection, and such a read is refused.
  /// - Throws: `StoreError.busy` for a read that would wait for itself, and what the closure throws.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard !hearers.isClosed else { throw .closed(path: path) }
    if let snapshot = BodyScope.snapshot(of: hearers) { return try body(snapshot) }
    defer { followed.closeIfDue() }
    return try followed.serving { (database, begin) throws(StoreError) in
      try database.read { (snapshot) throws(StoreError) in
        begin()
        return try body(snapshot)
      }
    }
  }
}

extension OpenDatabase {
  /// Runs a closure with one consistent version of the database.
  func read<Result>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try core.checkOpen()
    return try core.translating {
      try withVersion { database, pinned in
        let access = SnapshotAccess(database, pinned, of: core)
        defer { access.end() }
        let snapshot = SQLiteSnapshot(access)
        return try BodyScope.run(snapshot, of: core) { try body(snapshot) }
      }
    }
  }

  /// Runs a closure in a read transaction whose version is known exactly.
  ///
  /// A commit of this object that is being made while the snapshot is taken leaves open on which side the snapshot is: then it
  /// is taken again.
  private func withVersion<Result>(
    _ body: (Database, StoreCore.Pinned) throws -> Result
  ) throws -> Result {
    for _ in 0..<10_000 {
      // A log tells the version itself.
      if core.catalog == nil, !waitForCommit() { continue }
      let outcome: Result? = try withConnection { database, reading in
        guard let pinned = try core.pin(database, knownTo: reading) else { return nil }
        defer { core.unpin(database) }
        return .some(try body(database, pinned))
      }
      if let outcome { return outcome }
      if core.catalog != nil { _ = waitForCommit() }
    }
    throw StoreError.busy(path: path, waited: core.busyTimeout)
  }

  /// Waits for the commit that is being made.
  /// - Returns: Whether there is none any more.
  private func waitForCommit() -> Bool {
    guard !core.waitForCommit() else { return true }
    writer.unsafeReentrantWrite { core.reconcile(with: $0) }
    return false
  }

  /// Runs a closure with a connection that is in no transaction: the store's own, or one of the pool's.
  private func withConnection<Result>(
    _ body: (Database, ReadingConnection?) throws -> Result
  ) throws -> Result {
    if let reading, let outcome = try reading.read({ try body($0, reading) }) { return outcome }
    let outcome: Result? = try writer.unsafeReentrantRead { database in
      if !database.isInsideTransaction { return .some(try body(database, nil)) }
      // Inside a transaction of the writer, GRDB hands over the writer's connection, which sees what is not committed.
      guard writer is DatabasePool, core.isWriter(database) else {
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

extension SQLiteStore {
  /// Runs a closure as one transaction, after those that are running.
  ///
  /// The closure is given a `SQLiteTransaction`. Net changes are told exactly, also those that triggers, foreign keys and the
  /// application's own statements make in rows of the store's entities.
  /// - Throws: `StoreError.busy` if another process keeps the database, or inside another transaction of this store.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    defer { followed.closeIfDue() }
    do {
      return try followed.serving { (database, begin) throws(StoreError) in
        try database.commit(origin: origin) { transaction in
          begin()
          return try body(transaction)
        }
      }
    } catch {
      if case .inputOutput = error { followed.noticeFile() }
      throw error
    }
  }
}

extension OpenDatabase {
  /// Runs a closure as one transaction.
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try core.checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: path) }
    return try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else {
          throw StoreError.busy(path: path, waited: .zero)
        }
        try core.checkOpen()
        core.reconcile(with: database)
        try database.beginTransaction(.immediate)
        do {
          return try commit(origin: origin, body, on: database)
        } catch {
          if database.isInsideTransaction { try? database.rollback() }
          core.didRollback(on: database)
          core.mendStrayCommit(on: database)
          throw error
        }
      }
    }
  }

  private func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result,
    on database: Database
  ) throws -> Committed<Result> {
    // From here on nobody else can commit, so what is noticed now came before.
    let start = try core.startCommit(on: database)
    let pinned = StoreCore.Pinned(version: start?.version ?? core.version, position: start)
    let access = SnapshotAccess(database, pinned, of: core, committed: writer)
    let transaction = SQLiteTransaction(access)
    defer { transaction.end() }
    let result = try BodyScope.run(nil, of: core) { try body(transaction) }
    guard database.isInsideTransaction else {
      throw StoreError.unexpected(path: path, detail: "the closure ended its own transaction")
    }
    let changes = try core.finishCommit(start, origin: origin, on: database)
    if !ownsWriter, let changes {
      // Statements that are stepped through SQLite itself pass GRDB's observers by.
      for place in changes.keys.sorted() {
        try database.notifyChanges(in: Table(core.tables.all[place].entity.name))
      }
    }
    try core.checkFile(of: database)
    let version = core.preparedVersion(start)
    core.holdHints()
    defer {
      let count = changes.map { $0.values.reduce(0) { $0 + $1.count } }
      core.releaseHints(changing: count, on: database)
    }
    try database.commit()
    core.settle(on: database)
    return Committed(result: result, version: version ?? core.version)
  }
}

extension SQLiteStore {
  /// Makes the index that spares a list its sorting, if there is one that SQLite would use.
  /// - Parameter definition: The list's order: `ResultsDefinition.order()` gives it, as does `ListExplanation.definition`.
  /// - Returns: The statement that was run, or `nil` if the list needs none or none would help.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy`, `StoreError.diskFull`, `StoreError.unknownEntity`, and whatever else a commit
  ///   throws.
  /// - Complexity: O(*n* log *n*) in the rows of the table; other writers wait meanwhile.
  @discardableResult
  public func createIndex(serving definition: OrderDefinition) throws(StoreError) -> String? {
    try commit(origin: .unnamed) { transaction -> String? in
      guard let transaction = transaction as? SQLiteTransaction,
        let statement = try transaction.access.plan(of: definition).remedy
      else { return nil }
      try transaction.withDatabase { try $0.execute(sql: statement) }
      return statement
    }.result
  }
}

extension SQLiteStore {
  /// Makes anew what the store itself keeps in the database: the log of changes and the triggers that write it.
  ///
  /// Entities' tables and everything of an application are left alone. Whoever follows the history then finds a gap, and reads
  /// again.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy` while another process writes, `StoreError.damaged`.
  public func repair() throws(StoreError) {
    try core.checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: path) }
    guard core.catalog != nil else { return }
    try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else {
          throw StoreError.busy(path: path, waited: .zero)
        }
        try core.rebuildLog(on: database)
      }
    }
  }
}

/// Runs blocking calls of a store outside of Swift's cooperative threads, which are as few as the cores.
final class StoreExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
