import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The live state of one list: its engine, the events waiting to be published, and when it is advanced.
///
/// Objects do not appear here; rows become objects in `ResultsList`.
///
/// Mutable state: `state`, guarded by its mutex and changed by the scheduler's turn (`advance`, `fail`, `publish`) and by the
/// controller (`pause`, `observedRows` …), and `firstPage`, set by the controller. Lock order: the scheduler's turn, then `state`, then
/// the publisher. The scheduler is never called while `state` is held.
final class LiveList: Sendable {
  private static let numbers = Atomic<Int>(0)
  /// A number that no other list of the process has; later lists have greater ones.
  let number = LiveList.numbers.add(1, ordering: .relaxed).newValue
  let publisher: ListPublisher
  let scheduler: ListScheduler
  let cache: ListCache
  private let delivery: ResultsDelivery
  private let period: DeliveryPeriod?
  private let clock: any Clock<Duration>
  /// The clock that shows the time of day, or `nil` for none.
  let wallClock: (any WallClock)?
  /// Whether the list has a time at which it is to be advanced; it is read in every turn, without the lock of the state.
  private let awaitsTurn = Atomic(false)
  private let carriesRows: Bool
  private let detectsExternalChanges: Bool
  private let indexing: IndexingPolicy
  private let auditPeriod: Duration?
  /// The life in which its generations are counted.
  private let life: ResultsLife
  /// The rows that were read with other values than those of their generation.
  private let lateReads: LateReads
  private let state = Mutex(State())
  /// Receives the first rows of the first fetch before the others are counted.
  private let firstPage = Mutex<(@Sendable (ResultsPage<Row>) -> Void)?>(nil)

  init<Object: FetchedObject>(
    _ definition: ResultsDefinition<Object>,
    _ store: any Store,
    detectsExternalChanges: Bool,
    _ options: ResultsOptions
  ) {
    cache = ListCache(options.caches)
    scheduler = ListScheduler.shared(for: store)
    lateReads = LateReads(ofList: number, scheduler)
    publisher = ListPublisher(ResultsDefinition<Row>(definition), options)
    carriesRows = Object.needsAttributeValues
    delivery = options.delivery
    clock = options.clock
    wallClock = options.wallClock
    auditPeriod = options.auditPeriod
    period = DeliveryPeriod(options, of: publisher)
    // Not the caller's generator: a seeded one would give two lists the same life.
    var generator = SystemRandomNumberGenerator()
    // A life is no content of the list, so nothing shown depends on chance.
    life = options.life ?? .random(using: &generator)
    self.detectsExternalChanges = detectsExternalChanges
    var indexing = IndexingPolicy(following: store, inMemoryKeyLimit: options.inMemoryKeyLimit)
    indexing.lookup = options.keyLookup
    indexing.resetThreshold = options.resetThreshold
    self.indexing = indexing
  }

  deinit { scheduler.remove(self) }

  /// What a definition needs to be adopted.
  struct Prepared: Sendable {
    enum Content: Sendable {
      /// The list, fetched, and how it was.
      case fetched(ListEngine, ListExplanation.Account)
      /// Another window of the keys that the list has.
      case window(ListPlan)
      /// Other limits of the sections that the list has.
      case limits(ListPlan)
    }

    let content: Content
    /// The number of its definition.
    let number: Int
  }

