/// How large the chunks of a `SortedKeyList` may grow.
///
/// One insertion moves at most a chunk, and the first one after a snapshot copies it: the limits
/// trade that copy against the number of chunks to look through.
package struct KeyChunkLimits: Sendable, Hashable {
  /// No chunk holds more keys.
  package let maximumCount: Int

  /// No chunk of two or more keys holds more bytes.
  package let maximumByteCount: Int

  /// Creates limits.
  ///
  /// - Precondition: Both are at least 4.
  package init(maximumCount: Int, maximumByteCount: Int) {
    precondition(maximumCount >= 4 && maximumByteCount >= 4, "chunk limits too small")
    self.maximumCount = maximumCount
    self.maximumByteCount = maximumByteCount
  }

  /// The limits every list has unless a test asks for smaller ones.
  package static let standard = KeyChunkLimits(maximumCount: 512, maximumByteCount: 65_536)

  /// Bulk building fills chunks to three quarters, to leave room for insertions.
  var targetCount: Int { maximumCount * 3 / 4 }
  var targetByteCount: Int { maximumByteCount * 3 / 4 }

  func allows(count: Int, byteCount: Int) -> Bool {
    count <= maximumCount && (byteCount <= maximumByteCount || count < 2)
  }

  /// Whether a chunk is small enough to look for a neighbour to merge with.
  func isSmall(count: Int, byteCount: Int) -> Bool {
    count < maximumCount / 4 && byteCount < maximumByteCount / 4
  }
}
