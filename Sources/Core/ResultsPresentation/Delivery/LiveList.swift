import ResultsDomain
import Synchronization

/// What a controller keeps live: the engine, what it led to, and when it is led on.
///
/// The engine is guarded by the mutex, which is never held while the store's follower is called.
final class LiveList<Object: FetchedObject>: FollowedList {
  let publisher: ResultsPublisher<Object>
  let follower: StoreFollower
  let cache: ListCache
  private let delivery: ResultsDelivery
  private let period: DeliveryPeriod?
  let clock: any Clock<Duration>
  private let maintainsDigests: Bool
  private let assumesContentChangedInGaps: Bool
  let indexing: IndexingPolicy?
  let auditPeriod: Duration?
  /// What its generations are counted in.
  private let life: ResultsLife
  private let body = Mutex(LedList())
  /// Who wants the first rows before the others are counted.
  private let firstPage = Mutex<(@Sendable (ResultsPage<Object>) -> Void)?>(nil)

  init(
    _ definition: ResultsDefinition<Object>,
    _ store: any Store,
    detectsExternalChanges: Bool,
    _ options: ResultsOptions
  ) {
    cache = ListCache(options.caches)
    follower = FollowerRegistry.follower(of: store)
    publisher = ResultsPublisher(definition, store, options)
    delivery = options.delivery
    clock = options.clock
    auditPeriod = options.auditPeriod
    period = DeliveryPeriod(options, of: publisher)
    // A token that no other list has must not come from a generator that somebody could give twice.
    var generator = SystemRandomNumberGenerator()
    // The same reason: what tells lists apart is no content of a list, so nothing shown depends on chance.
    life = options.life ?? .random(using: &generator)
    let coverage = store.capabilities.historyCoverage
    assumesContentChangedInGaps = detectsExternalChanges && coverage == .everyWriter
    maintainsDigests = detectsExternalChanges && coverage == .thisStore
    var indexing = IndexingPolicy(store, heldKeysLimit: options.heldKeysLimit)
    indexing?.lookup = options.keyLookup
    indexing?.resetThreshold = options.resetThreshold
    self.indexing = indexing
  }

  /// Begins to listen to the store.
  /// - Returns: Whether it does; an ended list does not.
  func listen() -> Bool {
    follower.join(self)
    // Asked afterwards: whoever ends the list meanwhile has taken it out already.
    guard publisher.isEnded else { return true }
    follower.leave(self)
    return false
  }

  /// The list as it is now, or `nil` before the first fetch.
  var engine: ListEngine? { body.withLock { $0.engine } }

  /// The list as it is now, and how it came to that, or `nil` before the first fetch.
  var explained: (engine: ListEngine, account: ListExplanation.Account)? {
    body.withLock { body in
      guard let engine = body.engine, let account = body.account else { return nil }
      return (engine, account)
    }
  }

  /// The rows that deltas name, counted over all sections, or `nil` for all.
  var observedRows: Range<Int>? {
    get { body.withLock { $0.engine == nil ? $0.observed : $0.engine?.observedRows } }
    set {
      body.withLock { body in
        body.observed = newValue
        body.engine?.observedRows = newValue
      }
    }
  }

  /// Whether commits are left alone until the list is resumed or asked for them.
  var isPaused: Bool { body.withLock { $0.isPaused } }

  /// What the last audit found.
  var lastAudit: ListAudit { body.withLock { $0.audit } }

  /// Chooses blocks to be counted again when the list is next led on.
  func chooseBlocks(_ count: Int) {
    body.withLock { body in
      for _ in 0..<max(0, count) {
        body.sharesTaken += 1
        let share = Double(body.sharesTaken) * 0.618_033_988_749_894_9
        body.shares.append(share - Double(Int(share)))
      }
    }
  }

  /// Starts what audits the list in idle time, unless it has been started.
  func startAuditing(_ work: @escaping @Sendable () async -> Void) {
    body.withLock { body in
      guard body.auditing == nil else { return }
      body.auditing = Task(executorPreference: follower.store.executor) { await work() }
    }
  }

  /// Whether there is a list already.
  var isFetched: Bool { body.withLock { $0.isFetched } }

  /// Leaves commits alone from now on.
  func pause() { body.withLock { $0.isPaused = true } }

  /// Follows commits again; those of the pause are one change.
  /// - Returns: Whether it was paused.
  func resume() -> Bool {
    body.withLock { body in
      guard body.isPaused else { return false }
      body.isPaused = false
      body.isResuming = body.isFetched
      return true
    }
  }

  /// Fetches the list, or gives it the definition that is wanted, and leads it to the present version.
  ///
  /// It returns without having done so only if a later definition was asked for, and something was fetched.
  /// - Throws: The store's error, which has been told.
  func fetch(_ number: Int) throws(StoreError) {
    while let (definition, newest) = publisher.wanted(number) {
      do throws(StoreError) {
        let loaded = try load(definition, newest)
        if let failure = follower.lead(self, joining: loaded) { throw failure }
        auditInIdleTime()
        if publisher.hasAnswered(newest) { return }
      } catch {
        guard !publisher.hasAnswered(newest) else { throw error }
        guard publisher.isNewest(newest) else { continue }
        follower.tell(error, of: self, answering: newest)
        throw error
      }
    }
  }

