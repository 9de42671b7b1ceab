import OrderStatistics
import ResultsDomain
import ResultsStoreKit

extension SectionCache {
  /// The bytes with which every cache begins.
  static let magic: [UInt8] = Array("SFRcache".utf8)
  /// The version of this format and of the keys' encoding; a cache of another version is not read.
  static let format: UInt64 = 4
  /// The most keys in a block, and the number of bytes after which a block ends.
  static let blockLimit = (keys: 1024, bytes: 65_536)

  /// The cache as bytes.
  ///
  /// Every cache begins with the magic bytes, the format and its complement; the length, content and checksum of the header; and a word
  /// with the form of the keys. All keys are written in blocks: each has the number of its keys, their length when expanded and as
  /// stored, the keys and a checksum, and a checksum of everything ends the cache. In a block, a key is the number of bytes that it
  /// shares with the one before, the number of the other bytes, and those bytes. Counts are written as the lengths of the section counts
  /// and of the part directory; both of these, each with a checksum; a checksum of everything so far; and the parts (`CountedParts`).
  /// - Complexity: O(*n*) in the bytes of the keys.
  var encoded: [UInt8] {
    var bytes = SectionCache.magic
    bytes.appendWord(SectionCache.format)
    bytes.appendWord(~SectionCache.format)
    let content = header.encoded
    var total = RowDigest()
    bytes.appendWord(UInt64(content.count))
    bytes += content
    let checksum = SectionCache.checksum(of: content)
    bytes.appendWord(checksum)
    total.add(Int64(bitPattern: checksum))
    bytes.appendWord(keys.form)
    total.add(Int64(bitPattern: keys.form))
    switch keys {
    case .held(let keys):
      var block = KeyBlock()
      keys.forEachKey(in: 0..<keys.count) { _, key in
        block.append(key)
        if block.isFull { total.add(block.write(to: &bytes)) }
      }
      if block.count > 0 { total.add(block.write(to: &bytes)) }
    case .counted(let blocks, let sections):
      let parts = CountedParts(of: blocks)
      let contents = [sections.encoded(), parts.encoded]
      for content in contents { bytes.appendWord(UInt64(content.count)) }
      for content in contents {
        let checksum = SectionCache.checksum(of: content)
        bytes += content
        bytes.appendWord(checksum)
        total.add(Int64(bitPattern: checksum))
      }
      bytes.appendWord(total.value)
      return bytes + parts.content
    }
    bytes.appendWord(total.value)
    return bytes
  }
}

extension SectionCache.Header {
  fileprivate var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendText(summary)
    bytes.appendText(bookmark.store)
    bytes.appendWord(bookmark.sequence)
    bytes.appendWord(bookmark.stamp)
    bytes.appendNumber(UInt64(bookmark.detail.count))
    bytes += bookmark.detail
    bytes.appendWord(UInt64(keyCount))
    for (ingredient, content) in fingerprint.bytes.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    {
      bytes.append(ingredient.rawValue)
      bytes.appendNumber(UInt64(content.count))
      bytes += content
    }
    return bytes
  }
}

/// A block of keys being written.
private struct KeyBlock {
  private(set) var count = 0
  private var content: [UInt8] = []
  private var expandedCount = 0
  private var last: [UInt8] = []

  var isFull: Bool {
    count >= SectionCache.blockLimit.keys || content.count >= SectionCache.blockLimit.bytes
  }

