import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// R94, R96: a commit that concerns a large part of a list costs no more than reading its keys again, and says the same.
@Suite("Lists of which one related object concerns a large part")
struct RelatedGuardTests {
  private let store: SearchCountingStore

  /// Notes with the keys 1 to 1000 in the folder 1, and 1001 to 2000 in the folder 2, of which the last ones are in the folder 3.
  init() throws {
    let notes = RelatedListTests.notes
    store = SearchCountingStore(
      try InMemoryStore(entities: [notes, RelatedListTests.folders])
    )
    try store.write { transaction in
      for (key, name) in [(1, "a"), (2, "m"), (3, "x")] as [(Int64, Value)] {
        let values = [name, "red", .null]
        try transaction.insert(values, key: .integer(key), into: RelatedListTests.folders)
      }
      for number in 1...2000 {
        let folder: Value = number <= 1000 ? 1 : number <= 1900 ? 2 : 3
        try transaction.insert([.text("n\(number % 10)"), folder], key: nil, into: notes)
      }
    }
  }

  private func engine(carriesRows: Bool = true, aggregates: Bool = false) throws -> ListEngine {
    let name = FetchExpression.related(["folder"], .attribute("name"))
    let request = FetchRequest<Row>(
      entity: RelatedListTests.notes,
      sortedBy: [.ascending("title"), FetchSortDescriptor(name)]
    )
    var definition = ResultsDefinition(request)
    if aggregates {
      definition.aggregates = [SectionAggregate("last", FetchAggregate(.maximum, of: name))]
    }
    let plan = try ListPlan(definition, carriesRows: carriesRows)
    return try store.read { (store) throws(StoreError) in
      try ListEngine(plan, from: store, generation: 1, maintainsDigests: false)
    }
  }

  private func rename(_ folder: Int64, _ name: Value) throws {
    try store.write { transaction in
      try transaction.update(
        ObjectID(entity: "Folder", key: .integer(folder)),
        to: [name, "red", .null],
        of: RelatedListTests.folders
      )
    }
  }

  private func advance(_ engine: inout ListEngine) throws -> ([ListEngine.Step], ListWork) {
    var next = engine
    defer { engine = next }
    return try store.read { (store) throws(StoreError) in
      let history = SnapshotHistory(store)
      guard case .moved(let steps) = try next.advance(in: history, folding: false) else {
        return ([], history.snapshot.work)
      }
      return (steps, history.snapshot.work)
    }
  }

  @Test func `R96: the search for dependent rows ends one row behind a quarter of the list`() throws
  {
    var engine = try engine()
    try rename(1, "b")
    store.limits.withLock { $0 = [] }
    let (steps, _) = try advance(&engine)
    #expect(steps.count == 1)
    #expect(store.limits.withLock { $0 } == [500, nil])
    try rename(3, "y")
    store.limits.withLock { $0 = [] }
    #expect(try advance(&engine).0.count == 1)
    #expect(store.limits.withLock { $0 } == [500])
  }

  @Test func `R96: beyond it the keys are read again, and no row before the commit`() throws {
    var engine = try engine(carriesRows: false)
    try rename(1, "z")
    let (steps, work) = try advance(&engine)
    // The core's join reads each note and each folder once; placing would read each of the thousand notes twice.
    #expect(work.keys == 2000)
    #expect(work.rows <= 2000 + 3 + 2 * 1)
    #expect(steps.first?.delta.rows.moves.isEmpty == false)
  }

  @Test func `R78: a list with aggregates evaluates its rows, whose values it needs`() throws {
    var engine = try engine(aggregates: true)
    #expect(engine.dependentLimit == nil)
    try rename(1, "zz")
    #expect(try advance(&engine).0.count == 1)
    let header = try engine.snapshot.content.sections.first?.header
    #expect(header?.aggregates["last"]?.value == "zz")
  }

  @Test func `R97: a long history is followed commit by commit`() throws {
    var engine = try engine()
    for number in 0..<300 {
      try store.write { transaction in
        try transaction.update(
          ObjectID(entity: "Note", key: .integer(Int64(number % 20 + 1))),
          to: [.text("n\(number % 7)"), .integer(Int64(number % 3 + 1))],
          of: RelatedListTests.notes
        )
      }
    }
    let fresh = try self.engine()
    #expect(try advance(&engine).0.count > 200)
    #expect(try engine.snapshot.content == fresh.snapshot.content)
  }

  @Test func `R88: a cache of a list with paths is current without its definition too`()
    async throws
  {
    let caches = RecordingCaches()
    let name = FetchExpression.related(["folder"], .attribute("name"))
    let request = FetchRequest<Row>(
      entity: RelatedListTests.notes,
      sortedBy: [FetchSortDescriptor(name)]
    )
    let definition = ResultsDefinition(request, cacheName: "notes")
    let list = FetchedResultsController(
      definition,
      in: store,
      options: ResultsOptions(caches: caches)
    )
    try await list.performFetch()
    _ = try await list.saveCache()
    list.cancel()
    func outcomes(_ store: any Store) throws -> [CacheOutcome] {
      try caches.reports(on: [ResultsDefinition<Row>](), in: store).map(\.outcome)
    }
    #expect(try outcomes(store) == [.hit])
    try rename(3, "q")
    #expect(try outcomes(store) == [.replayed(changes: 1)])
    let others = [
      RelatedListTests.notes,
      try EntityDescription(name: "Folder", attributes: [AttributeDescription("name", .text)]),
    ]
    #expect(try outcomes(InMemoryStore(entities: others)) == [.miss(.schema)])
  }
}

/// A store that notes the limits of its searches for referrers.
private final class SearchCountingStore: ForwardingStore {
  let target: any Store
  let limits = Mutex<[Int?]>([])

  init(_ target: any Store) { self.target = target }

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { Snapshot(snapshot, self) }

  private final class Snapshot: SnapshotForwarding {
    let base: any StoreSnapshot
    private let store: SearchCountingStore

    init(_ target: any StoreSnapshot, _ store: SearchCountingStore) {
      self.store = store
      base = target
    }

    func referrers(
      to keys: [ObjectKey],
      through columns: [String],
      of entity: EntityDescription,
      limit: Int?
    ) throws(StoreError) -> [ObjectKey]? {
      store.limits.withLock { $0.append(limit) }
      return try base.referrers(to: keys, through: columns, of: entity, limit: limit)
    }
  }
}
