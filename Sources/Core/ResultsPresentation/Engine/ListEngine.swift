import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The state of one list at one version of its store, and how it is advanced: commits go in, steps come out.
///
/// `advance(in:folding:)` takes the commits since the list's version and turns those that concern it into a `ListChange` each; `apply`
/// works out the next generation and its delta. Where there is no usable history, `requery` reads the keys again.
/// The strategies are in the files beside this one: `+Changes` for keys in memory and for keys that stay in an index of the store,
/// `+Requery` for reading again and for another definition, and `WindowMove` for another window.
///
/// An engine is a value without locks, threads or clocks. Its owner passes it snapshots of the store.
struct ListEngine: Sendable {
  /// The generation as the list shows it.
  var shown: ResultsSnapshot { snapshot.arranged(by: arrangement, groups) }

  /// A generation as the list shows it, and its delta from the one before.
  ///
  /// A class, since it is passed on many times between the commit and the subscriber.
  final class Step: Sendable {
    let snapshot: ResultsSnapshot
    let delta: ResultsDelta

    init(snapshot: ResultsSnapshot, delta: ResultsDelta) {
      self.snapshot = snapshot
      self.delta = delta
    }

    /// The step with the former identities of inserted rows (R109).
    func naming(_ formerIDs: [ObjectID: ObjectID]) -> Step {
      guard !formerIDs.isEmpty else { return self }
      var delta = delta
      delta.rows.name(formerIDs)
      return Step(snapshot: snapshot, delta: delta)
    }
  }

  /// The outcome of an advance.
  enum Progress {
    /// No commit concerns the list: at most its version is another one, and the store was not queried (R53, R54).
    case unchanged
    /// The steps, oldest first. Without steps, rows and sections are as they were, but counts may differ.
    case moved([Step])
    /// The list was fetched again, since no delta is known from its content to the present one.
    case reset(ResultsResetReason)
  }

  var plan: ListPlan
  /// The generation as the keys have it.
  var snapshot: ResultsSnapshot
  /// The sections of the generation as the list shows them, or `nil` where it shows those of the keys.
  var arrangement: ArrangedSections?
  /// The groups of those sections, or `nil` if there are none.
  var groups: GroupTable?
  /// The related objects that are the list's sections, or `nil` for other sections.
  private(set) var sectionObjects: SectionObjectLists?
  /// The keys as the store has them, where those of the snapshot carry section numbers.
  var storeKeys: SortedKeyList?
  /// When the list leaves its keys to an index of the store, or `nil` for never.
  var indexing: IndexingPolicy?
  /// Digests of the rows' content, where the store's history omits commits of other writers.
  var digests: DigestTable?
  /// Whether changes of other writers are detected by digests.
  var maintainsDigests: Bool
  /// Whether content that other writers changed is found where the history does not record it: by digests while it omits commits, and
  /// otherwise by counting every row as changed where it has a gap.
  var detectsExternalChanges = false
  /// Whether the keys are held, and compared, since the store's history omitted commits when they were last read.
  var isComparing = false
  /// The fewest dependent rows of a commit for which the keys are read again.
  var fewestRowsReadAgain = 256
  /// The most dependent rows of a commit that are looked at where only some rows are observed; of more, only the observed ones are.
  var mostDependentsCounted = 256
  /// The rows that deltas name, or `nil` for all.
  var observed: ObservedRows?
  /// The positions of the rows that deltas name, counted over all sections, or `nil` for all.
  var observedRows: Range<Int>? {
    get { observed?.range }
    set { observed = newValue.map { ObservedRows(range: $0) } }
  }
  /// When rows are crossed by the present time, where the list compares with it.
  var crossings = ClockCrossings()
  /// The snapshot's version in a form that a cache can store, if the list is cached and the store supports it.
  var bookmark: StoreBookmark?

