import OrderStatistics
import ResultsDomain

/// The machine behind a controller: one generation of a list, and how to lead it to the next.
///
/// It is a value without locks, threads or time. Its owner gives it one snapshot of the store after the other; what it
/// answers are steps, each a generation with the delta that leads to it.
struct ListEngine: Sendable {
  /// One generation, and what led to it.
  ///
  /// It is an object, since it goes through many hands on its way to who is told.
  final class Step: Sendable {
    let snapshot: ResultsSnapshot
    let delta: ResultsDelta

    init(snapshot: ResultsSnapshot, delta: ResultsDelta) {
      self.snapshot = snapshot
      self.delta = delta
    }
  }

  var plan: ListPlan
  var snapshot: ResultsSnapshot
  /// Keys as the store has them, where those of the snapshot carry section numbers.
  var storeKeys: SortedKeyList?
  /// When the keys are left to an index of the store, or `nil` for never.
  var indexing: KeyIndexing?
  /// Digests of the rows' content, where the store's history does not tell of every writer.
  var digests: DigestTable?
  /// Whether commits of other writers must be found without the help of a history.
  let keepsDigests: Bool
  /// Whether every row may have changed where the history has a gap and there are no digests.
  var doubtsContentInGaps = false
  /// The rows of the snapshot that deltas name, counted over all sections, or `nil` for all.
  var observed: Range<Int>?
  /// The snapshot's version in a form that a cache can keep, where the list has one and the store can tell.
  var bookmark: StoreBookmark?

  /// Fetches a list for the first time.
  /// - Throws: The store's error, or `StoreError.request`.
  /// - Complexity: O(*n*) in the rows that match; no row is decoded.
  init(
    _ plan: ListPlan,
    from store: any StoreSnapshot,
    generation: Int,
    keepsDigests: Bool,
    indexing: KeyIndexing? = nil
  ) throws(StoreError) {
    let keys = try KeyIndexing.keys(of: plan, indexing, in: store)
    try self.init(
      plan,
      keys: keys,
      from: store,
      generation: generation,
      keepsDigests: keepsDigests
    )
    self.indexing = indexing
  }

  /// Makes a list of keys that are known, as the store has them in this very version.
  /// - Throws: As `init(_:from:generation:keepsDigests:)`.
  /// - Complexity: O(*n*) in the keys; the store is asked for counts and digests only, if they are wanted.
  init(
    _ plan: ListPlan,
    keys: ListKeys,
    from store: any StoreSnapshot,
    generation: Int,
    keepsDigests: Bool
  ) throws(StoreError) {
    self.plan = plan
    self.keepsDigests = keepsDigests
    var numbered: SectionNumbering?
    if case .held(let held) = keys {
      numbered = try SectionNumbering(held, plan)
      storeKeys = numbered == nil ? nil : held
    }
    snapshot = ResultsSnapshot(
      generation: generation,
      version: store.version,
      additionalCounts: try ListEngine.counts(plan.additionalCounts, in: store),
      plan: plan,
      keys: numbered.map { .held($0.keys) } ?? keys,
      numbering: numbered
    )
    if let failure = try snapshot.contiguityFailure() { throw .request(failure) }
    snapshot.aggregates = try AggregateFilling(snapshot, in: store).table()
    if keepsDigests, !plan.observed.isEmpty {
      digests = try DigestTable(of: plan.definition, plan.observed, in: store)
    }
    noteBookmark(in: store)
  }

  /// Notes the version for the cache; without a cache the store is not asked.
  mutating func noteBookmark(in store: any StoreSnapshot) {
    // A cache is only a shortcut, so a failure here leaves the list without one.
    bookmark = plan.isCacheable ? (try? store.bookmark()) : nil
  }

  /// Reads all keys of a list.
  static func keys(
    of definition: OrderDefinition,
    in store: any StoreSnapshot
  ) throws(StoreError) -> SortedKeyList {
    var keys = SortedKeyList()
    try store.entries(of: definition) { (batch) throws(StoreError) in
      try keys.appendEntries(batch, of: definition)
      return true
    }
    return keys
  }

