import Synchronization

/// One life of a watch's thread, and what other threads ask of it.
final class WatchRun: Sendable {
  let events: any FileEvents
  private let stop = Atomic(false)
  private let again = Atomic(false)

  init(_ events: any FileEvents) { self.events = events }

  /// Whether it shall end.
  var isStopped: Bool { stop.load(ordering: .sequentiallyConsistent) }

  /// Makes it end.
  func askToStop() {
    stop.store(true, ordering: .sequentiallyConsistent)
    events.interrupt()
  }

  /// Makes it tell at its next look what it told at the last one.
  func tellAgain() { again.store(true, ordering: .sequentiallyConsistent) }

  /// Whether it shall tell again; asked once.
  func takeTellAgain() -> Bool { again.exchange(false, ordering: .sequentiallyConsistent) }
}
