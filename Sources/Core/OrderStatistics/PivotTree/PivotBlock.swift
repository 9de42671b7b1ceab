/// A run of consecutive keys of an ordered list that are not held themselves.
public struct PivotBlock: Sendable, Hashable {
  /// The bytes that separate the run from the one before it.
  ///
  /// They are not after any key of the run, and after every key of the run before it. They are
  /// empty for the first run of a list.
  public var pivot: [UInt8]

  /// The number of keys in the run.
  public var rows: Int

  /// Creates a block.
  public init(pivot: [UInt8], rows: Int) {
    self.pivot = pivot
    self.rows = rows
  }
}
