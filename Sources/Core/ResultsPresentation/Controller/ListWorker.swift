import ResultsDomain

/// Runs a list's work one piece after the other, on the store's threads.
///
/// Its methods never suspend, so each runs as a whole; callers prefer the store's executor, where blocking is allowed.
actor ListWorker {
  private var engine: ListEngine?
  private let store: any Store
  private let keepsDigests: Bool

  init(_ store: any Store, findsOtherWriters: Bool) {
    self.store = store
    keepsDigests = findsOtherWriters && store.capabilities.historyCoverage == .thisStore
  }

  /// What a piece of work gives to publish: the steps made, and the snapshot that is current afterwards.
  typealias Publish = @Sendable (ListOutcome) -> Void

  /// Fetches the list, or leads it to the present version and the wanted definition.
  ///
  /// - Parameters:
  ///   - plan: The definition that is wanted, or `nil` to keep the present one.
  ///   - publish: Takes what the work led to, a failure included.
  /// - Throws: The store's error.
  func bringUpToDate(_ plan: ListPlan?, _ publish: Publish) throws(StoreError) {
    do {
      try work(plan, publish)
    } catch {
      publish(.failed(error))
      throw error
    }
  }

  private func work(_ plan: ListPlan?, _ publish: Publish) throws(StoreError) {
    guard let start = engine else {
      guard let plan else { return }
      let keepsDigests = keepsDigests
      // What others committed before is no gap in a history that begins here.
      try store.lookForOtherWriters()
      let first = try store.read { (snapshot) throws(StoreError) in
        try ListEngine(plan, from: snapshot, generation: 1, keepsDigests: keepsDigests)
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
    if plan != nil, steps.isEmpty {
      publish(.redefined(advanced.snapshot))
    }
    for step in steps { publish(.advanced(step)) }
  }
}

/// What one piece of a list's work led to.
enum ListOutcome: Sendable {
  /// The first fetch.
  case fetched(ResultsSnapshot)
  /// A later generation.
  case advanced(ListEngine.Step)
  /// Another definition that shows the same.
  case redefined(ResultsSnapshot)
  /// A failure; nothing has changed.
  case failed(StoreError)
}