  private struct State: Sendable {
    var engine: ListEngine?
    /// Whether there is an engine; every commit checks that for all lists of the store, and an engine is costly to copy.
    var isFetched = false
    var isPaused = false
    /// Whether the commits of a pause are still to be published, as one change.
    var isResuming = false
    /// Whether a resume still checks for external commits; until it has, nothing is published, so that there is one change.
    var isChecking = false
    /// Whether a notification was ignored during that check.
    var hasIgnoredNotification = false
    /// Whether the last attempt failed, so that the next success must make the list ready again.
    var hasFailed = false
    /// The observed rows as last declared; the engine's follow the content.
    var observed: ObservedRows?
    /// The events to publish, oldest first.
    var pending: [ListEvent] = []
    /// The definition that the pending events answer.
    var answering: Int?
    /// The results of the last pending or published event.
    var results: RowLoader?
    /// The blocks to count again, as fractions of the list, and the findings of the last audit.
    var shares: [Double] = []
    var audit = ListAudit()
    /// The number of blocks ever chosen.
    var sharesTaken = 0
    var auditing: Task<Void, Never>?
    /// How the list reached its present content.
    var account: ListExplanation.Account?
    /// The time at which the list is to be advanced, if it follows the clock.
    var nextTurn: Instant?

    /// Whether the list follows a notification now; a check that ignores it makes up for it.
    mutating func followsNotification() -> Bool {
      guard isFetched, !isPaused else { return false }
      if isChecking { hasIgnoredNotification = true }
      return !isChecking
    }

    /// Ends the check of a resume.
    /// - Returns: Whether a notification was ignored meanwhile.
    mutating func endCheck() -> Bool {
      defer { (isChecking, hasIgnoredNotification) = (false, false) }
      return hasIgnoredNotification
    }
  }
}

// MARK: - The controller's side

extension LiveList {
  /// Registers the list with its scheduler.
  /// - Returns: Whether it is registered; an ended list is not.
  func activate() -> Bool {
    scheduler.add(self)
    // Checked afterwards: a list that ends in between has been removed already.
    guard publisher.isEnded else { return true }
    scheduler.remove(self)
    return false
  }

  /// The engine, or `nil` before the first fetch.
  var engine: ListEngine? { state.withLock { $0.engine } }

  /// The engine and how it reached its content, or `nil` before the first fetch.
  var explained: (engine: ListEngine, account: ListExplanation.Account)? {
    state.withLock { state in
      guard let engine = state.engine, let account = state.account else { return nil }
      return (engine, account)
    }
  }

  /// Whether the list has been fetched.
  var isFetched: Bool { state.withLock { $0.isFetched } }

  /// The rows that deltas name, as flat positions, or `nil` for all.
  var observedRows: Range<Int>? {
    state.withLock { $0.engine == nil ? $0.observed?.range : $0.engine?.observedRows }
  }

  /// Sets the observed rows.
  /// - Parameters:
  ///   - rows: The rows, or `nil` for all.
  ///   - generation: The generation that they are of, or `nil` for any.
  /// - Returns: Whether the list is at that generation; otherwise nothing has changed.
  @discardableResult
  func observe(_ rows: ObservedRows?, ofGeneration generation: Int? = nil) -> Bool {
    state.withLock { state in
      if let generation, state.engine?.snapshot.generation != generation { return false }
      state.observed = rows
      if let count = state.engine?.shown.rowCount {
        state.engine?.observed = rows?.inList(of: count)
      }
      return true
    }
  }

  /// Whether commits are ignored until the list is resumed or refreshed.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Ignores commits from now on.
  func pause() {
    state.withLock { $0.isPaused = true }
    // A turn need not read the store for filed lists that are all paused.
    scheduler.withdraw(number)
  }

  /// Ends a pause; its commits become one change.
  ///
  /// The caller brings the list up to date next.
  /// - Returns: Whether the list was paused.
  func resume() -> Bool {
    state.withLock { state in
      guard state.isPaused else { return false }
      state.isPaused = false
      state.isResuming = state.isFetched
      state.isChecking = true
      return true
    }
  }

  /// Sets the receiver of the first rows of the first fetch.
  func setFirstPageHandler(_ handler: @escaping @Sendable (ResultsPage<Row>) -> Void) {
    firstPage.withLock { $0 = handler }
  }

