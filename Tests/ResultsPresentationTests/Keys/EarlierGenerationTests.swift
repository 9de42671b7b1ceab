import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import ResultsPresentation

/// R19: a generation of a list over an index is read in any version of the store, while the list is advanced; where no version
/// determines it any more, reading throws.
@Suite("An earlier generation of a list over an index")
struct EarlierGenerationTests {
  /// A list that is advanced by hand, also during a reading.
  private final class World: Sendable {
    let base: InMemoryStore
    let store: IndexingStore
    let entity: EntityDescription
    private let engine: Mutex<ListEngine>

    init(rows: Int) throws {
      let list = try ListWorld(seed: 1)
      let store = IndexingStore(list.store)
      let entity = list.entity
      (base, self.store, self.entity) = (list.store, store, entity)
      try list.store.write { transaction in
        for number in 0..<rows {
          let values: [Value] = [.null, .integer(Int64(number)), .text("x")]
          try transaction.insert(values, key: nil, into: entity)
        }
      }
      let request = FetchRequest<Row>(
        entity: entity,
        sortedBy: [.descending("rank")],
        fetchLimit: 5
      )
      let plan = try ListPlan(ResultsDefinition(request))
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 4
      engine = Mutex(try ListEngine(plan, in: store, indexing: indexing))
    }

    var shown: ResultsSnapshot { engine.withLock { $0.snapshot } }

    /// Inserts a row before all others.
    func insert(_ rank: Int) throws -> ObjectID {
      try base.write { transaction in
        try transaction.insert([.null, .integer(Int64(rank)), .text("y")], key: nil, into: entity)
      }
    }

    func delete(_ id: ObjectID) throws {
      try base.write { try $0.delete(id, of: entity) }
    }

    /// Advances the list to the present version.
    func advance(folding isFolding: Bool) throws {
      try base.read { (snapshot) throws(StoreError) in
        let snapshot = IndexingSnapshot(snapshot, store)
        try engine.withLock { (engine) throws(StoreError) in
          _ = try engine.advance(in: SnapshotHistory(snapshot), folding: isFolding)
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `is right in a version with a key that was inserted and deleted again`(_ isFolding: Bool)
    throws
  {
    let world = try World(rows: 40)
    let (shown, content) = (world.shown, try world.shown.content)
    let id = try world.insert(1000)
    // The reader's version has the key; the list is advanced past it before the reader reads.
    world.store.atNextReading.withLock { next in
      next = {
        #expect(throws: Never.self) {
          try world.delete(id)
          try world.advance(folding: isFolding)
        }
      }
    }
    #expect(try shown.content == content)
    #expect(try world.shown.content == content)
  }

  @Test(arguments: [0, 1, 3, 7, 8, 9, 20], [0, 1, 8, 12])
  func `is right while the list is advanced at any point`(_ before: Int, _ during: Int) throws {
    let world = try World(rows: 40)
    var held = [(world.shown, try world.shown.content)]
    for number in 0..<before {
      _ = try world.insert(1000 + number)
      if number % 3 != 1 { try world.advance(folding: number % 2 == 0) }
      held.append((world.shown, try world.shown.content))
    }
    for (shown, content) in held {
      world.store.atNextReading.withLock { next in
        next = {
          #expect(throws: Never.self) {
            for number in 0..<during {
              let id = try world.insert(2000 + number)
              if number % 2 == 0 { try world.advance(folding: false) }
              if number % 4 == 3 { try world.delete(id) }
            }
            try world.advance(folding: true)
          }
        }
      }
      #expect(try shown.content == content)
    }
    for (shown, content) in held { #expect(try shown.content == content) }
  }

  @Test func `is read in a later version where the transition to the reader's is not stored`()
    throws
  {
    let world = try World(rows: 40)
    let (shown, content) = (world.shown, try world.shown.content)
    world.store.atNextReading.withLock { next in
      next = {
        #expect(throws: Never.self) {
          for number in 0..<20 {
            _ = try world.insert(1000 + number)
            try world.advance(folding: false)
          }
          // The long chain is stored as one transition, and the store's history does not reach back far enough.
          #expect(try shown.content == content)
        }
        world.store.losesHistory.store(true, ordering: .relaxed)
      }
    }
    _ = try world.insert(500)
    #expect(try shown.content == content)
  }

  @Test func `throws where the history does not reach back`() throws {
    let world = try World(rows: 40)
    let results = ResultsList<Row>(world.shown, world.store)
    #expect(
      results.path(of: try #require(results.objectID(at: RowPath(section: 0, row: 2)))) != nil
    )
    let id = try world.insert(1000)
    world.store.losesHistory.store(true, ordering: .relaxed)
    let error = #expect(throws: ResultsError.self) {
      try results.object(at: RowPath(section: 0, row: 4))
    }
    guard case .store(.historyLost(let entity, .trimmed)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(entity == "Thing")
    #expect(throws: StoreError.self) { try results.snapshot.content }
    #expect(throws: StoreError.self) { try results.snapshot.identity(atFlatPosition: 4) }
    #expect(results.objectID(at: RowPath(section: 0, row: 4)) == nil)
    #expect(results.path(of: id) == nil)
    // Counts need no keys.
    #expect(results.count == 5 && results.matchingCount == 40)
  }
}

/// R19: the transitions from the keys that a generation shows to those of a version that is read.
@Suite struct `The key versions of an indexed list` {
  private func version(_ sequence: UInt64) -> StoreVersion {
    StoreVersion(epoch: 1, sequence: sequence)
  }

