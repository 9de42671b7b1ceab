import ResultsDomain
import ResultsStoreKit
import Synchronization

/// An event of a list, with rows in place of objects.
enum ListEvent: Sendable {
  /// As `ResultsEvent.snapshot`.
  case snapshot(RowLoader)
  /// A state that only subscribers of all states receive: rows and sections are those of the last event, but the version, the counts
  /// or the definition may be others, or a failure has ended.
  case current(RowLoader)
  /// As `ResultsEvent.change`.
  indirect case change(before: RowLoader, ResultsDelta, after: RowLoader)
  /// As `ResultsEvent.reset`.
  case reset(ResultsResetReason, RowLoader)
  /// As `ResultsEvent.failure`.
  case failure(StoreError)

  /// The event as it is delivered: a change above the consumer's threshold is a reset.
  func limited(to resetThreshold: Int?) -> ListEvent {
    guard let resetThreshold, case .change(_, let delta, let after) = self,
      delta.rows.count > resetThreshold
    else { return self }
    return .reset(.tooManyChanges(count: delta.rows.count), after)
  }
}

extension ResultsEvent {
  /// Creates the event with objects.
  init(_ event: ListEvent) {
    switch event {
    case .snapshot(let loader), .current(let loader): self = .snapshot(ResultsList(loader))
    case .change(let before, let delta, let after):
      let (before, after) = (ResultsList<Object>(before), ResultsList<Object>(after))
      self = .change(ResultsChange(before: before, delta: delta, after: after))
    case .reset(let reason, let loader): self = .reset(reason, ResultsList(loader))
    case .failure(let error): self = .failure(error)
    }
  }
}

/// The slot of one subscriber: the events that it has not taken yet, composed into one when it takes it.
///
/// Mutable state: `slot`, guarded by its mutex. The publisher offers events, and the subscriber's task takes them. The continuation of a
/// waiting subscriber is resumed outside of the lock.
final class ListSubscription: Sendable {
  private typealias Continuation = CheckedContinuation<ListEvent?, Never>

  private struct Slot {
    /// The events not taken yet, apart from a failure.
    private enum Pending {
      case none
      /// The whole list: a reset with its reason, or a snapshot.
      case whole(ResultsResetReason?, RowLoader)
      /// Another state of the generation that the subscriber shows, for subscribers of all states.
      case current(RowLoader)
      indirect case changes(before: RowLoader, DeltaChain, after: RowLoader)
    }

    var waiting: Continuation?
    var isFinished = false
    private var pending = Pending.none
    private var failure: StoreError?
    /// The results before changes that cancelled each other out; the next change begins with them (R44).
    private var base: RowLoader?
    private let resetThreshold: Int?
    private let receivesStates: Bool

    init(resetThreshold: Int?, receivesStates: Bool) {
      self.resetThreshold = resetThreshold
      self.receivesStates = receivesStates
    }

    /// Adds an event.
    ///
    /// At most a failure and one other event are pending: changes compose (R28), a change after a snapshot is a newer snapshot, and a
    /// reset replaces what preceded it.
    mutating func fold(_ event: ListEvent) {
      failure = nil
      switch event {
      case .current(let results): fold(current: results)
      case .failure(let error): failure = error
      case .snapshot(let results):
        base = nil
        pending = .whole(nil, results)
      case .reset(let reason, let results):
        base = nil
        if case .whole(nil, _) = pending {
          pending = .whole(nil, results)
        } else {
          pending = .whole(reason, results)
        }
      case .change(let before, let delta, let after): fold(before, delta, after)
      }
    }

    private mutating func fold(current results: RowLoader) {
      let earlier = pending
      pending = .none
      pending =
        switch earlier {
        case .none, .current: .current(results)
        case .whole(let reason, _): .whole(reason, results)
        case .changes(let before, let chain, _): .changes(before: before, chain, after: results)
        }
    }

    private mutating func fold(_ before: RowLoader, _ delta: ResultsDelta, _ after: RowLoader) {
      // Moved out, so that the chain is not copied.
      let earlier = pending
      pending = .none
      switch earlier {
      case .none, .current:
        let before = base ?? before
        base = nil
        var delta = delta
        delta.from = before.snapshot.generation
        pending = .changes(before: before, DeltaChain(delta), after: after)
      case .whole(let reason, _): pending = .whole(reason, after)
      case .changes(let before, var chain, _):
        do throws(DeltaError) {
          try chain.append(delta)
          if chain.isEmpty {
            base = before
            if receivesStates { pending = .current(after) }
          } else {
            pending = .changes(before: before, chain, after: after)
          }
        } catch {
          pending = .whole(nil, after)
        }
      }
    }

    /// Removes and returns the next event, if there is one.
    mutating func take() -> ListEvent? {
      let taken = pending
      pending = .none
      switch taken {
      case .none: break
      case .whole(nil, let results): return .snapshot(results)
      case .whole(let reason?, let results): return .reset(reason, results)
      case .current(let results):
        base = nil
        return .current(results)
      case .changes(let before, var chain, let after):
        guard let delta = try? chain.composed() else { return .snapshot(after) }
        guard delta.isEmpty else {
          return ListEvent.change(before: before, delta, after: after).limited(to: resetThreshold)
        }
        if receivesStates { return .current(after) }
        base = before
      }
      defer { failure = nil }
      return failure.map { .failure($0) }
    }

    /// Drops all events.
    mutating func clear() { (pending, failure, base) = (.none, nil, nil) }
  }

  private let slot: Mutex<Slot>

  /// Whether it receives every state: also those without a change, and all events of one turn as one.
  private let receivesStates: Bool

  init(resetThreshold: Int?, receivesStates: Bool) {
    self.receivesStates = receivesStates
    slot = Mutex(Slot(resetThreshold: resetThreshold, receivesStates: receivesStates))
  }

  /// Adds the events of one turn, composing them with those that are pending.
  func offer(_ events: [ListEvent]) {
    guard !receivesStates else { return add(events) }
    for event in events {
      if case .current = event { continue }
      add([event])
    }
  }

  /// Adds events, and hands over the next one if the subscriber waits.
  private func add(_ events: [ListEvent]) {
    let taken = slot.withLock { slot -> (Continuation, ListEvent)? in
      guard !slot.isFinished else { return nil }
      for event in events { slot.fold(event) }
      guard let waiting = slot.waiting, let event = slot.take() else { return nil }
      slot.waiting = nil
      return (waiting, event)
    }
    if let (waiting, event) = taken { waiting.resume(returning: event) }
  }

  /// Ends the subscription; pending events are dropped (R70).
  func finish() {
    let waiting = slot.withLock { slot -> Continuation? in
      slot.isFinished = true
      slot.clear()
      defer { slot.waiting = nil }
      return slot.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// The next event, or `nil` after the end.
  func next() async -> ListEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let taken = slot.withLock { slot -> ListEvent?? in
          if let event = slot.take() { return .some(event) }
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