  /// Fetches a list for the first time.
  /// - Throws: The store's error, or `StoreError.request`.
  /// - Complexity: O(*n*) in the rows that match; no row is decoded.
  init(
    _ plan: ListPlan,
    from store: any StoreSnapshot,
    generation: Int,
    maintainsDigests: Bool,
    indexing: IndexingPolicy? = nil
  ) throws(StoreError) {
    let isComparing = indexing?.reportsEveryCommit == false
    let keys = try IndexingPolicy.keys(of: plan, indexing, in: plan.view(store))
    try self.init(
      plan,
      keys: keys,
      from: store,
      generation: generation,
      maintainsDigests: maintainsDigests
    )
    self.indexing = indexing
    self.isComparing = isComparing
  }

  /// Creates a list from known keys, which are those of this version of the store.
  /// - Throws: As `init(_:from:generation:maintainsDigests:indexing:)`.
  /// - Complexity: O(*n*) in the keys; only counts and digests are read from the store, if they are needed.
  init(
    _ plan: ListPlan,
    keys: ListKeys,
    from store: any StoreSnapshot,
    generation: Int,
    maintainsDigests: Bool
  ) throws(StoreError) {
    sectionObjects = try plan.objects.map { (objects) throws(StoreError) in
      try SectionObjectLists(objects, from: store)
    }
    let store = plan.view(store)
    self.plan = plan
    self.maintainsDigests = maintainsDigests
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
    if let failure = try snapshot.identifySections() { throw .request(failure) }
    arrangement = plan.arrangement.map {
      ArrangedSections($0, sectionObjects?.objects, of: snapshot)
    }
    if let aggregates = try AggregateComputation(snapshot, in: store).table() {
      snapshot.update { $0.aggregates = aggregates }
    }
    if plan.groups != nil {
      groups = try refusing { () throws(RequestError) in try GroupTable(counting: shown) }
    }
    if maintainsDigests, !plan.observedAttributes.isEmpty {
      digests = try DigestTable(of: plan.definition, plan.observedAttributes, in: store)
    }
    updateBookmark(in: store)
  }

  /// Records the version for the cache; without a cache the store is not queried.
  private mutating func updateBookmark(in store: any StoreSnapshot) {
    // A cache is only a shortcut, so a failure here leaves the list without one.
    bookmark = plan.isCacheable ? (try? store.bookmark()) : nil
  }

  /// Reads all keys of a list.
  /// - Throws: The store's error; `StoreError.aborted(by:)` with a `CancellationError` if they are not wanted any more.
  static func keys(
    of definition: OrderDefinition,
    in store: any StoreSnapshot
  ) throws(StoreError) -> SortedKeyList {
    try keys(of: definition, in: store, limit: .max).keys
  }

  /// Reads keys of a list until there are more than a number.
  /// - Returns: The keys, and whether they are all.
  /// - Throws: As `keys(of:in:)`.
  static func keys(
    of definition: OrderDefinition,
    in store: any StoreSnapshot,
    limit: Int
  ) throws(StoreError) -> (keys: SortedKeyList, isComplete: Bool) {
    var keys = SortedKeyList(limits: .packed)
    let isWanted = ReadingInterest.isWanted
    var isAbandoned = false
    try store.entries(of: definition) { (batch) throws(StoreError) in
      try keys.appendEntries(batch, of: definition)
      isAbandoned = isWanted.map { !$0() } ?? false
      return !isAbandoned && keys.count <= limit
    }
    if isAbandoned { throw .aborted(by: CancellationError()) }
    return (keys, keys.count <= limit)
  }

  private static func counts(
    _ requests: [String: CountRequest],
    in store: any StoreSnapshot
  ) throws(StoreError) -> [String: Int] {
    var counts: [String: Int] = [:]
    for (name, request) in requests {
      counts[name] = try store.rowCount(of: request.entity, where: request.predicate)
    }
    return counts
  }
}

// MARK: - Advancing