  /// Fetches a requested definition, unless a later one replaces it, and publishes the result.
  /// - Throws: The store's error, or `StoreError.request`; the error has been published.
  func fetch(_ number: Int) throws(StoreError) {
    while let (definition, newest) = publisher.definitionToFetch(for: number) {
      do throws(StoreError) {
        let prepared = try prepare(definition, newest)
        if let failure = scheduler.advance(self, adopting: prepared) { throw failure }
        auditWhenIdle()
        if publisher.hasAnswered(newest) { return }
      } catch {
        // A later definition ended the reading; it may have been answered already.
        guard publisher.isNewest(newest) else { continue }
        guard !publisher.hasAnswered(newest) else { throw error }
        scheduler.publish(error, of: self, answering: newest)
        throw error
      }
    }
  }

  /// Checks for commits of every writer, and advances the list to the present version, if it has been fetched.
  ///
  /// Without the check, a store whose database has no change log would show what it last detected of other writers.
  /// - Throws: The store's error, which has been published.
  func bringUpToDate() throws(StoreError) {
    do throws(StoreError) {
      try scheduler.store.checkForExternalChanges()
    } catch {
      // Definitions are numbered from 1, so this answers none.
      scheduler.publish(error, of: self, answering: 0)
      // A notification that was ignored is not sent again.
      if state.withLock({ $0.endCheck() }) { _ = scheduler.advance(self) }
      throw error
    }
    _ = state.withLock { $0.endCheck() }
    guard isFetched else { return }
    if let failure = scheduler.advance(self) { throw failure }
  }

  /// Ends the list: its store was closed, or its controller cancelled.
  func end() {
    publisher.end()
    state.withLock { $0.auditing?.cancel() }
  }
}

// MARK: - Fetching

extension LiveList {
  /// Reads the keys of a definition, outside of any turn, so that no other list waits for it.
  private func prepare(
    _ definition: ResultsDefinition<Row>,
    _ number: Int
  ) throws(StoreError) -> Prepared {
    let present = state.withLock { $0.engine?.plan }
    // Another window at the time of the list is one of the same keys.
    let plan = try plan(for: definition, at: present?.clock?.now)
    try plan.requireEntities(of: scheduler.store)
    if let present, plan.differsOnlyInWindow(from: present) {
      return Prepared(content: .window(plan), number: number)
    }
    if let present, plan.differsOnlyInSectionLimits(from: present) {
      return Prepared(content: .limits(plan), number: number)
    }
    return try fetch(plan.clock == nil ? plan : try self.plan(for: definition, at: nil), number)
  }

  /// The plan of a definition at a time, which is the present one if it is not given.
  private func plan(
    for definition: ResultsDefinition<Row>,
    at time: Instant?
  ) throws(StoreError) -> ListPlan {
    do throws(RequestError) {
      let time = definition.followsClock ? time ?? wallClock?.now : nil
      if definition.followsClock, time == nil { throw .missingWallClock }
      return try ListPlan(
        definition,
        at: time,
        carriesRows: carriesRows,
        answersPaths: scheduler.store.capabilities.answersPaths
      )
    } catch {
      throw .request(error.namingRows(of: definition, in: scheduler.store))
    }
  }

  private func fetch(_ plan: ListPlan, _ number: Int) throws(StoreError) -> Prepared {
    let maintainsDigests = detectsExternalChanges && !indexing.reportsEveryCommit
    let indexing = indexingPolicy(for: plan, number)
    let stopwatch = Stopwatch(clock)
    let opening = isFetched ? nil : cache.opening(of: plan, indexing)
    var (engine, work) = try ReadingInterest.reading(while: interest(in: number)) {
      () throws(StoreError) in
      try scheduler.store.read { (snapshot) throws(StoreError) in
        let snapshot = CountingSnapshot(snapshot)
        let engine =
          if let opening {
            try cache.engine(opening, from: snapshot, maintainsDigests: maintainsDigests)
          } else {
            try ListEngine(
              plan,
              from: snapshot,
              generation: 1,
              maintainsDigests: maintainsDigests,
              indexing: indexing
            )
          }
        return (engine, snapshot.work)
      }
    }
    engine.detectsExternalChanges = detectsExternalChanges
    engine.indexing = self.indexing
    let account = ListExplanation.Account(
      path: opening == nil ? .fetched : cache.outcome.map { .cached($0) } ?? .fetched,
      work: work,
      duration: stopwatch.elapsed()
    )
    return Prepared(content: .fetched(engine, account), number: number)
  }