  static func counts(
    _ requests: [String: CountRequest],
    in store: any StoreSnapshot
  ) throws(StoreError) -> [String: Int] {
    var counts: [String: Int] = [:]
    for (name, request) in requests {
      counts[name] = try store.count(of: request.entity, where: request.predicate)
    }
    return counts
  }
}

// MARK: - Advancing

extension ListEngine {
  /// What became of a list that was led to a later version.
  enum Progress {
    /// It was of that version already.
    case unmoved
    /// No commit concerns it: only its version was noted, and nothing was asked of the store (R53, R54).
    case noted
    /// What it led to, oldest first; without steps, rows and sections are as they were, but counts may differ.
    case moved([Step])
    /// The content before cannot be led on, so the list was fetched anew.
    case reset(ResultsResetReason)
  }

  /// Leads the list to a later version of the store, each commit with a delta of its own.
  /// - Returns: The steps, oldest first; none if nothing in the list changed, or if it had to be fetched anew.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(to store: any StoreSnapshot) throws(StoreError) -> [Step] {
    guard case .moved(let steps) = try advance(in: SnapshotHistory(store), folding: false) else {
      return []
    }
    return steps
  }

  /// Leads the list to a later version of the store.
  ///
  /// Commits that the store's history tells are placed one by one; whatever else happened is found by reading the keys again.
  /// - Parameters:
  ///   - history: The version to lead to, and the way there.
  ///   - isFolding: Whether all commits are to be one delta.
  /// - Returns: What became of the list.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(
    in history: SnapshotHistory,
    folding isFolding: Bool
  ) throws(StoreError) -> Progress {
    let store = history.snapshot
    guard store.version != snapshot.version else { return .unmoved }
    switch try history.since(snapshot.version, of: plan.entity) {
    case .commits(let records):
      let counted = try countsMayDiffer(in: history)
      let concerning = try concerning(records)
      guard counted || !concerning.isEmpty else {
        note(store)
        return .noted
      }
      let isFolding = isFolding || counted
      if !isFolding || concerning.count == 1 {
        for commit in concerning {
          guard let reason = reasonToCountAnew(after: commit.affected) else { continue }
          return try fetchAnew(reason, in: store)
        }
      }
      let steps = try follow(concerning, folding: isFolding, counting: counted, store)
      guard let steps else { return try fetchAnew(.indexLost, in: store) }
      return .moved(steps)
    case .gap(.otherEpoch): return try fetchAnew(.storeReplaced, in: store)
    case .gap(.schemaChanged): return try fetchAnew(.schemaChanged, in: store)
    case .gap(let reason):
      if case .indexed = snapshot.keys { return try fetchAnew(.historyLost, in: store) }
      return .moved(
        try settling(in: store) { (next) throws(StoreError) in
          try next.repair(reason, in: store)
        } ?? []
      )
    }
  }

  /// Does a piece of work on a copy, so that a failure leaves the engine as it was.
  private mutating func settling(
    in store: any StoreSnapshot,
    _ work: (inout ListEngine) throws(StoreError) -> [Step]?
  ) throws(StoreError) -> [Step]? {
    var next = self
    guard let steps = try work(&next) else { return nil }
    next.note(store)
    self = next
    return steps
  }

  /// Notes that the list is what it is in a later version too.
  private mutating func note(_ store: any StoreSnapshot) {
    snapshot.version = store.version
    if case .indexed(let keys) = snapshot.keys { keys.era.note(store.version) }
    noteBookmark(in: store)
  }

  /// Whether a count alongside may be another than it was.
  private func countsMayDiffer(in history: SnapshotHistory) throws(StoreError) -> Bool {
    for request in plan.additionalCounts.values {
      guard case .commits(let records) = try history.since(snapshot.version, of: request.entity)
      else { return true }
      if !records.isEmpty { return true }
    }
    return false
  }

  /// Those of some commits that changed a row that the list holds, held or will hold, with those rows.
  private func concerning(_ records: [CommitRecord]) throws(StoreError) -> [PlacedCommit] {
    var commits: [PlacedCommit] = []
    for (place, record) in records.enumerated() {
      let affected = try affectedRows(by: record.changes)
      guard !affected.isEmpty else { continue }
      commits.append(
        PlacedCommit(record: record, affected: affected, later: records[(place + 1)...])
      )
    }
    return commits
  }

  /// - Returns: `nil` if the list must be fetched anew.
  private mutating func follow(
    _ commits: [PlacedCommit],
    folding isFolding: Bool,
    counting isCounting: Bool,
    _ store: any StoreSnapshot
  ) throws(StoreError) -> [Step]? {
    let additionalCounts = plan.additionalCounts
    return try settling(in: store) { (next) throws(StoreError) in
      guard isFolding else { return try next.place(commits, in: store) }
      let origins = ListEngine.origins(of: commits.map(\.record))
      var folded: [PlacedCommit] = []
      for record in ListEngine.folded(commits.map(\.record)) {
        let affected =
          commits.count == 1 ? commits[0].affected : try next.affectedRows(by: record.changes)
        folded.append(PlacedCommit(record: record, affected: affected, later: []))
      }
      let steps = try next.place(folded, origins: origins, in: store)
      // A commit that changes no row of the list may change the counts.
      if isCounting {
        next.snapshot.additionalCounts = try ListEngine.counts(additionalCounts, in: store)
      }
      return steps
    }
  }

  /// - Returns: `nil` if the list must be fetched anew.
  private mutating func place(
    _ commits: [PlacedCommit],
    origins: [CommitOrigin]? = nil,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step]? {
    var steps: [Step] = []
    let entity = plan.entity
    var spans: [ListChange.KeySpan] = []
    if case .indexed = snapshot.keys {
      guard let known = ListChange.KeySpan.spans(of: commits.map(\.affected)) else { return nil }
      spans = known
    }
    for (place, commit) in commits.enumerated() {
      let record = commit.record
      var change = ListChange(
        affected: commit.affected,
        version: record.version,
        cause: record.isOwn ? .own : .external,
        origins: origins ?? ListEngine.origins(of: [record])
      ) { (keys) throws(StoreError) in
        try ListEngine.rows(keys, of: entity, before: commit.later, in: store)
      }
      if !spans.isEmpty { change.span = spans[place] }
      change.isPresent = commit.later.isEmpty
      guard let step = try apply(change, in: store) else {
        if case .indexed = snapshot.keys { return nil }
        // The list and the history disagree, so neither is believed: the keys are read again.
        return steps + (try repair(nil, in: store))
      }
      digests?.follow(commit.affected, record.changes, plan.layout)
      if let step = step.step { steps.append(step) }
    }
    return steps
  }

  /// Rows as they were before some later commits, whose images say what those changed.
  private static func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription,
    before later: ArraySlice<CommitRecord>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Row?] {
    var rows = try store.rows(keys, of: entity)
    for record in later.reversed() {
      for change in record.changes {
        for (place, key) in keys.enumerated() where key == change.id.key {
          rows[place] = change.before
        }
      }
    }
    return rows
  }
}

