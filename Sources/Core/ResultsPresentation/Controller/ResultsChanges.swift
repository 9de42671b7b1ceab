public import ResultsDomain
import Synchronization

/// The events of a controller, as an asynchronous sequence.
///
/// Each iteration is a subscriber of its own: it receives the present state first (or what happened since a list that it shows,
/// `FetchedResultsController.changes(from:)`), then every change in order. Changes that it is too slow to take are composed into one,
/// so it misses nothing and blocks nobody.
///
/// An iteration ends when its task is cancelled, and all of them end when `FetchedResultsController.cancel()` is called: a server that
/// shuts down does one or the other.
public struct ResultsChanges<Object: FetchedObject>: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ResultsEvent<Object>
  /// The sequence does not throw; failures are events.
  public typealias Failure = Never

  private let subscribe: @Sendable () -> ResultsSubscription

  init(_ subscribe: @escaping @Sendable () -> ResultsSubscription) {
    self.subscribe = subscribe
  }

  /// An iterator that takes events one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let token: Token

    fileprivate init(_ subscription: ResultsSubscription) {
      token = Token(subscription)
    }

    /// Waits for the next event, or returns `nil` when the controller has ended or the task is cancelled.
    public mutating func next() async -> ResultsEvent<Object>? {
      await token.subscription.next().map { ResultsEvent($0) }
    }

    /// Ends the subscription when the last copy of the iterator is released.
    private final class Token: Sendable {
      let subscription: ResultsSubscription
      init(_ subscription: ResultsSubscription) { self.subscription = subscription }
      deinit { subscription.finish() }
    }
  }

  /// Starts a subscription.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscribe()) }
}

// MARK: - Subscriptions

/// The slot of one subscriber: what it has not taken yet, composed into one event when it takes it.
///
/// The mutex guards the slot: the pending events, the last failure, and the continuation of a waiting subscriber. The publisher and
/// the subscriber's task change it. The publisher may offer events while it holds its own lock, so its lock comes first; no other
/// lock is taken while the slot's is held, and the continuation is resumed after it is released.
final class ResultsSubscription: Sendable {
  private typealias Waiting = CheckedContinuation<ListEvent?, Never>

  /// What a subscriber has not taken yet, apart from a failure.
  private enum Pending {
    case none
    /// The whole list: with the reason why there is no change, or as a snapshot.
    case whole(ResultsResetReason?, RowLoader)
    indirect case changes(before: RowLoader, DeltaChain, after: RowLoader)
  }

  private struct Slot {
    var waiting: Waiting?
    var isFinished = false
    private var pending = Pending.none
    private var failure: StoreError?
    /// The list before changes that cancelled each other out; the next change starts from there (R44).
    private var base: RowLoader?
    private let resetThreshold: Int?

    init(resetThreshold: Int?) { self.resetThreshold = resetThreshold }

    /// Adds an event; at most a failure and one other event are pending.
    ///
    /// Changes compose (R28), a change after a snapshot is a newer snapshot, and a reset replaces what was pending.
    mutating func fold(_ event: ListEvent) {
      failure = nil
      switch event {
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

    private mutating func fold(_ before: RowLoader, _ delta: ResultsDelta, _ after: RowLoader) {
      // Moved out, so that the chain is not copied.
      let earlier = pending
      pending = .none
      switch earlier {
      case .none:
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
          } else {
            pending = .changes(before: before, chain, after: after)
          }
        } catch {
          pending = .whole(nil, after)
        }
      }
    }

    /// Removes and returns the next event to deliver, if there is one.
    mutating func take() -> ListEvent? {
      let taken = pending
      pending = .none
      switch taken {
      case .none: break
      case .whole(nil, let results): return .snapshot(results)
      case .whole(let reason?, let results): return .reset(reason, results)
      case .changes(let before, var chain, let after):
        guard let delta = try? chain.composed() else { return .snapshot(after) }
        guard delta.isEmpty else {
          return .change(before: before, delta, after: after, resetThreshold: resetThreshold)
        }
        base = before
      }
      defer { failure = nil }
      return failure.map { .failure($0) }
    }

    /// Drops what has not been taken.
    mutating func clear() { (pending, failure, base) = (.none, nil, nil) }
  }

  private let slot: Mutex<Slot>

  init(resetThreshold: Int?) { slot = Mutex(Slot(resetThreshold: resetThreshold)) }

  /// Adds an event to the slot, and resumes a waiting subscriber.
  func offer(_ event: ListEvent) {
    let taken = slot.withLock { slot -> (Waiting, ListEvent)? in
      guard !slot.isFinished else { return nil }
      slot.fold(event)
      guard let waiting = slot.waiting, let event = slot.take() else { return nil }
      slot.waiting = nil
      return (waiting, event)
    }
    if let (waiting, event) = taken { waiting.resume(returning: event) }
  }

  /// Ends the subscription; what has not been taken is dropped (R70).
  func finish() {
    let waiting = slot.withLock { slot -> Waiting? in
      slot.isFinished = true
      slot.clear()
      defer { slot.waiting = nil }
      return slot.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// Waits for the next event, or returns `nil` after the end.
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