extension ListEngine {
  /// A commit that concerns the list, and the rows of the list that it touched.
  fileprivate struct RelevantCommit {
    let record: CommitRecord
    let affected: [AffectedRow]
    /// All commits after it.
    let later: ArraySlice<CommitRecord>
    /// Whether all rows that it touched are known.
    var isComplete = true
    /// What it changed of the objects that are the list's sections, or `nil` for nothing.
    var objects: SectionObjectsChange?
  }

  /// Advances the list to a later version of the store, with a delta for each commit.
  /// - Returns: The steps, oldest first; none if nothing in the list changed, or if it had to be fetched again.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(to store: any StoreSnapshot) throws(StoreError) -> [Step] {
    guard case .moved(let steps) = try advance(in: SnapshotHistory(store), folding: false) else {
      return []
    }
    return steps
  }

  /// Advances the list to a later version of the store.
  ///
  /// Commits in the store's history are applied one by one; any other change is found by reading the keys again.
  /// - Parameters:
  ///   - history: The target version, with the commits up to it.
  ///   - isFolding: Whether all commits become one delta.
  /// - Returns: The outcome, with the steps if there are any.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(
    in history: SnapshotHistory,
    folding isFolding: Bool
  ) throws(StoreError) -> Progress {
    let endsComparing = isComparing && indexing?.reportsEveryCommit == true
    guard endsComparing || sectionObjects != nil else {
      return try follow(history, [], folding: isFolding)
    }
    var next = self
    let progress = try next.followWithObjects(history, folding: isFolding)
    // A list that could not be advanced needs the changes of its sections next time.
    guard next.snapshot.version == history.snapshot.version else { return progress }
    if endsComparing { try next.endComparing(in: plan.view(history.snapshot)) }
    self = next
    return progress
  }

  /// Advances the objects that are the list's sections, and then the list.
  private mutating func followWithObjects(
    _ history: SnapshotHistory,
    folding isFolding: Bool
  ) throws(StoreError) -> Progress {
    // The sections of a frozen list stay as they were fetched.
    guard sectionObjects != nil, !plan.isFrozen, history.snapshot.version != snapshot.version else {
      return try follow(history, [], folding: isFolding)
    }
    switch try sectionObjects?.advance(in: history, folding: isFolding) {
    case .reset(let reason): return try refetch(reason, in: history.snapshot)
    case .moved(let changes, repair: nil):
      return try follow(history, changes, folding: isFolding)
    case .moved(let changes, repair: let reason?):
      let progress = try follow(history, changes, folding: true)
      guard case .moved(let steps) = progress else { return progress }
      return .moved(
        steps.map { step in
          var delta = step.delta
          delta.repair = delta.repair ?? reason
          return Step(snapshot: step.snapshot, delta: delta)
        }
      )
    case nil: return .unchanged
    }
  }

  private mutating func follow(
    _ history: SnapshotHistory,
    _ objects: [SectionObjectsChange],
    folding isFolding: Bool
  ) throws(StoreError) -> Progress {
    guard history.snapshot.version != snapshot.version else { return .unchanged }
    let store = plan.view(history.snapshot)
    guard let found = try commits(in: history) else {
      return try advanceReadingAgain(in: history, objects.composed)
    }
    switch found.history {
    case .commits(let records):
      let recounts = try additionalCountsMayDiffer(in: history)
      let commits = try relevantCommits(of: records, found.incomplete)
        .including(objects, among: records)
      guard recounts || !commits.isEmpty else {
        setVersion(of: store)
        return .unchanged
      }
      let isFolding = isFolding || recounts
      if !isFolding || commits.count == 1 {
        for commit in commits {
          guard let reason = reasonToRecount(after: commit.affected) else { continue }
          return try refetch(reason, in: store)
        }
      }
      let steps = try advance(by: commits, folding: isFolding, recounting: recounts, in: store)
      guard let steps else { return try refetch(.indexLost, in: store) }
      return .moved(steps)
    case .gap(.otherEpoch): return try refetch(.storeReplaced, in: store)
    case .gap(.schemaChanged): return try refetch(.schemaChanged, in: store)
    case .gap(let reason):
      if case .indexed = snapshot.keys { return try refetch(.historyLost, in: store) }
      let steps = try advancingCopy(to: store) { (next) throws(StoreError) in
        try next.repair(reason, in: store, objects.composed)
      }
      return .moved(steps ?? [])
    }
  }

  /// Whether the list can be advanced to a version by a few searches, without a pass over rows or keys.
  ///
  /// A list that is short enough may be passed over.
  func canAdvancePromptly(in history: SnapshotHistory) -> Bool {
    guard history.snapshot.version != snapshot.version else { return true }
    // Its keys may be counted over an index next.
    guard !isComparing || indexing?.reportsEveryCommit == false else { return false }
    let limit = ListEngine.promptRowLimit
    guard plan.additionalCounts.isEmpty,
      case .commits(let records)? = try? history.since(snapshot.version, of: plan, limit: limit)
    else { return false }
    let changeCount = records.reduce(0) { $0 + $1.changes.count }
    guard changeCount <= ListEngine.promptRowLimit else { return false }
    guard sectionObjects?.canAdvancePromptly(in: history) ?? true else { return false }
    guard snapshot.keys.count > ListEngine.shortLength else { return true }
    return plan.aggregates.isEmpty && storeKeys == nil && !plan.numbersSections && digests == nil
  }

  /// The most changed rows that are applied within the call of a commit.
  private static let promptRowLimit = 64
  /// The length up to which a list is short.
  private static let shortLength = 4096

  /// Works on a copy, so that a failure leaves the engine as it was.
  mutating func advancingCopy(
    to store: any StoreSnapshot,
    _ work: (inout ListEngine) throws(StoreError) -> [Step]?
  ) throws(StoreError) -> [Step]? {
    var next = self
    guard let steps = try work(&next) else { return nil }
    next.setVersion(of: store)
    self = next
    return steps
  }

  /// Records that the content is that of a later version too, where the keys are held.
  mutating func setVersion(_ version: StoreVersion) {
    guard snapshot.version != version else { return }
    snapshot.update { $0.version = version }
    snapshot.span.extend(to: version)
  }

  private mutating func setVersion(of store: any StoreSnapshot) {
    setVersion(store.version)
    if case .indexed(let keys) = snapshot.keys { keys.keyVersion.extend(to: store.version) }
    updateBookmark(in: store)
  }

  private func additionalCountsMayDiffer(
    in history: SnapshotHistory
  ) throws(StoreError) -> Bool {
    for request in plan.additionalCounts.values {
      // A predicate over related objects is counted again after every commit.
      guard !request.predicate.usesPaths,
        case .commits(let records) = try history.since(snapshot.version, of: request.entity)
      else { return true }
      if !records.isEmpty { return true }
    }
    return false
  }

  /// The commits that changed a row that the list had, has or will have, or may have.
  private func relevantCommits(
    of records: [CommitRecord],
    _ incomplete: Set<StoreVersion>
  ) throws(StoreError) -> [RelevantCommit] {
    var commits: [RelevantCommit] = []
    for (index, record) in records.enumerated() {
      let affected = try affectedRows(by: record.changes)
      let isComplete = !incomplete.contains(record.version)
      guard !affected.isEmpty || !isComplete else { continue }
      commits.append(
        RelevantCommit(
          record: record,
          affected: affected,
          later: records[(index + 1)...],
          isComplete: isComplete
        )
      )
    }
    return commits
  }

  /// - Returns: `nil` if the list must be fetched again.
  private mutating func advance(
    by commits: [RelevantCommit],
    folding isFolding: Bool,
    recounting: Bool,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step]? {
    let additionalCounts = plan.additionalCounts
    return try advancingCopy(to: store) { (next) throws(StoreError) in
      if !isFolding {
        let present = next
        do throws(StoreError) {
          return try next.apply(commits, in: store)
        } catch {
          // What one commit takes apart, a later one may have put together.
          guard commits.count > 1, error.isOfSectionsApart else { throw error }
          next = present
        }
      }
      let origins = ListEngine.origins(of: commits.map(\.record))
      var folded: [RelevantCommit] = []
      for record in ListEngine.folded(commits.map(\.record)) {
        let affected =
          commits.count == 1 ? commits[0].affected : try next.affectedRows(by: record.changes)
        folded.append(
          RelevantCommit(
            record: record,
            affected: affected,
            later: [],
            isComplete: commits.allSatisfy(\.isComplete),
            objects: commits.compactMap(\.objects).composed
          )
        )
      }
      let steps = try next.apply(folded, origins: origins, in: store)
      // A commit that changes no row of the list may change the additional counts.
      if recounting {
        let counts = try ListEngine.counts(additionalCounts, in: store)
        next.snapshot.update { $0.additionalCounts = counts }
      }
      return steps
    }
  }

  /// Applies commits one after the other.
  /// - Returns: `nil` if the list must be fetched again.
  private mutating func apply(
    _ commits: [RelevantCommit],
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
    for (index, commit) in commits.enumerated() {
      let record = commit.record
      var change = ListChange(
        affected: commit.affected,
        version: record.version,
        cause: record.isOwn ? .own : .external,
        origins: origins ?? ListEngine.origins(of: [record])
      ) { (keys) throws(StoreError) in
        try ListEngine.rows(keys, of: entity, before: commit.later, in: store)
      }
      if !spans.isEmpty { change.span = spans[index] }
      change.isPresent = commit.later.isEmpty
      change.isComplete = commit.isComplete
      change.objects = commit.objects
      guard let applied = try apply(change, in: store) else {
        if case .indexed = snapshot.keys { return nil }
        // The list and the history disagree, so neither is trusted: the keys are read again.
        let objects = commits[index...].compactMap(\.objects).composed
        return steps + (try repair(nil, in: store, objects))
      }
      digests?.apply(commit.affected, record.changes, plan.layout)
      if let step = applied.step { steps.append(step.naming(record.formerIDs)) }
    }
    return steps
  }

  /// Reads rows as they were before some later commits, whose before-images undo what those changed.
  private static func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription,
    before later: ArraySlice<CommitRecord>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Row?] {
    var rows = try store.rows(keys, of: entity)
    guard !later.isEmpty else { return rows }
    let indexes = Dictionary(zip(keys, keys.indices)) { first, _ in first }
    for record in later.reversed() {
      for change in record.changes {
        if let index = indexes[change.id.key] { rows[index] = change.before }
      }
    }
    return rows
  }
}

