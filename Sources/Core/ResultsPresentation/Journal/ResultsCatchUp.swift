public import ResultsDomain

/// What leads a consumer from the generation it holds to the present one (R45).
public enum ResultsCatchUp<Object: FetchedObject>: Sendable {
  /// What it shows is what the list holds, which may be a later generation of the same content.
  case upToDate(FetchedResults<Object>)
  /// One change, whatever the number of generations missed, and what is shown now.
  case change(ResultsDelta, FetchedResults<Object>)
  /// The whole list, and why no change leads to it.
  case reset(ResultsResetReason, FetchedResults<Object>)

  init(
    _ entry: ResultsJournal.Entry,
    from generation: Int,
    to present: FetchedResults<Object>,
    resetThreshold: Int?
  ) {
    guard generation != present.generation else {
      self = .upToDate(present)
      return
    }
    switch entry {
    case .reset(let reason): self = .reset(reason, present)
    case .deltas(let deltas):
      guard let delta = try? ResultsDelta.composed(deltas[...]), delta.from == generation,
        delta.to == present.generation
      else {
        self = .reset(.beyondJournal, present)
        return
      }
      if let resetThreshold, delta.rows.count > resetThreshold {
        self = .reset(.tooManyChanges(count: delta.rows.count), present)
      } else {
        self = delta.isEmpty ? .upToDate(present) : .change(delta, present)
      }
    }
  }
}

extension FetchedResultsController {
  /// What leads from a generation of this controller to the present one: a reader that was away gets one change, not a reload.
  ///
  /// The journal is kept only if `ResultsOptions.journalCapacity` says so, and reaches back as many row changes. A generation that it
  /// does not reach, or that is none of this controller, is answered by a reset.
  /// - Throws: `ResultsError.notFetched` before the first fetch.
  /// - Complexity: O(*c* log *c* log *k*) for *k* generations with *c* changes; the store is not asked.
  public func catchUp(from generation: Int) throws(ResultsError) -> ResultsCatchUp<Object> {
    try list.publisher.catchUp(from: generation)
  }
}
