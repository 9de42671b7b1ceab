/// The new position of each old identity, found with one open-addressing hash table.
package struct IdentityMatch {
  /// The new position of each old identity, or -1 if the new list does not hold it.
  package private(set) var newPositions: [Int]

  /// New positions of identities that the old list does not hold, ascending.
  package private(set) var insertions: [Int] = []

  /// Matches two lists of identities.
  ///
  /// - Throws: `DuplicateIdentityError` if a list holds an identity twice.
  package init(_ identities: some IdentityPair) throws(DuplicateIdentityError) {
    newPositions = [Int](repeating: -1, count: identities.oldCount)
    let oldCount = identities.oldCount
    var table = IdentityTable(capacity: oldCount + identities.newCount)
    for index in 0..<oldCount {
      if let first = table.findOrInsert(index, of: identities) {
        throw DuplicateIdentityError(side: .old, firstPosition: first, secondPosition: index)
      }
    }
    var guess = 0
    for new in 0..<identities.newCount {
      var found: Int?
      if guess < oldCount, identities.areEqual(guess, oldCount &+ new) {
        // Most rows follow the row that they followed before: no lookup is needed.
        found = guess
      } else {
        found = table.findOrInsert(oldCount &+ new, of: identities)
      }
      guard let found else {
        insertions.append(new)
        continue
      }
      let first = found < oldCount ? newPositions[found] : found &- oldCount
      guard first < 0 else {
        throw DuplicateIdentityError(side: .new, firstPosition: first, secondPosition: new)
      }
      newPositions[found] = new
      guess = found &+ 1
    }
  }
}

/// A hash table of indices of identities, at most three quarters full.
private struct IdentityTable {
  /// Zero, or half a hash in the upper and an index plus one in the lower 32 bits.
  private var slots: [UInt64]
  private let mask: Int
  private let seed: UInt64

  init(capacity: Int) {
    var size = 8
    while size * 3 < capacity * 4 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    mask = size - 1
    // The standard library's seed differs between processes, so no input can be made to collide.
    // It decides only which slot is used, never a result.
    seed = UInt64(truncatingIfNeeded: Hasher().finalize())
  }

  /// Returns the index of an equal identity in the table, or inserts this one and returns nil.
  @inline(__always)
  mutating func findOrInsert(_ index: Int, of identities: some IdentityPair) -> Int? {
    let hash = identities.hash(at: index, seed: seed)
    let mark = hash & 0xFFFF_FFFF_0000_0000
    return slots.withUnsafeMutableBufferPointer { slots in
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 {
        if slots[slot] & 0xFFFF_FFFF_0000_0000 == mark {
          let candidate = Int(slots[slot] & 0xFFFF_FFFF) &- 1
          if identities.areEqual(candidate, index) { return candidate }
        }
        slot = (slot &+ 1) & mask
      }
      slots[slot] = mark | UInt64(index &+ 1)
      return nil
    }
  }
}

// MARK: - Identities

/// Two lists of identities with consecutive indices: all old ones, then all new ones.
package protocol IdentityPair {
  var oldCount: Int { get }
  var newCount: Int { get }
  func hash(at index: Int, seed: UInt64) -> UInt64
  func areEqual(_ left: Int, _ right: Int) -> Bool
}

struct IntegerIdentities: IdentityPair {
  let old: UnsafeBufferPointer<Int64>
  let new: UnsafeBufferPointer<Int64>

  @inline(__always) var oldCount: Int { old.count }
  @inline(__always) var newCount: Int { new.count }

  @inline(__always)
  func hash(at index: Int, seed: UInt64) -> UInt64 {
    mix(UInt64(bitPattern: identity(at: index)) ^ seed)
  }

  @inline(__always)
  func areEqual(_ left: Int, _ right: Int) -> Bool {
    identity(at: left) == identity(at: right)
  }

  @inline(__always)
  private func identity(at index: Int) -> Int64 {
    index < old.count ? old[index] : new[index &- old.count]
  }
}

struct ByteIdentities: IdentityPair {
  let old: FlatKeys<Int>
  let new: FlatKeys<Int>

  @inline(__always) var oldCount: Int { old.count }
  @inline(__always) var newCount: Int { new.count }

  @inline(__always)
  func hash(at index: Int, seed: UInt64) -> UInt64 {
    let key = identity(at: index)
    var hash = mix(seed ^ UInt64(truncatingIfNeeded: key.count))
    var offset = 0
    while offset &+ 8 <= key.count {
      hash = mix(hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    var rest: UInt64 = 0
    while offset < key.count {
      rest = rest << 8 | UInt64(key[offset])
      offset &+= 1
    }
    return mix(hash ^ rest)
  }

  @inline(__always)
  func areEqual(_ left: Int, _ right: Int) -> Bool {
    let left = identity(at: left)
    let right = identity(at: right)
    return left.count == right.count && KeyOrder.compare(left, right) == 0
  }

  @inline(__always)
  private func identity(at index: Int) -> UnsafeRawBufferPointer {
    index < old.count ? old[index] : new[index &- old.count]
  }
}

/// Mixes every bit of a word into the result: both halves of the full product with an odd constant.
@inline(__always)
private func mix(_ word: UInt64) -> UInt64 {
  let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
  return product.high ^ product.low
}
