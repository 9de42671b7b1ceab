public import ResultsDomain
public import ResultsStoreKit

/// The state of a controller (R17).
///
/// The list shown last stays readable in every state but the first.
public enum ResultsState<Object: FetchedObject>: Sendable {
  /// Nothing has been fetched.
  case idle
  /// The first fetch, or the fetch of another definition, is in progress; the list shown before stays valid (R51).
  case loading(last: ResultsList<Object>?)
  /// The first fetch is counting a long list; its first rows can be shown already, and its length is an estimate.
  case opening(ResultsPage<Object>)
  /// The list is live.
  case ready(ResultsList<Object>)
  /// The last attempt failed; the next successful one continues from the last good list (R71).
  case failed(StoreError, lastGood: ResultsList<Object>?)
  /// The controller was cancelled, or its store was closed.
  case ended(last: ResultsList<Object>?)

  /// The list shown now, or last.
  public var results: ResultsList<Object>? {
    switch self {
    case .idle, .opening: nil
    case .ready(let results): results
    case .loading(let last), .failed(_, let last), .ended(let last): last
    }
  }
}

/// The first rows of a list whose other rows are still being counted (R17).
///
/// They belong to the version that the list will show, and do not change. The sections and positions of other rows are not known yet.
public struct ResultsPage<Object: FetchedObject>: Sendable {
  /// The identities of the first rows, in list order.
  public let ids: [ObjectID]
  /// The approximate number of rows that match, or `nil` if the store cannot estimate it without counting.
  public let estimatedCount: Int?
  private let rows: [Row]
  private let properties: FetchedProperties?

  init(_ rows: [Row], _ properties: FetchedProperties?, estimatedCount: Int?) {
    ids = rows.map(\.id)
    self.rows = rows
    self.properties = properties
    self.estimatedCount = estimatedCount
  }

  /// Creates the page for another type of object.
  init<Other>(_ other: ResultsPage<Other>) {
    self.init(other.rows, other.properties, estimatedCount: other.estimatedCount)
  }

  /// Returns the objects of the first rows, in list order.
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

/// An error of a live list.
public enum ResultsError: Error, Sendable {
  /// Nothing has been fetched yet.
  case notFetched
  /// There is no row at the path.
  case noRow(at: RowPath, sections: Int)
  /// There is no section at the index.
  case noSection(Int, sections: Int)
  /// The row was in the list, and has since been deleted from the store.
  case rowGone(ObjectID)
  /// A stored value does not fit the type of the result; other rows are not affected.
  case row(RowError)
  /// The related objects of a row cannot be returned.
  case related(RelatedObjectError)
  /// The store's error.
  case store(StoreError)
  /// The controller was cancelled.
  case ended
}

extension ResultsError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .notFetched: "Nothing has been fetched yet. Call performFetch() first."
    case .noRow(let path, let sections):
      "There is no row at \(path) in a list of \(sections) sections. Use a path within its bounds."
    case .noSection(let section, let sections):
      "There is no section \(section) in a list of \(sections) sections. Use an index within its bounds."
    case .rowGone(let id):
      "\(id) has been deleted since. The change that removes it from the list is about to arrive."
    case .row(let error): error.description
    case .related(let error): error.description
    case .store(let error): error.description
    case .ended: "The controller was cancelled. Create another one."
    }
  }
}
