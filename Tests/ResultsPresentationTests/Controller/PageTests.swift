import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import ResultsPresentation

/// R19, R25, R77: rows of a long list are read as they are shown: a page at a time, wherever it begins.
@Suite("A page of a list over an index")
struct PageTests {
  private let entity: EntityDescription
  private let base: InMemoryStore
  private let store: IndexingStore
  private let ids: [ObjectID]

  /// Two thousand rows in twenty sections, so that there are many blocks.
  init() throws {
    let entity = try EntityDescription(
      name: "Note",
      attributes: [
        AttributeDescription("series", .integer64), AttributeDescription("text", .text),
      ]
    )
    let base = try InMemoryStore(entities: [entity])
    ids =
      try base.commit(origin: .unnamed) { transaction in
        try (0..<2000)
          .map { number in
            try transaction.insert(
              [.integer(Int64(number / 100)), .text("t\(10_000 + number)")],
              key: nil,
              into: entity
            )
          }
      }
      .result
    self.entity = entity
    self.base = base
    store = IndexingStore(base)
  }

  private func list<Object: FetchedObject>(
    of kind: Object.Type,
    batch: Int = 50,
    offset: Int = 0,
    limit: Int? = nil
  ) async throws -> ResultsList<Object> {
    let controller = controller(of: kind, batch: batch, offset: offset, limit: limit)
    try await controller.performFetch()
    let results = try controller.results
    guard case .indexed = results.snapshot.keys else { throw ResultsError.notFetched }
    return results
  }

  private func controller<Object: FetchedObject>(
    of kind: Object.Type,
    batch: Int = 50,
    offset: Int = 0,
    limit: Int? = nil
  ) -> FetchedResultsController<Object> {
    FetchedResultsController(
      FetchRequest<Object>(
        entity: entity,
        sortedBy: [.ascending("text")],
        fetchLimit: limit,
        fetchOffset: offset,
        fetchBatchSize: batch
      ),
      sectionedBy: .attribute("series"),
      in: store,
      options: ResultsOptions(delivery: .onDemand, inMemoryKeyLimit: -1)
    )
  }

  private func readings(_ body: () throws -> Void) rethrows -> Int {
    let before = store.readings.load(ordering: .relaxed)
    try body()
    return store.readings.load(ordering: .relaxed) - before
  }

  private func rowsRead(_ body: () throws -> Void) rethrows -> Int {
    let before = store.rowsRead.load(ordering: .relaxed)
    try body()
    return store.rowsRead.load(ordering: .relaxed) - before
  }

  @Test(arguments: [0, 37, 95, 96, 1000, 1950, 1980])
  func `identities across blocks and sections are read at once (R77)`(start: Int) async throws {
    let results = try await list(of: ObjectID.self)
    let positions = start..<start + 250
    let count = try readings {
      let found = try results.objectIDs(at: positions)
      #expect(found == Array(ids[positions.clamped(to: 0..<2000)]))
    }
    #expect(count == 1)
  }

  @Test func `objects across blocks and sections are read at once, each row once (R25)`()
    async throws
  {
    let results = try await list(of: Row.self, batch: 20)
    var count = 0
    let rows = try rowsRead {
      count = try readings {
        let objects = try results.objects(at: 777..<927)
        #expect(objects.map(\.id) == Array(ids[777..<927]))
      }
    }
    #expect(count == 1)
    #expect(rows == 150)
    let identities = try await list(of: ObjectID.self)
    #expect(try identities.objects(at: 5..<8) == Array(ids[5..<8]))
  }

  @Test func `positions are those of the window, and of a section's rows`() async throws {
    let results = try await list(of: Row.self, offset: 150, limit: 300)
    #expect(try results.objectIDs(at: -5..<400) == Array(ids[150..<450]))
    #expect(try results.objectIDs(at: 400..<410).isEmpty)
    #expect(try results.objects(at: 300..<310).isEmpty)
    let section = try #require(results.section(at: 1))
    #expect(try section.rows.objectIDs(at: 90..<120) == Array(ids[290..<300]))
    #expect(try section.rows.objects(at: 0..<3).map(\.id) == Array(ids[200..<203]))
    #expect(try results.rows.objectIDs(at: 10..<12) == Array(ids[160..<162]))
  }

  @Test func `a batch begins where a row is asked for, or ends there (R25)`() async throws {
    let results = try await list(of: Row.self)
    func walk(_ positions: some Sequence<Int>) throws -> [Int] {
      var count = 0
      let rows = try rowsRead {
        count = try readings {
          for position in positions {
            let object = try results.object(atFlatPosition: position)
            #expect(object.id == ids[position])
          }
        }
      }
      return [count, rows]
    }
    #expect(try walk(730..<780) == [1, 50])
    #expect(try walk(780..<880) == [2, 100])
    // What was read is not read again, in whichever direction the list is walked.
    #expect(try walk((680..<880).reversed()) == [1, 50])
    #expect(try walk(660..<680) == [1, 20])
    #expect(try walk(1990..<2000) == [1, 10])
    #expect(try walk((0..<5).reversed()) == [2, 54])
  }

  @Test func `what was shown before is read as it was, though blocks have changed since (R19)`()
    async throws
  {
    let results = try await list(of: Row.self)
    _ = try base.commit(origin: .unnamed) { transaction in
      for position in stride(from: 100, to: 300, by: 7) {
        try transaction.delete(ids[position], of: entity)
      }
      for number in 0..<40 {
        let text = Value.text("t\(10_150 + number) later")
        try transaction.insert([.integer(1), text], key: nil, into: entity)
      }
    }
    for start in stride(from: 0, to: 500, by: 33) {
      #expect(try results.objectIDs(at: start..<start + 50) == Array(ids[start..<start + 50]))
      let objects = try results.objects(at: start..<start + 50)
      #expect(objects.map(\.id) == Array(ids[start..<start + 50]))
    }
    store.losesHistory.store(true, ordering: .relaxed)
    let other = try await list(of: Row.self)
    _ = try base.commit(origin: .unnamed) { transaction in
      try transaction.delete(ids[0], of: entity)
    }
    #expect(throws: ResultsError.self) { try other.objectIDs(at: 0..<50) }
  }

  @Test func `what has come into a block that was empty is not read with its neighbours (R19)`()
    async throws
  {
    let controller = controller(of: Row.self)
    try await controller.performFetch()
    // All of the second block leaves, and the third has too many to be joined with what is left.
    try insert(50, behind: 200)
    _ = try base.commit(origin: .unnamed) { transaction in
      for id in ids[96..<192] { try transaction.delete(id, of: entity) }
    }
    try await controller.refresh()
    let before = try controller.results
    let positions = 80..<120
    let shown = Array(ids[80..<96] + ids[192..<201])
    #expect(try before.objectIDs(at: positions).prefix(25) == shown[...])
    try insert(10, behind: 130)
    let objects = try before.objects(at: positions)
    #expect(objects.prefix(25).map(\.id) == shown)
    #expect(try before.objectIDs(at: positions) == objects.map(\.id))
  }

  private func insert(_ count: Int, behind number: Int) throws {
    _ = try base.commit(origin: .unnamed) { transaction in
      for later in 0..<count {
        let values = [Value.integer(Int64(number / 100)), .text("t\(10_000 + number) \(later)")]
        try transaction.insert(values, key: nil, into: entity)
      }
    }
  }
}
