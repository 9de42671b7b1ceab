import CSQLiteHooks
import GRDB
import ResultsDomain

/// One version of a store, for the time of a closure.
final class SQLiteSnapshot: StoreSnapshot {
  private let access: SnapshotAccess

  init(_ access: SnapshotAccess) { self.access = access }

  var version: StoreVersion { access.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try access.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try access.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.digests(of: definition, attributes: attributes, body)
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try access.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try access.history(since: version, of: entity)
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try access.plan(of: definition)
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try access.orderedSource(of: definition)
  }

  func bookmark() throws(StoreError) -> StoreBookmark? { try access.bookmark() }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    try access.version(at: bookmark)
  }
}

/// A connection within a transaction, for as long as the closure around it runs.
final class SnapshotAccess {
  let core: StoreCore
  let version: StoreVersion
  /// Where the version is in the database's log, if the history is read from it.
  let position: LogCatalog.Position?
  private var database: Database?
  /// Where the version can be read without what the transaction has done, if it packs its changes only in the end.
  private let committed: (any DatabaseReader)?
  /// Lists that an index answers for; they hold statements, which must not outlive the connection.
  private var sources: [SQLiteOrderedSource] = []

  /// An access; that of a transaction is also given the database, to read what is committed.
  init(
    _ database: Database,
    _ pinned: StoreCore.Pinned,
    of core: StoreCore,
    committed: (any DatabaseReader)? = nil
  ) {
    self.database = database
    self.committed = committed is DatabasePool ? committed : nil
    version = pinned.version
    position = pinned.position
    self.core = core
  }

  /// Ends the use; what is asked afterwards fails.
  func end() {
    database = nil
    for source in sources { source.end() }
    sources = []
  }

  /// Runs a closure with the table of an entity.
  func with<Result>(
    _ entity: EntityDescription,
    _ body: (Database, EntityTable) throws -> Result
  ) throws(StoreError) -> Result {
    let table = try core.tables.table(of: entity)
    return try with { try body($0, table) }
  }

  /// Runs a closure with the connection.
  func with<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    guard let database else {
      throw .unexpected(
        path: core.path,
        detail: "a snapshot was used after its closure had returned"
      )
    }
    return try core.translating { try body(database) }
  }

  /// Runs a closure with a connection that sees the version, and maybe what the log has of the transaction.
  private func withCommitted<Result>(_ body: (Database) throws -> Result) throws(StoreError)
    -> Result
  {
    guard let committed else { return try with(body) }
    // Nobody else can commit while the transaction runs, so that every reader sees the same version.
    return try core.translating { try committed.unsafeRead(body) }
  }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try with(entity) { try reader($0).rows(keys, of: $1) }
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with(definition.entity) { database, table in
      try reader(database).entries(of: definition, in: table) { try body($0) }
    }
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    do {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    return try with(entity) { try reader($0).count(of: $1, where: predicate) }
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with(definition.entity) { database, table in
      try reader(database)
        .digests(of: definition, in: table, attributes: attributes) { try body($0) }
    }
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with(definition.entity) { database, table in
      try AggregateReader(aggregates, of: definition, in: table, on: database)
        .groups(byFirst: columns) { try body($0) }
    }
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    guard let catalog = core.catalog, let position,
      let table = core.tables.all.first(where: { $0.entity == entity })
    else { return core.history(after: version, through: self.version, of: entity) }
    guard version.epoch == self.version.epoch else {
      return .gap(version.epoch == core.version.epoch ? .schemaChanged : .otherEpoch)
    }
    guard version.sequence <= self.version.sequence else { return .gap(.otherEpoch) }
    let own = catalog.ownRecords(
      after: version.sequence,
      through: self.version,
      ofTable: table.index
    )
    if let own { return .commits(own) }
    return try withCommitted { database in
      let reader = LogReader(
        database: database,
        tables: core.tables,
        table: table,
        layout: position.layout,
        writer: catalog.writer
      )
      return try reader.history(after: version, through: self.version)
    }
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try with(definition.entity) { database, table in
      try PlanReader(of: definition, in: table, on: database).plan()
    }
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try with(definition.entity) { database, table in
      let cookie = try position?.cookie ?? database.integer("PRAGMA main.schema_version")
      let plan = try core.orders.plan(of: definition, in: table, on: database, cookie: cookie)
      guard let plan else { return nil }
      if let known = sources.first(where: { $0.plan === plan }) { return known }
      let source = SQLiteOrderedSource(plan, of: definition, in: table, self)
      sources.append(source)
      return source
    }
  }

  func bookmark() throws(StoreError) -> StoreBookmark? {
    guard position != nil else { return nil }
    return try with { database in
      try stamp(of: version.sequence, on: database).map { stamp in
        StoreBookmark(store: core.uniqueName, sequence: version.sequence, stamp: stamp)
      }
    }
  }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    guard position != nil, Value.text(bookmark.store) == Value.text(core.uniqueName),
      bookmark.sequence <= version.sequence
    else { return nil }
    return try with { database in
      guard try stamp(of: bookmark.sequence, on: database) == bookmark.stamp else { return nil }
      return StoreVersion(epoch: version.epoch, sequence: bookmark.sequence)
    }
  }

  /// The random number that was drawn with a row of the log, or `nil` if it is not there any more, or is no number.
  private func stamp(of sequence: UInt64, on database: Database) throws -> UInt64? {
    let statement = try PreparedStatement(
      "SELECT stamp FROM main._results_log WHERE sequence = ? AND typeof(stamp) = 'integer'",
      on: database
    )
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: sequence)), at: 1)
    guard try statement.step() else { return nil }
    return UInt64(bitPattern: sqlite3_column_int64(statement.pointer, 0))
  }

  private func reader(_ database: Database) -> TableReader {
    TableReader(database: database, tables: core.tables)
  }
}

/// The closure of a read or a transaction that is running on this thread.
///
/// A read inside a read is answered from the same snapshot: SQLite's connections are not reentrant.
final class BodyScope {
  /// What is read; nothing in a transaction, which is no version yet.
  private let snapshot: SQLiteSnapshot?
  private let core: StoreCore
  private let outer: UnsafeMutableRawPointer?

  private init(_ snapshot: SQLiteSnapshot?, of core: StoreCore) {
    self.snapshot = snapshot
    self.core = core
    outer = results_thread_slot()
  }

  /// Runs the closure of a read, or of a transaction, which has no snapshot.
  static func run<Result>(
    _ snapshot: SQLiteSnapshot?,
    of core: StoreCore,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let scope = BodyScope(snapshot, of: core)
    results_set_thread_slot(Unmanaged.passUnretained(scope).toOpaque())
    defer {
      results_set_thread_slot(scope.outer)
      withExtendedLifetime(scope) {}
    }
    return try body()
  }

  /// The snapshot of the innermost read of a store around the running code.
  ///
  /// A store is known by its hearers: what it has open may have become another database since the read began.
  static func snapshot(of hearers: StoreHearers) -> SQLiteSnapshot? {
    first { $0.core.hearers === hearers && $0.snapshot != nil }?.snapshot
  }

  /// Whether the running code is in a closure of a store.
  static func isInside(_ hearers: StoreHearers) -> Bool {
    first { $0.core.hearers === hearers } != nil
  }

  private static func first(where isMeant: (BodyScope) -> Bool) -> BodyScope? {
    var place = results_thread_slot()
    while let pointer = place {
      let scope = Unmanaged<BodyScope>.fromOpaque(pointer).takeUnretainedValue()
      if isMeant(scope) { return scope }
      place = scope.outer
    }
    return nil
  }
}
