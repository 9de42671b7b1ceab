import Dispatch
public import GRDB
public import ResultsDomain
public import ResultsStoreKit

/// A store in an SQLite database: a file, memory, or a GRDB database that an application has open.
///
/// An entity is the table of its name and an attribute the column of its name, as `docs/sqlite-schema.md` describes, so other programs can
/// read and write the file. A store's own file has a change log: its history lists row by row what any connection of any program has
/// committed. An application's database gets a log only with the option `maintainsChangeLog`; without one, commits of other processes and
/// objects are noticed and reported as a gap.
///
/// Only one `SQLiteStore` without a log may use a borrowed writer at a time: SQLite reports changed rows to one hook only, and a second store
/// would turn the first one's history into gaps.
public final class SQLiteStore: Store {
  /// The database file's path, or `:memory:`.
  public let path: String
  /// The entities that the store was opened with, and the link entities of their relationships.
  public let entities: [EntityDescription]
  let follower: FollowedDatabase
  private let broadcaster: CommitBroadcaster
  private let callExecutor = CallExecutor()

  // MARK: - Opening

  /// Opens the database in a file, and creates the file if it does not exist.
  /// - Parameters:
  ///   - path: The file's path; `:memory:` is a database in memory.
  ///   - entities: The entities to work with. The file may hold others.
  ///   - options: How the database is opened.
  /// - Throws: `StoreError.cannotOpen` with the reason; the file is then unchanged.
  public convenience init(
    at path: String,
    entities: [EntityDescription],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    try self.init(at: path, entities: entities, options: options, beside: nil)
  }

  private convenience init(
    at path: String,
    entities: [EntityDescription],
    options: SQLiteStoreOptions,
    beside held: HeldFile?
  ) throws(StoreError) {
    let entities = entities.withLinks
    let opener = DatabaseOpener(path: path, entities: entities, options: options)
    let broadcaster = CommitBroadcaster()
    let database = try OpenDatabase(
      path == ":memory:" ? opener.openMemory() : opener.openFile(beside: held),
      path: path,
      options: options,
      ownsWriter: true,
      broadcaster: broadcaster
    )
    self.init(database, entities, options) { (rewinds) throws(StoreError) in
      try OpenDatabase(
        opener.openFile(),
        path: path,
        options: options,
        ownsWriter: true,
        broadcaster: broadcaster,
        rewinds: rewinds
      )
    }
  }

  /// Uses a GRDB database that an application has open.
  ///
  /// The tables of the entities are used as they are. Nothing is added to the database except with the options
  /// `createsTables` and `maintainsChangeLog`. Closing the store leaves the database open.
  /// - Parameters:
  ///   - writer: A `DatabasePool` or a `DatabaseQueue`.
  ///   - entities: The entities to work with.
  ///   - options: How the database is opened; the busy timeout and the durability are those of the writer.
  /// - Throws: `StoreError.cannotOpen` with the reason; the database is then unchanged.
  public convenience init(
    writer: any DatabaseWriter,
    entities: [EntityDescription],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    let entities = entities.withLinks
    var options = options
    options.adoptsTables = true
    options.isReadOnly = options.isReadOnly || writer.configuration.readonly
    let opener = DatabaseOpener(path: writer.path, entities: entities, options: options)
    let database = try OpenDatabase(
      opener.open(writer),
      path: writer.path,
      options: options,
      ownsWriter: false,
      broadcaster: CommitBroadcaster()
    )
    self.init(database, entities, options, open: nil)
  }

  /// Opens a database of another application with entities that were discovered in it.
  ///
  /// Nothing is written, neither into the file nor beside it, unless a change log is asked for. Without a log the commits of all
  /// writers are followed by comparison.
  /// - Parameters:
  ///   - database: The description of the database.
  ///   - entities: Entities of the description.
  ///   - busyTimeout: How long to wait for another writer.
  ///   - addsChangeLog: Whether the database gets a change log, by which every writer is followed row by row. A view has none.
  /// - Throws: `StoreError.cannotOpen` with the reason, also if the schema has changed since; the file is then unchanged.
  public convenience init(
    discovered database: DatabaseDescription,
    entities: [EntityDescription],
    busyTimeout: Duration = .seconds(5),
    addsChangeLog: Bool = false
  ) throws(StoreError) {
    var options = SQLiteStoreOptions(
      isReadOnly: !addsChangeLog,
      adoptsTables: true,
      checksDates: false,
      busyTimeout: busyTimeout,
      maintainsChangeLog: addsChangeLog ? true : nil
    )
    options.isDiscovered = true
    try self.init(
      at: database.path,
      entities: entities,
      options: options,
      beside: database.held
    )
  }

  /// Opens a database that an application has open with entities that were discovered in it.
  ///
  /// Tables are used as they are, whatever their columns hold and whatever identifies their rows. What the application commits through
  /// the writer is in the store's history, row by row. Closing the store leaves the database open.
  /// - Parameters:
  ///   - database: The description of the database, from `DatabaseDescription(of:views:form:)`.
  ///   - writer: The `DatabasePool` or the `DatabaseQueue` that was described.
  ///   - entities: Entities of the description.
  ///   - options: How the database is opened, as for `init(writer:entities:options:)`; missing tables are never created.
  /// - Throws: `StoreError.cannotOpen` with the reason, also if the schema has changed since; the database is then unchanged.
  public convenience init(
    discovered database: DatabaseDescription,
    in writer: any DatabaseWriter,
    entities: [EntityDescription],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    var options = options
    options.isDiscovered = true
    options.createsTables = false
    options.checksDates = false
    try self.init(writer: writer, entities: entities, options: options)
  }

