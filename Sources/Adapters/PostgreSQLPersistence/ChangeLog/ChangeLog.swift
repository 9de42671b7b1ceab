#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// A database's change log as this store knows it: how the tables are captured, the versions that were seen, and the commits between them.
///
/// A reading, in order (`begin(on:)`): it takes a snapshot, reads what is fresh in it since the newest version, and the ring gives it a
/// number. If another reading was given one meanwhile and this one cannot be ordered, it is repeated.
///
/// `state` is guarded by one lock, under which nothing waits. `gate` is held while a reading is given its number; the last attempt of a
/// reading holds it from its beginning, so that no other one comes between.
final class ChangeLog: ChangeSource {
  /// How long the log is kept, how large it may become, and how much of it is in memory.
  struct Limits: Hashable, Sendable {
    ///
    /// What is `nil` stays as the database has it.
    var retention: Duration?
    var byteLimit: Int64?
    /// How many changed rows are kept in this process's memory; others are read from the log again.
    var rowsInMemory = 65_536
  }

  private struct State {
    var identity: String
    var life: ServerLife { didSet { texts = nil } }
    var instance: ServerInstance
    var layout: CaptureLayout { didSet { texts = nil } }
    /// Why changes are not captured, and the marks with which that was last found out.
    var problems: (marks: [Int64], texts: [String])
    /// The texts for this layout, once they are needed.
    var texts: ReadingTexts?
    var ring: VersionRing?
    /// When the last reading found nothing fresh; `nil` if it found something.
    var quietSince: ContinuousClock.Instant?
    /// The version up to which the history is no longer needed.
    var released: StoreVersion?
    /// The snapshot in which tables that are not captured were last supposed to have changed, and when.
    var compared: (snapshot: SnapshotText, time: ContinuousClock.Instant)?
    /// How often they were without a look that had announced it.
    var comparisons = 0
    /// The snapshot of the last look that has announced a comparison.
    var announced: SnapshotText?
  }

  let schema: LogSchema
  let tables: StoreTables
  let path: String
  let limits: Limits
  /// The number that marks the transactions of this store.
  let writer: Int64
  private let installer: ChangeLogInstaller
  private let reader: [UInt8]
  private let gate = Mutex<Void>(())
  private let state: Mutex<State>

  /// How often a reading is repeated.
  private static let attemptLimit = 5

  /// How often tables that are not captured are compared.
  private static let comparisonInterval = Duration.seconds(1)

  private init(_ installer: ChangeLogInstaller, limits: Limits, _ state: State) {
    schema = installer.schema
    tables = installer.tables
    path = installer.path
    self.installer = installer
    self.limits = limits
    writer = Int64.random(in: .min ... .max)
    reader = (0..<16).map { _ in UInt8.random(in: 0...255) }
    self.state = Mutex(state)
  }

  /// Finds the log of a database, and installs what is missing.
  /// - Parameters:
  ///   - tables: The tables of the store's entities.
  ///   - name: The name of the log's schema.
  ///   - mayInstall: Whether the log and its triggers may be created.
  ///   - uncaptured: The names of tables whose triggers this opening has removed with a column, and puts back.
  ///   - mode: The mode of capture for tables that are not captured yet, or `nil` for the fastest that is right.
  ///   - limits: How long the log is kept.
  ///   - connection: A connection without an open transaction.
  ///   - path: The store's name for messages.
  /// - Returns: `nil` if there is no complete log, and none may be created.
  /// - Throws: `StoreError.cannotOpen` if the log must be created and cannot be.
  static func open(
    tables: StoreTables,
    schema name: String = "fetched_results",
    mayInstall: Bool,
    restoring uncaptured: Set<Value> = [],
    mode: CaptureText.Mode? = nil,
    limits: Limits = Limits(),
    on connection: Connection,
    path: String
  ) throws(StoreError) -> ChangeLog? {
    let schema = LogSchema(name: name)
    var installer = ChangeLogInstaller(schema: schema, tables: tables, path: path, mode: mode)
    installer.uncaptured = uncaptured
    let layout = try installer.layout(installing: mayInstall, on: connection)
    // A table that was never captured has no log; what someone has switched off is compared until it is repaired.
    installer.uncaptured = []
    guard let layout, layout.tables.allSatisfy({ $0.newest != nil }) else { return nil }
    do {
      if mayInstall { try limits.apply(to: schema, on: connection) }
      let found = try ServerLife.find(in: schema, on: connection)
      let state = State(
        identity: found.identity,
        life: found.life,
        instance: found.instance,
        layout: layout,
        problems: (layout.marks, layout.problems)
      )
      return ChangeLog(installer, limits: limits, state)
    } catch {
      throw ChangeLog.storeError(error, path: path)
    }
  }

