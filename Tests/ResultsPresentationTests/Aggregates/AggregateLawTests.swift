import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing
import WireFormat

@testable import ResultsPresentation

/// R22, R30, R78, R284, R285: after every random commit or change of definition each section shows the aggregates of its rows.
///
/// They are delivered as updates of sections; the deltas obey R26 to R29, and the wire carries them. Running values are the aggregates of
/// the rows up to each one, also those of a generation that is read commits later.
///
/// A fifth of `RESULTS_LAW_STEPS` are run, since each checks much more than a step of the other laws; `RESULTS_LAW_SEED` sets the first
/// seed, and a failure names its own.
@Suite("Aggregates of sections obey the laws")
struct AggregateLawTests {
  static let histories = 20
  static let steps = (number("RESULTS_LAW_STEPS") ?? 10_000) / 5
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(histories))
  func `every section shows the aggregates of its rows, however the change was found`(
    seed: UInt64
  ) throws {
    var world = try ListWorld(seed: seed)
    let store = IndexingStore(world.store)
    try world.commit(rows: 30)
    var done = 0
    while done < AggregateLawTests.steps / AggregateLawTests.histories {
      var definition = definition(&world)
      var engine = try fetch(try ListPlan(definition), store, &world)
      for step in 0..<40 {
        let context: Comment = "seed \(seed), step \(done)"
        let before = engine.snapshot
        let (version, present) = try world.store.read { (store) throws(StoreError) in
          (store.version, try store.fetch(world.everything))
        }
        var reader = engine
        // Several commits may lie between two readings, and only the last of them is the store's state.
        var between: [StoreVersion: ResultsContent] = [:]
        for _ in 0..<[1, 1, 2, 5][world.generator.below(4)] {
          try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 25 : 4))
          let (version, rows) = try world.store.read { (store) throws(StoreError) in
            (store.version, try store.fetch(world.everything))
          }
          between[version] = try naive(definition, rows)
        }
        let isFolding = world.generator.below(3) == 0
        let (progress, read, later, rows) = try store.read { (store) throws(StoreError) in
          let progress = try engine.advance(in: SnapshotHistory(store), folding: isFolding)
          let read = try reader.requery(in: store)
          return (progress, read, store.version, try store.fetch(world.everything))
        }
        try checkRunningValues(definition, of: before, present, in: version, &world, context)
        var own: [ListEngine.Step] = []
        if case .moved(let steps) = progress { own = steps }
        for step in own {
          let then = between[step.snapshot.version]
          #expect(try step.snapshot.content == then, context)
        }
        try checkRunningValues(definition, of: engine.snapshot, rows, in: later, &world, context)
        let naive = try naive(definition, rows)
        try check(own, from: before, to: naive, definition, context)
        try check(read, from: before, to: naive, definition, context)
        #expect(try engine.snapshot.content == naive, context)
        #expect(try reader.snapshot.content == naive, context)
        #expect(
          engine.snapshot.aggregates?.total
            == (try total(definition, naive, rows)),
          context
        )
        done += 1
        guard step % 13 == 12 else { continue }
        let old = engine.snapshot
        definition = self.definition(&world)
        let plan = try ListPlan(definition)
        let redefined = try store.read { (store) throws(StoreError) in
          try engine.redefine(plan, in: store)
        }
        let wanted = try self.naive(definition, rows)
        #expect(try engine.snapshot.content == wanted, context)
        try check(redefined.map { [$0] } ?? [], from: old, to: wanted, definition, context)
      }
    }
  }

  /// A random definition with random aggregates; often their attributes are not among those that rows show.
  private func definition(_ world: inout ListWorld) -> ResultsDefinition<Row> {
    var definition = world.definition()
    let all = [
      SectionAggregate("ranked", .count("rank")),
      SectionAggregate("sum", .sum("rank")),
      SectionAggregate("least", .minimum("rank")),
      SectionAggregate("most", .maximum("rank")),
      SectionAggregate("first", .minimum("note")),
      SectionAggregate("last", .maximum("series")),
      SectionAggregate("letters", FetchAggregate(.sum, of: .length(.attribute("note")))),
      SectionAggregate("tens", FetchAggregate(.maximum, of: .bucket(.attribute("rank"), width: 3))),
    ].map { aggregate in
      guard world.generator.below(3) == 0 else { return aggregate }
      return SectionAggregate(aggregate.name, aggregate.aggregate.matching(condition(&world)))
    }
    definition.aggregates = all.filter { _ in world.generator.below(3) > 0 }
    definition.request.propertiesToFetch = [nil, nil, ["note"], []][world.generator.below(4)]
    return definition
  }

  /// A random condition of an aggregate, often of attributes that nothing else reads.
  private func condition(_ world: inout ListWorld) -> FetchPredicate {
    let number = Value.integer(Int64(world.generator.below(6)))
    switch world.generator.below(6) {
    case 0: return .comparison(.attribute("rank"), .less, .literal(number))
    case 1: return .isNull(.attribute("rank"))
    case 2: return .not(.comparison(.attribute("rank"), .equal, .literal(number)))
    case 3: return .text(.attribute("note"), .contains, "a", caseInsensitive: true)
    case 4: return .comparison(.length(.attribute("series")), .greater, .literal(.integer(1)))
    default: return .none
    }
  }

  /// A list that holds its keys or leaves them to an index.
  private func fetch(
    _ plan: ListPlan,
    _ store: IndexingStore,
    _ world: inout ListWorld
  ) throws -> ListEngine {
    let isIndexed = world.generator.below(2) == 0
    var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
    indexing?.stride = 1 + world.generator.below(6)
    return try store.read { (store) throws(StoreError) in
      try ListEngine(
        plan,
        from: store,
        generation: 1,
        maintainsDigests: !isIndexed,
        indexing: isIndexed ? indexing : nil
      )
    }
  }

  private func naive(_ definition: ResultsDefinition<Row>, _ rows: [Row]) throws -> ResultsContent {
    try NaiveAggregates(definition.aggregates, over: rows, of: definition.request.entity)
      .completing(NaiveList(definition: definition, rows: rows).content)
  }

  private func total(
    _ definition: ResultsDefinition<Row>,
    _ content: ResultsContent,
    _ rows: [Row]
  ) throws -> SectionAggregates? {
    guard !definition.aggregates.isEmpty else { return nil }
    return try NaiveAggregates(definition.aggregates, over: rows, of: definition.request.entity)
      .values(content.sections.flatMap(\.rows))
  }

  /// Compares the running values of a random page with the aggregates over the rows up to each one.
  private func checkRunningValues(
    _ definition: ResultsDefinition<Row>,
    of snapshot: ResultsSnapshot,
    _ rows: [Row],
    in version: StoreVersion,
    _ world: inout ListWorld,
    _ context: Comment
  ) throws {
    guard !definition.aggregates.isEmpty else { return }
    let aggregate = definition.aggregates[world.generator.below(definition.aggregates.count)]
    let origin = [RunningOrigin.first, .last][world.generator.below(2)]
    let limit = [0, 1, 3, 1024][world.generator.below(4)]
    let start = world.generator.below(snapshot.rowCount + 1)
    let page = start..<min(start + world.generator.below(5), snapshot.rowCount)
    let naive = NaiveAggregates([aggregate], over: rows, of: definition.request.entity)
    func wanted(_ ids: [ObjectID], _ page: Range<Int>) throws -> [AggregateValue] {
      try page.clamped(to: 0..<ids.count).map { position in
        let part = origin == .first ? ids[...position] : ids[position...]
        return try naive.values(Array(part))[0].value
      }
    }
    let shown = try wanted(snapshot.content.sections.flatMap(\.rows), page)
    // The keys outside the window are those of the generation's own version.
    var all: [AggregateValue]?
    if snapshot.version == version, !definition.isFrozen {
      var definition = definition
      (definition.request.fetchLimit, definition.request.fetchOffset) = (nil, 0)
      let ids = NaiveList(definition: definition, rows: rows).content.sections.flatMap(\.rows)
      let start = snapshot.window.lowerBound
      let window = start + page.lowerBound..<start + min(page.upperBound, snapshot.rowCount)
      all = try wanted(ids, window)
    }
    let inputs =
      aggregate.aggregate.expression.attributes + aggregate.aggregate.predicate.attributes
    if let fetched = definition.request.propertiesToFetch,
      let attribute = inputs.first(where: { !fetched.contains($0) })
    {
      // No delta would report its changes.
      let error = #expect(throws: StoreError.self, context) {
        try world.store.read { (store) throws(StoreError) in
          _ = try RunningValues(snapshot, aggregate.name, from: origin, in: store)
        }
      }
      if case .request(.runningValuesOfOthers(aggregate.name, attribute)) = error {
        return
      }
      Issue.record("\(context) \(String(describing: error))")
      return
    }
    let rest = snapshot.window.lowerBound + page.lowerBound..<snapshot.window.upperBound
    let (found, foundAll, isAggregated) = try world.store.read { (store) throws(StoreError) in
      var running = try RunningValues(
        snapshot,
        aggregate.name,
        from: origin,
        in: store,
        readingLimit: limit
      )
      let values = try running.values(at: page)
      let state = rest.isEmpty ? .count(0) : try running.aggregated(rest)
      running.covered = 0..<snapshot.matchingCount
      return (values, try running.values(at: page), state != nil)
    }
    let what: Comment = "\(context), \(aggregate) from \(origin) at \(page), \(limit)"
    #expect(found == shown, what)
    if let all { #expect(foundAll == all, what) }
    // The store answers, unless rows stand in no order of its own, a commit removed an extreme, or a row was added behind the window.
    let isExtreme = [.minimum, .maximum].contains(aggregate.aggregate.function)
    let isAnswered =
      !definition.isFrozen && snapshot.layout == snapshot.plan.layout && !isExtreme
      && snapshot.window.upperBound == snapshot.matchingCount
      && (definition.request.fetchLimit.map { snapshot.rowCount < $0 } ?? true)
    #expect(isAggregated || !isAnswered, what)
  }

  /// Applies the deltas one by one; each must verify, have an inverse and update a replay of the wire, and they must compose.
  private func check(
    _ steps: [ListEngine.Step],
    from old: ResultsSnapshot,
    to new: ResultsContent,
    _ definition: ResultsDefinition<Row>,
    _ context: Comment
  ) throws {
    var content = try old.content
    let encoder = WireEncoder(entity: definition.request.entity)
    var replay = WireReplay()
    try replay.apply(line: encoder.line(old.generation, content))
    var composed: ResultsDelta?
    for step in steps {
      let next = try step.snapshot.content
      #expect(!step.delta.isEmpty, context)
      #expect(throws: Never.self, context) { try step.delta.verify(from: content, to: next) }
      #expect(try next.applying(step.delta.inverse) == content, context)
      for update in step.delta.sections.updates { #expect(update.old != update.new, context) }
      try replay.apply(line: encoder.delta(step.delta))
      composed = try composed?.then(step.delta) ?? step.delta
      content = next
    }
    #expect(content == new, context)
    if let last = steps.last {
      #expect(try headers(replay.list) == headers(last.snapshot, encoder), context)
      // What was changed and changed back composes to nothing.
      let start = try old.content
      if let composed, start == new {
        #expect(composed.sections.isEmpty, context)
      } else if let composed {
        #expect(try start.applying(composed) == new, context)
      }
    }
  }

  /// The sections of a list without their rows, or `nil` without a list.
  private func headers(_ list: WireList?) -> [WireList.Section]? {
    list?.sections
      .map {
        WireList.Section(id: $0.id, title: $0.title, aggregates: $0.aggregates, rows: [])
      }
  }

  private func headers(
    _ snapshot: ResultsSnapshot,
    _ encoder: WireEncoder
  ) throws -> [WireList.Section] {
    let line = try encoder.line(snapshot.generation, snapshot.content)
    guard case .snapshot(let list) = try? WireDecoder().message(line) else {
      throw ResultsError.notFetched
    }
    return try #require(headers(list))
  }
}

extension WireEncoder {
  /// The line of a list whose rows show their keys alone.
  fileprivate func line(_ generation: Int, _ content: ResultsContent) -> String {
    snapshot(
      at: .unknown(generation),
      sections: content.sections.map { section in
        WireSection(
          header: section.header,
          rows: section.rows.compactMap { id in
            ListWorld.entity.map { Row(entity: $0, id: id, values: []) }
          }
        )
      }
    )
  }
}
