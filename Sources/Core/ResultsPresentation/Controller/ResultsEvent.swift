public import ResultsDomain

/// What a controller tells its subscribers.
public enum ResultsEvent<Object: FetchedObject>: Sendable {
  /// The present state, which every subscriber gets first (R74).
  case snapshot(ResultsList<Object>)
  /// A later generation, and what leads to it.
  indirect case change(ResultsChange<Object>)
  /// The whole list anew, and why no change leads to it (R43, R72); what was shown before is gone.
  case reset(ResultsResetReason, ResultsList<Object>)
  /// A failure; the last good state stays, and the next good commit continues from it (R71).
  case failure(StoreError)
}

/// One delivered change: what was shown, what leads on, and what is shown now.
public struct ResultsChange<Object: FetchedObject>: Sendable {
  /// What was shown.
  public let before: ResultsList<Object>
  /// What leads from the one to the other.
  public let delta: ResultsDelta
  /// What is shown now.
  public let after: ResultsList<Object>

  /// One delivered change.
  init(before: ResultsList<Object>, delta: ResultsDelta, after: ResultsList<Object>) {
    self.before = before
    self.delta = delta
    self.after = after
  }
}
