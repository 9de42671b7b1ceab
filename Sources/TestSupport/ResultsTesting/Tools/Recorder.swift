import Synchronization

/// Collects elements from any thread, and lets a test wait for them.
///
/// Its mutable state, the elements and the waiting tasks, is behind one lock; continuations are resumed after it is released.
public final class Recorder<Element: Sendable>: Sendable {
  private struct Waiter {
    let number: Int
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var elements: [Element] = []
    var waiters: [Waiter] = []
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  /// Creates an empty recorder.
  public init() {}

  /// The elements recorded so far, in order.
  public var elements: [Element] { state.withLock { $0.elements } }

  /// Appends an element, and resumes the tasks that waited for it.
  public func record(_ element: Element) {
    let reached = state.withLock { state in
      state.elements.append(element)
      let count = state.elements.count
      let reached = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return reached
    }
    for waiter in reached { waiter.continuation.resume() }
  }

  /// Waits until there are at least `count` elements, or until the task is cancelled.
  /// - Returns: The elements recorded so far.
  public func wait(forCount count: Int) async -> [Element] {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.elements.count < count, !Task.isCancelled else { return false }
          state.waiters.append(Waiter(number: number, count: count, continuation: continuation))
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let index = state.waiters.firstIndex { $0.number == number }
        return index.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
    return elements
  }
}