extension [ListEngine.RelevantCommit] {
  /// The commits that concern a list, and those that changed the objects that are its sections, oldest first.
  /// - Parameters:
  ///   - objects: What commits changed of those objects, oldest first.
  ///   - records: All commits of the list's rows.
  /// - Returns: The commits, each version once.
  fileprivate func including(
    _ objects: [SectionObjectsChange],
    among records: [CommitRecord]
  ) -> [ListEngine.RelevantCommit] {
    guard !objects.isEmpty else { return self }
    var all = self
    for change in objects {
      let sequence = change.version.sequence
      let index = all.firstIndex { $0.record.version.sequence >= sequence } ?? all.count
      if index < all.count, all[index].record.version == change.version {
        all[index].objects = change
        continue
      }
      let record = CommitRecord(
        version: change.version,
        origin: change.origins.first ?? .unnamed,
        isOwn: change.cause == .own,
        changes: []
      )
      let later = records.firstIndex { $0.version.sequence > sequence } ?? records.count
      all.insert(
        ListEngine.RelevantCommit(
          record: record,
          affected: [],
          later: records[later...],
          objects: change
        ),
        at: index
      )
    }
    return all
  }
}

// MARK: - Folding commits

extension ListEngine {
  /// The origins of some commits, oldest first, without repeats.
  static func origins(of records: [CommitRecord]) -> [CommitOrigin] {
    var origins: [CommitOrigin] = []
    for record in records where !origins.contains(record.origin) { origins.append(record.origin) }
    return origins
  }

