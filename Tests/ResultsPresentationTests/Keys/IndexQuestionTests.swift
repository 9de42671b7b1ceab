import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// R158: what a list needs of its index is asked for together, so a store behind a network answers in few round trips.
@Suite("What a list asks its index")
struct IndexQuestionTests {
  /// A list of rows with ranks and series, over a store that records the questions to its index.
  private struct World {
    let base: InMemoryStore
    let store: RecordingStore
    let entity: EntityDescription
    var engine: ListEngine

    /// Opens the list over rows of ascending ranks, two for each number, divided among some series.
    init(rows: Int, series: Int? = nil, costs: OrderedSourceCosts) throws {
      let list = try ListWorld(seed: 1)
      let (base, entity) = (list.store, list.entity)
      try base.write { transaction in
        for number in 0..<rows {
          let name = series.map { Value.text("series \(1000 + number * $0 / rows)") } ?? .null
          let values: [Value] = [name, .integer(Int64(number * 2)), .text("x")]
          try transaction.insert(values, key: nil, into: entity)
        }
      }
      let store = RecordingStore(base, costs)
      let request = FetchRequest<Row>(
        entity: entity,
        sortedBy: [.ascending("rank")]
      )
      let plan = try ListPlan(
        ResultsDefinition(
          request,
          sectionedBy: series == nil ? nil : .attribute("series")
        )
      )
      engine = try ListEngine(
        plan,
        in: store,
        indexing: IndexingPolicy(store, inMemoryKeyLimit: -1)
      )
      (self.base, self.store, self.entity) = (base, store, entity)
    }

    /// Moves rows behind their next neighbours, and returns the questions that this costs.
    mutating func move(_ rows: [Int]) throws -> [String] {
      try base.write { transaction in
        for row in rows {
          let id = ObjectID(entity: entity.name, key: .integer(Int64(row + 1)))
          let values: [Value] = [.null, .integer(Int64(row * 2 + 3)), .text("y")]
          try transaction.update(id, to: values, of: entity)
        }
      }
      _ = store.takeQuestions()
      var advanced = engine
      let steps = try store.read { (snapshot) throws(StoreError) in
        try advanced.advance(to: snapshot)
      }
      engine = advanced
      let questions = store.takeQuestions()
      let moved = steps.reduce(0) { $0 + $1.delta.rows.moves.count }
      #expect(moved == rows.count)
      let fresh = try ListEngine(engine.plan, in: base, indexing: nil)
      #expect(try engine.snapshot.content == fresh.snapshot.content)
      return questions
    }
  }

  @Test func `R158: the positions of a commit's rows are counted together`() throws {
    var world = try World(rows: 4000, costs: OrderedSourceCosts(stride: 100))
    #expect(try world.move([1717]) == ["counts"])
    #expect(try world.move([3, 250, 799, 1200, 2001, 3333]) == ["counts"])
  }

  @Test func `R158: blocks with many of a commit's rows are read together`() throws {
    var world = try World(rows: 4000, costs: OrderedSourceCosts(stride: 100))
    let rows = [0, 10, 20, 1510, 1520, 1530, 3001, 3011, 3021, 2222]
    #expect(try world.move(rows) == ["keys in each", "counts"])
  }

  @Test func `R158: the source says what is worth what`() throws {
    var world = try World(
      rows: 4000,
      costs: OrderedSourceCosts(stride: 400, scannedPerSought: 500, runWorth: 1000)
    )
    guard case .indexed(let keys) = world.engine.snapshot.keys else {
      Issue.record("the list holds its keys")
      return
    }
    #expect(keys.blocks.blockCount == 10)
    #expect(try world.move([0, 10, 20, 30]) == ["counts"])
    #expect(try world.move([100, 110, 120, 130, 140]) == ["ranks"])
  }

  @Test func `R158: short sections are counted by one pass over them`() throws {
    let world = try World(rows: 2000, series: 100, costs: OrderedSourceCosts())
    #expect(world.engine.snapshot.sectionCount == 100)
    #expect(world.store.takeQuestions() == ["first keys", "keys", "groups"])
    let fresh = try ListEngine(world.engine.plan, in: world.base, indexing: nil)
    #expect(try world.engine.snapshot.content == fresh.snapshot.content)
  }

  @Test func `R158: long sections are found and counted some at a time`() throws {
    let world = try World(rows: 7000, series: 20, costs: OrderedSourceCosts())
    #expect(world.engine.snapshot.sectionCount == 20)
    #expect(
      world.store.takeQuestions() == ["first keys", "first keys", "sample", "counts"]
    )
    let fresh = try ListEngine(world.engine.plan, in: world.base, indexing: nil)
    #expect(try world.engine.snapshot.content == fresh.snapshot.content)
  }
}

// MARK: - Recording

/// A store with an index for every order, which records the questions to it.
///
/// Its only mutable state is the list of questions, behind a lock of its own.
private final class RecordingStore: ForwardingStore {
  let target: any Store
  let costs: OrderedSourceCosts
  private let questions = Mutex<[String]>([])

  init(_ target: any Store, _ costs: OrderedSourceCosts) {
    self.target = target
    self.costs = costs
  }

  func record(_ question: String) { questions.withLock { $0.append(question) } }

  /// Returns the questions so far and forgets them.
  func takeQuestions() -> [String] {
    questions.withLock { questions in
      defer { questions = [] }
      return questions
    }
  }

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot {
    RecordingSnapshot(snapshot, self)
  }
}

private final class RecordingSnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  private let store: RecordingStore

  init(_ target: any StoreSnapshot, _ store: RecordingStore) {
    self.store = store
    base = target
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? {
    RecordingSource(try ScannedSource(definition, in: base), definition.layout, store)
  }
}

private final class RecordingSource: OrderedSource {
  private let base: ScannedSource
  private let layout: KeyLayout
  private let store: RecordingStore

  init(_ base: ScannedSource, _ layout: KeyLayout, _ store: RecordingStore) {
    self.base = base
    self.layout = layout
    self.store = store
  }

  var costs: OrderedSourceCosts { store.costs }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    store.record("count")
    return base.count(from: lower, to: upper)
  }

  func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    store.record("counts")
    return try base.counts(of: ranges)
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    store.record("keys")
    return base.keys(from: lower, to: upper, skipping: skipped, limit: limit)
  }

  func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch] {
    store.record("keys in each")
    return try base.keys(inEach: ranges)
  }

  func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from lower: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    store.record("first keys")
    var found = EntryBatch()
    var bound = lower
    while found.count < limit {
      let batch = base.keys(from: bound, to: nil, skipping: 0, limit: 1)
      guard batch.count == 1 else { break }
      let key = batch.key(at: 0)
      found.append { $0.bytes += key }
      let length = key.withUnsafeBytes { layout.prefixLength(columns: columns, in: $0) }
      bound = .after(Array(key[..<length]))
    }
    return found
  }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    store.record("sample")
    return try base.sample(every: stride, body)
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.record("groups")
    try base.groups(byFirstColumns: columns, body)
  }

  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] {
    store.record("ranks")
    return try base.ranks(of: keys)
  }
}
