import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Reads a stored cache: first its header, then its keys, and of counts only what is needed to open a list.
struct CacheDecoder {
  private let data: any CacheData
  /// The bytes read so far, from the first one.
  private let front: [UInt8]
  /// The list and version of the cache.
  let header: SectionCache.Header
  /// The offset of the keys.
  private let start: Int
  private let checksum: UInt64

  /// The number of bytes read at once: enough to open a list of ten million rows, and for its first rows.
  private static let frontLength = 131_072

  /// Reads and checks the header of a cache.
  /// - Throws: `CacheMiss.damaged` or `.otherFormat`; no bytes make it trap.
  init(_ data: any CacheData) throws(CacheMiss) {
    guard let front = data.bytes(in: 0..<min(data.count, CacheDecoder.frontLength)) else {
      throw .unreadable
    }
    self.data = data
    do throws(CacheMiss) {
      (header, start, checksum) = try SectionCache.header(in: front)
      self.front = front
    } catch {
      // The header may be longer, since a predicate has any number of constants.
      guard front.count < data.count, let all = data.bytes(in: 0..<data.count) else { throw error }
      (header, start, checksum) = try SectionCache.header(in: all)
      self.front = all
    }
  }

  /// Reads the keys: all of them with their checksums, or the counts, whose parts are checked when they are read.
  /// - Parameter length: The length of the list's shortest possible key; a cache with a shorter one is damaged.
  /// - Returns: The keys, or their counts, whose parts are read when they are needed.
  /// - Throws: As `init(_:)`.
  /// - Complexity: O(*n*) in the bytes of keys; O(*s*) for *s* sections where they are counted.
  func keys(ofAtLeast length: Int) throws(CacheMiss) -> CachedKeys {
    guard let all = try beginning() else { throw .damaged }
    let counts = data.count - all.count
    let read = all.withUnsafeBytes { bytes in
      SectionCache.keys(
        in: UnsafeRawBufferPointer(rebasing: bytes[start...]),
        count: header.keyCount,
        ofAtLeast: length,
        headerChecksum: checksum,
        parts: (data, all.count..<all.count + counts)
      )
    }
    guard let read else { throw .damaged }
    return read
  }

  /// The whole cache, or everything before the parts of counted keys.
  private func beginning() throws(CacheMiss) -> [UInt8]? {
    let lengths = front.withUnsafeBytes { bytes -> (form: UInt64, sections: Int, parts: Int)? in
      var reader = CacheReader(UnsafeRawBufferPointer(rebasing: bytes[start...]))
      guard let form = reader.word() else { return nil }
      guard form == CachedKeys.countedForm else { return (form, 0, 0) }
      guard let sections = reader.count(upTo: data.count),
        let parts = reader.count(upTo: data.count)
      else { return nil }
      return (form, sections, parts)
    }
    // The header may end with the bytes read so far.
    guard let lengths else {
      return front.count < data.count ? data.bytes(in: 0..<data.count) : nil
    }
    var end = data.count
    if lengths.form == CachedKeys.countedForm {
      end = start + 24 + lengths.sections + 8 + lengths.parts + 8 + 8
      guard end <= data.count else { return nil }
    }
    guard end > front.count else { return Array(front[..<end]) }
    guard let bytes = data.bytes(in: 0..<end) else { throw .unreadable }
    return bytes
  }
}

extension SectionCache {
  /// Reads a cache in full and checks all of it.
  /// - Parameters:
  ///   - data: The stored bytes.
  ///   - length: As `CacheDecoder.keys(ofAtLeast:)`.
  /// - Throws: As `CacheDecoder`.
  /// - Complexity: O(*n*) in the bytes.
  init(decoding data: any CacheData, keysOfAtLeast length: Int = 1) throws(CacheMiss) {
    let decoder = try CacheDecoder(data)
    let keys = try decoder.keys(ofAtLeast: length)
    if case .counted(let blocks, _) = keys {
      blocks.readParts()
      guard !blocks.isDamaged else { throw .damaged }
    }
    self.init(header: decoder.header, keys: keys)
  }