  /// The indexing policy for a fetch: it shows the first rows before counting, and ends counting when the definition is replaced.
  private func indexingPolicy(for plan: ListPlan, _ number: Int) -> IndexingPolicy {
    var indexing = indexing
    let publisher = publisher
    indexing.isWanted = interest(in: number)
    // The first rows are read only if the caller wants them. Where sections are objects, the keys do not begin with them.
    guard !isFetched, plan.objects == nil, indexing.reportsEveryCommit,
      let handler = firstPage.withLock({ $0 })
    else { return indexing }
    indexing.willCount = { (snapshot, source) throws(StoreError) in
      let page = try plan.firstPage(source, in: snapshot)
      if publisher.show(page, answering: number) { handler(page) }
    }
    indexing.willHold = { (snapshot, keys) throws(StoreError) in
      let page = try plan.firstPage(keys, in: snapshot)
      if publisher.show(page, answering: number) { handler(page) }
    }
    return indexing
  }

  /// Whether the list of a requested definition is still wanted: neither the task nor the controller is cancelled, and no later
  /// definition has been requested.
  private func interest(in number: Int) -> @Sendable () -> Bool {
    { [publisher] in !Task.isCancelled && !publisher.isEnded && publisher.isNewest(number) }
  }
}

// MARK: - The scheduler's side

extension LiveList {
  /// Whether the list follows the store's notifications, and not only refreshes.
  var isAutomatic: Bool { delivery != .onDemand }

  /// Returns the span to wait after a notification, or `nil` if the list waits for none.
  ///
  /// A list that still checks for external commits after a pause notes that it ignored the notification.
  func periodToAwait() -> DeliveryPeriod? {
    guard let period else { return nil }
    return state.withLock { $0.followsNotification() } ? period : nil
  }

  /// The version that the list will be advanced from automatically, or `nil` if it waits for a refresh or the end of a pause.
  var awaitingVersion: StoreVersion? {
    guard isAutomatic else { return nil }
    return state.withLock { $0.isPaused ? nil : $0.engine?.snapshot.version }
  }

  /// Whether the list is to be advanced now.
  /// - Parameter period: The span that has passed, or `nil` if the store may just have changed.
  /// - Returns: `false` also before the first fetch and during a pause.
  func isDue(after period: DeliveryPeriod?) -> Bool {
    let isDue =
      switch delivery {
      case .immediate: true
      case .throttled: period != nil && period == self.period
      case .onDemand: false
      }
    return isDue && state.withLock { $0.followsNotification() }
  }

  /// The plan by which the list may be filed in a version: it has reached it, and follows every commit that concerns it.
  ///
  /// A list over an index is asked about every commit, since it notes the versions in which the index has its keys.
  func planToFile(at version: StoreVersion) -> ListPlan? {
    guard case .immediate = delivery, lateReads.isEmpty else { return nil }
    return state.withLock { state in
      guard !state.isPaused, !state.isChecking, !state.hasFailed, let engine = state.engine,
        engine.plan.clock == nil, engine.snapshot.version == version, !engine.plan.demands.isEmpty,
        case .held = engine.snapshot.keys
      else { return nil }
      return engine.plan
    }
  }

  /// Records that no commit up to a version concerns the list, which was filed.
  func settle(at version: StoreVersion) { state.withLock { $0.engine?.setVersion(version) } }

