public import ResultsDomain

/// Why a live list cannot answer.
public enum ResultsError: Error, Sendable {
  /// Nothing has been fetched yet.
  case notFetched
  /// There is no row at a path.
  case noRow(at: RowPath, sections: Int)
  /// There is no section of a number.
  case noSection(Int, sections: Int)
  /// The row was in the list, and has been deleted from the store since.
  case rowGone(ObjectID)
  /// A stored value does not fit the result type; it affects that row only.
  case row(RowError)
  /// The store's answer.
  case store(StoreError)
  /// The controller has been cancelled.
  case ended
}

extension ResultsError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .notFetched: "Nothing has been fetched yet. Call performFetch() first."
    case .noRow(let path, let sections):
      "There is no row at \(path) in a list of \(sections) sections. Ask within its bounds."
    case .noSection(let section, let sections):
      "There is no section \(section) in a list of \(sections) sections. Ask within its bounds."
    case .rowGone(let id):
      "\(id) has been deleted since. The change that takes it out of the list is on its way."
    case .row(let error): error.description
    case .store(let error): error.description
    case .ended: "The controller has been cancelled. Make another one."
    }
  }
}
