/// The positions of one row in an old and in a new list.
public struct PositionPair: Sendable, Hashable {
  /// The position in the old list.
  public let old: Int

  /// The position in the new list.
  public let new: Int

  /// Creates a pair.
  public init(old: Int, new: Int) {
    self.old = old
    self.new = new
  }
}
