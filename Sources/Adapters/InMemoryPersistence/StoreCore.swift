import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The state that a store and its read-only views share: the published version, the history and the observers.
///
/// `writer` serializes transactions and is locked first; `state` guards everything else and is locked only briefly, never
/// while a closure of a caller runs.
final class StoreCore: Sendable {
  /// An observer's stream of notifications, and its closure for small commits.
  private struct Observer {
    let hints: AsyncStream<Void>.Continuation
    let follow: (@Sendable (any StoreSnapshot) -> Bool)?
  }

  private struct State {
    /// The published version; `nil` once closed.
    var content: StoreContent?
    var history: InMemoryHistory
    var observers: [Int: Observer] = [:]
    var nextObserver = 0
  }

  /// Locked for the duration of a transaction; readers never lock it.
  let writer = Mutex<Void>(())
  /// A random number that distinguishes this store's history from any other, even of the same epoch.
  let stamp: UInt64
  /// Whether the store caches orders.
  let providesOrder: Bool
  private let state: Mutex<State>

  init(_ content: StoreContent, historyCapacity: Int, providesOrder: Bool) {
    self.providesOrder = providesOrder
    var generator = SystemRandomNumberGenerator()
    stamp = generator.next()
    state = Mutex(
      State(
        content: content,
        history: InMemoryHistory(epoch: content.version.epoch, capacity: historyCapacity)
      )
    )
  }

  deinit { close() }

  /// The current version, or `nil` once closed.
  var content: StoreContent? { state.withLock { $0.content } }

  /// Publishes a transaction's content as the current version, if it changed anything.
  /// - Returns: The current version, or `nil` if the store has been closed.
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
    // Orders are updated outside of the lock, which readers need; those inserted meanwhile are updated inside.
    var orders = self.content?.orders ?? CachedOrders()
    orders.apply(changes)
    let isOpen = state.withLock { [orders] state in
      guard let before = state.content else { return false }
      state.content = content
      state.content?.orders = orders
      state.content?.orders.rebase(onto: before.orders, after: changes)
      state.history.append(.commit(origin, changes))
      return true
    }
    return isOpen ? version : nil
  }

  /// Notifies all observers of a new version: by their closure, or else by a notification.
  /// - Parameter snapshot: The version for the closures, or `nil` to send notifications only.
  func notifyObservers(_ snapshot: (any StoreSnapshot)?) {
    let observers = state.withLock { Array($0.observers.values) }
    for observer in observers {
      if let snapshot, observer.follow?(snapshot) == true { continue }
      observer.hints.yield()
    }
  }

  /// The cached order of a definition, if a version is the current one; marks it as used.
  private func currentOrder(of definition: OrderDefinition, at version: StoreVersion)
    -> CachedOrder?
  {
    state.withLock { state in
      state.content?.orders.touch(definition)
      guard let content = state.content, content.version == version else { return nil }
      return content.orders[definition]
    }
  }

  /// The commits that an order of a version has missed; an order of the current version is cached instead.
  /// - Returns: `nil` if there is nothing more to do.
  private func missed(
    by order: CachedOrder,
    since version: StoreVersion
  ) -> (commits: [CommitRecord], version: StoreVersion)? {
    state.withLock { state in
      guard let content = state.content, content.orders[order.definition] == nil else { return nil }
      guard content.version != version else {
        state.content?.orders.insert(order)
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

  /// The commits up to a version that the history has.
  func retainedCommits(through version: StoreVersion) -> RetainedCommits {
    state.withLock { $0.history.retained(through: version) }
  }

  /// The version before a commit that the history has.
  func version(before commit: RetainedCommits.Commit) -> StoreVersion? {
    state.withLock { $0.history.version(before: commit) }
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
      state.nextObserver += 1
      state.observers[state.nextObserver] = Observer(hints: continuation, follow: follow)
      return state.nextObserver
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }
    return stream
  }

  /// Ends the streams of notifications and releases the content; does nothing the second time.
  func close() {
    let observers = state.withLock { state in
      defer { state.observers = [:] }
      state.content = nil
      return Array(state.observers.values)
    }
    // Finishing a stream calls `onTermination`, which locks the state.
    for observer in observers { observer.hints.finish() }
  }
}

// MARK: - Orders

extension StoreCore {
  /// The order of a definition in a version, which is cached; `nil` if the store provides no orders.
  /// - Throws: `StoreError` as reading the entries does.
  /// - Complexity: O(number of cached orders) if it is cached, otherwise O(*n* log *n*).
  func order(
    of definition: OrderDefinition,
    in content: StoreContent
  ) throws(StoreError) -> CachedOrder? {
    guard providesOrder else { return nil }
    let current = currentOrder(of: definition, at: content.version)
    if let cached = content.orders[definition] ?? current { return cached }
    guard let order = try CachedOrder(of: definition, in: content) else { return nil }
    cache(order, of: content.version)
    return order
  }

  /// Caches an order after updating it to the current version from the history.
  private func cache(_ order: CachedOrder, of version: StoreVersion) {
    var (order, version) = (order, version)
    // Each round has fewer missed commits, so the loop ends.
    while let missed = missed(by: order, since: version) {
      version = missed.version
      for record in missed.commits where !order.apply(record.changes) { return }
    }
  }
}