  /// Reads a cache in full and checks all of it.
  init(decoding bytes: [UInt8], keysOfAtLeast length: Int = 1) throws(CacheMiss) {
    try self.init(decoding: InMemoryCacheData(bytes), keysOfAtLeast: length)
  }
}

extension SectionCache {
  /// Reads and checks the header of a cache.
  /// - Returns: The header, the offset of the keys, and the header's checksum.
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
      return .success((header, reader.offset, checksum))
    }
    switch read {
    case .success(let (header, end, checksum)): return (header, end, checksum)
    case .failure(let miss): throw miss
    }
  }

  /// Reads the bytes behind the header: all keys, or the counts without their parts.
  /// - Returns: `nil` for damaged bytes.
  fileprivate static func keys(
    in bytes: UnsafeRawBufferPointer,
    count: Int,
    ofAtLeast least: Int,
    headerChecksum: UInt64,
    parts: (data: any CacheData, range: Range<Int>)
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
        let blocks = CountedParts(partsContent)?.tree(from: parts.data, in: parts.range),
        blocks.rowCount == count, sections.rowCount == count
      else { return nil }
      keys = .counted(blocks, sections: sections)
    default: return nil
    }
    guard reader.word() == total.value, reader.isAtEnd else { return nil }
    return keys
  }

  /// Reads bytes that are followed by their checksum.
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

  /// Reads the blocks of keys.
  private static func keys(
    _ reader: inout CacheReader,
    _ total: inout RowDigest,
    _ count: Int,
    ofAtLeast least: Int
  ) -> SortedKeyList? {
    var keys = SortedKeyList(limits: .packed)
    while keys.count < count {
      let start = reader
      guard let blockCount = reader.count(upTo: min(count - keys.count, blockLimit.keys)),
        blockCount > 0, let expanded = reader.word(),
        let length = reader.count(upTo: .max), let content = reader.next(length)
      else { return nil }
      let block = reader.bytes(since: start)
      // No key is longer than the whole block; an unusual length is verified before it is allocated.
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

  /// The length of a block's keys when expanded, or `nil` if it is no block.
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

  /// Expands the keys of one block.
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
  /// Reads the content of a header, or returns `nil` if it is none.
  fileprivate init?(_ content: UnsafeRawBufferPointer) {
    var reader = CacheReader(content)
    guard let summary = reader.text(), let store = reader.text(), let sequence = reader.word(),
      let stamp = reader.word(), let detail = reader.number().flatMap({ reader.next($0) }),
      let keyCount = reader.count(upTo: .max)
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
    bookmark = StoreBookmark(
      store: store,
      sequence: sequence,
      stamp: stamp,
      detail: Array(detail)
    )
    self.keyCount = keyCount
  }
}

/// Reads the bytes of a cache from front to back, and returns `nil` beyond the end, for any bytes.
struct CacheReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  /// Reads a number of bytes, or returns `nil` if there are fewer.
  mutating func next(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  /// The bytes between an earlier state of this reader and the present one.
  func bytes(since earlier: CacheReader) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[earlier.offset..<offset])
  }

  mutating func byte() -> UInt8? { next(1)?.first }

  /// Reads a word of eight bytes, the least significant first.
  mutating func word() -> UInt64? {
    next(8).map { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  /// Reads a word with a count, or returns `nil` if it exceeds a limit.
  mutating func count(upTo limit: Int) -> Int? {
    word().flatMap { Int(exactly: $0) }.flatMap { $0 <= limit ? $0 : nil }
  }

  /// Reads a number in bytes of seven bits (LEB128).
  mutating func number() -> Int? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 63, let byte = byte() {
      number |= UInt64(byte & 127) << shift
      if byte < 128 { return Int(exactly: number) }
      shift += 7
    }
    return nil
  }

  /// Reads a text that follows the number of its bytes.
  mutating func text() -> String? {
    number().flatMap { next($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
