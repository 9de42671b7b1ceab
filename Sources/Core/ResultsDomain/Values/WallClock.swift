/// A clock that shows the time of day, for lists that follow it (R15).
///
/// A list asks it in every turn, so a clock that is set, and a machine that slept, make it neither miss a row nor name one that did not
/// change. `SystemWallClock` of `FoundationAttributes` is that of the system.
public protocol WallClock: AnyObject, Sendable {
  /// The present time.
  var now: Instant { get }
  /// Suspends the task until the clock shows a time, or earlier if the clock is set meanwhile.
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(until time: Instant) async throws
}
