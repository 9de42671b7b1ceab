import ResultsDomain
import Synchronization

/// The listeners of a store, whichever file it has open.
///
/// Two locks, never held together and never while a listener is called: `state` guards the table of listeners and is changed by
/// `commitNotifications(following:)`, by a stream's end and by `close()`; `activityHandler` is set once, when the store is opened.
package final class CommitBroadcaster: Sendable {
  /// Follows a small commit in the call that made it; returns whether it did.
  package typealias Following = @Sendable (any StoreSnapshot) -> Bool

  private struct Listener {
    let notifications: AsyncStream<Void>.Continuation
    let follow: Following?
  }

  private struct State {
    var listeners: [Int: Listener] = [:]
    var lastNumber = 0
    var followerCount = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let activityHandler = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a broadcaster without listeners.
  package init() {}

  /// Sets the closure to call after the first listener is added or the last one removed.
  package func onActivityChange(_ body: @escaping @Sendable () -> Void) {
    activityHandler.withLock { $0 = body }
  }

  /// Whether there are listeners.
  package var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

  /// Whether the store was closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Whether a listener follows small commits in the call that makes them.
  package var hasFollowers: Bool { state.withLock { $0.followerCount > 0 } }

  /// A stream of notifications, which ends at once if the store is closed.
  package func commitNotifications(following follow: Following? = nil) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastNumber += 1
      state.listeners[state.lastNumber] = Listener(notifications: continuation, follow: follow)
      if follow != nil { state.followerCount += 1 }
      return state.lastNumber
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    activityChanged()
    return stream
  }

  private func remove(_ number: Int) {
    let isLast = state.withLock { state in
      guard let listener = state.listeners.removeValue(forKey: number) else { return false }
      if listener.follow != nil { state.followerCount -= 1 }
      return state.listeners.isEmpty
    }
    if isLast { activityChanged() }
  }

  private func activityChanged() { activityHandler.withLock { $0 }?() }

  /// Notifies all listeners that the version may have grown.
  package func notify() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.notifications.yield() }
  }

  /// Offers a snapshot to all listeners, and notifies those that do not follow it.
  package func offer(_ snapshot: any StoreSnapshot) {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners where listener.follow?(snapshot) != true {
      listener.notifications.yield()
    }
  }

  /// Ends all streams.
  /// - Returns: Whether the store was open.
  package func close() -> Bool {
    let listeners: [Listener]? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      defer {
        state.listeners = [:]
        state.followerCount = 0
      }
      return Array(state.listeners.values)
    }
    // Finishing a stream calls `remove(_:)`, which takes the lock.
    for listener in listeners ?? [] { listener.notifications.finish() }
    return listeners != nil
  }
}
