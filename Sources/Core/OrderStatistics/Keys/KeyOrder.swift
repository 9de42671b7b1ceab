/// The order of byte keys: `memcmp` order, with a prefix before every longer key.
///
/// Eight bytes are compared at a time, because most keys of a list share a long prefix. The comparison is inlinable: a call across
/// modules takes longer than the comparison itself.
@usableFromInline
package enum KeyOrder {
  /// Compares two keys.
  ///
  /// - Returns: A negative number if the left key sorts first, zero if the keys are equal, a
  ///   positive number if the right key sorts first.
  /// - Complexity: O(length of the shorter key).
  @inlinable
  @inline(__always)
  package static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
    -> Int
  {
    guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else {
      return left.count - right.count
    }
    let common = min(left.count, right.count)
    var offset = 0
    while offset &+ 8 <= common {
      let difference = compareWords(leftBase + offset, rightBase + offset)
      if difference != 0 { return difference }
      offset &+= 8
    }
    if offset < common {
      if common >= 8 {
        // The last word overlaps bytes that are known to be equal.
        let difference = compareWords(leftBase + (common &- 8), rightBase + (common &- 8))
        if difference != 0 { return difference }
      } else {
        while offset < common {
          let leftByte = leftBase.load(fromByteOffset: offset, as: UInt8.self)
          let rightByte = rightBase.load(fromByteOffset: offset, as: UInt8.self)
          if leftByte != rightByte { return leftByte < rightByte ? -1 : 1 }
          offset &+= 1
        }
      }
    }
    return left.count &- right.count
  }

  /// Compares two keys held in arrays.
  ///
  /// - Returns: A negative number if the left key sorts first, zero if the keys are equal, a
  ///   positive number if the right key sorts first.
  /// - Complexity: O(length of the shorter key).
  @inlinable
  package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { leftBytes in
      right.withUnsafeBytes { rightBytes in compare(leftBytes, rightBytes) }
    }
  }

  @inlinable
  @inline(__always)
  static func compareWords(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Int {
    let leftWord = left.loadUnaligned(as: UInt64.self)
    let rightWord = right.loadUnaligned(as: UInt64.self)
    if leftWord == rightWord { return 0 }
    return UInt64(bigEndian: leftWord) < UInt64(bigEndian: rightWord) ? -1 : 1
  }
}
