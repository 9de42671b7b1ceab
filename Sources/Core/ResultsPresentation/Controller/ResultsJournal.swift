public import ResultsDomain
import ResultsStoreKit

/// The latest deltas of a list, as many as a limit of row changes permits.
struct ResultsJournal: Sendable {
  private let capacity: Int
  private var deltas: [ResultsDelta] = []
  private var start = 0
  private var size = 0
  private var lastReset: (generation: Int, reason: ResultsResetReason)?

  /// Creates a journal of at most `capacity` row changes; below 1 it stores nothing.
  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Appends the delta that produced the present generation, and drops the oldest ones beyond the limit.
  /// - Complexity: O(1), amortised.
  mutating func append(_ delta: ResultsDelta) {
    guard capacity > 0 else { return }
    deltas.append(delta)
    size += ResultsJournal.size(of: delta)
    while size > capacity, start < deltas.count {
      size -= ResultsJournal.size(of: deltas[start])
      // The rows of a dropped delta must not stay in memory until the array is shortened.
      deltas[start].rows = RowChanges()
      start += 1
    }
    guard start > deltas.count / 2 else { return }
    deltas.removeSubrange(..<start)
    start = 0
  }

  /// Records that no delta produced a generation.
  mutating func cut(at generation: Int, _ reason: ResultsResetReason) {
    (deltas, start, size) = ([], 0, 0)
    lastReset = (generation, reason)
  }

  /// Returns what the journal knows of the changes between a generation and the present one.
  /// - Complexity: O(*k*) in the deltas between them.
  func entry(from generation: Int) -> Entry {
    if let lastReset, generation < lastReset.generation { return .reset(lastReset.reason) }
    let available = deltas[start...]
    guard let first = available.first, generation >= first.from else {
      return .reset(.beyondJournal)
    }
    guard generation - first.from < available.count else { return .reset(.beyondJournal) }
    return .deltas(Array(available.dropFirst(generation - first.from)))
  }

  /// A delta of sections alone counts too, so that no number of them fills the memory.
  private static func size(of delta: ResultsDelta) -> Int {
    max(1, delta.rows.count + delta.rows.readLate.count)
  }
}

extension ResultsJournal {
  /// What the journal knows of the changes between a generation and the present one.
  ///
  /// It is copied out of a lock, and composed outside of it.
  enum Entry: Sendable {
    case deltas([ResultsDelta])
    case reset(ResultsResetReason)

    /// The changes from an earlier generation to the present one as one step.
    enum Step {
      /// One delta, which may be empty.
      case delta(ResultsDelta)
      case reset(ResultsResetReason)
    }

    /// Composes the changes from an earlier generation to the present one.
    /// - Complexity: O(*c* log *c* log *k*) for *k* deltas with *c* changes.
    func step(from generation: Int, to present: Int) -> Step {
      switch self {
      case .reset(let reason): return .reset(reason)
      case .deltas(let deltas):
        guard let delta = try? ResultsDelta.composed(deltas[...]), delta.from == generation,
          delta.to == present
        else { return .reset(.beyondJournal) }
        return .delta(delta)
      }
    }
  }
}

extension ResultsDelta {
  /// Composes consecutive deltas into one.
  /// - Throws: As `then(_:)`.
  /// - Complexity: O(*c* log *c* log *k*) for *k* deltas with *c* changes.
  static func composed(_ deltas: ArraySlice<ResultsDelta>) throws(DeltaError) -> ResultsDelta? {
    guard deltas.count > 1 else { return deltas.first }
    // Composing halves (R28) avoids walking through all earlier changes at each step.
    let middle = deltas.startIndex + deltas.count / 2
    guard let first = try composed(deltas[..<middle]), let second = try composed(deltas[middle...])
    else { return nil }
    return try first.then(second)
  }
}

// MARK: - Catching up

/// The difference between a position that a client holds and the present list (R45).
public enum ResultsCatchUp<Object: FetchedObject>: Sendable {
  /// The client shows the present content, possibly as an earlier generation.
  case upToDate(ResultsList<Object>)
  /// One change, whatever the number of generations missed, and the present list.
  case change(ResultsDelta, ResultsList<Object>)
  /// The present list, and the reason why no change is available.
  case reset(ResultsResetReason, ResultsList<Object>)

  /// The present list, from which `FetchedResultsController.changes(from:)` continues.
  public var results: ResultsList<Object> {
    switch self {
    case .upToDate(let results), .change(_, let results), .reset(_, let results): results
    }
  }

  init(
    _ entry: ResultsJournal.Entry,
    from position: ResultsPosition,
    to present: ResultsList<Object>,
    resetThreshold: Int?
  ) {
    guard position != present.position else {
      self = .upToDate(present)
      return
    }
    guard position.life == present.snapshot.life else {
      self = .reset(.otherLife, present)
      return
    }
    switch entry.step(from: position.generation, to: present.generation) {
    case .reset(let reason): self = .reset(reason, present)
    case .delta(let delta):
      if let resetThreshold, delta.rows.count > resetThreshold {
        self = .reset(.tooManyChanges(count: delta.rows.count), present)
      } else {
        self = delta.isEmpty ? .upToDate(present) : .change(delta, present)
      }
    }
  }
}
