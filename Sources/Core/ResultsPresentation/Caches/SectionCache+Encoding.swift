import OrderStatistics
import ResultsDomain

extension SectionCache {
  /// What every cache begins with.
  static let magic: [UInt8] = Array("SFRcache".utf8)
  /// The version of this form and of the keys' encoding; a cache of another one is not read.
  static let format: UInt64 = 3
  /// A block holds at most so many keys, and ends after the key with which it has so many bytes.
  static let blockLimit = (keys: 1024, bytes: 65_536)

  /// The cache as bytes.
  ///
  /// Magic, format, its complement; length, content and checksum of the header; a word that tells keys from counts. Then either
  /// blocks of keys, each with the number of its keys, the lengths of the keys written out and as they are stored, the keys, and a
  /// checksum; a checksum of all. In a block a key is the number of bytes that it begins with like the one before, the number
  /// of those that follow, and these. Or the lengths of the counts of sections and of what is known of the parts of the other
  /// counts, both of these with a checksum behind, a checksum of all so far, and the parts (`CountedParts`).
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

/// Keys that are being put into one block.
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

  /// Writes the block and becomes empty.
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