  private func change(_ key: UInt8) throws -> KeyChange {
    try KeyChange(removed: KeyBatch(), inserted: KeyBatch([[key, 1]]))
  }

  @Test func `know only the store versions that were recorded`() throws {
    let first = KeyVersion(version(1))
    first.extend(to: version(5))
    // Between two store versions with the same keys there may have been one with others.
    for read in 1...4 as ClosedRange<UInt64> {
      #expect(first.change(upTo: version(read)).version == version(1))
    }
    let next = KeyVersion(version(7))
    first.end(with: try change(1), next: next)
    next.extend(to: version(9))
    for (read, known) in [(5, 5), (6, 5), (7, 7), (8, 7), (9, 9), (12, 9)] as [(UInt64, UInt64)] {
      let (change, last) = first.change(upTo: version(read))
      #expect(change.count == (read < 7 ? 0 : 1) && last == version(known))
    }
  }

  @Test func `store the first version and the last ones`() {
    let keys = KeyVersion(version(1))
    for number in 2...100 as ClosedRange<UInt64> { keys.extend(to: version(number)) }
    for read in 93...100 as ClosedRange<UInt64> {
      #expect(keys.change(upTo: version(read)).version == version(read))
    }
    #expect(keys.change(upTo: version(92)).version == version(1))
  }

  @Test func `release a long chain of transitions without a deep stack`() throws {
    let first = KeyVersion(version(0))
    var last = first
    let count = 300_000 as UInt64
    for number in 1...count {
      let next = KeyVersion(version(number))
      last.end(with: KeyChange(), next: next)
      last = next
    }
    last.end(with: try change(1), next: KeyVersion(version(count + 1)))
    #expect(first.transitionKeyCount == 1)
  }

  @Test func `leave only their transitions when nobody holds them`() throws {
    let first = KeyVersion(version(0))
    var last = first
    for number in 1...50 as ClosedRange<UInt64> {
      let next = KeyVersion(version(number))
      last.end(with: try change(UInt8(number)), next: next)
      last = next
    }
    #expect(first.transitionKeyCount == 50)
    let (change, reached) = first.change(upTo: version(50))
    #expect(change.count == 50 && reached == version(50))
    #expect(first.transitionKeyCount == 50)
  }
}