  /// Creates what is missing or was changed of the log, its functions and its triggers.
  /// - Throws: `StoreError.cannotOpen` with what the database's owner must run, if the user has not the right.
  func repair(on connection: Connection) throws(StoreError) {
    _ = try installer.install(on: connection, restoring: true)
  }

  /// Every writer's commits are in the log, if it is complete.
  var coverage: StoreCapabilities.HistoryCoverage { isComplete ? .everyWriter : .thisStore }

  /// Whether the changes of every table are in the log, as the last reading has found.
  var isComplete: Bool { state.withLock { $0.layout.isComplete } }

  /// Why the log is not complete, one text for each reason, as the last look or reading has found.
  var problems: [String] { state.withLock { $0.problems.texts } }

  /// Finds out why changes are not captured, before those read it who are notified of the look.
  func noteProblems(_ facts: ReadingFacts, on connection: Connection) throws(PostgreSQLFailure) {
    guard state.withLock({ $0.problems.marks != facts.marks }) else { return }
    let texts = try installer.layout(on: connection).problems
    state.withLock { $0.problems = (facts.marks, texts) }
  }

  /// How the tables are captured now, in the open transaction or one of its own.
  func presentLayout(on connection: Connection) throws(PostgreSQLFailure) -> CaptureLayout {
    try installer.layout(on: connection)
  }

  /// The name by which later processes recognize the store.
  var uniqueName: String { "postgresql-\(identity)" }

  /// The table that transactions lock to take turns.
  var turn: String? { "\(schema.quoted).turn" }

  /// The name of the store that the log belongs to; a copy of the database gets another one.
  var identity: String { state.withLock { $0.identity } }

  /// Whether commits can notify: not on a standby, nor where transactions can be prepared.
  var canListen: Bool { state.withLock { !$0.life.isStandby && $0.layout.rings } }

  /// What a look must know: whether the server is a standby, the texts of the statements, and how often tables that are not captured have
  /// been supposed to have changed.
  var lookState: (isStandby: Bool, texts: ReadingTexts, comparisons: Int) {
    let start = start
    return (start.life.isStandby, start.texts, state.withLock { $0.comparisons })
  }

  /// What a reading starts from.
  ///
  /// It has no part in the ring itself, which would be copied by the next commit.
  private struct Start {
    let life: ServerLife
    let instance: ServerInstance
    let layout: CaptureLayout
    let base: VersionRing.Base?
    let texts: ReadingTexts
    /// Whether to read the present rows of what is fresh before it is known that something is.
    let readsAhead: Bool
  }

  /// How long after a reading that found nothing fresh it is supposed that nothing is.
  private static let quietTime = Duration.milliseconds(5)

  private var start: Start {
    state.withLock { state in
      let texts =
        state.texts
        ?? ReadingTexts(schema, tables, state.layout, isStandby: state.life.isStandby)
      state.texts = texts
      return Start(
        life: state.life,
        instance: state.instance,
        layout: state.layout,
        base: state.ring?.present,
        texts: texts,
        readsAhead: state.quietSince.map { .now - $0 > ChangeLog.quietTime } ?? true
      )
    }
  }

  private static func storeError(_ failure: PostgreSQLFailure, path: String) -> StoreError {
    failure.storeError(path: path, waited: .zero)
  }
}

// MARK: - Beginning a reading

