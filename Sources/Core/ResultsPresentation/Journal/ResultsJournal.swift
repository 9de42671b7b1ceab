import ResultsDomain

/// The latest deltas of a list, as many as a limit of row changes permits.
struct ResultsJournal: Sendable {
  /// What the journal knows of the way from a generation to the present one.
  enum Entry: Sendable {
    case deltas([ResultsDelta])
    case reset(ResultsResetReason)
  }

  private let capacity: Int
  private var deltas: [ResultsDelta] = []
  private var start = 0
  private var size = 0
  private var lastReset: (generation: Int, reason: ResultsResetReason)?

  /// A journal of at most so many row changes; below 1 it keeps nothing.
  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Adds the delta to the present generation; the oldest ones leave until the limit is kept.
  /// - Complexity: O(1), amortised.
  mutating func append(_ delta: ResultsDelta) {
    guard capacity > 0 else { return }
    deltas.append(delta)
    size += ResultsJournal.size(of: delta)
    while size > capacity, start < deltas.count {
      size -= ResultsJournal.size(of: deltas[start])
      // The rows of a delta that left must not stay in memory until the array is shortened.
      deltas[start].rows = RowChanges()
      start += 1
    }
    guard start > deltas.count / 2 else { return }
    deltas.removeSubrange(..<start)
    start = 0
  }

  /// Notes that no delta leads to a generation.
  mutating func cut(at generation: Int, _ reason: ResultsResetReason) {
    (deltas, start, size) = ([], 0, 0)
    lastReset = (generation, reason)
  }

  /// The way from a generation to the present one.
  /// - Complexity: O(*k*) in the deltas on the way.
  func entry(from generation: Int) -> Entry {
    if let lastReset, generation < lastReset.generation { return .reset(lastReset.reason) }
    let kept = deltas[start...]
    guard let first = kept.first, generation >= first.from else { return .reset(.beyondJournal) }
    guard generation - first.from < kept.count else { return .reset(.beyondJournal) }
    return .deltas(Array(kept.dropFirst(generation - first.from)))
  }

  /// A delta of sections alone counts too, so that no number of them fills the memory.
  private static func size(of delta: ResultsDelta) -> Int { max(1, delta.rows.count) }
}

extension ResultsJournal.Entry {
  /// What the deltas between two generations come to.
  enum Way {
    /// One delta, which may be empty.
    case delta(ResultsDelta)
    case reset(ResultsResetReason)
  }

  /// The way from an earlier generation to the present one as one step.
  /// - Complexity: O(*c* log *c* log *k*) for *k* deltas with *c* changes.
  func way(from generation: Int, to present: Int) -> Way {
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

extension ResultsDelta {
  /// Deltas in a row as one.
  /// - Throws: As `then(_:)`.
  /// - Complexity: O(*c* log *c* log *k*) for *k* deltas with *c* changes.
  static func composed(_ deltas: ArraySlice<ResultsDelta>) throws(DeltaError) -> ResultsDelta? {
    guard deltas.count > 1 else { return deltas.first }
    // Halves are composed first (R28): one after the other, each step would walk through all before it.
    let middle = deltas.startIndex + deltas.count / 2
    guard let first = try composed(deltas[..<middle]), let second = try composed(deltas[middle...])
    else { return nil }
    return try first.then(second)
  }
}
