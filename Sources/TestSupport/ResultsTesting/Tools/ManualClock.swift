import ResultsStoreKit
import Synchronization

/// A clock that a test advances by hand.
///
/// Its mutable state, the time and the sleeping tasks, is behind one lock; continuations are resumed after it is released.
public final class ManualClock: Clock {
  /// An instant of a manual clock.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The duration since the clock's start.
    public var offset: Duration

    /// Creates an instant at an offset from the clock's start.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the instant that is a duration later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns the duration until another instant.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Returns whether the first instant is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Instant()
    var nextSleeper = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// Creates a clock at its start.
  public init() {}

  /// The current instant.
  public var now: Instant { state.withLock { $0.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of sleeping tasks.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Advances the clock, and wakes the tasks whose deadline has passed, the earliest first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
    }
    for (_, sleeper) in woken { sleeper.continuation.resume(returning: true) }
  }

  /// Waits until at least `count` tasks sleep, so that a test advances the clock only then.
  public func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        guard state.sleepers.count < count else { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  /// Suspends the task until the clock reaches a deadline.
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.nextSleeper += 1
      return state.nextSleeper
    }
    let isWoken = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enqueue(number, Sleeper(deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(number)
    }
    guard isWoken else { throw CancellationError() }
  }

  private func enqueue(_ number: Int, _ sleeper: Sleeper) {
    let (result, waiters) = state.withLock {
      state -> (Bool?, [CheckedContinuation<Void, Never>]) in
      if state.cancelled.remove(number) != nil { return (false, []) }
      guard sleeper.deadline > state.now else { return (true, []) }
      state.sleepers[number] = sleeper
      let count = state.sleepers.count
      let reached = state.waiters.filter { $0.count <= count }.map(\.continuation)
      state.waiters.removeAll { $0.count <= count }
      return (nil, reached)
    }
    if let result { sleeper.continuation.resume(returning: result) }
    for waiter in waiters { waiter.resume() }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state in
      guard let sleeper = state.sleepers.removeValue(forKey: number) else {
        // The task is cancelled before it sleeps: `enqueue` resumes it at once.
        state.cancelled.insert(number)
        return nil as Sleeper?
      }
      return sleeper
    }
    sleeper?.continuation.resume(returning: false)
  }
}
