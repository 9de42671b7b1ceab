/// Measures how long a piece of work takes, by a clock that was handed in.
struct Stopwatch {
  /// The time since it was started.
  let elapsed: () -> Duration

  /// Starts.
  init(_ clock: any Clock<Duration>) { elapsed = Stopwatch.start(clock) }

  private static func start<Time: Clock<Duration>>(_ clock: Time) -> () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
