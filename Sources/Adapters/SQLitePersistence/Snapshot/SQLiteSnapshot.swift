import CSQLiteHooks
import GRDB
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// One version of a store, as a connection's transaction sees it, for as long as the closure around it runs.
final class SQLiteSnapshot: StoreSnapshot {
  let session: CommitSession
  let version: StoreVersion
  /// Where the version is in the change log, if the history is read from it.
  let position: ChangeLog.Position?
  private var database: Database?
  /// Reads the version without what the transaction has written, if the transaction packs its changes only at its end.
  private let committed: (any DatabaseReader)?
  /// Lists that an index answers for; they hold statements, which must not outlive the connection.
  private var sources: [SQLiteOrderedSource] = []
  /// The tables that are known to fit their entities in this version.
  private var checkedTables: Set<Int> = []

  /// A snapshot of a transaction that is open.
  /// - Parameters:
  ///   - database: The connection.
  ///   - pinned: The version that it sees.
  ///   - session: The database's session.
  ///   - committed: For a write transaction the database, to read what is committed.
  init(
    _ database: Database,
    _ pinned: CommitSession.Pinned,
    of session: CommitSession,
    committed: (any DatabaseReader)? = nil
  ) {
    self.database = database
    self.committed = committed is DatabasePool ? committed : nil
    version = pinned.version
    position = pinned.position
    self.session = session
  }

  /// Ends the use; later calls fail.
  func end() {
    database = nil
    for source in sources { source.end() }
    sources = []
  }

  var context: StoreContext { session.context }

  // MARK: - Connections

  /// Runs a closure with the connection.
  func with<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    guard let database else {
      throw .unexpected(
        path: context.path,
        detail: "a snapshot was used after its closure had returned"
      )
    }
    return try context.translating { try body(database) }
  }

  /// Runs a closure with the connection and the table of an entity.
  func with<Result>(
    _ entity: EntityDescription,
    _ body: (Database, EntityTable) throws -> Result
  ) throws(StoreError) -> Result {
    let table = try context.tables.table(of: entity)
    return try with { database in
      if checkedTables.insert(table.index).inserted { try check(table, on: database) }
      return try body(database, table)
    }
  }

  /// Checks a table, unless that was done in this version of the schema.
  private func check(_ table: EntityTable, on database: Database) throws {
    do {
      try context.tableChecks.check(
        table,
        orView: context.options.isDiscovered,
        on: database,
        cookie: schemaVersion(on: database)
      )
    } catch {
      checkedTables.remove(table.index)
      throw error
    }
  }

  /// Runs a closure with a connection that sees the version, and may see what the log has of the transaction.
  private func withCommitted<Result>(_ body: (Database) throws -> Result) throws(StoreError)
    -> Result
  {
    guard let committed else { return try with(body) }
    // Nobody else can commit while the transaction runs, so every connection sees the same version.
    return try context.translating { try committed.unsafeRead(body) }
  }

  private func reader(_ database: Database) -> TableReader {
    TableReader(database: database, tables: context.tables)
  }

  // MARK: - Rows and keys

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

  func firstEntries(of definition: OrderDefinition, limit: Int) throws(StoreError) -> EntryBatch {
    var first = EntryBatch()
    guard limit > 0 else { return first }
    try with(definition.entity) { database, table in
      try reader(database).entries(of: definition, in: table, limit: limit) { batch in
        for index in 0..<batch.count { first.append { $0.bytes += batch.key(at: index) } }
        return true
      }
    }
    return first
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
      try AggregateReader(aggregates, of: definition, in: table, context.tables, on: database)
        .groups(byFirst: columns) { try body($0) }
    }
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    var folded: OrderedPlan?
    if let source = try heldSource(of: definition), !source.plan.foldedAttributes.isEmpty {
      folded = source.plan
    }
    return try with(definition.entity) { database, table in
      let tables = context.tables
      return try QueryPlanReader(of: definition, in: table, tables, folded: folded, on: database)
        .plan()
    }
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    try heldSource(of: definition)
  }

  /// The index that answers for a list in this version, or `nil`.
  private func heldSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> SQLiteOrderedSource? {
    // No index has the values of other tables.
    guard !definition.usesPaths else { return nil }
    guard let source = try source(of: definition) else { return nil }
    return try FoldedColumns(of: source.plan, in: source.table).hold(in: self) ? source : nil
  }

  private func source(
    of definition: OrderDefinition
  ) throws(StoreError) -> SQLiteOrderedSource? {
    try with(definition.entity) { database, table in
      let cookie = try schemaVersion(on: database)
      let plan = try context.orderedPlans.plan(
        of: definition,
        in: table,
        on: database,
        cookie: cookie
      )
      guard let plan else { return nil }
      if let known = sources.first(where: { $0.plan === plan }) { return known }
      let source = SQLiteOrderedSource(plan, of: definition, in: table, self)
      sources.append(source)
      return source
    }
  }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    try with(entity) { database, table in
      let statements = try context.referrerStatements.statements(
        for: columns,
        of: table,
        on: database,
        cookie: schemaVersion(on: database)
      )
      return try ReferrerReader(database: database, table: table, statements: statements)
        .referrers(to: keys, limit: limit ?? .max)
    }
  }

  private func schemaVersion(on database: Database) throws -> Int64 {
    try position?.cookie ?? database.integer("PRAGMA main.schema_version")
  }

  // MARK: - History

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try logHistory(since: version, ofEach: [entity])
      ?? session.history(after: version, through: self.version, of: entity)
  }

  func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    if let history = try logHistory(since: version, ofEach: entities) { return history }
    var histories: [[CommitRecord]] = []
    for entity in entities {
      switch session.history(after: version, through: self.version, of: entity) {
      case .gap(let reason): return .gap(reason)
      case .commits(let records): histories.append(records)
      }
    }
    return .commits(CommitRecord.merging(histories))
  }

  /// The history of entities from the log, which is read once for all of them; `nil` if there is no log, or one of them has no table.
  private func logHistory(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory? {
    let tables = entities.compactMap { context.tables.find($0) }
    guard let log = session.log?.log, let position, tables.count == entities.count else {
      return nil
    }
    guard version.epoch == self.version.epoch else {
      return .gap(version.epoch == session.version.epoch ? .schemaChanged : .otherEpoch)
    }
    guard version.sequence <= self.version.sequence else { return .gap(.otherEpoch) }
    let remembered = log.rememberedRecords(
      after: version.sequence,
      through: self.version,
      ofTables: tables.map(\.index)
    )
    if let remembered { return .commits(remembered) }
    return try withCommitted { database in
      let readers = tables.map { table in
        ChangeLogReader(
          database: database,
          tables: context.tables,
          table: table,
          layout: position.layout,
          writer: log.writer
        )
      }
      return try ChangeLogReader.history(of: readers, after: version, through: self.version)
    }
  }

  func retainedCommits() throws(StoreError) -> RetainedCommits? {
    guard session.log != nil, position != nil else { return nil }
    return try withCommitted { database in
      try RetainedLog.commits(through: version.sequence, on: database)
    }
  }

  func history(
    from commit: RetainedCommits.Commit,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    guard session.log != nil, position != nil, commit.number <= version.sequence else {
      return .gap(.trimmed)
    }
    let before = try withCommitted { database in
      try RetainedLog.sequence(before: commit.number, on: database)
    }
    guard let before else { return .gap(.trimmed) }
    return try history(
      since: StoreVersion(epoch: version.epoch, sequence: before),
      ofEach: entities
    )
  }

  func bookmark() throws(StoreError) -> StoreBookmark? {
    // The row of the version was read with the version.
    guard let stamp = position?.stamp else { return nil }
    return StoreBookmark(
      store: context.uniqueName,
      sequence: version.sequence,
      stamp: UInt64(bitPattern: stamp)
    )
  }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    guard position != nil, Value.text(bookmark.store) == Value.text(context.uniqueName),
      bookmark.sequence <= version.sequence
    else { return nil }
    return try with { database in
      guard try stamp(of: bookmark.sequence, on: database) == bookmark.stamp else { return nil }
      return StoreVersion(epoch: version.epoch, sequence: bookmark.sequence)
    }
  }

  /// The random number of a row of the log, or `nil` if the row was removed, or the number is none.
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
}