  /// Whether advancing the list to a version takes no longer than a commit's caller may wait.
  func canAdvancePromptly(in history: SnapshotHistory) -> Bool {
    state.withLock { state in
      guard let engine = state.engine else { return true }
      guard engine.canAdvancePromptly(in: history) else { return false }
      guard engine.plan.clock != nil, let wallClock else { return true }
      return engine.staysInTime(at: history.time(of: wallClock), in: history)
    }
  }

  /// Advances the list to a version of the store; the events wait until `publish()`.
  /// - Parameters:
  ///   - history: The target version, with the commits up to it.
  ///   - prepared: A list of another definition, which replaces this one if that definition is still the newest.
  /// - Returns: Whether there is anything to publish.
  /// - Throws: The store's error; the list is then as it was, and has the failure to publish.
  func advance(
    in history: SnapshotHistory,
    adopting prepared: Prepared?
  ) throws(StoreError) -> Bool {
    try state.withLock { (state) throws(StoreError) -> Bool in
      let late = lateReads.take(at: history.snapshot.version)
      do throws(StoreError) {
        try advance(&state, in: history, naming: late)
        if let prepared, publisher.isNewest(prepared.number) {
          try adopt(prepared, &state, in: history)
        }
        try advanceInTime(&state, in: history)
        if let engine = state.engine { lateReads.setContent(engine.digests, engine.plan.layout) }
        if state.hasFailed, state.pending.isEmpty { appendCurrent(to: &state) }
        state.hasFailed = false
        return !state.pending.isEmpty
      } catch {
        lateReads.giveBack(late)
        state.pending.append(.failure(error))
        state.answering = prepared?.number
        state.hasFailed = true
        throw error
      }
    }
  }

  /// The time at which the list is to be advanced next if nothing else happens, or `nil` if it waits for none.
  ///
  /// Rows that are crossed soon after each other wait for one turn, so there are at most ten a second.
  var alarm: Instant? {
    guard awaitsTurn.load(ordering: .relaxed) else { return nil }
    return state.withLock { state in
      guard let turn = state.nextTurn, let now = state.engine?.plan.clock?.now else { return nil }
      return max(turn, now.adding(100_000))
    }
  }

  /// Advances a list that follows the clock to the time of the turn, if anything of it is another then.
  private func advanceInTime(
    _ state: inout State,
    in history: SnapshotHistory
  ) throws(StoreError) {
    let snapshot = history.snapshot
    defer { awaitsTurn.store(state.nextTurn != nil, ordering: .relaxed) }
    guard let wallClock, let clock = state.engine?.plan.clock else {
      state.nextTurn = nil
      return
    }
    let now = history.time(of: wallClock)
    state.nextTurn = try state.engine?.nextTurn(in: snapshot)
    guard state.nextTurn.map({ $0 <= now }) ?? false || now < clock.now else { return }
    let (before, stopwatch) = (snapshot.work, Stopwatch(self.clock))
    let step = try state.engine?.advance(to: now, in: snapshot)
    if let step { append(step, to: &state) }
    state.nextTurn = try state.engine?.nextTurn(in: snapshot)
    state.account = ListExplanation.Account(
      path: .timePassed,
      work: snapshot.work.since(before),
      duration: stopwatch.elapsed()
    )
  }

  private func advance(
    _ state: inout State,
    in history: SnapshotHistory,
    naming late: LateReads.Batch
  ) throws(StoreError) {
    let (before, stopwatch) = (history.snapshot.work, Stopwatch(clock))
    try state.engine?.noteCrossings(in: history)
    let progress = try state.engine?.advance(
      in: history,
      folding: delivery != .immediate || state.isPaused || state.isResuming
    )
    state.isResuming = false
    if let path = progress?.path {
      state.account = ListExplanation.Account(
        path: path,
        work: history.snapshot.work.since(before),
        duration: stopwatch.elapsed()
      )
    }
    switch progress {
    case .unchanged, nil: break
    case .moved(let steps):
      for step in steps { append(step, to: &state) }
      // Later commits may have changed the version or the counts alone.
      let last = steps.last?.snapshot
      if last?.version != state.engine?.snapshot.version
        || last?.additionalCounts != state.engine?.snapshot.additionalCounts
      {
        appendCurrent(to: &state)
      }
    case .reset(let reason): appendReset(reason, to: &state)
    }
    if !late.isEmpty, progress?.isReset == false { try name(late, &state, in: history) }
    if !state.shares.isEmpty { try audit(&state, in: history) }
  }

