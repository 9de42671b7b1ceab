import ResultsDomain
import Synchronization

/// What a store and its read-only views share: the published version, the history, and who is listening.
final class StoreCore: Sendable {
  /// Who waits to hear of new versions, and what it does at once after a small commit, if it wants to.
  private struct Listener {
    let hints: AsyncStream<Void>.Continuation
    let follow: (@Sendable (any StoreSnapshot) -> Bool)?
  }

  private struct State {
    /// `nil` once closed.
    var content: StoreContent?
    var history: CommitRing
    var listeners: [Int: Listener] = [:]
    var nextListener = 0
  }

  /// Held by the one writer for the time of its transaction; readers never take it.
  let writer = Mutex<Void>(())
  /// What tells this content's past from that of any other store, one of the same epoch included.
  let stamp: UInt64
  /// Whether lists of keys are kept for whoever asks.
  let providesOrder: Bool
  private let state: Mutex<State>

  init(_ content: StoreContent, historyCapacity: Int, providesOrder: Bool) {
    self.providesOrder = providesOrder
    var generator = SystemRandomNumberGenerator()
    stamp = generator.next()
    state = Mutex(State(content: content, history: CommitRing(capacity: historyCapacity)))
  }

  deinit { close() }

  /// The current version, or `nil` once closed.
  var content: StoreContent? { state.withLock { $0.content } }

  /// Makes a transaction's content the current version, if it changed anything.
  /// - Returns: The current version, or `nil` if the store has been closed meanwhile.
  func publish(
    _ content: StoreContent,
    _ changes: [Int: [CommittedChange]],
    _ origin: CommitOrigin
  ) -> StoreVersion? {
    guard !changes.isEmpty else { return self.content?.version }
    let old = content.version
    let version = StoreVersion(epoch: old.epoch, sequence: old.sequence + 1)
    var content = content
    content.version = version
    // Brought on outside of the lock, which readers take; what they add meanwhile is brought on inside.
    var orders = self.content?.orders ?? KeptOrders()
    orders.apply(changes)
    let isOpen = state.withLock { [orders] state in
      guard let before = state.content else { return false }
      state.content = content
      state.content?.orders = orders
      state.content?.orders.replace(before.orders, after: changes)
      state.history.append(changes, version: version, origin: origin)
      return true
    }
    return isOpen ? version : nil
  }

  /// Tells everyone who listens of a new version, except those who follow it at once.
  /// - Parameter snapshot: The version to follow, or `nil` if the commit was too large for its caller to wait.
  func tell(_ snapshot: (any StoreSnapshot)?) {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners {
      if let snapshot, listener.follow?(snapshot) == true { continue }
      listener.hints.yield()
    }
  }

  /// The keys of a definition, if they are kept and a version is the present one; the definition is then one just used.
  func presentOrder(of definition: OrderDefinition, at version: StoreVersion) -> KeptOrder? {
    state.withLock { state in
      state.content?.orders.use(definition)
      guard let content = state.content, content.version == version else { return nil }
      return content.orders[definition]
    }
  }

  /// The commits that lead an order from a version to the present one.
  ///
  /// If it is the order of the present version it is kept.
  /// - Returns: `nil` if there is nothing more to do.
  func missed(
    by order: KeptOrder,
    since version: StoreVersion
  ) -> (commits: [CommitRecord], version: StoreVersion)? {
    state.withLock { state in
      guard let content = state.content, content.orders[order.definition] == nil else { return nil }
      guard content.version != version else {
        state.content?.orders.keep(order)
        return nil
      }
      let history = state.history.history(
        after: version,
        through: content.version,
        ofTable: order.table
      )
      guard case .commits(let commits) = history else { return nil }
      return (commits, content.version)
    }
  }

  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    ofTable table: Int
  ) -> StoreHistory {
    state.withLock { $0.history.history(after: old, through: new, ofTable: table) }
  }

  func commitNotifications(
    following follow: (@Sendable (any StoreSnapshot) -> Bool)? = nil
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number: Int? = state.withLock { state in
      guard state.content != nil else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = Listener(hints: continuation, follow: follow)
      return state.nextListener
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  /// Ends the hints and lets go of the content; does nothing the second time.
  func close() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      state.content = nil
      return Array(state.listeners.values)
    }
    // Finishing calls back into the lock, so it is done outside of it.
    for listener in listeners { listener.hints.finish() }
  }
}

// MARK: - Orders

extension StoreCore {
  /// The keys of a definition in a version, kept from now on; `nil` if the store provides no orders.
  /// - Throws: `StoreError` as reading the entries does.
  /// - Complexity: O(number of kept orders) if they are kept, else O(*n* log *n*).
  func order(
    of definition: OrderDefinition,
    in content: StoreContent
  ) throws(StoreError) -> KeptOrder? {
    guard providesOrder else { return nil }
    let present = presentOrder(of: definition, at: content.version)
    if let kept = content.orders[definition] ?? present { return kept }
    guard let order = try KeptOrder(of: definition, in: content) else { return nil }
    keep(order, of: content.version)
    return order
  }

  /// Keeps an order, brought to the present version by what the history tells.
  private func keep(_ order: KeptOrder, of version: StoreVersion) {
    var (order, version) = (order, version)
    // Commits that are made meanwhile are fewer each time.
    while let missed = missed(by: order, since: version) {
      version = missed.version
      for record in missed.commits where !order.apply(record.changes) { return }
    }
  }
}
