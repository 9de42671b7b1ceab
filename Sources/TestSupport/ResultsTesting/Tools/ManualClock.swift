import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Clock {
  /// A point in time of a manual clock.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// How long after the clock's beginning.
    public var offset: Duration

    /// A point in time so long after the clock's beginning.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// The point in time a duration later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// How long until another point in time.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether the first is earlier.
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
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// A clock that stands at its beginning.
  public init() {}

  /// The point in time where it stands.
  public var now: Instant { state.withLock { $0.now } }

  /// It can tell every instant from every other.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// How many tasks sleep until later.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Moves the clock, and wakes who slept until then, the earliest first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
    }
    for (_, sleeper) in woken { sleeper.continuation.resume(returning: true) }
  }

  /// Waits until so many tasks sleep, so that a test moves the clock only when it matters.
  public func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        guard state.sleepers.count < count else { return true }
        state.observers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  /// Sleeps until the clock is moved to a point in time.
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.nextSleeper += 1
      return state.nextSleeper
    }
    let isWoken = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        fallAsleep(number, Sleeper(deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(number)
    }
    guard isWoken else { throw CancellationError() }
  }

  private func fallAsleep(_ number: Int, _ sleeper: Sleeper) {
    let (answer, observers) = state.withLock {
      state -> (Bool?, [CheckedContinuation<Void, Never>]) in
      if state.cancelled.remove(number) != nil { return (false, []) }
      guard sleeper.deadline > state.now else { return (true, []) }
      state.sleepers[number] = sleeper
      let count = state.sleepers.count
      let reached = state.observers.filter { $0.count <= count }.map(\.continuation)
      state.observers.removeAll { $0.count <= count }
      return (nil, reached)
    }
    if let answer { sleeper.continuation.resume(returning: answer) }
    for observer in observers { observer.resume() }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state in
      guard let sleeper = state.sleepers.removeValue(forKey: number) else {
        // Cancelled before it fell asleep; it is told when it tries.
        state.cancelled.insert(number)
        return nil as Sleeper?
      }
      return sleeper
    }
    sleeper?.continuation.resume(returning: false)
  }
}
