#if PostgreSQL
import Dispatch
public import ResultsDomain
public import ResultsStoreKit
import SQLStoreSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A store in a PostgreSQL database, for any number of writers on any number of machines.
///
/// An entity is the table of its name and an attribute the column of its name, as `docs/postgresql-schema.md` describes, so other programs
/// can read and write the tables. Triggers write what any connection commits into a log, from which the history lists it row by row.
/// Nothing is held between calls: no transaction, no temporary table and no replication slot. Readers may be connected to a hot standby.
public final class PostgreSQLStore: Store {
  /// The entities that the store was opened with, and the link entities of their relationships.
  public let entities: [EntityDescription]
  /// What the server is, and what it can do.
  let facts: ServerFacts
  let context: StoreContext
  let pool: ConnectionPool
  private let broadcaster = CommitBroadcaster()
  private let callExecutor = CallExecutor()
  private let expectations = Expectations()
  /// Notices commits of others while there are listeners.
  private let watch: any CommitWatch

  /// Opens the database that a URL names.
  /// - Parameters:
  ///   - url: The URL in libpq's form, `postgresql://user@host/database`, without a password: that comes from a password file, a service
  ///     file or the environment.
  ///   - entities: The entities to work with. The database may hold others.
  ///   - options: How the database is opened.
  /// - Throws: `StoreError.cannotOpen` with the reason, `StoreError.unreachable`; the database is then unchanged.
  public init(
    url: String,
    entities: [EntityDescription],
    options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws(StoreError) {
    var settings: ConnectionSettings
    do {
      settings = try ConnectionSettings(url: url)
    } catch {
      throw .cannotOpen(path: "The URL", .modelMismatch(detail: error.message))
    }
    settings.session = options.session
    let path = settings.name
    let entities = entities.withLinks
    self.entities = entities
    let patience = min(options.busyTimeout, .seconds(5))
    pool = ConnectionPool(
      settings,
      limit: options.connectionLimit,
      patience: patience,
      idleTime: options.idleTime,
      password: options.password
    )
    // The first read finds this connection, which has read the catalog.
    (facts, context) = try pool.with(.reading) { (connection) throws(StoreError) in
      let facts = try ServerFacts(on: connection, path: path)
      let opened = try PostgreSQLStore.open(entities, options, facts, path, on: connection)
      return (facts, opened)
    }
    watch = PostgreSQLStore.watch(context, pool, broadcaster)
    broadcaster.onActivityChange { [weak broadcaster, watch] in
      if broadcaster?.hasListeners == true { watch.start() } else { watch.stop() }
    }
  }

  /// Finds or creates the tables and the log.
  private static func open(
    _ entities: [EntityDescription],
    _ options: PostgreSQLStoreOptions,
    _ facts: ServerFacts,
    _ path: String,
    on connection: Connection
  ) throws(StoreError) -> StoreContext {
    let isWritable = !options.isReadOnly && !options.onlyReads && !facts.isStandby
    let (tables, uncaptured) = try SchemaOpening.open(
      entities,
      options: SchemaOptions(
        schema: options.schema,
        adoptsTables: options.adoptsTables,
        createsTables: options.createsTables ?? !options.adoptsTables,
        isWritable: isWritable,
        checksDates: options.checksDates,
        replacements: options.attributeReplacements,
        homes: options.homes
      ),
      path: path,
      on: connection
    )
    return StoreContext(
      path: path,
      tables: tables,
      options: options,
      changes: try changes(
        of: tables,
        restoring: uncaptured,
        options,
        isWritable: isWritable,
        path,
        on: connection
      ),
      isStandby: facts.isStandby
    )
  }

  /// Opens the log, and installs it unless the tables belong to an application; without one, snapshots are compared.
  private static func changes(
    of tables: StoreTables,
    restoring uncaptured: Set<Value>,
    _ options: PostgreSQLStoreOptions,
    isWritable: Bool,
    _ path: String,
    on connection: Connection
  ) throws(StoreError) -> any ChangeSource {
    if options.maintainsChangeLog != false {
      let mayInstall = isWritable && (options.maintainsChangeLog ?? tables.areOwn)
      let log = try ChangeLog.open(
        tables: tables,
        schema: options.logSchema,
        mayInstall: mayInstall,
        restoring: uncaptured,
        mode: options.capture == .byRow ? .row : nil,
        limits: ChangeLog.Limits(
          retention: options.logRetention,
          byteLimit: options.logByteLimit.map { Int64($0) }
        ),
        on: connection,
        path: path
      )
      if let log { return log }
    }
    return try SnapshotComparison(of: tables, on: connection, path: path)
  }

  private static func watch(
    _ context: StoreContext,
    _ pool: ConnectionPool,
    _ broadcaster: CommitBroadcaster
  ) -> any CommitWatch {
    guard let log = context.changes as? ChangeLog else {
      let changes = context.changes
      return SnapshotWatch { [weak broadcaster] in
        let hasNews = try? pool.with(.reading) { (connection) throws(StoreError) in
          try changes.hasNews(on: connection)
        }
        if hasNews == true { broadcaster?.notify() }
      }
    }
    return StoreWatch(
      log: log,
      connect: { () throws(PostgreSQLFailure) in try pool.openConnection() },
      onNews: { [weak broadcaster] in broadcaster?.notify() }
    )
  }

  deinit {
    watch.stop()
    _ = broadcaster.close()
    _ = pool.close()
  }

  /// Closes the store; calls that are running have a second to end before the server is asked to cancel them.
  ///
  /// Inside a closure of this store's read or commit it returns at once.
  public func close() throws(StoreError) {
    guard broadcaster.close() else { return }
    watch.stop()
    _ = pool.close()
    guard !BodyScope.isInside(broadcaster) else { return }
    for _ in 0..<100 where pool.isInUse { usleep(10_000) }
    pool.cancelAll()
  }

  // MARK: - Properties

  /// The URL without password and parameters, and the name that the database persists.
  public var identity: StoreIdentity {
    StoreIdentity(name: context.path, uniqueName: context.changes.uniqueName)
  }

  /// What the store can do.
  public var capabilities: StoreCapabilities {
    var capabilities = StoreCapabilities(
      historyCoverage: context.changes.coverage,
      isDurable: true,
      isReadOnly: context.options.isReadOnly || context.isStandby,
      answersPaths: true
    )
    capabilities.captureProblems = context.changes.problems
    capabilities.findsExtendedEntities = true
    capabilities.keepsZeroCharacters = false
    capabilities.assignsLargestKeyPlusOne = context.options.keyAssignment == .largest
    if case .concurrently = context.options.writing { capabilities.mayRepeatTransactions = true }
    return capabilities
  }

  /// The executor of blocking calls, for asynchronous callers.
  public var executor: (any TaskExecutor)? { callExecutor }

  private func checkOpen() throws(StoreError) {
    guard !broadcaster.isClosed else { throw .closed(path: context.path) }
  }

  // MARK: - Reading

  /// Runs a closure with one consistent version of the database.
  ///
  /// A read inside the closure sees the same version. Inside a transaction of this store a read sees what was committed before. If the
  /// connection is lost before the closure is called, another one is tried.
  /// - Throws: `StoreError.unreachable`, and what the closure throws.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try checkOpen()
    if let snapshot = BodyScope.snapshot(of: broadcaster) { return try body(snapshot) }
    var hasBegun = false
    do {
      return try readOnce(body, &hasBegun)
    } catch {
      guard !hasBegun, case .unreachable = error, !broadcaster.isClosed else { throw closed(error) }
    }
    pool.forgetIdle()
    do {
      return try readOnce(body, &hasBegun)
    } catch {
      throw closed(error)
    }
  }

