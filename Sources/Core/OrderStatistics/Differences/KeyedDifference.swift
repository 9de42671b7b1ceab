/// How a list of identities in any order became another: deletions, insertions and survivors.
///
/// Survivors keep their relative order except for `moves`, the smallest possible set of rows to
/// take out and put elsewhere. Among the smallest sets the one is taken that leaves the rows with
/// the smallest old positions in place.
public struct KeyedDifference: Sendable, Hashable {
  /// Old positions of identities the new list does not hold, ascending.
  public let deletions: [Int]

  /// New positions of identities the old list does not hold, ascending.
  public let insertions: [Int]

  /// The positions of identities both lists hold, ascending by old position.
  public let survivors: [PositionPair]

  /// The survivors that must move, ascending by old position.
  public let moves: [PositionPair]

  /// Compares two lists of integer identities.
  ///
  /// - Throws: `DuplicateIdentityError` if a list holds an identity twice; the old list is looked
  ///   through first.
  /// - Complexity: O(n) expected, and O(n log n) in survivors whose order changed.
  public init(from old: [Int64], to new: [Int64]) throws(DuplicateIdentityError) {
    self = try old.withUnsafeBufferPointer {
      (old) throws(DuplicateIdentityError) -> KeyedDifference in
      try new.withUnsafeBufferPointer { (new) throws(DuplicateIdentityError) -> KeyedDifference in
        try KeyedDifference(matching: IntegerIdentities(old: old, new: new))
      }
    }
  }

  /// Compares two lists of byte-string identities.
  ///
  /// - Throws: `DuplicateIdentityError` if a list holds an identity twice; the old list is looked
  ///   through first.
  /// - Complexity: O(number of bytes) expected, and O(n log n) in survivors whose order changed.
  public init(from old: KeyBatch, to new: KeyBatch) throws(DuplicateIdentityError) {
    self = try old.withFlatKeys { (old) throws(DuplicateIdentityError) -> KeyedDifference in
      try new.withFlatKeys { (new) throws(DuplicateIdentityError) -> KeyedDifference in
        try KeyedDifference(matching: ByteIdentities(old: old, new: new))
      }
    }
  }

  /// Whether nothing was deleted, inserted or moved.
  public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty }

  private init(matching identities: some IdentityPair) throws(DuplicateIdentityError) {
    let match = try IdentityMatch(identities)
    var deletions: [Int] = []
    var survivors: [PositionPair] = []
    survivors.reserveCapacity(identities.newCount - match.insertions.count)
    for (old, new) in match.newPositions.enumerated() {
      if new < 0 {
        deletions.append(old)
      } else {
        survivors.append(PositionPair(old: old, new: new))
      }
    }
    let kept = longestIncreasingSubsequence(of: survivors.map(\.new))
    var moves: [PositionPair] = []
    moves.reserveCapacity(survivors.count - kept.count)
    var next = 0
    for stationary in kept {
      moves.append(contentsOf: survivors[next..<stationary])
      next = stationary + 1
    }
    moves.append(contentsOf: survivors[next...])
    self.deletions = deletions
    self.insertions = match.insertions
    self.survivors = survivors
    self.moves = moves
  }
}

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

// MARK: - Errors

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