/// A commit, and the rows of a list that it touched.
private struct PlacedCommit {
  let record: CommitRecord
  let affected: [AffectedRow]
  /// All commits after it.
  let later: ArraySlice<CommitRecord>
}

// MARK: - Folding commits

extension ListEngine {
  /// Who made some commits, oldest first, without repeats.
  static func origins(of records: [CommitRecord]) -> [CommitOrigin] {
    var origins: [CommitOrigin] = []
    for record in records where !origins.contains(record.origin) { origins.append(record.origin) }
    return origins
  }

  /// Several commits as one, with the first image before and the last after of every row.
  static func folded(_ records: [CommitRecord]) -> [CommitRecord] {
    guard let last = records.last, records.count > 1 else { return records }
    var order: [ObjectID] = []
    var changes: [ObjectID: CommittedChange] = [:]
    for change in records.flatMap(\.changes) {
      if let first = changes[change.id] {
        changes[change.id] = CommittedChange(
          id: change.id,
          before: first.before,
          after: change.after
        )
      } else {
        order.append(change.id)
        changes[change.id] = change
      }
    }
    let net = order.compactMap { changes[$0] }.filter { $0.before != $0.after }
    return [
      CommitRecord(
        version: last.version,
        origin: last.origin,
        isOwn: records.allSatisfy(\.isOwn),
        changes: net
      )
    ]
  }
}

// MARK: - Promptness