extension ChangeLog {
  /// Opens a transaction, and finds the version that it sees; the transaction stays open.
  /// - Parameters:
  ///   - connection: A connection.
  ///   - opening: The statements that open the transaction, none of which takes a snapshot; before them perhaps those that end another.
  ///   - patience: How long to wait for tables that others change; `nil` for as long as the session waits.
  /// - Returns: The version.
  /// - Throws: The store's error; no transaction is open then.
  func begin(
    on connection: Connection,
    opening: [Statement],
    patience: Duration?
  ) throws(StoreError) -> PinnedVersion {
    var opening = Opening(opening, patience)
    var isPlannedAgain = false
    do throws(PostgreSQLFailure) {
      for _ in 1..<ChangeLog.attemptLimit {
        if let pinned = try attempt(&opening, &isPlannedAgain, on: connection, isAlone: false) {
          return pinned
        }
      }
      // Now no other reading is admitted meanwhile; only a server that was replaced makes another attempt necessary.
      let pinned = try gate.withLock { _ throws(PostgreSQLFailure) -> PinnedVersion? in
        for _ in 1..<ChangeLog.attemptLimit {
          if let pinned = try attempt(&opening, &isPlannedAgain, on: connection, isAlone: true) {
            return pinned
          }
        }
        return nil
      }
      if let pinned { return pinned }
    } catch {
      throw ChangeLog.storeError(error, path: path)
    }
    throw .busy(path: path, waited: .zero)
  }

  /// The statements that open a transaction, and how long they may take.
  private struct Opening {
    var statements: [Statement]
    let patience: Duration?
    private let start = ContinuousClock.now

    init(_ statements: [Statement], _ patience: Duration?) {
      (self.statements, self.patience) = (statements, patience)
    }

    /// Whether tables have been waited for long enough.
    var isOverdue: Bool { patience.map { ContinuousClock.now - start >= $0 } ?? false }
  }

  private func attempt(
    _ opening: inout Opening,
    _ isPlannedAgain: inout Bool,
    on connection: Connection,
    isAlone: Bool
  ) throws(PostgreSQLFailure) -> PinnedVersion? {
    var failure: PostgreSQLFailure?
    var isTableLocked = false
    repeat {
      do throws(PostgreSQLFailure) {
        if let pinned = try read(opening.statements, on: connection, isAlone: isAlone) {
          return pinned
        }
        failure = nil
      } catch {
        if error.isConnectionLost { throw error }
        failure = error
      }
      isTableLocked = failure?.isLocked == true && failure?.statement == opening.statements.count
      opening.statements.removeEndOfLastTransaction()
      try connection.run([.rollback])
      isTableLocked = isTableLocked && !opening.isOverdue
      if isTableLocked { _ = try connection.run(start.texts.locks.waiting(opening.patience)) }
    } while isTableLocked
    guard let failure else { return nil }
    // A standby cannot read the unlogged table; or the type of a column has changed since a statement was prepared.
    guard failure.state == "0A000", try renewLife(on: connection) || !isPlannedAgain
    else { throw failure }
    isPlannedAgain = true
    return nil
  }

