import ResultsDomain
import Synchronization

/// Who waits to hear of new versions of a store, whichever file it has open.
final class StoreHearers: Sendable {
  /// What a listener does at once after a small commit of the store's own, if it wants to.
  typealias Following = @Sendable (any StoreSnapshot) -> Bool

  private struct Listener {
    let hints: AsyncStream<Void>.Continuation
    let follow: Following?
  }

  private struct State {
    var listeners: [Int: Listener] = [:]
    var nextListener = 0
    var followerCount = 0
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

  /// Whether somebody follows small commits at once.
  var hasFollowers: Bool { state.withLock { $0.followerCount > 0 } }

  /// A stream of hints, which ends at once if the store is closed.
  func commitNotifications(following follow: Following? = nil) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = Listener(hints: continuation, follow: follow)
      if follow != nil { state.followerCount += 1 }
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
      guard let listener = state.listeners.removeValue(forKey: number) else { return false }
      if listener.follow != nil { state.followerCount -= 1 }
      return state.listeners.isEmpty
    }
    if isLast { turn() }
  }

  private func turn() { onTurn.withLock { $0 }?() }

  /// Tells everyone who listens that the version may have grown.
  func hint() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.hints.yield() }
  }

  /// Offers a snapshot to everyone who listens, and tells those who do not follow it.
  func offer(_ snapshot: any StoreSnapshot) {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners where listener.follow?(snapshot) != true { listener.hints.yield() }
  }

  /// Ends the hints.
  /// - Returns: Whether the store was open.
  func close() -> Bool {
    let listeners: [Listener]? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      defer {
        state.listeners = [:]
        state.followerCount = 0
      }
      return Array(state.listeners.values)
    }
    // Finishing calls back into the lock, so it is done outside of it.
    for listener in listeners ?? [] { listener.hints.finish() }
    return listeners != nil
  }
}