extension ListEngine {
  /// Whether the list can be led to a version by a few searches, without a pass over rows or keys.
  ///
  /// A list that is short enough may be passed over.
  func canFollowPromptly(in history: SnapshotHistory) -> Bool {
    guard history.snapshot.version != snapshot.version else { return true }
    guard case .commits(let records)? = try? history.since(snapshot.version, of: plan.entity),
      plan.additionalCounts.isEmpty
    else { return false }
    let changeCount = records.reduce(0) { $0 + $1.changes.count }
    guard changeCount <= ListEngine.promptRowLimit else { return false }
    guard snapshot.keys.count > ListEngine.shortLength else { return true }
    return plan.aggregates.isEmpty && storeKeys == nil && !plan.readsSectionsAnew
      && digests == nil
  }

  /// How many changed rows are followed at once.
  private static let promptRowLimit = 64
  /// Up to how many rows a list is short.
  private static let shortLength = 4096
}

// MARK: - Repairing

extension ListEngine {
  /// Reads the keys again, and says in the delta that it did.
  ///
  /// Where commits of this store are missing too, every row may have changed, whether or not other writers are looked for.
  /// - Parameters:
  ///   - reason: Why the history does not tell, or `nil` if what it tells does not fit the list.
  ///   - store: The version to read.
  /// - Returns: The step, or none if rows and sections are as they were.
  /// - Throws: The store's error; the engine is then no longer to be used.
  mutating func repair(
    _ reason: GapReason?,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step] {
    let doubted = doubtsContentInGaps
    doubtsContentInGaps = doubted || reason != .otherWriter
    defer { doubtsContentInGaps = doubted }
    return try requery(in: store).map { step in
      var delta = step.delta
      delta.repair = reason
      return Step(snapshot: step.snapshot, delta: delta)
    }
  }

  /// Fetches the list anew, as the generation after the present one.
  ///
  /// A frozen list keeps the members that are still there.
  mutating func fetchAnew(
    _ reason: ResultsResetReason,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Progress {
    var next = self
    if plan.isFrozen {
      _ = try next.requery(in: store)
    } else {
      next = try ListEngine(
        plan,
        from: store,
        generation: snapshot.generation,
        keepsDigests: keepsDigests,
        indexing: indexing
      )
      next.doubtsContentInGaps = doubtsContentInGaps
      next.observed = observed
    }
    next.snapshot.generation = snapshot.generation + 1
    next.snapshot.life = snapshot.life
    next.snapshot.version = store.version
    self = next
    return .reset(reason)
  }
}

// MARK: - Applying a change

extension ListEngine {
  /// Applies a change and says what it did to the list.
  /// - Returns: `nil` if the change does not fit the list; a value without a step if nothing visible changed.
  mutating func apply(
    _ change: ListChange,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    if case .indexed(let keys) = snapshot.keys {
      return try apply(change, to: keys, in: store)
    }
    guard case .held(let shown) = snapshot.keys, let touched = try? TouchedKeys(change.affected)
    else { return nil }
    let (leaving, coming) = (touched.keys(that: .leaves), touched.keys(that: .comes))
    var keys = change.keys ?? storeKeys ?? shown
    if change.keys == nil, !leaving.isEmpty || !coming.isEmpty {
      guard (try? keys.apply(removals: leaving, insertions: coming)) != nil else { return nil }
    }
    let numbering = try SectionNumbering(keys, plan)
    let old = snapshot
    var next = try generation(after: change, in: store)
    let nextKeys = numbering?.keys ?? keys
    next.keys = .held(nextKeys)
    next.window = plan.window(of: keys.count)
    next.occurrences = numbering?.occurrences ?? [:]
    next.identities =
      numbering == nil && storeKeys == nil
      ? old.identities.advanced(
        removing: leaving,
        inserting: coming,
        plan.layout
      ) : IdentityIndex()
    var delta: ResultsDelta?
    if !plan.readsSectionsAnew {
      let places = HeldPlaces(old: shown, next: nextKeys)
      delta = try IncrementalDelta(
        between: GenerationPair(old: old, next: next),
        change,
        touched,
        places
      )
      .assemble(into: &next)
    }
    if delta == nil {
      next.counts = .counting(next.keys, next.window, next.rule, next.layout)
      if let failure = try next.contiguityFailure() { throw .request(failure) }
      delta = try FullDelta(from: old, to: next, change, sameOrder: true).assemble()
    }
    if next.aggregates != nil {
      try AggregateStep(from: old, change, in: store).lead(to: &next, telling: &delta)
    }
    storeKeys = numbering == nil ? nil : keys
    return (step(to: next, delta), ())
  }

