/// What one piece of a list's work asked of the store.
public struct ListWork: Hashable, Sendable {
  /// How many times the store was asked for keys, rows, digests or counts.
  public var queries = 0
  /// Encoded keys that were read in order.
  public var keys = 0
  /// Rows whose values were read.
  public var rows = 0
  /// Digests of rows that were read.
  public var digests = 0

  /// Nothing was asked.
  public init() {}

  /// What was asked since an earlier count.
  func since(_ earlier: ListWork) -> ListWork {
    var work = self
    work.queries -= earlier.queries
    work.keys -= earlier.keys
    work.rows -= earlier.rows
    work.digests -= earlier.digests
    return work
  }
}
