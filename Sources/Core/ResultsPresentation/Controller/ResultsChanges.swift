public import ResultsDomain
import Synchronization

/// The events of a controller, as an asynchronous sequence.
///
/// Each iteration is a subscriber of its own: it gets the present state first (or what leads on from results that it has drawn,
/// `FetchedResultsController.changes(from:)`), then every change in order. What it is too
/// slow to take is composed into one change, so it never misses anything and holds nothing up.
///
/// A task that waits for the next event ends when it is cancelled, and all of them end when `FetchedResultsController.cancel()` is called:
/// a server that is told to end does one or the other.
public struct ResultsChanges<Object: FetchedObject>: AsyncSequence, Sendable {
  /// One event.
  public typealias Element = ResultsEvent<Object>
  /// The sequence does not throw; failures are events.
  public typealias Failure = Never

  private let subscribe: @Sendable () -> ResultsSubscription

  init(_ subscribe: @escaping @Sendable () -> ResultsSubscription) {
    self.subscribe = subscribe
  }

  /// Takes events one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let token: Token

    fileprivate init(_ subscription: ResultsSubscription) {
      token = Token(subscription)
    }

    /// The next event, or `nil` when the controller has ended or the task is cancelled.
    public mutating func next() async -> ResultsEvent<Object>? {
      await token.subscription.next().map { ResultsEvent($0) }
    }

    /// Ends the subscription when the last copy of the iterator is gone.
    private final class Token: Sendable {
      let subscription: ResultsSubscription
      init(_ subscription: ResultsSubscription) { self.subscription = subscription }
      deinit { subscription.finish() }
    }
  }

  /// Begins to listen; the subscription starts here.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscribe()) }
}

// MARK: - Subscriptions

/// One subscriber's slot: what it has not taken yet, composed into one event when it is taken.
///
/// The slot and the continuation of a waiting subscriber are guarded by the mutex; the continuation is resumed outside of it.
final class ResultsSubscription: Sendable {
  typealias Waiting = CheckedContinuation<ListEvent?, Never>

  struct Slot {
    var waiting: Waiting?
    var isFinished = false
    private var pending = PendingEvents.none
    private var failure: StoreError?
    /// What was before changes that came to nothing together; the next change leads on from there (R44).
    private var base: RowLoader?
    private let resetThreshold: Int?

    init(resetThreshold: Int?) { self.resetThreshold = resetThreshold }

    /// At most a failure and one other event are kept: changes compose (R28), a change after a snapshot is a newer
    /// snapshot, and a reset takes the place of what led to it.
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
      // Taken out, so that the chain is not copied.
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

    /// The event to tell next, if there is one.
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

  /// Puts an event into the slot, folding it into what is already there.
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

/// What a subscriber has not taken yet, apart from a failure.
enum PendingEvents: Sendable {
  case none
  /// The whole list: why no change leads to it, or a snapshot.
  case whole(ResultsResetReason?, RowLoader)
  indirect case changes(before: RowLoader, DeltaChain, after: RowLoader)
}