  /// Folds commits into one, with the first before-image and the last after-image of every row.
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
        changes: net,
        formerIDs: records.dropFirst().reduce(records[0].formerIDs) { $1.formerIDs.after($0) }
      )
    ]
  }
}

// MARK: - Applying a change

extension ListEngine {
  /// Applies a change, whichever way the keys are stored.
  /// - Returns: `nil` if the change does not fit the list; a value without a step if nothing visible changed.
  mutating func apply(
    _ change: ListChange,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    switch snapshot.keys {
    case .held(let keys): try apply(change, toHeld: keys, in: store)
    case .indexed(let keys): try apply(change, toIndexed: keys, in: store)
    }
  }

  /// Returns the next generation, except what follows from the sections of its keys.
  /// - Parameters:
  ///   - change: The change from the present one.
  ///   - store: The store in a version that has the change.
  ///   - setKeys: Sets the keys and what follows from them.
  /// - Returns: The generation, which is not the current one yet.
  /// - Throws: The store's error, if additional counts cannot be read.
  func nextGeneration(
    after change: ListChange,
    in store: any StoreSnapshot,
    _ setKeys: (inout ResultsSnapshot.Fields) -> Void
  ) throws(StoreError) -> ResultsSnapshot {
    let counts =
      plan.additionalCounts.isEmpty ? [:] : try ListEngine.counts(plan.additionalCounts, in: store)
    var next = snapshot
    next.update { fields in
      fields.version = change.version
      fields.span = ContentSpan(change.version)
      fields.additionalCounts = counts
      fields.generation += 1
      setKeys(&fields)
    }
    return next
  }

