public import ResultsDomain

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

  /// Creates the page for another type of object.
  init<Other>(_ other: ResultsPage<Other>) {
    self.init(other.rows, other.properties, estimatedCount: other.estimatedCount)
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