  private func readOnce<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result,
    _ hasBegun: inout Bool
  ) throws(StoreError) -> Result {
    try pool.with(.reading) { (connection) throws(StoreError) in
      let pinned = try context.changes.begin(
        on: connection,
        opening: connection.opening(.reading)
      )
      hasBegun = true
      // Nobody waits for the end of a transaction that has only read.
      defer { try? connection.post([.commit]) }
      return try run(body, in: PostgreSQLSnapshot(connection, pinned, in: context, pool: pool))
    }
  }

  /// Runs the closure of a read.
  private func run<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result,
    in snapshot: PostgreSQLSnapshot
  ) throws(StoreError) -> Result {
    defer { snapshot.end() }
    let outcome = BodyScope.run(snapshot, of: broadcaster) {
      () -> Swift.Result<Result, StoreError> in
      do throws(StoreError) {
        return .success(try body(snapshot))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Runs a closure with the newest version that this object has seen, if it is still the present one, and otherwise as `read(_:)` does.
  ///
  /// Where nothing is committed meanwhile, no transaction is opened: every round trip returns the snapshot that it has seen.
  /// - Throws: As `read(_:)`.
  public func readOptimistically<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard BodyScope.snapshot(of: broadcaster) == nil, !broadcaster.isClosed, expectations.isWorth
    else { return try read(body) }
    let found: Result? = try pool.with(.reading) { (connection) throws(StoreError) -> Result? in
      guard let expected = context.changes.expectation(on: connection) else { return nil }
      let pinned = PinnedVersion(version: expected.version)
      do throws(StoreError) {
        return try connection.expecting(expected) { () throws(StoreError) -> Result in
          try run(body, in: PostgreSQLSnapshot(connection, pinned, in: context))
        }
      } catch {
        // Whatever went wrong goes wrong again, or was due to the version.
        expectations.miss()
        return nil
      }
    }
    guard let found else { return try read(body) }
    expectations.hit()
    return found
  }

  /// Whether it is worth while to expect a version: hardly, while others commit all the time.
  private final class Expectations: Sendable {
    /// How many reads do not try, and how many will not after the next miss.
    private let state = Mutex((pause: 0, next: 1))

    var isWorth: Bool {
      state.withLock { state in
        state.pause = max(0, state.pause - 1)
        return state.pause == 0
      }
    }

    func hit() { state.withLock { $0 = (0, 1) } }

    func miss() { state.withLock { $0 = ($0.next, min(64, $0.next * 2)) } }
  }

  /// The error of a call that the end of the store has ended.
  private func closed(_ error: StoreError) -> StoreError {
    guard broadcaster.isClosed else { return error }
    switch error {
    case .unreachable, .busy: return .closed(path: context.path)
    default: return error
    }
  }

  // MARK: - Writing

  /// Runs a closure as one transaction.
  ///
  /// The closure receives a `PostgreSQLTransaction`. With `Writing.inTurn` it runs once, after those of all stores over the database;
  /// with `Writing.concurrently` it can run several times.
  /// - Throws: `StoreError.busy` if another store's transaction takes too long, or inside another transaction of this store;
  ///   `StoreError.writeConflict` if another program changed the same rows meanwhile; `StoreError.commitOutcomeUnknown` if the connection breaks while the
  ///   transaction commits and the outcome cannot be found out.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: context.path) }
    guard !BodyScope.isInTransaction(broadcaster) else {
      throw .busy(path: context.path, waited: .zero)
    }
    do throws(StoreError) {
      return try pool.with(.writing) { (connection) throws(StoreError) in
        var attempts = 1
        if case .concurrently(let limit) = context.options.writing { attempts = max(1, limit) }
        while true {
          attempts -= 1
          let session = WriteSession(context: context, broadcaster: broadcaster, pool: pool)
          do throws(StoreError) {
            return try session.commit(origin: origin, on: connection, body)
          } catch {
            guard case .writeConflict = error, attempts > 0, connection.isUsable else {
              throw error
            }
          }
        }
      }
    } catch {
      throw closed(error)
    }
  }

  // MARK: - Observing

  /// A stream of notifications that the version may have grown.
  public func commitNotifications() -> AsyncStream<Void> { broadcaster.commitNotifications() }

  /// A stream of notifications of what the closure has not followed; the closure receives small commits of this object.
  public func commitNotifications(
    following follow: @escaping @Sendable (any StoreSnapshot) -> Bool
  ) -> AsyncStream<Void> {
    broadcaster.commitNotifications(following: follow)
  }

  /// Notes that the store's listeners no longer need the history up to a version.
  public func releaseHistory(through version: StoreVersion) {
    context.changes.release(through: version)
  }

  /// Checks now for commits of other writers.
  public func checkForExternalChanges() throws(StoreError) {
    try checkOpen()
    let hasNews = try pool.with(.reading) { (connection) throws(StoreError) in
      try context.changes.hasNews(on: connection)
    }
    if hasNews { broadcaster.notify() }
  }

  // MARK: - Maintenance

  /// Creates what is missing or was changed of the change log, its functions and its triggers; rows are not touched.
  /// - Throws: `StoreError.readOnly`, and `StoreError.cannotOpen` with what the database's owner must run, if the user has not the right.
  public func repair() throws(StoreError) {
    try checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: context.path) }
    guard let log = context.changes as? ChangeLog else { return }
    try pool.with(.writing) { (connection) throws(StoreError) in try log.repair(on: connection) }
  }

  /// The statements that opening a store would run on a database, for an administrator who wants to read them first.
  ///
  /// They are run and rolled back, so they are known to work, and nothing is left of them.
  /// - Parameters:
  ///   - url: The database's URL.
  ///   - entities: The entities that a store would be opened with.
  ///   - options: How it would be opened.
  /// - Returns: The statements in their order; none if nothing is missing.
  /// - Throws: As opening the store.
  public static func statements(
    url: String,
    entities: [EntityDescription],
    options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws(StoreError) -> [String] {
    let (pool, settings) = try onePool(url, options)
    defer { _ = pool.close() }
    return try pool.with(.writing) { (connection) throws(StoreError) in
      let facts = try ServerFacts(on: connection, path: settings.name)
      return try connection.rehearsing(
        { () throws(StoreError) in
          _ = try open(entities.withLinks, options, facts, settings.name, on: connection)
        },
        path: settings.name
      )
    }
  }

  /// Reads the attributes that users have added to an entity, before a program opens its store with them.
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - url: The database.
  ///   - options: How the store will be opened.
  /// - Returns: The attributes in the order in which they were added; none for a table that does not exist.
  /// - Throws: The connection's errors.
  package static func customAttributes(
    of entity: String,
    url: String,
    options: PostgreSQLStoreOptions
  ) throws(StoreError) -> [AttributeDescription] {
    let (pool, settings) = try onePool(url, options)
    defer { _ = pool.close() }
    return try pool.with(.reading) { (connection) throws(StoreError) in
      do throws(PostgreSQLFailure) {
        let reader = CatalogReader(connection: connection)
        let found = try reader.tables(named: [entity], in: options.schema)
        return found.table(named: entity)?.customAttributes ?? []
      } catch {
        throw error.storeError(path: settings.name, waited: options.busyTimeout)
      }
    }
  }

  /// A pool of one connection, for a question before a store is opened.
  private static func onePool(
    _ url: String,
    _ options: PostgreSQLStoreOptions
  ) throws(StoreError) -> (ConnectionPool, ConnectionSettings) {
    let settings: ConnectionSettings
    do {
      settings = try ConnectionSettings(url: url)
    } catch {
      throw .cannotOpen(path: "The URL", .modelMismatch(detail: error.message))
    }
    let pool = ConnectionPool(
      settings,
      limit: 1,
      patience: options.busyTimeout,
      password: options.password
    )
    return (pool, settings)
  }

  /// Creates the index from which a list can be read in its order, while others read and write.
  ///
  /// Where another session waits for the table meanwhile, such as for a change of the schema, it gives way and begins again. Afterwards the
  /// table's pages are examined, so that the index answers without the table; that needs the rights of its owner.
  /// - Parameter definition: The list's order, as from `ResultsDefinition.order()` or `ListExplanation.definition`.
  /// - Returns: The statement that was run, or `nil` if the list needs no index or none would help.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy`, `StoreError.diskFull`, `StoreError.unknownEntity`, and the server's errors. An
  ///   index that a failure leaves unfinished is dropped.
  /// - Complexity: O(*n* log *n*) in the rows of the table.
  @discardableResult
  public func createIndex(serving definition: OrderDefinition) throws(StoreError) -> String? {
    try checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: context.path) }
    let table = try context.tables.table(of: definition.entity)
    return try pool.with(.writing) { (connection) throws(StoreError) in
      let reader = TableReader(connection, tables: context.tables, path: context.path)
      return try OrderedRemedy(reader: reader).createIndex(for: definition, in: table, beside: pool)
    }
  }

  /// Runs blocking calls outside of Swift's cooperative threads, of which there are only as many as cores.
  private final class CallExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "results.postgresql.calls", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
#endif