  /// Makes a generation the current one.
  /// - Parameters:
  ///   - next: The generation.
  ///   - delta: What is known to have changed.
  ///   - change: The change to it, or `nil` where no row changed its key.
  ///   - isComplete: Whether that is all.
  ///   - store: The store in a version that has the change.
  /// - Returns: The step to it, or `nil` if nothing visible changed; the generation's number then stays the same.
  /// - Throws: The store's error, if rows that enter or leave the limit of a section cannot be read.
  mutating func commit(
    _ next: ResultsSnapshot,
    _ delta: ResultsDelta?,
    after change: ListChange?,
    isComplete: Bool = true,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    let touched = delta.map { next.sectionsToRegroup(after: $0, change?.affected ?? []) } ?? []
    guard let arrangement, let stored = delta else {
      return try commit(next, delta, touching: touched, isComplete: isComplete)
    }
    let entity = plan.entity
    let arranged = try ArrangedDelta(from: snapshot, to: next, arrangement, stored, change)
      .assemble(in: store) { (keys) throws(StoreError) in
        if let change { try change.rows(keys) } else { try store.rows(keys, of: entity) }
      }
    return try commit(
      next,
      arranged.delta,
      arranged.sections,
      touching: touched,
      isComplete: isComplete
    )
  }

  /// Makes a generation the current one, of which is known how its sections are shown.
  /// - Throws: `StoreError.request` if the sections of one group are not adjacent any more.
  mutating func commit(
    _ next: ResultsSnapshot,
    _ delta: ResultsDelta?,
    _ sections: ArrangedSections? = nil,
    touching touched: Set<Int> = [],
    isComplete: Bool = true
  ) throws(StoreError) -> Step? {
    var delta = delta
    var nextGroups = groups
    if groups != nil || next.plan.groups != nil, let known = delta {
      let update = GroupUpdate(
        from: shown,
        to: next.arranged(by: sections),
        known,
        touching: touched
      )
      let found = try refusing { () throws(RequestError) in try update.assemble() }
      nextGroups = found.table
      delta?.groups = found.changes
    }
    guard let delta, !delta.isEmpty || !isComplete else {
      let (generation, span, observesAll) = (snapshot.generation, snapshot.span, observed == nil)
      snapshot = next
      snapshot.update { fields in
        fields.generation = generation
        // Rows that nobody observes may have changed.
        if observesAll { fields.span = span }
      }
      snapshot.span.extend(to: next.version)
      (arrangement, groups) = (sections, nextGroups)
      return nil
    }
    let (old, new) = (shown, next.arranged(by: sections, nextGroups))
    var part = observedPart(of: delta, from: old, to: new)
    if !isComplete { part.unobserved?.isComplete = false }
    (snapshot, arrangement, groups) = (next, sections, nextGroups)
    return Step(snapshot: new, delta: part)
  }