  /// Looks for commits of every writer, and leads the list to the present version, if it has been fetched.
  ///
  /// Without the look a store whose database keeps no log would show what it last noticed of other writers.
  /// - Throws: The store's error, which has been told.
  func bringUpToDate() throws(StoreError) {
    do throws(StoreError) {
      try follower.store.checkForExternalChanges()
    } catch {
      // No definition is answered by it: they are numbered from 1.
      follower.tell(error, of: self, answering: 0)
      throw error
    }
    guard isFetched else { return }
    if let failure = follower.lead(self) { throw failure }
  }

  /// Hands over the first rows of the first fetch before the others are counted.
  func announcesFirstPage(_ announce: @escaping @Sendable (ResultsPage<Object>) -> Void) {
    firstPage.withLock { $0 = announce }
  }

  /// How keys are counted for a definition: first rows are shown before, and it ends when the definition is not wanted any more.
  private func counting(_ plan: ListPlan, _ number: Int) -> IndexingPolicy? {
    guard var indexing else { return nil }
    let publisher = publisher
    indexing.isWanted = { !Task.isCancelled && !publisher.isEnded && publisher.isNewest(number) }
    // Rows are read only for someone who asked for them.
    guard !isFetched, let announce = firstPage.withLock({ $0 }) else { return indexing }
    indexing.willCount = { (snapshot, source) throws(StoreError) in
      let page: ResultsPage<Object> = try plan.firstPage(source, in: snapshot)
      if publisher.show(page, answering: number) { announce(page) }
    }
    return indexing
  }

  /// Reads the keys of a definition, outside of any turn, so that no other list waits for it.
  private func load(
    _ definition: ResultsDefinition<Object>,
    _ number: Int
  ) throws(StoreError) -> LoadedList {
    let plan: ListPlan
    do {
      plan = try ListPlan(definition)
    } catch {
      throw .request(error.namingRows(of: definition, in: follower.store))
    }
    let maintainsDigests = maintainsDigests
    let indexing = counting(plan, number)
    let stopwatch = Stopwatch(clock)
    let opening = isFetched ? nil : cache.opening(of: plan, indexing)
    var (engine, work) = try follower.store.read { (snapshot) throws(StoreError) in
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
    engine.assumesContentChangedInGaps = assumesContentChangedInGaps
    engine.indexing = self.indexing
    let account = ListExplanation.Account(
      path: opening == nil ? .fetched : cache.outcome.map { .cached($0) } ?? .fetched,
      work: work,
      duration: stopwatch.elapsed()
    )
    return LoadedList(engine: engine, account: account, number: number)
  }
}

extension LiveList {
  var awaitedPeriod: DeliveryPeriod? {
    guard let period else { return nil }
    return body.withLock { $0.isFetched && !$0.isPaused } ? period : nil
  }

  var awaitingVersion: StoreVersion? {
    guard listens else { return nil }
    return body.withLock { $0.isPaused ? nil : $0.engine?.snapshot.version }
  }

  var listens: Bool { delivery != .onDemand }

  func isDue(after period: DeliveryPeriod?) -> Bool {
    guard body.withLock({ $0.isFetched && !$0.isPaused }) else { return false }
    return switch delivery {
    case .immediate: true
    case .every: period != nil && period == self.period
    case .onDemand: false
    }
  }

  func canFollowPromptly(in history: SnapshotHistory) -> Bool {
    body.withLock { $0.canFollowPromptly(in: history) }
  }

  func advance(in history: SnapshotHistory, joining loaded: LoadedList?) -> ListAdvance {
    body.withLock { body in
      do throws(StoreError) {
        try body.lead(in: history, folding: delivery != .immediate, clock)
        if let loaded, publisher.isNewest(loaded.number) {
          try join(loaded, &body, in: history)
        }
        if body.hasFailed, body.outcomes.isEmpty { body.settle() }
        body.hasFailed = false
        return ListAdvance(hasNews: !body.outcomes.isEmpty)
      } catch {
        body.outcomes.append(.failed(error))
        body.answering = loaded?.number
        body.hasFailed = true
        return ListAdvance(hasNews: true, failure: error)
      }
    }
  }

  private func join(
    _ loaded: LoadedList,
    _ body: inout LedList,
    in history: SnapshotHistory
  ) throws(StoreError) {
    var next = loaded.engine
    _ = try next.advance(in: history, folding: true)
    if !body.isFetched {
      next.snapshot.generation = 1
      next.snapshot.life = life
      next.observedRows = body.observed
      body.engine = next
      body.isFetched = true
      body.outcomes.append(.fetched(next.snapshot))
    } else {
      if let step = try body.engine?.redefine(as: next, in: history.snapshot) {
        body.outcomes.append(.advanced(step))
      }
      // The definition is another one, even if it shows the same.
      body.settle()
    }
    body.account = loaded.account
    body.answering = loaded.number
  }

