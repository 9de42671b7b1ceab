public import ResultsDomain

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

// MARK: - Catching up

/// What leads a consumer from the generation it holds to the present one (R45).
public enum ResultsCatchUp<Object: FetchedObject>: Sendable {
  /// What it shows is what the list holds, which may be a later generation of the same content.
  case upToDate(ResultsList<Object>)
  /// One change, whatever the number of generations missed, and what is shown now.
  case change(ResultsDelta, ResultsList<Object>)
  /// The whole list, and why no change leads to it.
  case reset(ResultsResetReason, ResultsList<Object>)

  /// What is shown now, whichever way leads there: `FetchedResultsController.changes(from:)` goes on from it.
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
    switch entry.way(from: position.generation, to: present.generation) {
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

extension FetchedResultsController {
  /// What leads from a position to the present one: a reader that was away gets one change, not a reload.
  ///
  /// The journal is kept only if `ResultsOptions.journalCapacity` says so, and reaches back as many row changes. A generation that it
  /// does not reach is answered by a reset, and so is a position of another life, such as one of an earlier run of the program
  /// (`ResultsResetReason.otherLife`). `changes(from:)` goes on from the results that this answers, without a gap:
  ///
  /// ```swift
  /// let present = try list.catchUp(from: position).results
  /// for await event in list.changes(from: present) { … }
  /// ```
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  /// - Complexity: O(*c* log *c* log *k*) for *k* generations with *c* changes; the store is not asked.
  public func catchUp(from position: ResultsPosition) throws(ResultsError) -> ResultsCatchUp<Object>
  {
    try list.publisher.catchUp(from: position)
  }

  /// Every event after a generation that the caller holds, without a snapshot first: what happened meanwhile comes as one change from
  /// just that generation, or as a reset with its reason where the journal does not reach back (R44, R45).
  ///
  /// Use it where something is drawn already. Each iteration is a subscriber of its own, and begins at the same generation. A task that is
  /// cancelled while it waits for the next event ends at once, and so does every iteration when the controller is cancelled.
  /// - Parameter drawn: What the caller shows: results of this controller, as `results()`, an event or `catchUp(from:)` gave them.
  /// - Returns: The events; those of another controller's results begin with a reset, `ResultsResetReason.otherLife`.
  public func changes(from drawn: ResultsList<Object>) -> ResultsChanges<Object> {
    ResultsChanges { [publisher = list.publisher] in publisher.subscribe(from: drawn) }
  }
}
