public import ResultsDomain
import Synchronization

/// A clock of the time of day that a test sets by hand.
///
/// Its mutable state, the time and the sleeping tasks, is behind one lock; continuations are resumed after it is released.
public final class ManualWallClock: WallClock {
  private struct Sleeper {
    let time: Instant
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now: Instant
    var next = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var waiters: [(time: Instant, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// Creates a clock that shows a time.
  public init(_ now: Instant) { state = Mutex(State(now: now)) }

  /// Creates a clock that shows the time of a text such as `2026-11-28T20:00:00Z`, or 1970 for another text.
  public convenience init(_ text: String) {
    self.init(Instant(iso8601: text) ?? Instant(microseconds: 0))
  }

  /// The time.
  public var now: Instant { state.withLock { $0.now } }

  /// The times until which tasks sleep, ascending.
  public var alarms: [Instant] { state.withLock { $0.sleepers.values.map(\.time).sorted() } }

  /// Waits until a task sleeps until a time, so that a test sets the clock only then.
  public func waitForAlarm(at time: Instant) async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        guard !state.sleepers.values.contains(where: { $0.time == time }) else { return true }
        state.waiters.append((time, continuation))
        return false
      }
      if isSet { continuation.resume() }
    }
  }

  /// Sets the clock, and wakes the tasks whose time has come; all of them if it is set back.
  public func set(to now: Instant) {
    let woken = state.withLock { state in
      let isBack = now < state.now
      state.now = now
      let due = state.sleepers.filter { isBack || $0.value.time <= now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
    }
    for (_, sleeper) in woken { sleeper.continuation.resume(returning: true) }
  }

  /// Sets the clock forward, or back by a negative duration.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    set(to: Instant(microseconds: now.microseconds + microseconds))
  }

  /// Suspends the task until the clock shows a time, or is set back.
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until time: Instant) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let isWoken = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, waiters) = state.withLock {
          state -> (Bool?, [CheckedContinuation<Void, Never>]) in
          if state.cancelled.remove(number) != nil { return (false, []) }
          guard time > state.now else { return (true, []) }
          state.sleepers[number] = Sleeper(time: time, continuation: continuation)
          let reached = state.waiters.filter { $0.time == time }.map(\.continuation)
          state.waiters.removeAll { $0.time == time }
          return (nil, reached)
        }
        if let answer { continuation.resume(returning: answer) }
        for waiter in waiters { waiter.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        // The task is cancelled before it sleeps.
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(returning: false)
    }
    guard isWoken else { throw CancellationError() }
  }
}