  /// One attempt of a reading.
  /// - Returns: `nil` if it must be repeated.
  private func read(
    _ opening: [Statement],
    on connection: Connection,
    isAlone: Bool
  ) throws(PostgreSQLFailure) -> PinnedVersion? {
    let start = start
    let (base, texts) = (start.base, start.texts)
    // The locks come before the snapshot: TRUNCATE would empty what an older snapshot sees.
    var statements = opening + [texts.locks.statement, texts.readingFacts]
    let factsIndex = statements.count - 1
    var prompt: [Int: Int] = [:]
    if let base {
      statements.append(texts.fresh(since: base.mark))
      for (table, statement) in texts.presentOfFresh(since: base.mark) where start.readsAhead {
        prompt[table] = statements.count
        statements.append(statement)
      }
    }
    if start.life.isStandby { statements.append(texts.visibleTransactions) }
    let results = try connection.run(statements)
    guard let facts = ReadingFacts(results[factsIndex]) else {
      throw PostgreSQLFailure(state: "XX000", message: "the change log has no description")
    }
    guard facts.instance == start.instance else {
      try connection.run([.rollback])
      _ = try renewLife(on: connection)
      return nil
    }
    connection.seenInstance = facts.instance
    connection.note(marks: facts.marks)
    var mark = Mark.running(facts.snapshot)
    if start.life.isStandby {
      let visible = results[results.count - 1]
      let numbers = (0..<visible.count).compactMap { visible.unsigned($0, 0) }
      mark = .seen(facts.snapshot, visible: numbers)
    }
    var layout = start.layout
    var gaps: [Int: GapReason] = [:]
    if facts.marks != layout.marks {
      layout = try installer.layout(on: connection)
      gaps = layout.interruptions(since: start.layout)
    }
    var transactions: [VersionRing.Transaction] = []
    var isOwn = false
    if let base {
      let fresh = FreshReader(schema: schema, tables: tables, layout: layout, writer: writer)
      let groups = base.mark.floor < facts.trimmed ? nil : fresh.groups(results[factsIndex + 1])
      if let groups {
        isOwn = groups.contains(where: \.isOwn)
        // What was read together with the log is of the form that the tables had before.
        let isUnchanged = facts.marks == start.layout.marks
        transactions = try self.transactions(
          groups,
          fresh,
          isUnchanged ? prompt.mapValues { results[$0] } : [:],
          on: connection
        )
      } else {
        for index in tables.all.indices { gaps[index] = .trimmed }
      }
    }
    let compares =
      !layout.isComplete && (isOwn || isComparisonDue(facts.snapshot, start.life.isStandby))
    if compares, base != nil {
      for index in layout.uncaptured where gaps[index] == nil { gaps[index] = .otherWriter }
    }
    let version: StoreVersion?
    if isAlone {
      version = admit(since: base, mark: mark, transactions, gaps, layout, start)
    } else {
      version = gate.withLock { _ in
        admit(since: base, mark: mark, transactions, gaps, layout, start)
      }
    }
    if compares, version != nil {
      state.withLock { state in
        state.compared = (facts.snapshot, .now)
        if state.announced != facts.snapshot { state.comparisons += 1 }
      }
    }
    return version.map {
      PinnedVersion(
        version: $0,
        reading: LogReading(
          mark: mark,
          trimmed: facts.trimmed,
          layout: layout,
          life: start.life
        )
      )
    }
  }

  /// Whether tables that are not captured may have changed, and have not been compared for a while.
  ///
  /// The snapshots of a standby do not say which of the transactions that run there have been committed.
  private func isComparisonDue(_ snapshot: SnapshotText, _ isStandby: Bool) -> Bool {
    guard let compared = state.withLock(\.compared) else { return true }
    let mayDiffer = snapshot != compared.snapshot || isStandby && snapshot.xmin != snapshot.xmax
    return mayDiffer && .now - compared.time >= ChangeLog.comparisonInterval
  }

  /// Whether a look must report that tables which are not captured may have changed.
  func mustCompare(_ facts: ReadingFacts) -> Bool {
    !isComplete && isComparisonDue(facts.snapshot, facts.instance.isStandby)
  }

  /// Notes that a look reports it: the reading that compares needs no further report.
  func announceComparison(_ facts: ReadingFacts) {
    state.withLock { $0.announced = facts.snapshot }
  }

  private func transactions(
    _ groups: [FreshReader.Group],
    _ fresh: FreshReader,
    _ prompt: [Int: QueryResult],
    on connection: Connection
  ) throws(PostgreSQLFailure) -> [VersionRing.Transaction] {
    guard !groups.isEmpty else { return [] }
    let all = Array(tables.all.indices)
    let net = try fresh.netChanges(of: groups, ofTables: all, prompt: prompt, on: connection)
    return groups.indices.map { index in
      let group = groups[index]
      var gaps = group.gaps
      for table in net.unreadable where group.touches[table] != nil { gaps[table] = .otherWriter }
      return VersionRing.Transaction(
        number: group.transaction,
        origin: group.origin,
        isOwn: group.isOwn,
        changes: net.changes[index],
        gaps: gaps
      )
    }
  }