  /// Names rows that were read late; if they are too many, the list is fetched again.
  private func name(
    _ late: LateReads.Batch,
    _ state: inout State,
    in history: SnapshotHistory
  ) throws(StoreError) {
    guard late.isWhole else {
      let keys = Array(late.keys.keys)
      let step = try state.engine?.rereading(keys, because: late.reason, in: history.snapshot)
      if let step { append(step, to: &state) }
      var absent = late
      for id in step?.delta.rows.readLate ?? [] { absent.remove(id.key) }
      mark(absent, &state)
      return
    }
    _ = try state.engine?.refetch(.historyLost, in: history.snapshot)
    appendReset(.historyLost, to: &state)
  }

  /// Marks rows that were read late and have left the list, with the change after which they are absent: they may return as they were.
  ///
  /// Before the next change they cannot return, so they stay noted until then.
  private func mark(_ absent: LateReads.Batch, _ state: inout State) {
    guard let engine = state.engine, !absent.isEmpty else { return }
    for index in state.pending.indices.reversed() {
      guard case .change(let before, var delta, let after) = state.pending[index] else { continue }
      delta.rows.readLate.formUnion(
        absent.keys.keys.map { ObjectID(entity: engine.plan.entity.name, key: $0) }
      )
      state.pending[index] = .change(before: before, delta, after: after)
      return
    }
    lateReads.giveBack(absent)
  }

  private func adopt(
    _ prepared: Prepared,
    _ state: inout State,
    in history: SnapshotHistory
  ) throws(StoreError) {
    let hasFetched = state.isFetched
    switch prepared.content {
    case .window(let prepared):
      let plan = try prepared.resolved(atTimeOf: state.engine?.plan)
      try adjust(&state, .windowMoved, in: history) { (engine) throws(StoreError) in
        try engine.moveWindow(to: plan, in: history.snapshot)
      }
    case .limits(let prepared):
      let plan = try prepared.resolved(atTimeOf: state.engine?.plan)
      try adjust(&state, .limitsMoved, in: history) { (engine) throws(StoreError) in
        try engine.moveLimits(to: plan, in: history.snapshot)
      }
    case .fetched(var next, let account):
      _ = try next.advance(in: history, folding: true)
      try replace(with: next, &state, in: history)
      state.account = account
    }
    // The definition is another one, even if it shows the same.
    if hasFetched { appendCurrent(to: &state) }
    state.answering = prepared.number
  }

  /// Adopts a definition for which the list has all keys.
  ///
  /// It was compared with the present one: a definition that is adopted in between belongs to a later request, and replaces this one.
  private func adjust(
    _ state: inout State,
    _ path: ListExplanation.Path,
    in history: SnapshotHistory,
    _ move: (inout ListEngine) throws(StoreError) -> ListEngine.Step?
  ) throws(StoreError) {
    let (before, stopwatch) = (history.snapshot.work, Stopwatch(clock))
    if var engine = state.engine {
      let step = try move(&engine)
      state.engine = engine
      if let step { append(step, to: &state) }
    }
    state.account = ListExplanation.Account(
      path: path,
      work: history.snapshot.work.since(before),
      duration: stopwatch.elapsed()
    )
  }

  private func replace(
    with engine: ListEngine,
    _ state: inout State,
    in history: SnapshotHistory
  ) throws(StoreError) {
    guard !state.isFetched else {
      if let step = try state.engine?.redefine(as: engine, in: history.snapshot) {
        append(step, to: &state)
      }
      return
    }
    var first = engine
    first.snapshot.update { fields in
      fields.generation = 1
      fields.life = life
    }
    first.observed = state.observed?.inList(of: first.shown.rowCount)
    state.engine = first
    state.isFetched = true
    let results = RowLoader(first.shown, scheduler.store, lateReads)
    state.pending.append(.snapshot(results))
    state.results = results
  }

