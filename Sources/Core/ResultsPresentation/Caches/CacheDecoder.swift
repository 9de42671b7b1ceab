import OrderStatistics
import ResultsDomain

/// Reads a kept cache: first what it is of, then its keys, and of counts only what is needed to open a list.
struct CacheDecoder {
  private let kept: any CacheData
  /// What was read so far, from the first byte on.
  private let front: [UInt8]
  /// What the cache is of.
  let header: SectionCache.Header
  /// Where the keys begin.
  private let start: Int
  private let checksum: UInt64

  /// So much is read at once: all of what a list of ten million rows is opened from, and of its first rows.
  private static let frontLength = 131_072

  /// Reads and checks what a cache is of.
  /// - Throws: `CacheMiss.damaged` or `.otherFormat`; no bytes make it trap.
  init(_ kept: any CacheData) throws(CacheMiss) {
    guard let front = kept.bytes(in: 0..<min(kept.count, CacheDecoder.frontLength)) else {
      throw .unreadable
    }
    self.kept = kept
    do throws(CacheMiss) {
      (header, start, checksum) = try SectionCache.header(in: front)
      self.front = front
    } catch {
      // The constants of a predicate may be many.
      guard front.count < kept.count, let all = kept.bytes(in: 0..<kept.count) else { throw error }
      (header, start, checksum) = try SectionCache.header(in: all)
      self.front = all
    }
  }

  /// Reads the keys: those that are written out are checked in full, and of counts what is read before they are used.
  /// - Parameter length: No key of the list can be shorter; one that is was not written by this library.
  /// - Returns: The keys, or their counts, of which parts are read when they are needed.
  /// - Throws: As `init(_:)`.
  /// - Complexity: O(*n*) in the bytes of keys; O(*s*) for *s* sections where they are counted.
  func keys(ofAtLeast length: Int) throws(CacheMiss) -> CachedKeys {
    guard let all = try beginning() else { throw .damaged }
    let counts = kept.count - all.count
    let read = all.withUnsafeBytes { bytes in
      SectionCache.keys(
        in: UnsafeRawBufferPointer(rebasing: bytes[start...]),
        count: header.keyCount,
        ofAtLeast: length,
        headerChecksum: checksum,
        parts: (kept, all.count..<all.count + counts)
      )
    }
    guard let read else { throw .damaged }
    return read
  }

  /// All of the cache, or all that comes before the parts of counted keys.
  private func beginning() throws(CacheMiss) -> [UInt8]? {
    let lengths = front.withUnsafeBytes { bytes -> (form: UInt64, sections: Int, parts: Int)? in
      var reader = CacheReader(UnsafeRawBufferPointer(rebasing: bytes[start...]))
      guard let form = reader.word() else { return nil }
      guard form == CachedKeys.countedForm else { return (form, 0, 0) }
      guard let sections = reader.count(upTo: kept.count),
        let parts = reader.count(upTo: kept.count)
      else { return nil }
      return (form, sections, parts)
    }
    // A header may end where what was read ends.
    guard let lengths else {
      return front.count < kept.count ? kept.bytes(in: 0..<kept.count) : nil
    }
    var end = kept.count
    if lengths.form == CachedKeys.countedForm {
      end = start + 24 + lengths.sections + 8 + lengths.parts + 8 + 8
      guard end <= kept.count else { return nil }
    }
    guard end > front.count else { return Array(front[..<end]) }
    guard let bytes = kept.bytes(in: 0..<end) else { throw .unreadable }
    return bytes
  }
}

extension SectionCache {
  /// Reads a cache in full and checks all of it.
  /// - Parameters:
  ///   - kept: What was kept.
  ///   - length: As `CacheDecoder.keys(ofAtLeast:)`.
  /// - Throws: As `CacheDecoder`.
  /// - Complexity: O(*n*) in the bytes.
  init(decoding kept: any CacheData, keysOfAtLeast length: Int = 1) throws(CacheMiss) {
    let decoder = try CacheDecoder(kept)
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
