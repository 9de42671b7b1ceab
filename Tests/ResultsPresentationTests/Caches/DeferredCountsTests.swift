import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import Synchronization
import Testing

@testable import ResultsPresentation

/// R22, R43, R88: of counts that are kept only those in sight are read, and those that are not what was written are never believed.
@Suite("Counts of a cache that are read when they are needed")
struct DeferredCountsTests {
  /// Kept bytes that tell how many of them were read.
  private final class Watched: CacheData {
    private let bytes: [UInt8]
    let readCount = Atomic(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func bytes(in range: Range<Int>) -> [UInt8]? {
      readCount.add(range.count, ordering: .relaxed)
      return Array(bytes[range])
    }
  }

  /// A list of some thousand rows over an index, and its cache.
  private struct World {
    let list: ListWorld
    let store: IndexingStore
    let plan: ListPlan
    let indexing: IndexingPolicy?
    let caches = KeptCaches()

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
      var indexing = IndexingPolicy(store, heldKeysLimit: -1)
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
    // A predicate's constants may be of any number, so what is read at once is more than this small list has.
    let bytes = try #require(world.caches["Demo"])
    let kept = Watched(bytes)
    let opening = ListOpening(plan: world.plan, indexing: world.indexing, data: .success(kept))
    let (engine, outcome) = try world.store.read { (snapshot) throws(StoreError) in
      try opening.engine(from: snapshot, maintainsDigests: false)
    }
    #expect(outcome == .hit)
    let atOpening = kept.readCount.load(ordering: .relaxed)
    #expect(engine.snapshot.objectID(atFlatPosition: 0) != nil)
    let first = kept.readCount.load(ordering: .relaxed) - atOpening
    #expect(first > 0 && first < bytes.count * 2 / 3)
    #expect(engine.snapshot.objectID(atFlatPosition: 10) != nil)
    #expect(kept.readCount.load(ordering: .relaxed) == atOpening + first)
    #expect(try engine.snapshot.content == world.truth())
    #expect(kept.readCount.load(ordering: .relaxed) - atOpening < bytes.count)
  }

  @Test func `a part that is damaged shows no wrong row, and the next commit counts anew`() throws {
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
      Issue.record("no reset was told")
      return
    }
    #expect(!engine.snapshot.keys.isDamaged)
    #expect(try engine.snapshot.content == world.truth())
    #expect(try cache.save(engine))
    #expect(world.caches.saveCount == 2)
  }

  @Test func `an audit finds a damaged part, and the list is kept again once it is counted anew`()
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
    // The version is the one that was kept, but what was kept is not.
    #expect(try cache.save(engine))
    #expect(world.caches.saveCount == 2)
    #expect(throws: Never.self) {
      try SectionCache(decoding: try #require(world.caches["Demo"]))
    }
  }

  @Test func `a damaged part that a replay meets is a miss`() throws {
    let world = try World()
    try world.spoil()
    try world.write()
    let cache = ListCache(world.caches)
    let engine = try world.opened(cache)
    #expect(cache.outcome == .miss(.damaged))
    #expect(!engine.snapshot.keys.isDamaged)
    #expect(try engine.snapshot.content == world.truth())
  }

  @Test func `every part is checked by itself`() throws {
    let world = try World()
    let bytes = try #require(world.caches["Demo"])
    for place in stride(from: 0, to: bytes.count, by: 97) {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8(place % 8)
      #expect(throws: CacheMiss.damaged, "byte \(place)") { try SectionCache(decoding: damaged) }
      #expect(throws: CacheMiss.damaged, "byte \(place)") {
        try SectionCache(decoding: Array(bytes[..<place]))
      }
    }
  }
}
