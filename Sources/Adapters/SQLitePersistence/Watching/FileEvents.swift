/// What ended a wait for changes of a store's file.
enum FileSign: Hashable, Sendable {
  /// The database, its log or its journal was written, came or went.
  case changed
  /// Nothing happened for as long as was asked.
  case timePassed
  /// Somebody asked for the wait to end.
  case interrupted
}

/// Tells when a store's file changes, and keeps the time between looks.
///
/// One thread waits; any thread may interrupt. Time is counted by a clock that is never set. A change that the store's content
/// shows may be told before it can be read.
protocol FileEvents: Sendable {
  /// Waits for a change.
  func wait(atMost limit: Duration) -> FileSign

  /// Waits without looking at changes; those that happen meanwhile end the next wait.
  func pause(for duration: Duration) -> FileSign

  /// Looks anew which files there are, after the path was found to name another file.
  func renew()

  /// Ends the wait that is running, or else the next one.
  func interrupt()
}
