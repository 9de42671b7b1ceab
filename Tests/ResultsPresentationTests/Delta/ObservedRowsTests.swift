import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

/// R77: a controller that observes some rows reports those exactly, and counts the other insertions and deletions.
@Suite("Rows that are observed")
struct ObservedRowsTests {
  @Test(arguments: 1..<UInt64(11))
  func `R77: a change names what touches the observed rows, and counts the rest`(seed: UInt64)
    throws
  {
    var world = try ListWorld(seed: seed)
    let store = IndexingStore(world.store)
    for round in 0..<4 {
      try insert(80, in: &world)
      var definition = world.definition()
      // Positions are left out only in a list without a limit.
      while round > 0, definition.request.fetchLimit != nil || definition.request.fetchOffset > 0 {
        definition = world.definition()
      }
      let plan = try ListPlan(definition)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: seed.isMultiple(of: 2) ? -1 : 4096)
      // Many blocks, so that most are far from the observed rows.
      indexing?.stride = 4
      // So few rows would else be passed over at once.
      indexing?.lookup = .seeking
      // Two of their own: a copy would share what was read of the index.
      var whole = try ListEngine(plan, in: store, indexing: indexing)
      var partial = try ListEngine(plan, in: store, indexing: indexing)
      for step in 0..<20 {
        let context: Comment = "seed \(seed), step \(step)"
        if step.isMultiple(of: 7) {
          let start = world.generator.below(whole.snapshot.rowCount + 3)
          partial.observedRows = start..<start + world.generator.below(20)
        }
        try world.commit(rows: 1 + world.generator.below(step.isMultiple(of: 4) ? 50 : 6))
        let (old, observed) = (whole.snapshot, partial.observedRows ?? 0..<0)
        let (one, other) = try store.read { (store) throws(StoreError) in
          (try whole.advance(to: store), try partial.advance(to: store))
        }
        #expect(one.count == other.count, context)
        guard let full = one.last?.delta, let reported = other.last?.delta, one.count == 1 else {
          continue
        }
        #expect(try partial.snapshot.content == whole.snapshot.content, context)
        #expect(partial.observedRows == reported.unobserved?.newRows, context)
        #expect(reported.unobserved?.oldRows == observed, context)
        try compare(reported, with: full, (old.content, whole.snapshot.content), context)
      }
    }
  }

  private func insert(_ count: Int, in world: inout ListWorld) throws {
    var drawn = world.generator
    try world.store.write { transaction in
      for _ in 0..<count {
        let values: [Value] = [
          .text(ListWorld.series[drawn.below(7)]), .integer(Int64(drawn.below(12))),
          .text(["x", "y", "z"][drawn.below(3)]),
        ]
        _ = try transaction.insert(values, key: nil, into: world.entity)
      }
    }
    world.generator = drawn
  }

  private func compare(
    _ reported: ResultsDelta,
    with full: ResultsDelta,
    _ contents: (old: ResultsContent, new: ResultsContent),
    _ context: Comment
  ) throws {
    let unobserved = try #require(reported.unobserved)
    let (old, new) = (unobserved.oldRows, unobserved.newRows)
    let before = contents.old.sections.flatMap(\.rows)
    let after = contents.new.sections.flatMap(\.rows)
    let (from, to) = (Positions(before), Positions(after))
    #expect(reported.sections == full.sections, context)
    var expected = full.rows
    expected.deletes.removeAll { !old.contains(from[$0.id]) }
    expected.inserts.removeAll { !new.contains(to[$0.id]) }
    expected.moves.removeAll { !old.contains(from[$0.id]) && !new.contains(to[$0.id]) }
    expected.updates.removeAll { !new.contains(to[$0.id]) }
    #expect(reported.rows == expected, context)
    if full.sections.moves.isEmpty {
      // The observed rows begin behind as many unchanged rows as before, and what inserted just there is among them.
      let left = Set((full.rows.deletes.map(\.id) + full.rows.moves.map(\.id)))
      let inserted = Set((full.rows.inserts.map(\.id) + full.rows.moves.map(\.id)))
      let above = before.prefix(old.lowerBound)
      let start = old.lowerBound - above.count { left.contains($0) }
      let beyond = max(0, new.lowerBound - after.count)
      let staying = after.prefix(new.lowerBound).count { !inserted.contains($0) } + beyond
      #expect(staying == start, context)
      if new.lowerBound > 0, beyond == 0 {
        #expect(!inserted.contains(after[new.lowerBound - 1]), context)
      }
    } else {
      #expect(new == old, context)
    }
    #expect(new.count == old.count, context)
    // What is counted and what is named is all there was.
    var (above, below) = (UnobservedChanges.Counts(), UnobservedChanges.Counts())
    for row in full.rows.deletes where !old.contains(from[row.id]) {
      if from[row.id] < old.lowerBound { above.removed += 1 } else { below.removed += 1 }
    }
    for row in full.rows.inserts where !new.contains(to[row.id]) {
      if to[row.id] < new.lowerBound { above.inserted += 1 } else { below.inserted += 1 }
    }
    for row in full.rows.updates where !new.contains(to[row.id]) {
      if to[row.id] < new.lowerBound { above.changed += 1 } else { below.changed += 1 }
    }
    for row in full.rows.moves where !old.contains(from[row.id]) && !new.contains(to[row.id]) {
      switch (from[row.id] < old.lowerBound, to[row.id] < new.lowerBound) {
      case (true, true): above.changed += 1
      case (false, false): below.changed += 1
      case (true, false): (above.removed, below.inserted) = (above.removed + 1, below.inserted + 1)
      case (false, true): (below.removed, above.inserted) = (below.removed + 1, above.inserted + 1)
      }
    }
    #expect(unobserved.above == above, context)
    #expect(unobserved.below == below, context)
  }

  /// Where rows stand.
  private struct Positions {
    private let positions: [ObjectID: Int]

    init(_ ids: [ObjectID]) {
      positions = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    }

    subscript(id: ObjectID) -> Int { positions[id] ?? -1 }
  }

  @Test(arguments: [(0..<20, 0), (990..<1000, 0), (480..<520, 1), (nil, 1)])
  func `R77: an index is not queried for the position of an unobserved row`(
    observed: Range<Int>?,
    queries: Int
  ) async throws {
    let store = IndexingStore(try InMemoryStore(entities: [Volume.entity]))
    var ids: [ObjectKey] = []
    _ = try store.commit(origin: .unnamed) { transaction in
      for number in 0..<1000 {
        let title = String(1000 + number)
        ids.append(try transaction.insert(Volume(series: "A", title: title)).key)
      }
    }
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: -1)
    )
    try await list.performFetch()
    list.observedRows = observed
    _ = try store.commit(origin: .unnamed) { transaction in
      guard var row = try transaction.rows([ids[500]], of: Volume.entity).first ?? nil else {
        return
      }
      row.values[2] = .integer(77)
      try transaction.update(row.id, to: row.values, of: Volume.entity, ifUnchangedFrom: nil)
    }
    try await list.refresh()
    #expect(try await list.explain()?.last.work.queries == queries)
    #expect(try list.results.generation == 2)
  }

  @Test(arguments: [-1, 4096])
  func `R77: rows that no list has may be observed`(inMemoryKeyLimit: Int) async throws {
    let store = IndexingStore(try InMemoryStore(entities: [Volume.entity]))
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: inMemoryKeyLimit)
    )
    func add(_ title: String) async throws {
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.insert(Volume(series: "A", title: title))
      }
      try await list.refresh()
    }
    try await add("m")
    try await list.performFetch()
    for (generation, rows) in [Int.min..<Int.max, 1..<Int.max, Int.max - 1..<Int.max].enumerated() {
      list.observedRows = rows
      try await add("\(9 - generation)")
      #expect(try list.results.generation == generation + 2)
    }
  }

  @Test func `R77: a partial change cannot be applied, and a slow subscriber receives a snapshot`()
    async throws
  {
    let store = try Volume.store(("A", "a"), ("A", "c"), ("B", "d"))
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 100)
    )
    try await list.performFetch()
    let first = try list.results
    list.observedRows = 2..<3
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try store.add([("A", "b")])
    try await list.refresh()
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.isEmpty)
    #expect(change.delta.unobserved?.above.inserted == 1)
    #expect(list.observedRows == 3..<4)
    #expect(throws: DeltaError.partial) {
      try first.snapshot.content.applying(change.delta)
    }
    try store.add([("C", "x")])
    try await list.refresh()
    try store.add([("D", "x")])
    try await list.refresh()
    guard case .snapshot(let last) = await events.next() else {
      Issue.record("two partial changes were composed")
      return
    }
    #expect(last.count == 6)
    guard case .reset(.beyondJournal, _) = try list.catchUp(from: first.position) else {
      Issue.record("the journal composed partial changes")
      return
    }
  }
}
