import ResultsDomain

/// Runs a list's work one piece after the other, on the store's threads.
///
/// Its methods never suspend, so each runs as a whole; callers prefer the store's executor, where blocking is allowed.
actor ListWorker {
  private var engine: ListEngine?
  private let store: any Store
  private let keepsDigests: Bool
  private let toldOfEveryWriter: Bool

  init(_ store: any Store, findsOtherWriters: Bool) {
    self.store = store
    toldOfEveryWriter = findsOtherWriters && store.capabilities.historyCoverage == .everyWriter
    keepsDigests = findsOtherWriters && store.capabilities.historyCoverage == .thisStore
  }

  /// What a piece of work gives to publish: the steps made, and the snapshot that is current afterwards.
  typealias Publish = @Sendable (ListOutcome) -> Void

  /// Gives the definition that is wanted once its turn has come, or `nil` if a later one has taken its place.
  typealias Wish = @Sendable () throws(RequestError) -> ListPlan?

  /// Fetches the list, or leads it to the present version and the wanted definition.
  ///
  /// - Parameters:
  ///   - wish: The definition that is wanted, or `nil` to keep the present one.
  ///   - publish: Takes what the work led to, a failure included.
  /// - Throws: The store's error.
  func bringUpToDate(_ wish: Wish?, _ publish: Publish) throws(StoreError) {
    do throws(StoreError) {
      guard let wish else { return try work(nil, publish) }
      // Asked only now: of two definitions the older may have come later.
      guard let plan = try ListWorker.plan(wish) else { return }
      try work(plan, publish)
    } catch {
      publish(.failed(error))
      throw error
    }
  }

  private static func plan(_ wish: Wish) throws(StoreError) -> ListPlan? {
    do {
      return try wish()
    } catch {
      throw .request(error)
    }
  }

  private func work(_ plan: ListPlan?, _ publish: Publish) throws(StoreError) {
    guard let start = engine else {
      guard let plan else { return }
      let (keepsDigests, toldOfEveryWriter) = (keepsDigests, toldOfEveryWriter)
      let first = try store.read { (snapshot) throws(StoreError) in
        var engine = try ListEngine(plan, from: snapshot, generation: 1, keepsDigests: keepsDigests)
        engine.doubtsContentInGaps = toldOfEveryWriter
        return engine
      }
      self.engine = first
      publish(.fetched(first.snapshot))
      return
    }
    let (advanced, steps) = try store.read { (snapshot) throws(StoreError) in
      var engine = start
      var steps = try engine.advance(to: snapshot)
      if let plan, let step = try engine.redefine(plan, in: snapshot) { steps.append(step) }
      return (engine, steps)
    }
    self.engine = advanced
    for step in steps { publish(.advanced(step)) }
    publish(.settled(advanced.snapshot))
  }
}

/// What one piece of a list's work led to.
enum ListOutcome: Sendable {
  /// The first fetch.
  case fetched(ResultsSnapshot)
  /// A later generation.
  case advanced(ListEngine.Step)
  /// The end of the work; rows and sections are those told last, but the definition, the version and counts may be others.
  case settled(ResultsSnapshot)
  /// A failure; nothing has changed.
  case failed(StoreError)
}
