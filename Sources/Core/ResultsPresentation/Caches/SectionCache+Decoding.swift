import OrderStatistics
import ResultsDomain

extension SectionCache {
  /// Reads and checks what a cache is of, without its keys.
  /// - Returns: The header, where the keys begin, and the header's checksum.
  static func header(
    in bytes: [UInt8]
  ) throws(CacheMiss) -> (header: Header, end: Int, checksum: UInt64) {
    let read = bytes.withUnsafeBytes { bytes -> Result<(Header, Int, UInt64), CacheMiss> in
      var reader = CacheReader(bytes)
      guard let magic = reader.next(SectionCache.magic.count),
        magic.elementsEqual(SectionCache.magic), let format = reader.word(),
        let complement = reader.word(), format == ~complement
      else { return .failure(.damaged) }
      guard format == SectionCache.format else { return .failure(.otherFormat) }
      guard let length = reader.count(upTo: bytes.count), let content = reader.next(length),
        let checksum = reader.word(), checksum == SectionCache.checksum(of: content),
        let header = Header(content)
      else { return .failure(.damaged) }
      return .success((header, reader.place, checksum))
    }
    switch read {
    case .success(let (header, end, checksum)): return (header, end, checksum)
    case .failure(let miss): throw miss
    }
  }

  /// Reads what comes behind the header: all of the keys, or all of the counts but their parts, and where these are.
  /// - Returns: `nil` for what is damaged.
  static func keys(
    in bytes: UnsafeRawBufferPointer,
    count: Int,
    ofAtLeast least: Int,
    headerChecksum: UInt64,
    parts: (kept: any CacheData, place: Range<Int>)
  ) -> CachedKeys? {
    var reader = CacheReader(bytes)
    var total = RowDigest()
    total.add(Int64(bitPattern: headerChecksum))
    guard let form = reader.word() else { return nil }
    total.add(Int64(bitPattern: form))
    let keys: CachedKeys
    switch form {
    case CachedKeys.heldForm:
      guard let held = self.keys(&reader, &total, count, ofAtLeast: least) else { return nil }
      keys = .held(held)
    case CachedKeys.countedForm:
      guard let sectionsLength = reader.count(upTo: bytes.count),
        let partsLength = reader.count(upTo: bytes.count),
        let sectionsContent = checked(&reader, &total, sectionsLength),
        let partsContent = checked(&reader, &total, partsLength),
        let sections = try? PivotTree(decoding: sectionsContent),
        let blocks = CountedParts(partsContent)?.tree(from: parts.kept, in: parts.place),
        blocks.rowCount == count, sections.rowCount == count
      else { return nil }
      keys = .counted(blocks, sections: sections)
    default: return nil
    }
    guard reader.word() == total.value, reader.isAtEnd else { return nil }
    return keys
  }

  /// Bytes with their checksum behind.
  private static func checked(
    _ reader: inout CacheReader,
    _ total: inout RowDigest,
    _ length: Int
  ) -> UnsafeRawBufferPointer? {
    guard let content = reader.next(length), let checksum = reader.word(),
      checksum == self.checksum(of: content)
    else { return nil }
    total.add(Int64(bitPattern: checksum))
    return content
  }

  /// Keys that were kept.
  private static func keys(
    _ reader: inout CacheReader,
    _ total: inout RowDigest,
    _ count: Int,
    ofAtLeast least: Int
  ) -> SortedKeyList? {
    var keys = SortedKeyList()
    while keys.count < count {
      let start = reader
      guard let blockCount = reader.count(upTo: min(count - keys.count, blockLimit.keys)),
        blockCount > 0, let expanded = reader.word(),
        let length = reader.count(upTo: .max), let content = reader.next(length)
      else { return nil }
      let block = reader.bytes(since: start)
      // No key is longer than the whole block; what is more than usual is counted before it is allocated.
      guard let checksum = reader.word(), checksum == self.checksum(of: block),
        expanded <= UInt64(blockCount) * UInt64(length),
        expanded <= UInt64(16 * blockLimit.bytes)
          || expandedCount(of: content, blockCount) == Int(expanded),
        let batch = batch(in: content, blockCount, ofAtLeast: least, expandedTo: Int(expanded))
      else { return nil }
      total.add(Int64(bitPattern: checksum))
      do {
        try keys.append(batch)
      } catch {
        return nil
      }
    }
    return keys
  }

  /// How many bytes the keys of one block have when they are written out, or `nil` if it is none.
  private static func expandedCount(of content: UnsafeRawBufferPointer, _ count: Int) -> Int? {
    var reader = CacheReader(content)
    var (last, total) = (0, 0)
    for _ in 0..<count {
      guard let shared = reader.number(), shared <= last, let own = reader.number(),
        reader.next(own) != nil
      else { return nil }
      last = shared + own
      total += last
    }
    return total
  }

  /// The keys of one block, written out.
  private static func batch(
    in content: UnsafeRawBufferPointer,
    _ count: Int,
    ofAtLeast least: Int,
    expandedTo expanded: Int
  ) -> KeyBatch? {
    var reader = CacheReader(content)
    var ends: [Int] = []
    ends.reserveCapacity(count)
    let bytes = [UInt8](unsafeUninitializedCapacity: expanded) { buffer, initialized in
      let target = UnsafeMutableRawBufferPointer(buffer)
      var (last, end) = (0, 0)
      for _ in 0..<count {
        guard let shared = reader.number(), shared <= end - last, let own = reader.number(),
          own <= expanded - end - shared, shared + own >= least, let bytes = reader.next(own)
        else { break }
        let head = UnsafeRawBufferPointer(rebasing: target[last..<last + shared])
        target[end..<end + shared].copyBytes(from: head)
        target[end + shared..<end + shared + own].copyBytes(from: bytes)
        last = end
        end += shared + own
        ends.append(end)
      }
      initialized = end
    }
    guard ends.count == count, bytes.count == expanded, reader.isAtEnd else { return nil }
    return try? KeyBatch(bytes: bytes, ends: ends)
  }
}

extension SectionCache.Header {
  /// Reads the content of a header, or gives `nil` if it is none.
  fileprivate init?(_ content: UnsafeRawBufferPointer) {
    var reader = CacheReader(content)
    guard let summary = reader.text(), let store = reader.text(), let sequence = reader.word(),
      let stamp = reader.word(), let keyCount = reader.count(upTo: .max)
    else { return nil }
    var ingredients: [CacheFingerprint.Ingredient: [UInt8]] = [:]
    while !reader.isAtEnd {
      guard let ingredient = reader.byte().flatMap(CacheFingerprint.Ingredient.init(rawValue:)),
        let bytes = reader.number().flatMap({ reader.next($0) })
      else { return nil }
      ingredients[ingredient] = Array(bytes)
    }
    self.summary = summary
    fingerprint = CacheFingerprint(ingredients)
    bookmark = StoreBookmark(store: store, sequence: sequence, stamp: stamp)
    self.keyCount = keyCount
  }
}
