public import ResultsDomain

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
