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

/// The first rows of a list whose rows are being counted (R17).
///
/// They are those of the version that the list will be of, and stay as they are. Sections and places of other rows are not known yet.
public struct ResultsPage<Object: FetchedObject>: Sendable {
  /// The identities of the first rows, in the list's order.
  public let ids: [ObjectID]
  /// About how many rows match, or `nil` if the store cannot say without counting.
  public let estimatedCount: Int?
  private let rows: [Row]
  private let properties: [String]?

  init(_ rows: [Row], _ properties: [String]?, estimatedCount: Int?) {
    ids = rows.map(\.id)
    self.rows = rows
    self.properties = properties
    self.estimatedCount = estimatedCount
  }

  /// The objects of the first rows, in the list's order.
  /// - Throws: `RowError` for a stored value that does not fit.
  public func objects() throws(RowError) -> [Object] {
    var objects: [Object] = []
    objects.reserveCapacity(rows.count)
    for row in rows {
      objects.append(try FetchRequest<Object>.object(from: row, properties: properties))
    }
    return objects
  }
}

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