  mutating func append(_ key: UnsafeRawBufferPointer) {
    var shared = 0
    let limit = min(last.count, key.count)
    while shared < limit, last[shared] == key[shared] { shared += 1 }
    content.appendNumber(UInt64(shared))
    content.appendNumber(UInt64(key.count - shared))
    content.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[shared...]))
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: key)
    count += 1
    expandedCount += key.count
  }

  /// Writes the block and clears it.
  /// - Returns: The block's checksum.
  mutating func write(to bytes: inout [UInt8]) -> Int64 {
    let start = bytes.count
    bytes.appendWord(UInt64(count))
    bytes.appendWord(UInt64(expandedCount))
    bytes.appendWord(UInt64(content.count))
    bytes += content
    let checksum = bytes.withUnsafeBytes {
      SectionCache.checksum(of: UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    bytes.appendWord(checksum)
    count = 0
    expandedCount = 0
    content.removeAll(keepingCapacity: true)
    last.removeAll(keepingCapacity: true)
    return Int64(bitPattern: checksum)
  }
}

/// The directory of the parts of counted keys in a cache: it is read at once, and locates each part when it is needed.
struct CountedParts {
  private var parts: [PivotPart] = []
  private var lengths: [Int] = []
  private var checksums: [UInt64] = []
  /// The bytes of the parts, one after the other.
  private(set) var content: [UInt8] = []

  /// Creates the directory and the bytes of a tree's parts.
  init(of tree: PivotTree) {
    tree.forEachPart { part, bytes in
      parts.append(part)
      lengths.append(bytes.count)
      checksums.append(SectionCache.checksum(of: bytes))
      content += bytes
    }
  }

  /// The directory as bytes: for each part its first pivot, its numbers of blocks, rows and bytes, and its checksum.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for (number, part) in parts.enumerated() {
      bytes.appendNumber(UInt64(part.pivot.count))
      bytes += part.pivot
      bytes.appendNumber(UInt64(part.blocks))
      bytes.appendNumber(UInt64(part.rows))
      bytes.appendNumber(UInt64(lengths[number]))
      bytes.appendWord(checksums[number])
    }
    return bytes
  }

  /// Reads a directory, or returns `nil` for any other bytes.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = CacheReader(bytes)
    while !reader.isAtEnd {
      guard let pivot = reader.number().flatMap({ reader.next($0) }), let blocks = reader.number(),
        let rows = reader.number(), let length = reader.number(), let checksum = reader.word()
      else { return nil }
      parts.append(PivotPart(pivot: Array(pivot), blocks: blocks, rows: rows))
      lengths.append(length)
      checksums.append(checksum)
    }
  }

  /// Returns the tree, which reads and checks each part when it is needed.
  /// - Returns: `nil` if the parts make no tree, or do not fill the range.
  func tree(from data: any CacheData, in range: Range<Int>) -> PivotTree? {
    var ranges: [Range<Int>] = []
    var start = range.lowerBound
    for length in lengths {
      guard length <= range.upperBound - start else { return nil }
      ranges.append(start..<start + length)
      start += length
    }
    guard start == range.upperBound else { return nil }
    return try? PivotTree(parts: parts) { [ranges, checksums] part in
      guard let bytes = data.bytes(in: ranges[part]),
        SectionCache.checksum(of: bytes) == checksums[part]
      else { return nil }
      return bytes
    }
  }
}

extension SectionCache {
  /// Returns a checksum that changes with every bit of some bytes.
  static func checksum(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { checksum(of: $0) }
  }

  /// Returns a checksum that changes with every bit of some bytes.
  ///
  /// Four independent chains, each of every fourth word, process a megabyte in some hundred microseconds. Words enter their chain, and
  /// chains the sum, by invertible operations, so a change of any single word changes the checksum.
  static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var chains: (UInt64, UInt64, UInt64, UInt64) = (
      0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89
    )
    var offset = 0
    while offset &+ 32 <= bytes.count {
      add(bytes, offset, to: &chains.0)
      add(bytes, offset &+ 8, to: &chains.1)
      add(bytes, offset &+ 16, to: &chains.2)
      add(bytes, offset &+ 24, to: &chains.3)
      offset &+= 32
    }
    var sum = RowDigest()
    sum.add(Int64(bytes.count))
    for chain in [chains.0, chains.1, chains.2, chains.3] {
      sum.add(Int64(bitPattern: chain))
    }
    sum.addBlob(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
    return sum.value
  }

  @inline(__always)
  private static func add(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: Int,
    to chain: inout UInt64
  ) {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    chain = (chain ^ UInt64(littleEndian: word)) &* 0x9e37_79b9_7f4a_7c15
    chain ^= chain >> 32
  }
}
