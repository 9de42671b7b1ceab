import Dispatch
public import GRDB
public import ResultsDomain

/// A store in an SQLite database: a file, memory, or a GRDB database that an application has open.
///
/// An entity is a table of its name and an attribute a column of its name, as `docs/sqlite-schema.md` tells, so other
/// programs can read and write the file. The history tells row by row what was committed through this object or through the
/// GRDB writer it was given; commits of other processes and objects are noticed and told as a gap.
///
/// A borrowed writer serves one `SQLiteStore` at a time: SQLite tells of changed rows to one listener only, and a second store
/// would turn the first one's history into gaps.
public final class SQLiteStore: Store {
  /// What the store is called: its path.
  public let identity: StoreIdentity
  /// What the store can do.
  public let capabilities: StoreCapabilities
  /// The database file's path, or `:memory:`.
  public let path: String
  let core: StoreCore
  let writer: any DatabaseWriter
  private let observer: CommitObserver
  let ownsWriter: Bool
  private let ownExecutor = StoreExecutor(label: "results.sqlite.calls")
  private let timerQueue = DispatchQueue(label: "results.sqlite.poll")

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
    try self.init(
      isMemory ? opener.openMemory() : opener.openFile(),
      path: path,
      options: options,
      ownsWriter: true
    )
  }

  /// Uses a GRDB database that an application has open.
  ///
  /// Tables of the entities' names that are there already are used as they are, whoever made them; others are made. Nothing
  /// else is added. Closing the store leaves the database open.
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
    try self.init(opener.open(writer), path: writer.path, options: options, ownsWriter: false)
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
    _ opened: DatabaseOpener.Opened,
    path: String,
    options: SQLiteStoreOptions,
    ownsWriter: Bool
  ) throws(StoreError) {
    self.path = path
    self.ownsWriter = ownsWriter
    writer = opened.writer
    let core = StoreCore(path: path, tables: opened.tables, options: options)
    self.core = core
    let observer = CommitObserver(core)
    self.observer = observer
    let isMemory = path.isEmpty || path == ":memory:"
    identity = StoreIdentity(
      name: path,
      uniqueName: "sqlite-" + (opened.identity ?? StoreFile.canonicalName(of: path, isMemory))
    )
    capabilities = StoreCapabilities(
      historyCoverage: isMemory && ownsWriter ? .everyWriter : .thisStore,
      isDurable: !isMemory,
      isReadOnly: options.isReadOnly
    )
    try core.translating {
      try opened.writer.unsafeReentrantWrite { database in
        try core.begin(on: database)
        if !options.isReadOnly { database.add(transactionObserver: observer) }
      }
    }
    if !isMemory, let interval = options.pollInterval { poll(every: interval) }
  }

  deinit { _ = core.close() }
}

extension SQLiteStore {
  /// The entities it was opened with.
  public var entities: [EntityDescription] { core.tables.entities }

  /// Where blocking calls are run for asynchronous callers.
  public var executor: (any TaskExecutor)? { ownExecutor }

  /// Hints that the version may have grown.
  public func hints() -> AsyncStream<Void> { core.hints() }

  /// Looks for commits of other writers now, after the transaction that is running.
  /// - Throws: `StoreError.closed`.
  public func lookForOtherWriters() throws(StoreError) {
    try core.checkOpen()
    try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else { return }
        core.reconcile(with: database)
        try core.noteOtherWriters(on: database)
      }
    }
  }

  /// Closes the store; a database that was opened by it is closed too, after the calls that are running.
  public func close() throws(StoreError) {
    guard core.close() else { return }
    if ownsWriter {
      try core.translating { try writer.close() }
    } else {
      writer.asyncWriteWithoutTransaction { [observer] in $0.remove(transactionObserver: observer) }
    }
  }

  /// Looks for other writers again and again, as long as the store is there and open.
  private func poll(every interval: Duration) {
    let pause = DispatchTimeInterval.microseconds(interval.wholeMicroseconds)
    timerQueue.asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self, !core.isClosed else { return }
      // A transaction that is running is waited for by nobody; the next look comes after this one.
      writer.asyncWriteWithoutTransaction { [weak self] database in
        guard let self, !core.isClosed else { return }
        if !database.isInsideTransaction {
          core.reconcile(with: database)
          try? core.noteOtherWriters(on: database)
        }
        poll(every: interval)
      }
    }
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int {
    let (seconds, attoseconds) = components
    let whole = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !whole.overflow else { return .max }
    return Int(clamping: max(1000, whole.partialValue + attoseconds / 1_000_000_000_000))
  }
}
