import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R77, R100: a list over an index that only shows related values, and of which some rows are observed, reads the related objects of those
/// rows where a commit concerns many, and its changes name the same observed rows as if all were looked at.
@Suite("Observed rows with related values", .timeLimit(.minutes(5)))
struct ObservedRelatedRowsTests {
  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `R100: observed rows are named as in the delta that names every row`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var incomplete = 0
    for world in 0..<3 {
      let schema = try RelationSchema(&generator)
      let store = IndexingStore(try InMemoryStore(entities: schema.entities))
      _ = try store.commit(origin: .unnamed) { try schema.change(steps: 60, $0, &generator) }
      let shown = ShownValues(schema, &generator)
      let plan = try ListPlan(ResultsDefinition(shown.request))
      var indexing = try #require(IndexingPolicy(store, inMemoryKeyLimit: -1))
      indexing.stride = 2
      // Two of their own: a copy would share what was read of the index.
      var whole = try engine(plan, indexing, in: store)
      var partial = try engine(plan, indexing, in: store)
      partial.mostDependentsCounted = generator.number(in: 0...2)
      for step in 0..<16 {
        var context: Comment = "seed \(seed), world \(world), step \(step): \(shown)"
        if step.isMultiple(of: 4) {
          let start = generator.number(in: 0...whole.snapshot.rowCount)
          partial.observedRows = start..<start + generator.number(in: 0...3)
        }
        for _ in 0..<generator.number(in: 1...3) {
          let steps = generator.number(in: 1...4)
          _ = try store.commit(origin: .unnamed) {
            try schema.change(steps: steps, $0, &generator)
          }
        }
        let folding = generator.happens(percent: 50)
        context = "\(context)\(folding ? ", folded" : "")"
        let full = try Transitions(&whole, in: store, folding)
        let observed = try Transitions(&partial, in: store, folding)
        #expect(try partial.snapshot.content == whole.snapshot.content, context)
        let versions = observed.steps.map(\.version)
        // A folded step has the version of the last commit that it knows to concern the list.
        #expect(folding || Set(full.steps.map(\.version)).isSubset(of: versions), context)
        #expect(full.steps.count <= observed.steps.count, context)
        var last = full.start
        for reported in observed.steps {
          let expected = full.steps.first { folding || $0.version == reported.version }
          try compare(
            reported.delta,
            with: expected?.delta,
            last,
            expected?.snapshot,
            folding,
            context
          )
          last = expected?.snapshot ?? last
          if reported.delta.unobserved?.isComplete == false { incomplete += 1 }
        }
        #expect(
          partial.observedRows == observed.steps.last?.delta.unobserved?.newRows
            ?? partial.observedRows
        )
      }
    }
    #expect(incomplete > 0)
  }

  /// The steps of an advance, with the versions that they end at.
  private struct Transitions {
    let start: ResultsSnapshot
    var steps: [(version: StoreVersion, snapshot: ResultsSnapshot, delta: ResultsDelta)] = []

    init(_ engine: inout ListEngine, in store: IndexingStore, _ folding: Bool) throws {
      var next = engine
      start = engine.snapshot
      let progress = try store.read { (store) throws(StoreError) in
        try next.advance(in: SnapshotHistory(store), folding: folding)
      }
      engine = next
      switch progress {
      case .unchanged: break
      case .reset(let reason): Issue.record("a reset: \(reason)")
      case .moved(let moved):
        steps = moved.map { ($0.snapshot.version, $0.snapshot, $0.delta) }
      }
    }
  }

  private func engine(
    _ plan: ListPlan,
    _ indexing: IndexingPolicy,
    in store: IndexingStore
  ) throws -> ListEngine {
    try store.read { (store) throws(StoreError) in
      try ListEngine(plan, from: store, generation: 1, maintainsDigests: false, indexing: indexing)
    }
  }

  /// Compares the delta of a list with observed rows with that of a list without, which may have none.
  private func compare(
    _ reported: ResultsDelta,
    with full: ResultsDelta?,
    _ old: ResultsSnapshot,
    _ new: ResultsSnapshot?,
    _ folding: Bool,
    _ context: Comment
  ) throws {
    let unobserved = try #require(reported.unobserved, context)
    guard let full, let new else {
      #expect(reported.rows.isEmpty && reported.sections.isEmpty, context)
      var nothing = UnobservedChanges(oldRows: unobserved.oldRows, newRows: unobserved.oldRows)
      nothing.isComplete = false
      #expect(unobserved == nothing, context)
      return
    }
    let expected = full.observing(ObservedRows(range: unobserved.oldRows), from: old, to: new)
      .delta
    #expect(withoutImages(reported.rows) == withoutImages(expected.rows), context)
    let images = (reported.rows.updates.map(\.new), expected.rows.updates.map(\.new))
    #expect(observed(images.0, old.plan) == observed(images.1, old.plan), context)
    #expect(reported.sections == expected.sections, context)
    var counted = try #require(expected.unobserved)
    // Of folded commits, one that was not looked at can take back what another one changed.
    #expect(folding || unobserved.above.changed <= counted.above.changed, context)
    #expect(folding || unobserved.below.changed <= counted.below.changed, context)
    if !unobserved.isComplete {
      counted.isComplete = false
      counted.above.changed = unobserved.above.changed
      counted.below.changed = unobserved.below.changed
    }
    #expect(unobserved == counted, context)
  }

  /// The changes without values: of commits folded into one, those that change nothing that is shown may be left out.
  private func withoutImages(_ rows: RowChanges) -> RowChanges {
    var rows = rows
    for index in rows.deletes.indices { rows.deletes[index].old = nil }
    for index in rows.inserts.indices { rows.inserts[index].new = nil }
    for index in rows.moves.indices { (rows.moves[index].old, rows.moves[index].new) = (nil, nil) }
    for index in rows.updates.indices {
      (rows.updates[index].old, rows.updates[index].new) = (nil, nil)
    }
    return rows
  }

  /// The values of some rows that a list shows.
  private func observed(_ rows: [Row?], _ plan: ListPlan) -> [[Value]] {
    rows.map { row in plan.observedAttributes.indexes.map { row?.values[$0] ?? .null } }
  }

  /// A list by title of 10,000 notes, of which all but the last 100 are in the folder 1.
  private func notes() throws -> (InMemoryStore, ListEngine) {
    let (notes, folders) = (RelatedListTests.notes, RelatedListTests.folders)
    let store = try InMemoryStore(entities: [notes, folders])
    try store.write { transaction in
      for key in [1, 2] as [Int64] {
        try transaction.insert(["a", "red", .null], key: .integer(key), into: folders)
      }
      for number in 0..<10_000 {
        let folder: Value = number < 9900 ? 1 : 2
        try transaction.insert([.text("n\(10_000 + number)"), folder], key: nil, into: notes)
      }
    }
    let request = FetchRequest<Row>(
      entity: notes,
      sortedBy: [.ascending("title")],
      propertiesToFetch: ["title", "folder.name"]
    )
    let plan = try ListPlan(ResultsDefinition(request))
    let indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
    let engine = try store.read { (store) throws(StoreError) in
      try ListEngine(plan, from: store, generation: 1, maintainsDigests: false, indexing: indexing)
    }
    return (store, engine)
  }

  private func rename(
    _ folder: Int64,
    _ store: InMemoryStore,
    _ engine: inout ListEngine
  ) throws -> (delta: ResultsDelta?, work: ListWork) {
    try store.write { transaction in
      try transaction.update(
        ObjectID(entity: "Folder", key: .integer(folder)),
        to: [.text("renamed"), "red", .null],
        of: RelatedListTests.folders
      )
    }
    var next = engine
    defer { engine = next }
    return try store.read { (store) throws(StoreError) in
      let history = SnapshotHistory(store)
      guard case .moved(let steps) = try next.advance(in: history, folding: false) else {
        return (nil, history.snapshot.work)
      }
      return (steps.last?.delta, history.snapshot.work)
    }
  }

  @Test func `R100: a rename that thousands of rows show costs what the observed rows cost`() throws
  {
    var (store, engine) = try notes()
    engine.observedRows = 4000..<4050
    let (delta, work) = try rename(1, store, &engine)
    let named = try #require(delta)
    #expect(named.rows.updates.map(\.to.path.row) == Array(4000..<4050))
    #expect(named.unobserved?.isComplete == false)
    // The observed rows and the folder; the search, the page of keys, and where the observed rows are.
    #expect(work.rows <= 50 + 2)
    #expect(work.queries <= 60)
    #expect(work.keys <= 500)
  }

  @Test func `R100: where few rows depend on a commit, all of them are counted`() throws {
    var (store, engine) = try notes()
    engine.observedRows = 9890..<9910
    let (delta, _) = try rename(2, store, &engine)
    let named = try #require(delta)
    #expect(named.rows.updates.map(\.to.path.row) == Array(9900..<9910))
    #expect(named.unobserved?.isComplete == true)
    #expect(named.unobserved?.below.changed == 90)
  }

  @Test func `R100: rows that are not observed may have changed, and the delta says so`() throws {
    var (store, engine) = try notes()
    engine.observedRows = 9950..<9960
    let delta = try #require(try rename(1, store, &engine).delta)
    #expect(delta.rows.isEmpty)
    #expect(!delta.isEmpty)
    #expect(delta.inverse.unobserved?.isComplete == false)
  }

  @Test func `R100: without observed rows every row is named`() throws {
    var (store, engine) = try notes()
    let delta = try #require(try rename(1, store, &engine).delta)
    #expect(delta.unobserved == nil)
    #expect(delta.rows.updates.count == 9900)
  }
}