  private func append(_ step: ListEngine.Step, to state: inout State) {
    let after = RowLoader(step.snapshot, scheduler.store, lateReads)
    if let before = state.results {
      state.pending.append(.change(before: before, step.delta, after: after))
    } else {
      state.pending.append(.snapshot(after))
    }
    state.results = after
  }

  /// Appends the content of the engine, to which no delta is known.
  private func appendReset(_ reason: ResultsResetReason, to state: inout State) {
    guard let snapshot = state.engine?.shown else { return }
    let results = RowLoader(snapshot, scheduler.store, lateReads)
    state.pending.append(.reset(reason, results))
    state.results = results
  }

  /// Appends the content of the engine, whose rows and sections are those of the last event.
  private func appendCurrent(to state: inout State) {
    guard let snapshot = state.engine?.shown else { return }
    let results = RowLoader(snapshot, scheduler.store, lateReads)
    state.pending.append(.current(results))
    state.results = results
  }

  /// Records that the store could not be read.
  func fail(_ error: StoreError, answering number: Int?) {
    state.withLock { state in
      state.pending.append(.failure(error))
      state.answering = number
      state.hasFailed = true
    }
  }

  /// Makes the pending events the published state.
  /// - Returns: A closure that delivers them to the subscribers, or `nil` if there is nothing to deliver.
  func publish() -> (() -> Void)? {
    let (events, number) = state.withLock { state in
      defer {
        state.pending = []
        state.answering = nil
      }
      return (state.pending, state.answering)
    }
    auditWhenIdle()
    return publisher.publish(events, answering: number)
  }
}

// MARK: - Auditing

extension LiveList {
  /// Counts some blocks of a list over an index again, after advancing it to the present version of every writer.
  ///
  /// The blocks are chosen by a sequence that spreads evenly over the list for any length (multiples of the golden ratio).
  /// - Throws: The store's error, which has been published.
  func audit(blocks: Int) throws(StoreError) -> ListAudit {
    state.withLock { state in
      for _ in 0..<max(0, blocks) {
        state.sharesTaken += 1
        let share = Double(state.sharesTaken) * 0.618_033_988_749_894_9
        state.shares.append(share - Double(Int(share)))
      }
    }
    try bringUpToDate()
    return state.withLock { $0.audit }
  }

  /// Counts the chosen blocks again, and the whole list if one of them is not sound.
  private func audit(
    _ state: inout State,
    in history: SnapshotHistory
  ) throws(StoreError) {
    let shares = state.shares
    state.shares = []
    state.audit = try state.engine?.audit(shares, in: history.snapshot) ?? ListAudit()
    guard state.audit.unsoundBlocks > 0 else { return }
    _ = try state.engine?.refetch(.indexLost, in: history.snapshot)
    appendReset(.indexLost, to: &state)
  }

  /// Counts a few blocks again whenever the list has been idle for a while.
  private func auditWhenIdle() {
    guard let auditPeriod else { return }
    state.withLock { state in
      guard state.auditing == nil, case .indexed? = state.engine?.snapshot.keys else { return }
      let executor = scheduler.store.executor
      state.auditing = Task(executorPreference: executor) { [clock, weak self] in
        var last: StoreVersion?
        while (try? await clock.sleep(for: auditPeriod)) != nil, let self {
          guard let snapshot = self.engine?.snapshot, case .indexed = snapshot.keys else {
            continue
          }
          let isIdle = snapshot.version == last
          last = snapshot.version
          guard isIdle, !self.isPaused else { continue }
          _ = try? self.audit(blocks: 4)
        }
      }
    }
  }
}
