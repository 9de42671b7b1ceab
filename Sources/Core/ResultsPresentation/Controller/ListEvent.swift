import ResultsDomain

/// What a list tells its subscribers, whatever its objects are: events are handed on, folded and kept without knowledge of them.
enum ListEvent: Sendable {
  /// As `ResultsEvent.snapshot`.
  case snapshot(RowLoader)
  /// As `ResultsEvent.change`.
  indirect case change(before: RowLoader, ResultsDelta, after: RowLoader)
  /// As `ResultsEvent.reset`.
  case reset(ResultsResetReason, RowLoader)
  /// As `ResultsEvent.failure`.
  case failure(StoreError)

  /// A change as it is told: beyond the consumer's threshold it is a reset.
  static func change(
    before: RowLoader,
    _ delta: ResultsDelta,
    after: RowLoader,
    resetThreshold: Int?
  ) -> ListEvent {
    guard let resetThreshold, delta.rows.count > resetThreshold else {
      return .change(before: before, delta, after: after)
    }
    return .reset(.tooManyChanges(count: delta.rows.count), after)
  }
}

extension ResultsEvent {
  /// An event for those who know what the objects are.
  init(_ event: ListEvent) {
    switch event {
    case .snapshot(let loader): self = .snapshot(ResultsList(loader))
    case .change(let before, let delta, let after):
      let (before, after) = (ResultsList<Object>(before), ResultsList<Object>(after))
      self = .change(ResultsChange(before: before, delta: delta, after: after))
    case .reset(let reason, let loader): self = .reset(reason, ResultsList(loader))
    case .failure(let error): self = .failure(error)
    }
  }
}
