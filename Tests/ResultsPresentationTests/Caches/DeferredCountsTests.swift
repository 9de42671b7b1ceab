import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import ResultsPresentation

/// R22, R43, R88: of cached counts only the visible ones are read, and damaged ones are never trusted.
@Suite("Cached counts are read when they are needed")
struct DeferredCountsTests {
  /// Cached bytes that count how many of them were read.
  private final class CountingData: CacheData {
    private let bytes: [UInt8]
    let readCount = Atomic(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func bytes(in range: Range<Int>) -> [UInt8]? {
      readCount.add(range.count, ordering: .relaxed)
      return Array(bytes[range])
    }
  }

  /// A list of six thousand rows over an index, and its cache.
  private struct World {
    let list: ListWorld
    let store: IndexingStore
    let plan: ListPlan
    let indexing: IndexingPolicy?
    let caches = RecordingCaches()

    init() throws {
      let list = try ListWorld(seed: 21)
      self.list = list
      store = IndexingStore(list.store)
      let entity = list.entity
      try list.store.write { transaction in
        for number in 0..<6000 {
          let values: [Value] = [.null, .null, .text(String(100_000 + number))]
          _ = try transaction.insert(values, key: nil, into: entity)
        }
      }
      let request = FetchRequest<Row>(entity: entity, sortedBy: [.ascending("note")])
      var definition = ResultsDefinition(request)
      definition.cacheName = "Demo"
      plan = try ListPlan(definition)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 2
      self.indexing = indexing
      let cache = ListCache(caches)
      _ = try cache.save(try engine(indexing))
    }

    func engine(_ indexing: IndexingPolicy?) throws -> ListEngine {
      try ListEngine(plan, in: store, indexing: indexing)
    }

    func truth() throws -> ResultsContent { try engine(nil).snapshot.content }

    func opened(_ cache: ListCache) throws -> ListEngine {
      let opening = try #require(cache.opening(of: plan, indexing))
      return try store.read { (snapshot) throws(StoreError) in
        try cache.engine(opening, from: snapshot, maintainsDigests: false)
      }
    }

    /// Changes the last byte, which is of the last part.
    func spoil() throws {
      var bytes = try #require(caches["Demo"])
      bytes[bytes.count - 1] ^= 1
      caches["Demo"] = bytes
    }

    func write() throws {
      let entity = list.entity
      try store.write { transaction in
        _ = try transaction.insert([.null, .null, .text("zzz")], key: nil, into: entity)
      }
    }
  }

  @Test func `opening a list and showing its first rows reads the first part only`() throws {
    let world = try World()
    // The header may have any number of constants, so the first read is larger than this small list.
    let bytes = try #require(world.caches["Demo"])
    let data = CountingData(bytes)
    let opening = ListOpening(plan: world.plan, indexing: world.indexing, data: .success(data))
    let (engine, outcome) = try world.store.read { (snapshot) throws(StoreError) in
      try opening.engine(from: snapshot, maintainsDigests: false)
    }
    #expect(outcome == .hit)
    let atOpening = data.readCount.load(ordering: .relaxed)
    #expect(engine.snapshot.objectID(atFlatPosition: 0) != nil)
    let first = data.readCount.load(ordering: .relaxed) - atOpening
    #expect(first > 0 && first < bytes.count * 2 / 3)
    #expect(engine.snapshot.objectID(atFlatPosition: 10) != nil)
    #expect(data.readCount.load(ordering: .relaxed) == atOpening + first)
    #expect(try engine.snapshot.content == world.truth())
    #expect(data.readCount.load(ordering: .relaxed) - atOpening < bytes.count)
  }

  @Test func `a damaged part shows no wrong row, and the next commit counts again`() throws {
    let world = try World()
    try world.spoil()
    let cache = ListCache(world.caches)
    var engine = try world.opened(cache)
    #expect(cache.outcome == .hit)
    #expect(!engine.snapshot.keys.isDamaged)
    #expect(try engine.snapshot.content == world.truth())
    #expect(engine.snapshot.keys.isDamaged)
    #expect(try !cache.save(engine))
    try world.write()
    let progress = try world.store.read { (snapshot) throws(StoreError) in
      try engine.advance(in: SnapshotHistory(snapshot), folding: false)
    }
    guard case .reset(.indexLost) = progress else {
      Issue.record("the list was not reset")
      return
    }
    #expect(!engine.snapshot.keys.isDamaged)
    #expect(try engine.snapshot.content == world.truth())
    #expect(try cache.save(engine))
    #expect(world.caches.saveCount == 2)
  }

  @Test func `an audit finds a damaged part, and the list is saved again once it is counted again`()
    throws
  {
    let world = try World()
    try world.spoil()
    let cache = ListCache(world.caches)
    var engine = try world.opened(cache)
    let audit = try world.store.read { (snapshot) throws(StoreError) in
      try engine.audit([0.1, 0.999], in: snapshot)
    }
    #expect(audit.unsoundBlocks > 0)
    _ = try world.store.read { (snapshot) throws(StoreError) in
      try engine.refetch(.indexLost, in: snapshot)
    }
    #expect(try engine.snapshot.content == world.truth())
    // The version is the stored one, but the stored bytes are damaged.
    #expect(try cache.save(engine))
    #expect(world.caches.saveCount == 2)
    #expect(throws: Never.self) {
      try SectionCache(decoding: try #require(world.caches["Demo"]))
    }
  }

  @Test func `a damaged part that a replay reads is a miss`() throws {
    let world = try World()
    try world.spoil()
    try world.write()
    let cache = ListCache(world.caches)
    let engine = try world.opened(cache)
    #expect(cache.outcome == .miss(.damaged))
    #expect(!engine.snapshot.keys.isDamaged)
    #expect(try engine.snapshot.content == world.truth())
  }

  @Test func `every part is checked separately`() throws {
    let world = try World()
    let bytes = try #require(world.caches["Demo"])
    for offset in stride(from: 0, to: bytes.count, by: 97) {
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8(offset % 8)
      #expect(throws: CacheMiss.damaged, "byte \(offset)") { try SectionCache(decoding: damaged) }
      #expect(throws: CacheMiss.damaged, "byte \(offset)") {
        try SectionCache(decoding: Array(bytes[..<offset]))
      }
    }
  }
}
