import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R88: bytes that are not exactly those that were written are a miss, and never a trap.
@Suite("The bytes of a cache")
struct SectionCacheCodingTests {
  static func cache(of keys: [[UInt8]]) throws -> SectionCache {
    let header = SectionCache.Header(
      summary: "帰還 by か\u{3099}",
      fingerprint: CacheFingerprint([.entity: [1, 2, 3], .arguments: [], .titles: [255]]),
      bookmark: StoreBookmark(store: "a store", sequence: 7, stamp: .max),
      keyCount: keys.count
    )
    return SectionCache(header: header, keys: .held(try SortedKeyList(sorted: keys)))
  }

  /// Ascending keys that share beginnings of many lengths.
  static func keys(_ count: Int, seed: UInt64) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    var keys: Set<[UInt8]> = []
    while keys.count < count {
      let prefix = Array(repeating: UInt8(generator.below(3)), count: generator.below(200))
      keys.insert(prefix + (0..<1 + generator.below(9)).map { _ in UInt8(generator.below(256)) })
    }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test(arguments: [0, 1, 2, 1023, 1024, 1025, 5000])
  func `what was written is read again`(count: Int) throws {
    let keys = SectionCacheCodingTests.keys(count, seed: UInt64(count))
    let written = try SectionCacheCodingTests.cache(of: keys)
    let read = try SectionCache(decoding: written.encoded)
    #expect(read.header.summary.utf8.elementsEqual(written.header.summary.utf8))
    #expect(read.header.fingerprint == written.header.fingerprint)
    #expect(read.header.bookmark == written.header.bookmark)
    guard case .held(let keysRead) = read.keys, case .held(let keysWritten) = written.keys else {
      Issue.record("the keys were not read as keys")
      return
    }
    #expect(keysRead == keysWritten)
    #expect(keysRead.count == count)
  }

  /// Counts over an index that has some keys.
  static func counts(over keys: [[UInt8]]) throws -> SectionCache {
    let starts = stride(from: 0, to: keys.count, by: 3)
    let blocks = try PivotTree(
      starts.map { PivotBlock(pivot: $0 == 0 ? [] : keys[$0], rows: min(3, keys.count - $0)) }
    )
    let sections = try PivotTree([
      PivotBlock(pivot: [], rows: 0), PivotBlock(pivot: [0], rows: keys.count),
    ])
    var cache = try cache(of: keys)
    cache.keys = .counted(blocks, sections: sections)
    return cache
  }

  @Test func `counts that were written are read again`() throws {
    let written = try SectionCacheCodingTests.counts(
      over: SectionCacheCodingTests.keys(1000, seed: 8)
    )
    let read = try SectionCache(decoding: written.encoded)
    guard case .counted(let blocks, let sections) = read.keys,
      case .counted(let wasBlocks, let wasSections) = written.keys
    else {
      Issue.record("the counts were not read as counts")
      return
    }
    #expect(blocks.encoded() == wasBlocks.encoded())
    #expect(sections.encoded() == wasSections.encoded())
  }

  @Test(arguments: [false, true])
  func `a flipped bit anywhere is damage`(isCounted: Bool) throws {
    let keys = SectionCacheCodingTests.keys(30, seed: 1)
    let cache = try isCounted ? Self.counts(over: keys) : Self.cache(of: keys)
    let bytes = cache.encoded
    for offset in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[offset] ^= 1 << UInt8(bit)
        #expect(throws: CacheMiss.damaged, "byte \(offset), bit \(bit)") {
          try SectionCache(decoding: damaged)
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `a cache that ends early or goes on is damaged`(isCounted: Bool) throws {
    let keys = SectionCacheCodingTests.keys(40, seed: 2)
    let cache = try isCounted ? Self.counts(over: keys) : Self.cache(of: keys)
    let bytes = cache.encoded
    for count in bytes.indices {
      #expect(throws: CacheMiss.damaged) { try SectionCache(decoding: Array(bytes[..<count])) }
    }
    #expect(throws: CacheMiss.damaged) { try SectionCache(decoding: bytes + [0]) }
    #expect(throws: CacheMiss.damaged) { try SectionCache(decoding: bytes + bytes) }
  }

  @Test func `another format is said`() throws {
    var bytes = try SectionCacheCodingTests.cache(of: [[1]]).encoded
    bytes[8] = 1
    bytes[16] = ~1
    #expect(throws: CacheMiss.otherFormat) { try SectionCache(decoding: bytes) }
  }

  @Test(arguments: 1...20)
  func `whatever the bytes behind right checksums say, reading them ends`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let keys = SectionCacheCodingTests.keys(20, seed: 3)
    let bytes = try SectionCacheCodingTests.cache(of: keys).encoded
    // Behind the header a word says that keys follow, and not counts.
    let start = try SectionCache.header(in: bytes).end + 8
    #expect(throws: Never.self) { try SectionCache(decoding: bytes) }
    for _ in 0..<500 {
      // The block's content is changed, and both checksums are made to fit again.
      var forged = bytes
      let content = start..<bytes.count - 16
      for _ in 0...generator.below(4) {
        let offset = content.lowerBound + generator.below(content.count)
        forged[offset] = UInt8(generator.below(256))
      }
      let block = SectionCache.checksum(of: Array(forged[content]))
      var total = RowDigest()
      total.add(Int64(bitPattern: try SectionCache.header(in: bytes).checksum))
      total.add(Int64(bitPattern: CachedKeys.heldForm))
      total.add(Int64(bitPattern: block))
      var tail: [UInt8] = []
      tail.appendWord(block)
      tail.appendWord(total.value)
      forged.replaceSubrange(content.upperBound..., with: tail)
      _ = try? SectionCache(decoding: forged)
    }
  }
}
