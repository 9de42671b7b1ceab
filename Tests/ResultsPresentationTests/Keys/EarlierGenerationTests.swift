import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import Synchronization
import Testing

@testable import ResultsPresentation

/// R19: a generation of a list over an index is read from whatever version a reader happens to have, while the list is led
/// on; and where no version can tell it any more, that is said.
@Suite("A generation that was shown before, over an index")
struct EarlierGenerationTests {
  /// A list that is led on by hand, also from within a reading.
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
      var indexing = KeyIndexing(store, heldKeysLimit: -1)
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

    /// Leads the list to the present version.
    func lead(folding isFolding: Bool) throws {
      try base.read { (snapshot) throws(StoreError) in
        let snapshot = IndexingSnapshot(snapshot, store)
        try engine.withLock { (engine) throws(StoreError) in
          _ = try engine.advance(in: SnapshotHistory(snapshot), folding: isFolding)
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `is right in a version that had a key which came and went`(_ isFolding: Bool) throws {
    let world = try World(rows: 40)
    let (shown, content) = (world.shown, try world.shown.content)
    let id = try world.insert(1000)
    // The reader's version has the key; the list is led past it before the reader looks.
    world.store.atNextReading.withLock { next in
      next = {
        #expect(throws: Never.self) {
          try world.delete(id)
          try world.lead(folding: isFolding)
        }
      }
    }
    #expect(try shown.content == content)
    #expect(try world.shown.content == content)
  }

  @Test(arguments: [0, 1, 3, 7, 8, 9, 20], [0, 1, 8, 12])
  func `is right while the list is led on at any point`(_ before: Int, _ during: Int) throws {
    let world = try World(rows: 40)
    var held = [(world.shown, try world.shown.content)]
    for number in 0..<before {
      _ = try world.insert(1000 + number)
      if number % 3 != 1 { try world.lead(folding: number % 2 == 0) }
      held.append((world.shown, try world.shown.content))
    }
    for (shown, content) in held {
      world.store.atNextReading.withLock { next in
        next = {
          #expect(throws: Never.self) {
            for number in 0..<during {
              let id = try world.insert(2000 + number)
              if number % 2 == 0 { try world.lead(folding: false) }
              if number % 4 == 3 { try world.delete(id) }
            }
            try world.lead(folding: true)
          }
        }
      }
      #expect(try shown.content == content)
    }
    for (shown, content) in held { #expect(try shown.content == content) }
  }

  @Test func `is read from a later version where the way to the reader's is not kept`() throws {
    let world = try World(rows: 40)
    let (shown, content) = (world.shown, try world.shown.content)
    world.store.atNextReading.withLock { next in
      next = {
        #expect(throws: Never.self) {
          for number in 0..<20 {
            _ = try world.insert(1000 + number)
            try world.lead(folding: false)
          }
          // The long way is kept as one step, and the store's history does not reach back so far.
          #expect(try shown.content == content)
        }
        world.store.losesHistory.store(true, ordering: .relaxed)
      }
    }
    _ = try world.insert(500)
    #expect(try shown.content == content)
  }

  @Test func `says what is lost where the history does not tell`() throws {
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
    // What needs no keys is there all the same.
    #expect(results.count == 5 && results.matchingCount == 40)
  }
}