  /// A new store in memory, whose content ends with the object.
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
    broadcaster = database.context.broadcaster
    follower = FollowedDatabase(database, options: options, open: open)
  }

  deinit { _ = broadcaster.close() }

  /// Closes the store; a database that it opened is closed too, after the calls that are running.
  ///
  /// Inside a closure of this store's read or commit it returns at once, and the database is closed when that closure has ended.
  public func close() throws(StoreError) { try follower.close() }

  // MARK: - Properties

  /// The database that is open at present.
  var database: OpenDatabase { follower.database }

  /// The store's path, and the name that its database persists.
  ///
  /// It changes when another file takes the path.
  public var identity: StoreIdentity { database.identity }

  /// What the store can do.
  public var capabilities: StoreCapabilities {
    let database = database
    var capabilities = database.capabilities
    if database.session.log?.log.isMisfit == true {
      capabilities.historyCoverage = .thisStore
      capabilities.captureProblems = [ChangeLog.problem]
    }
    return capabilities
  }

  /// The executor of blocking calls, for asynchronous callers.
  public var executor: (any TaskExecutor)? { callExecutor }

  /// Whether copies of the file are read, so that no writer ever finds it locked by this store.
  package var readsCopies: Bool { database.context.foreignFile?.isReadDirectly == false }

  /// Whether the file belongs to others, has a rollback journal, and is read itself because it is too large for a copy: then a writer that
  /// does not wait may find it locked.
  package var isReadDirectly: Bool { database.context.foreignFile?.isReadDirectly == true }

  // MARK: - Reading and writing

  /// Runs a closure with one consistent version of the database.
  ///
  /// A read inside the closure sees the same version. Inside a transaction of this store a read sees what was committed before, if the
  /// database is in a file; a database in memory has one connection and refuses such a read.
  /// - Throws: `StoreError.busy` for a read that would wait for itself, and what the closure throws.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard !broadcaster.isClosed else { throw .closed(path: path) }
    if let snapshot = BodyScope.snapshot(of: broadcaster) { return try body(snapshot) }
    defer { follower.closeIfPending() }
    return try follower.withDatabase { (database, begin) throws(StoreError) in
      try database.read { (snapshot) throws(StoreError) in
        begin()
        return try body(snapshot)
      }
    }
  }

  /// Runs a closure as one transaction, after those that are running.
  ///
  /// The closure receives a `SQLiteTransaction`. The history lists the exact net changes, including those that triggers, foreign keys and the
  /// application's statements make in rows of the store's entities.
  /// - Throws: `StoreError.busy` if another process keeps the database locked, or inside another transaction of this store.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    defer { follower.closeIfPending() }
    do {
      return try follower.withDatabase { (database, begin) throws(StoreError) in
        try database.session.commit(origin: origin) { transaction in
          begin()
          return try body(transaction)
        }
      }
    } catch {
      if case .inputOutput = error { follower.checkFileSoon() }
      throw error
    }
  }

  // MARK: - Observing

  /// A stream of notifications that the version may have grown.
  ///
  /// While it has a consumer, commits of other processes and changes of the file itself are noticed too.
  public func commitNotifications() -> AsyncStream<Void> {
    defer { database.maintainLeaseSoon() }
    return broadcaster.commitNotifications()
  }

  /// A stream of notifications of what the closure has not followed; the closure receives small commits of this object.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    defer { database.maintainLeaseSoon() }
    return broadcaster.commitNotifications(following: follow)
  }

  /// Notes that the store's listeners no longer need the history up to a version.
  public func releaseHistory(through version: StoreVersion) {
    database.session.log?.log.releaseHistory(through: version)
  }

  /// Checks now for commits of other writers, after the transaction that is running, and whether the path still names the file.
  /// - Throws: `StoreError.closed`; `StoreError.cannotOpen` if the path names no file that the store can work with.
  public func checkForExternalChanges() throws(StoreError) {
    follower.checkFile()
    try follower.withDatabase { (database, _) throws(StoreError) in
      try database.checkForExternalChanges()
    }
    // The check may have found that the file must be opened again.
    follower.checkFile()
  }

  // MARK: - Maintenance

  /// Creates the index that lets a list be read without sorting, if there is one that SQLite would use.
  /// - Parameter definition: The list's order, as from `ResultsDefinition.order()` or `ListExplanation.definition`.
  /// - Returns: The statement that was run, or `nil` if the list needs no index or none would help.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy`, `StoreError.diskFull`, `StoreError.unknownEntity`, and the other errors of a commit.
  /// - Complexity: O(*n* log *n*) in the rows of the table; other writers wait meanwhile.
  @discardableResult
  public func createIndex(serving definition: OrderDefinition) throws(StoreError) -> String? {
    try commit(origin: .unnamed) { transaction -> String? in
      guard let transaction = transaction as? SQLiteTransaction,
        let statement = try transaction.snapshot.plan(of: definition).remedy
      else { return nil }
      try transaction.withDatabase { try $0.execute(sql: statement) }
      return statement
    }.result
  }

  /// Rebuilds the store's internal data in the database: the change log and the triggers that write it.
  ///
  /// The entities' tables and everything of an application stay untouched. The history gets a gap, after which lists are read again.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy` while another process writes, `StoreError.damaged`.
  public func repair() throws(StoreError) {
    let database = database
    try database.context.checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: path) }
    guard let log = database.session.log else { return }
    try database.context.translating {
      try database.writer.unsafeReentrantWrite { connection in
        guard !connection.isInsideTransaction else {
          throw StoreError.busy(path: path, waited: .zero)
        }
        try log.rebuild(on: connection, in: database.session)
      }
    }
  }

  /// Runs blocking calls outside of Swift's cooperative threads, of which there are only as many as cores.
  private final class CallExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "results.sqlite.calls", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
