public import ResultsDomain

/// Where a controller is (R17).
///
/// What was last shown stays readable in every state but the first.
public enum ResultsState<Object: FetchedObject>: Sendable {
  /// Nothing has been fetched.
  case idle
  /// The first fetch, or that of another definition, is under way; what was shown before is still good (R51).
  case loading(last: ResultsList<Object>?)
  /// The first fetch is counting a long list; its first rows can be shown already, and its length is an estimate.
  case opening(ResultsPage<Object>)
  /// The list is live.
  case ready(ResultsList<Object>)
  /// The last attempt failed; the next good commit continues from what was last good (R71).
  case failed(StoreError, lastGood: ResultsList<Object>?)
  /// The controller was cancelled, or its store was closed.
  case ended(last: ResultsList<Object>?)

  /// What the list shows, or last showed.
  public var results: ResultsList<Object>? {
    switch self {
    case .idle, .opening: nil
    case .ready(let results): results
    case .loading(let last), .failed(_, let last), .ended(let last): last
    }
  }
}
