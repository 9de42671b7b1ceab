/// One identity stands at two positions of one list.
public struct DuplicateIdentityError: Error, Hashable, Sendable {
  /// Which of the two compared lists a position belongs to.
  public enum Side: Sendable, Hashable {
    /// The list before the change.
    case old
    /// The list after the change.
    case new
  }

  /// The list that holds the identity twice.
  public let side: Side

  /// The smaller of the two positions.
  public let firstPosition: Int

  /// The greater of the two positions, the first repetition in the list.
  public let secondPosition: Int

  /// Creates an error.
  public init(side: Side, firstPosition: Int, secondPosition: Int) {
    self.side = side
    self.firstPosition = firstPosition
    self.secondPosition = secondPosition
  }
}