  /// The delta with only the observed rows named, where the list has observed rows; they are afterwards where the delta puts them.
  mutating func observedPart(
    of delta: ResultsDelta,
    from old: ResultsSnapshot,
    to new: ResultsSnapshot
  ) -> ResultsDelta {
    var delta = delta
    delta.life = new.life
    guard let observed else { return delta }
    let part = delta.observing(observed, from: old, to: new)
    self.observed = part.rows
    return part.delta
  }
}

extension StoreError {
  /// Whether rows of one section, or sections of one group, are not adjacent.
  fileprivate var isOfSectionsApart: Bool {
    switch self {
    case .request(.sectionNotContiguous), .request(.transientSectionNotFirst),
      .request(.groupNotContiguous):
      true
    default: false
    }
  }
}

/// Runs a check of a definition, and wraps its error.
private func refusing<Result>(
  _ check: () throws(RequestError) -> Result
) throws(StoreError) -> Result {
  do {
    return try check()
  } catch {
    throw .request(error)
  }
}

// MARK: - Affected rows

extension ListEngine {
  /// The rows of the list that one commit touched, from their values before and after.
  ///
  /// A row that matched neither before nor after, or whose observed attributes are the same, is omitted: such a commit publishes
  /// nothing (R27).
  /// - Complexity: O(*c* log *n*) for *c* changed rows.
  private func affectedRows(by changes: [CommittedChange]) throws(StoreError) -> [AffectedRow] {
    var rows: [AffectedRow] = []
    rows.reserveCapacity(changes.count)
    for change in changes {
      let keys = try keys(before: change.before, after: change.after, id: change.id)
      guard keys.old != nil || keys.new != nil else { continue }
      var changed = AttributeSet()
      if let before = change.before, let after = change.after {
        changed = after.changes(from: before, of: plan.observedAttributes)
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

  private func keys(
    before: Row?,
    after: Row?,
    id: ObjectID
  ) throws(StoreError) -> (old: [UInt8]?, new: [UInt8]?) {
    // A frozen list retains the first key of a row until the row is deleted.
    guard !plan.isFrozen else {
      let key = frozenKey(of: id.key)
      return (key, after == nil ? nil : key)
    }
    return (try plan.key(of: before), try plan.key(of: after))
  }

  /// The key with which a member of a frozen list was first fetched, as the store has it.
  func frozenKey(of key: ObjectKey) -> [UInt8]? {
    let layout = snapshot.layout
    guard let identity = layout.identityBytes(of: key), case .held(let keys) = snapshot.keys,
      let found = snapshot.identities.key(of: identity, in: keys, layout)
    else { return nil }
    guard storeKeys != nil else { return found }
    return Array(found.dropFirst(found.withUnsafeBytes { layout.prefixLength(columns: 1, in: $0) }))
  }
}