  func fail(_ error: StoreError, answering number: Int?) {
    body.withLock { body in
      body.outcomes.append(.failed(error))
      body.answering = number
      body.hasFailed = true
    }
  }

  func show() -> (() -> Void)? {
    let (outcomes, number) = body.withLock { body in
      defer {
        body.outcomes = []
        body.answering = nil
      }
      return (body.outcomes, body.answering)
    }
    return publisher.show(outcomes, answering: number)
  }

  func end() {
    publisher.end()
    body.withLock { $0.auditing?.cancel() }
  }
}

/// What a live list is led on by, and what that came to, whatever its objects are.
struct LedList: Sendable {
  var engine: ListEngine?
  /// Whether there is an engine; a thousand lists are asked that at every commit, and an engine is costly to copy.
  var isFetched = false
  var isPaused = false
  /// Whether what was committed during a pause is still to be told, as one change.
  var isResuming = false
  /// Whether the last attempt failed, so that the next good one must say that the list is ready.
  var hasFailed = false
  /// The rows that deltas name, as they were declared last.
  var observed: Range<Int>?
  /// What is to be shown.
  var outcomes: [ListOutcome] = []
  var answering: Int?
  /// Which blocks are to be counted again, and what the last count found.
  var shares: [Double] = []
  var audit = ListAudit()
  /// How many blocks were ever chosen.
  var sharesTaken = 0
  var auditing: Task<Void, Never>?
  /// How the list came to what it shows.
  var account: ListExplanation.Account?

  /// Whether leading the list to a version takes no longer than a commit's caller may wait.
  func canFollowPromptly(in history: SnapshotHistory) -> Bool {
    engine?.canAdvancePromptly(in: history) ?? true
  }

  /// Shows what the engine holds, whether or not a step led to it.
  mutating func settle() {
    if let snapshot = engine?.snapshot { outcomes.append(.settled(snapshot)) }
  }

  /// Shows what the engine holds, to which no delta leads.
  private mutating func reset(because reason: ResultsResetReason) {
    if let snapshot = engine?.snapshot { outcomes.append(.reset(reason, snapshot)) }
  }

  /// Leads the list to a version.
  /// - Throws: The store's error; the list is then as it was.
  mutating func lead(
    in history: SnapshotHistory,
    folding isFolding: Bool,
    _ clock: any Clock<Duration>
  ) throws(StoreError) {
    let (asked, stopwatch) = (history.snapshot.work, Stopwatch(clock))
    let progress = try engine?.advance(
      in: history,
      folding: isFolding || isPaused || isResuming
    )
    isResuming = false
    if let path = progress?.path {
      account = ListExplanation.Account(
        path: path,
        work: history.snapshot.work.since(asked),
        duration: stopwatch.elapsed()
      )
    }
    switch progress {
    case .unchanged, nil: break
    case .moved(let steps):
      for step in steps { outcomes.append(.advanced(step)) }
      if engine?.isTold(by: steps.last) != true { settle() }
    case .reset(let reason): reset(because: reason)
    }
    if !shares.isEmpty { try auditBlocks(in: history) }
  }

  /// Counts the blocks again that were chosen, and the whole list if one of them is not sound.
  private mutating func auditBlocks(in history: SnapshotHistory) throws(StoreError) {
    let shares = shares
    self.shares = []
    audit = try engine?.audit(shares, in: history.snapshot) ?? ListAudit()
    guard audit.unsoundBlocks > 0 else { return }
    _ = try engine?.refetch(.indexLost, in: history.snapshot)
    reset(because: .indexLost)
  }
}

extension ListEngine {
  /// Whether what the list is now is what a step led to; later commits may have changed its version or counts alone.
  fileprivate func isTold(by step: Step?) -> Bool {
    guard let last = step?.snapshot else { return false }
    return last.version == snapshot.version && last.additionalCounts == snapshot.additionalCounts
  }
}

// MARK: - Auditing

extension LiveList {
  /// Counts some blocks of a list over an index again, after leading it to the present version of every writer.
  ///
  /// Which blocks follows a sequence that spreads evenly over the list, however long it goes on (multiples of the golden ratio).
  /// - Throws: The store's error, which has been told.
  func audit(blocks: Int) throws(StoreError) -> ListAudit {
    chooseBlocks(blocks)
    try bringUpToDate()
    return lastAudit
  }

  /// Counts a few blocks again whenever the list has rested for a while.
  func auditInIdleTime() {
    guard let auditPeriod, case .indexed = engine?.snapshot.keys else { return }
    startAuditing { [clock, weak self] in
      var last: StoreVersion?
      while (try? await clock.sleep(for: auditPeriod)) != nil, let self {
        guard let snapshot = self.engine?.snapshot, case .indexed = snapshot.keys else { continue }
        let hasRested = snapshot.version == last
        last = snapshot.version
        guard hasRested, !self.isPaused else { continue }
        _ = try? self.audit(blocks: 4)
      }
    }
  }
}
