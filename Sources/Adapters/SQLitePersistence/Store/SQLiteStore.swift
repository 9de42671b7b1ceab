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