  private func admit(
    since base: VersionRing.Base?,
    mark: Mark,
    _ transactions: [VersionRing.Transaction],
    _ gaps: [Int: GapReason],
    _ layout: CaptureLayout,
    _ start: Start
  ) -> StoreVersion? {
    state.withLock { state in
      guard state.life == start.life, state.instance == start.instance else { return nil }
      guard let base else {
        guard state.ring == nil else { return nil }
        let ring = VersionRing(
          epoch: UInt64.random(in: .min ... .max),
          mark: mark,
          capacity: limits.rowsInMemory
        )
        (state.ring, state.layout, state.quietSince) = (ring, layout, .now)
        state.problems = (layout.marks, layout.problems)
        return ring.present.version
      }
      let version = state.ring?.admit(since: base, mark: mark, transactions, gaps: gaps)
      state.quietSince = transactions.isEmpty ? .now : nil
      if version != nil, state.ring?.present.version == version, layout.marks != state.layout.marks
      {
        state.layout = layout
        state.problems = (layout.marks, layout.problems)
      }
      return version
    }
  }

  /// The newest version, on a connection that has read in this life of a primary; through a pooler the next statement may reach another
  /// server.
  func expectation(on connection: Connection) -> ExpectedVersion? {
    guard connection.preparesByName else { return nil }
    return state.withLock { state in
      guard !state.life.isStandby, connection.seenInstance == state.instance,
        let base = state.ring?.present
      else { return nil }
      return ExpectedVersion(version: base.version, mark: base.mark)
    }
  }

  /// Finds out in which life the server is, after it was restarted or replaced.
  /// - Returns: Whether anything has changed.
  func renewLife(on connection: Connection) throws(PostgreSQLFailure) -> Bool {
    let found = try ServerLife.find(in: schema, on: connection)
    let layout = try installer.layout(on: connection)
    return state.withLock { state in
      let isOther = state.life != found.life
      let isChanged = isOther || state.instance != found.instance
      (state.life, state.instance, state.identity) = (found.life, found.instance, found.identity)
      if isOther {
        state.ring = nil
        state.released = nil
        state.layout = layout
      }
      return isChanged
    }
  }
}

// MARK: - History

