/// The difference between two lists of identities in any order: deletions, insertions and survivors.
///
/// Survivors keep their relative order except for `moves`, the smallest possible set of rows to
/// remove and reinsert. Of several smallest sets, it is the one that leaves the rows with the
/// smallest old positions in place.
package struct KeyedDifference: Sendable, Hashable {
  /// Old positions of identities that the new list does not hold, ascending.
  package let deletions: [Int]

  /// New positions of identities that the old list does not hold, ascending.
  package let insertions: [Int]

  /// The positions of identities both lists hold, ascending by old position.
  package let survivors: [PositionPair]

  /// The survivors that must move, ascending by old position.
  package let moves: [PositionPair]

  /// Compares two lists of integer identities.
  ///
  /// - Throws: `DuplicateIdentityError` if a list holds an identity twice; the old list is checked
  ///   first.
  /// - Complexity: O(n) expected, and O(n log n) in survivors whose order changed.
  package init(from old: [Int64], to new: [Int64]) throws(DuplicateIdentityError) {
    self = try old.withUnsafeBufferPointer {
      (old) throws(DuplicateIdentityError) -> KeyedDifference in
      try new.withUnsafeBufferPointer { (new) throws(DuplicateIdentityError) -> KeyedDifference in
        try KeyedDifference(matching: IntegerIdentities(old: old, new: new))
      }
    }
  }

  /// Compares two lists of byte-string identities.
  ///
  /// - Throws: `DuplicateIdentityError` if a list holds an identity twice; the old list is checked
  ///   first.
  /// - Complexity: O(number of bytes) expected, and O(n log n) in survivors whose order changed.
  package init(from old: KeyBatch, to new: KeyBatch) throws(DuplicateIdentityError) {
    self = try old.withFlatKeys { (old) throws(DuplicateIdentityError) -> KeyedDifference in
      try new.withFlatKeys { (new) throws(DuplicateIdentityError) -> KeyedDifference in
        try KeyedDifference(matching: ByteIdentities(old: old, new: new))
      }
    }
  }

  /// Whether nothing was deleted, inserted or moved.
  package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty }

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
    let stationary = longestIncreasingSubsequence(of: survivors.map(\.new))
    var moves: [PositionPair] = []
    moves.reserveCapacity(survivors.count - stationary.count)
    var next = 0
    for survivor in stationary {
      moves.append(contentsOf: survivors[next..<survivor])
      next = survivor + 1
    }
    moves.append(contentsOf: survivors[next...])
    self.deletions = deletions
    self.insertions = match.insertions
    self.survivors = survivors
    self.moves = moves
  }
}

/// The positions of one row in an old and in a new list.
package struct PositionPair: Sendable, Hashable {
  /// The position in the old list.
  package let old: Int

  /// The position in the new list.
  package let new: Int

  /// Creates a pair.
  package init(old: Int, new: Int) {
    self.old = old
    self.new = new
  }
}

// MARK: - Errors

/// An error that says that one identity occurs at two positions of a list.
package struct DuplicateIdentityError: Error, Hashable, Sendable {
  /// Which of the two compared lists a position belongs to.
  package enum Side: Sendable, Hashable {
    /// The list before the change.
    case old
    /// The list after the change.
    case new
  }

  /// The list that holds the identity twice.
  package let side: Side

  /// The smaller of the two positions.
  package let firstPosition: Int

  /// The greater of the two positions, the first repetition in the list.
  package let secondPosition: Int

  /// Creates an error.
  package init(side: Side, firstPosition: Int, secondPosition: Int) {
    self.side = side
    self.firstPosition = firstPosition
    self.secondPosition = secondPosition
  }
}