/// The closure of a read or a transaction that is running on this thread.
///
/// A read inside a read is answered from the same snapshot: SQLite's connections are not reentrant.
final class BodyScope {
  /// The snapshot that is read; `nil` in a transaction, which has no version yet.
  private let snapshot: SQLiteSnapshot?
  /// Identifies the store, which may meanwhile have opened another database.
  private let broadcaster: CommitBroadcaster
  private let outer: UnsafeMutableRawPointer?

  private init(_ snapshot: SQLiteSnapshot?, of broadcaster: CommitBroadcaster) {
    self.snapshot = snapshot
    self.broadcaster = broadcaster
    outer = results_thread_slot()
  }

  /// Runs the closure of a read, or of a transaction, which has no snapshot.
  static func run<Result>(
    _ snapshot: SQLiteSnapshot?,
    of broadcaster: CommitBroadcaster,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let scope = BodyScope(snapshot, of: broadcaster)
    results_set_thread_slot(Unmanaged.passUnretained(scope).toOpaque())
    defer {
      results_set_thread_slot(scope.outer)
      withExtendedLifetime(scope) {}
    }
    return try body()
  }

  /// The snapshot of the innermost read of a store around the running code.
  static func snapshot(of broadcaster: CommitBroadcaster) -> SQLiteSnapshot? {
    first { $0.broadcaster === broadcaster && $0.snapshot != nil }?.snapshot
  }

  /// Whether the running code is in a closure of a store.
  static func isInside(_ broadcaster: CommitBroadcaster) -> Bool {
    first { $0.broadcaster === broadcaster } != nil
  }

  private static func first(where matches: (BodyScope) -> Bool) -> BodyScope? {
    var slot = results_thread_slot()
    while let pointer = slot {
      let scope = Unmanaged<BodyScope>.fromOpaque(pointer).takeUnretainedValue()
      if matches(scope) { return scope }
      slot = scope.outer
    }
    return nil
  }
}