extension ChangeLog {
  /// The changes of some tables between an earlier version and the one of the open transaction, without those of the transaction itself.
  /// - Parameters:
  ///   - old: The earlier version.
  ///   - wanted: The tables.
  ///   - pinned: The version of the open transaction.
  ///   - connection: The connection with that transaction.
  /// - Returns: The commits, or why they are not known.
  /// - Throws: The store's error.
  func history(
    since old: StoreVersion,
    ofEach wanted: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory {
    guard old != pinned.version else { return .commits([]) }
    let indexes = wanted.map(\.index)
    let past = state.withLock { state in
      state.ring?.past(since: old, through: pinned.version, ofTables: indexes)
    }
    switch past {
    case nil: return .gap(.otherEpoch)
    case .gap(let reason): return .gap(reason)
    case .records(let records): return .commits(records)
    case .fresh(let mark):
      guard let reading = pinned.reading, mark.floor >= reading.trimmed else {
        return .gap(.trimmed)
      }
      do throws(PostgreSQLFailure) {
        let records = try records(since: mark, ofTables: indexes, in: reading, on: connection)
        guard case .commits(let commits) = records else { return records }
        return .commits(commits.filter { $0.version.sequence <= pinned.version.sequence })
      } catch {
        throw ChangeLog.storeError(error, path: path)
      }
    }
  }

  /// Reads the history from the log.
  private func records(
    since mark: Mark,
    ofTables indexes: [Int],
    in reading: LogReading,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> StoreHistory {
    let fresh = FreshReader(
      schema: schema,
      tables: tables,
      layout: reading.layout,
      writer: writer
    )
    let results = try connection.run([
      start.texts.fresh(since: mark),
      Statement("SELECT pg_catalog.pg_current_xact_id_if_assigned()"),
    ])
    guard let groups = fresh.groups(results[0]) else { return .gap(.trimmed) }
    let current = results[1].unsigned(0, 0)
    for group in groups where group.transaction != current {
      for index in indexes {
        if let reason = group.gaps[index] { return .gap(reason) }
      }
    }
    let (epoch, numbered) = numbered(groups, current: current)
    let net = try fresh.netChanges(of: numbered.map(\.group), ofTables: indexes, on: connection)
    guard net.unreadable.isEmpty else { return .gap(.otherWriter) }
    var records: [CommitRecord] = []
    for ((sequence, group), changes) in zip(numbered, net.changes) {
      let wanted = indexes.flatMap { changes[$0] ?? [] }
      guard !wanted.isEmpty else { continue }
      records.append(
        CommitRecord(
          version: StoreVersion(epoch: epoch, sequence: sequence),
          origin: group.origin,
          isOwn: group.isOwn,
          changes: wanted
        )
      )
    }
    return .commits(records)
  }

  /// The groups that made versions, in their order; those before the oldest known version are one.
  ///
  /// The open transaction's own changes come last, without a version.
  private func numbered(
    _ groups: [FreshReader.Group],
    current: UInt64?
  ) -> (epoch: UInt64, groups: [(sequence: UInt64, group: FreshReader.Group)]) {
    state.withLock { state in
      guard let ring = state.ring else { return (0, []) }
      var numbered: [(sequence: UInt64, group: FreshReader.Group)] = []
      var early: FreshReader.Group?
      for group in groups {
        if let sequence = ring.sequence(of: group.transaction) {
          numbered.append((sequence, group))
        } else if group.transaction == current {
          numbered.append((.max, group))
        } else if ring.isBeforeFirst(group.transaction) {
          early = early?.followed(by: group) ?? group
        }
      }
      numbered.sort { $0.sequence < $1.sequence }
      if let early { numbered.insert((ring.oldest, early), at: 0) }
      return (ring.present.epoch, numbered)
    }
  }

  /// Whether the commits since a version are in memory, and changed few rows.
  func isSmall(since version: StoreVersion, in pinned: PinnedVersion, limit: Int) -> Bool {
    let all = Array(tables.all.indices)
    let past = state.withLock { state in
      state.ring?.past(since: version, through: pinned.version, ofTables: all)
    }
    guard case .records(let records) = past else { return false }
    return records.reduce(0) { $0 + $1.changes.count } <= limit
  }
}

// MARK: - Our own commits, and news

extension ChangeLog {
  /// The statements that mark an open transaction as this store's, the last ones before `COMMIT`.
  func markers(origin: CommitOrigin) -> [Statement] {
    // PostgreSQL's texts have no zero character.
    let name = origin.name.filter { $0 != "\0" }
    return [
      Statement("SELECT \(schema.quoted).marker($1, $2)", [.integer(writer), .text(name)])
    ]
  }

  /// The version that a committed transaction made, in a reading that sees it.
  /// - Returns: The reading's version if the transaction changed nothing.
  func version(ofTransaction transaction: UInt64, in pinned: PinnedVersion) -> StoreVersion {
    let sequence = state.withLock { $0.ring?.sequence(of: transaction) }
    guard let sequence else { return pinned.version }
    return StoreVersion(epoch: pinned.version.epoch, sequence: sequence)
  }

  /// Whether anything was committed, or the server replaced, since the newest version.
  ///
  /// It runs outside of a transaction.
  func hasNews(on connection: Connection) throws(StoreError) -> Bool {
    let start = start
    guard let base = start.base else { return true }
    do throws(PostgreSQLFailure) {
      let results = try connection.run([
        start.texts.newness(since: base.mark), start.texts.readingFacts,
      ])
      guard let facts = ReadingFacts(results[1]) else { return true }
      return results[0].boolean(0, 0) != false || facts.instance != start.instance
        || facts.marks != start.layout.marks || base.mark.floor < facts.trimmed
        || mustCompare(facts)
    } catch {
      guard !error.isConnectionLost, error.state == "0A000" else {
        throw ChangeLog.storeError(error, path: path)
      }
      return true
    }
  }

  /// Whether the server has not crashed, failed over or been restored since the last reading.
  func isSameLife(on connection: Connection) throws(StoreError) -> Bool {
    do {
      let found = try ServerLife.find(in: schema, on: connection)
      return state.withLock { $0.life == found.life }
    } catch {
      throw ChangeLog.storeError(error, path: path)
    }
  }

  /// A bookmark of the version that an open transaction sees.
  func bookmark(in pinned: PinnedVersion) -> StoreBookmark? {
    guard let reading = pinned.reading else { return nil }
    let present = LogBookmark(reading, tables.entities)
    return StoreBookmark(
      store: uniqueName,
      sequence: reading.mark.bound,
      stamp: present.lifeDigest,
      detail: present.bytes
    )
  }

  /// The version of a bookmark, or `nil` if it is not an earlier state of what the open transaction sees, or its history is gone.
  func version(at bookmark: StoreBookmark, in pinned: PinnedVersion) -> StoreVersion? {
    guard let reading = pinned.reading, bookmark.store.utf8.elementsEqual(uniqueName.utf8),
      let old = LogBookmark(bytes: bookmark.detail),
      old.agrees(with: LogBookmark(reading, tables.entities)), old.mark.floor >= reading.trimmed,
      old.mark.bound <= reading.mark.bound
    else { return nil }
    return state.withLock { state in
      guard state.life == reading.life else { return nil }
      if old.mark == reading.mark { return pinned.version }
      return state.ring?.version(of: old.mark)
    }
  }

  /// Notes that no history before a version is needed.
  func release(through version: StoreVersion) {
    state.withLock { state in
      guard version.epoch == state.ring?.present.epoch else { return }
      guard version.sequence > state.released?.sequence ?? 0 else { return }
      state.released = version
    }
  }

  /// Renews this store's lease, and removes rows of the log that nobody needs; triggers are not touched.
  ///
  /// To be called once a minute, outside of a transaction. A user without the rights does nothing by it.
  func maintain(on connection: Connection) throws(StoreError) {
    // Where nothing happens, the mark moves on all the same: it must not hold up the trimming of the log, nor fall behind it.
    if try !hasNews(on: connection) {
      _ = try begin(on: connection)
      _ = try? connection.run([.commit])
    }
    let start = start
    guard !start.life.isStandby else { return }
    do {
      let floor = state.withLock { state in
        state.ring.map { ring in
          state.released.flatMap { ring.mark(of: $0.sequence) } ?? ring.present.mark
        }
      }
      if let floor {
        try connection.run(
          "SELECT \(schema.quoted).renew($1, $2)",
          [Parameter(type: TypeNumber.uuid, bytes: reader), .transaction(floor.floor)]
        )
      }
      try trim(on: connection)
    } catch {
      guard error.state != "42501", error.state != "25006" else { return }
      throw ChangeLog.storeError(error, path: path)
    }
  }

  /// Removes the rows that nobody needs, each 10,000 in a transaction of their own.
  private func trim(on connection: Connection) throws(PostgreSQLFailure) {
    for _ in 0..<10_000 {
      let removed = try connection.run("SELECT \(schema.quoted).trim(NULL, NULL)")
      guard let count = removed.integer(0, 0), count >= 10_000 else { return }
    }
  }
}

extension ChangeLog.Limits {
  /// Sets the limits of a log, which only its owner may do; for others they stay as they are.
  fileprivate func apply(
    to schema: LogSchema,
    on connection: Connection
  ) throws(PostgreSQLFailure) {
    guard retention != nil || byteLimit != nil else { return }
    let parts = retention?.components
    let microseconds = parts.map { $0.seconds * 1_000_000 + $0.attoseconds / 1_000_000_000_000 }
    let number = TypeNumber.integer
    do {
      try connection.runOnce(
        """
        UPDATE \(schema.quoted).store s SET retention = w.retention, byte_limit = w.bytes FROM (SELECT \
        coalesce($1::pg_catalog.int8 * interval '1 microsecond', o.retention) AS retention, coalesce($2, o.byte_limit) AS bytes \
        FROM \(schema.quoted).store o) w WHERE (s.retention, s.byte_limit) IS DISTINCT FROM (w.retention, w.bytes)
        """,
        [
          microseconds.map { .integer($0) } ?? .null(number),
          byteLimit.map { .integer($0) } ?? .null(number),
        ]
      )
    } catch {
      guard error.state == "42501" || error.state == "25006" else { throw error }
    }
  }
}

extension FreshReader.Group {
  /// This group and a later one as one.
  fileprivate func followed(by later: FreshReader.Group) -> FreshReader.Group {
    var group = FreshReader.Group(transaction: transaction)
    group.touches = touches
    for (index, added) in later.touches {
      var known = Set((touches[index] ?? []).map(\.key))
      group.touches[index, default: []] += added.filter { known.insert($0.key).inserted }
    }
    group.gaps = gaps.merging(later.gaps) { first, _ in first }
    return group
  }
}
#endif