  /// The generation after the present one, with what does not follow from the keys.
  func generation(
    after change: ListChange,
    in store: any StoreSnapshot
  ) throws(StoreError) -> ResultsSnapshot {
    var next = snapshot
    next.version = change.version
    next.additionalCounts =
      plan.additionalCounts.isEmpty ? [:] : try ListEngine.counts(plan.additionalCounts, in: store)
    next.generation += 1
    return next
  }

  /// Makes a generation the present one.
  /// - Returns: The step to it, or `nil` if nothing visible changed, so that it is the same generation still.
  mutating func step(to next: ResultsSnapshot, _ delta: ResultsDelta?) -> Step? {
    guard let delta, !delta.isEmpty else {
      let generation = snapshot.generation
      snapshot = next
      snapshot.generation = generation
      return nil
    }
    let told = told(delta, from: snapshot, to: next)
    snapshot = next
    follow(told)
    return Step(snapshot: next, delta: told)
  }
}

extension ListEngine {
  /// A delta between two generations as it is told to who observes some rows only.
  func told(
    _ delta: ResultsDelta,
    from old: ResultsSnapshot,
    to new: ResultsSnapshot
  ) -> ResultsDelta {
    var delta = delta
    delta.life = new.life
    guard let observed else { return delta }
    return delta.observing(observed, from: old, to: new)
  }

  /// Leads the observed rows on by a delta that was told.
  mutating func follow(_ told: ResultsDelta) {
    if observed != nil { observed = told.unobserved?.newRows }
  }
}

extension ListEngine {
  /// The rows of the list that one commit touched, from their values before and after.
  ///
  /// A row that matched neither before nor after, or of which nothing observed changed, is left out: such a commit
  /// is silence (R27).
  /// - Complexity: O(*c* log *n*) for *c* changed rows.
  func affectedRows(by changes: [CommittedChange]) throws(StoreError) -> [AffectedRow] {
    var rows: [AffectedRow] = []
    rows.reserveCapacity(changes.count)
    for change in changes {
      let keys = try keys(before: change.before, after: change.after, id: change.id)
      guard keys.old != nil || keys.new != nil else { continue }
      var changed = AttributeSet()
      if let before = change.before, let after = change.after {
        changed = after.changes(from: before, of: plan.observed)
      }
      var row = AffectedRow(
        id: change.id,
        oldKey: keys.old,
        newKey: keys.new,
        before: plan.carriesRows ? change.before : nil,
        after: plan.carriesRows ? change.after : nil,
        changed: changed
      )
      row.inputs = try plan.aggregates.inputs(
        of: change,
        wasMember: keys.old != nil,
        isMember: keys.new != nil
      )
      if row.keyChanged || !changed.isEmpty || row.inputs?.differ == true { rows.append(row) }
    }
    return rows
  }

  /// A frozen list keeps the key it first had, whatever becomes of the row, until the row is deleted.
  private func keys(
    before: Row?,
    after: Row?,
    id: ObjectID
  ) throws(StoreError) -> (old: [UInt8]?, new: [UInt8]?) {
    guard !plan.isFrozen else {
      let key = frozenKey(of: id.key)
      return (key, after == nil ? nil : key)
    }
    return (try plan.key(of: before), try plan.key(of: after))
  }

  /// The key that a member of a frozen list first had, as the store has it.
  func frozenKey(of key: ObjectKey) -> [UInt8]? {
    let layout = snapshot.layout
    guard let identity = layout.identityBytes(of: key), case .held(let keys) = snapshot.keys,
      let found = snapshot.identities.key(of: identity, in: keys, layout)
    else { return nil }
    guard storeKeys != nil else { return found }
    return Array(found.dropFirst(found.withUnsafeBytes { layout.prefixLength(columns: 1, in: $0) }))
  }
}
