import ResultsDomain
import Synchronization

/// What a store and its read-only views share: the published version, the history, and who is listening.
final class StoreCore: Sendable {
  private struct State {
    /// `nil` once closed.
    var content: StoreContent?
    var history: CommitRing
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
  }

  /// Held by the one writer for the time of its transaction; readers never take it.
  let writer = Mutex<Void>(())
  /// What tells this content's past from that of any other store, one of the same epoch included.
  let stamp: UInt64
  private let state: Mutex<State>

  init(_ content: StoreContent, historyCapacity: Int) {
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
    let listeners: [AsyncStream<Void>.Continuation]? = state.withLock { state in
      guard state.content != nil else { return nil }
      state.content = content
      state.history.append(changes, version: version, origin: origin)
      return Array(state.listeners.values)
    }
    guard let listeners else { return nil }
    for listener in listeners { listener.yield() }
    return version
  }

  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    ofTable table: Int
  ) -> StoreHistory {
    state.withLock { $0.history.history(after: old, through: new, ofTable: table) }
  }

  func hints() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number: Int? = state.withLock { state in
      guard state.content != nil else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
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
    for listener in listeners { listener.finish() }
  }
}
