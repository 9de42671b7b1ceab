import ResultsDomain
import Synchronization

/// One subscriber's slot: what it has not taken yet, composed into one event.
///
/// The slot and the continuation of a waiting subscriber are guarded by the mutex; the continuation is resumed outside of it.
final class ResultsSubscription<Object: FetchedObject>: Sendable {
  typealias Waiting = CheckedContinuation<ResultsEvent<Object>?, Never>

  struct Slot {
    var events: [ResultsEvent<Object>] = []
    var waiting: Waiting?
    var isFinished = false
    /// What was before changes that came to nothing together; the next change leads on from there (R44).
    private var base: FetchedResults<Object>?

    let resetThreshold: Int?

    init(resetThreshold: Int?) { self.resetThreshold = resetThreshold }

    /// At most a failure and one other event are kept: changes compose (R28), a change after a snapshot is a newer
    /// snapshot, and a reset takes the place of what led to it.
    mutating func fold(_ event: ResultsEvent<Object>) {
      events.removeAll { if case .failure = $0 { true } else { false } }
      switch event {
      case .snapshot, .failure:
        if case .snapshot = event { base = nil }
        events.append(event)
      case .reset(let reason, let results):
        base = nil
        if case .snapshot = events.popLast() {
          events = [.snapshot(results)]
        } else {
          events = [.reset(reason, results)]
        }
      case .change(let change): fold(change)
      }
    }

    private mutating func fold(_ change: ResultsChange<Object>) {
      var later = change
      if let base {
        var delta = later.delta
        delta.from = base.generation
        later = ResultsChange(before: base, delta: delta, after: later.after)
        self.base = nil
      }
      switch events.popLast() {
      case .none, .failure: events.append(later.event(resetThreshold: resetThreshold))
      case .snapshot: events.append(.snapshot(later.after))
      case .reset(let reason, _): events.append(.reset(reason, later.after))
      case .change(let earlier):
        guard let delta = try? earlier.delta.then(later.delta) else {
          events.append(.snapshot(later.after))
          return
        }
        guard !delta.isEmpty else {
          base = earlier.before
          return
        }
        let both = ResultsChange(before: earlier.before, delta: delta, after: later.after)
        events.append(both.event(resetThreshold: resetThreshold))
      }
    }
  }

  private let slot: Mutex<Slot>

  init(resetThreshold: Int?) { slot = Mutex(Slot(resetThreshold: resetThreshold)) }

  /// Puts an event into the slot, folding it into what is already there.
  func offer(_ event: ResultsEvent<Object>) {
    let taken = slot.withLock { slot -> (Waiting, ResultsEvent<Object>)? in
      guard !slot.isFinished else { return nil }
      slot.fold(event)
      guard let waiting = slot.waiting, !slot.events.isEmpty else { return nil }
      slot.waiting = nil
      return (waiting, slot.events.removeFirst())
    }
    if let (waiting, event) = taken { waiting.resume(returning: event) }
  }

  /// Ends the subscription; what has not been taken is dropped (R70).
  func finish() {
    let waiting = slot.withLock { slot -> Waiting? in
      slot.isFinished = true
      slot.events = []
      defer { slot.waiting = nil }
      return slot.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// The next event, or `nil` after the end.
  func next() async -> ResultsEvent<Object>? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let taken = slot.withLock { slot -> ResultsEvent<Object>?? in
          if !slot.events.isEmpty { return .some(slot.events.removeFirst()) }
          if slot.isFinished || Task.isCancelled { return .some(nil) }
          slot.waiting = continuation
          return nil
        }
        if let taken { continuation.resume(returning: taken) }
      }
    } onCancel: {
      finish()
    }
  }
}
