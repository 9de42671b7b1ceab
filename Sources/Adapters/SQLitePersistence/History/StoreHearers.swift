import Synchronization

/// Who waits to hear of new versions of a store, whichever file it has open.
final class StoreHearers: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Called when the first listener came or the last one went.
  private let onTurn = Mutex<(@Sendable () -> Void)?>(nil)

  /// Says what to call when the first listener came or the last one went.
  func whenTurning(_ body: @escaping @Sendable () -> Void) { onTurn.withLock { $0 = body } }

  /// Whether nobody listens.
  var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

  /// Whether the store was closed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// A stream of hints, which ends at once if the store is closed.
  func hints() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    turn()
    return stream
  }

  private func leave(_ number: Int) {
    let isLast = state.withLock { state in
      state.listeners.removeValue(forKey: number) != nil && state.listeners.isEmpty
    }
    if isLast { turn() }
  }

  private func turn() { onTurn.withLock { $0 }?() }

  /// Tells everyone who listens that the version may have grown.
  func hint() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield() }
  }

  /// Ends the hints.
  /// - Returns: Whether the store was open.
  func close() -> Bool {
    let listeners: [AsyncStream<Void>.Continuation]? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    // Finishing calls back into the lock, so it is done outside of it.
    for listener in listeners ?? [] { listener.finish() }
    return listeners != nil
  }
}
