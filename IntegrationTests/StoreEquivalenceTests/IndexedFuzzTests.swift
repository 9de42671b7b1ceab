import Foundation
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Synchronization
import Testing
@testable import ResultsPresentation

/// R19, R26, R48, R55, R56, R57, R77, R78, R83: over a real index, whatever the writer, a list that holds only counts takes the same
/// steps as one that holds its keys, and every generation stays readable.
@Suite struct `Random lists over random indexes` {
  static let seeds: ClosedRange<UInt64> = {
    let first = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEED"].flatMap { UInt64($0) }
    let count = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEEDS"].flatMap { UInt64($0) }
    return (first ?? 1)...((first ?? 1) + (count ?? 12) - 1)
  }()

  @Test(arguments: seeds)
  func `take the same steps as lists that hold their keys (R55, R57, R77)`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let table = try IndexedTable(&generator)
    try table.commit(&generator, rows: generator.number(in: 0...120))
    var (indexed, round) = (0, 0)
    // With some seeds no index serves any of the first lists.
    while round < 3 || indexed == 0 && round < 20 {
      defer { round += 1 }
      var walk = try Walk(table, &generator)
      if walk.isIndexed { indexed += 1 }
      for step in 0..<12 {
        let context = Comment(
          rawValue: "seed \(seed), list \(round), step \(step)\n"
            + table.story.joined(separator: "\n") + "\n\(walk.list.definition.request)"
        )
        for _ in 0..<generator.number(in: 0...3) {
          try table.commit(&generator, rows: step == 6 ? 60 : generator.number(in: 1...8))
        }
        try walk.advance(table, &generator, context)
      }
    }
    #expect(indexed > 0, "seed \(seed): no list was indexed; \(table.story)")
  }
}

/// One list twice: one holds its keys, the other leaves them to an index.
private struct Walk {
  private typealias Generation = (held: ResultsSnapshot, indexed: ResultsSnapshot)

  var list: IndexedTable.List
  private var held: ListEngine
  private var indexed: ListEngine
  private var shown: [Generation] = []

  init(_ table: IndexedTable, _ generator: inout SeededGenerator) throws {
    list = try table.list(&generator)
    try table.makeIndex(for: list)
    let plan = try ListPlan(list.definition)
    var indexing = IndexingPolicy(table.store, inMemoryKeyLimit: -1)
    indexing?.stride = generator.number(in: 1...8)
    indexing?.lookup = generator.choice(.automatic, .seeking, .scanning)
    indexing?.countsBySections = generator.choice(nil, true)
    (held, indexed) = try table.store.read { [indexing] (store) throws(StoreError) in
      (
        try ListEngine(plan, from: store, generation: 1, maintainsDigests: false),
        try ListEngine(
          plan,
          from: store,
          generation: 1,
          maintainsDigests: false,
          indexing: indexing
        )
      )
    }
  }

  var isIndexed: Bool { if case .indexed = indexed.snapshot.keys { true } else { false } }

  /// Advances both, and compares their deltas and content.
  mutating func advance(
    _ table: IndexedTable,
    _ generator: inout SeededGenerator,
    _ context: Comment
  ) throws {
    // Earlier generations must stay readable before the lists have seen the commits.
    if let earlier = generator.element(of: shown) { try compareContent(earlier, context) }
    let isFolding = generator.happens(percent: 30)
    let other = generator.happens(percent: 15) ? try table.list(&generator) : nil
    if let other {
      try table.makeIndex(for: other)
      list = other
    }
    let plan = try other.map { try ListPlan($0.definition) }
    var (one, two) = (held, indexed)
    let (first, second) = try table.store.read { (store) throws(StoreError) in
      let history = SnapshotHistory(store)
      var first = steps(try one.advance(in: history, folding: isFolding))
      var second = steps(try two.advance(in: history, folding: isFolding))
      if let plan {
        first?.append(contentsOf: try one.redefine(plan, in: store).map { [$0] } ?? [])
        second?.append(contentsOf: try two.redefine(plan, in: store).map { [$0] } ?? [])
      }
      return (first, second)
    }
    (held, indexed) = (one, two)
    let (heldSteps, indexedSteps) = try (#require(first, context), #require(second, context))
    try #require(heldSteps.map(\.delta) == indexedSteps.map(\.delta), context)
    for (one, other) in zip(heldSteps, indexedSteps).dropLast() {
      try compareContent((one.snapshot, other.snapshot), context)
    }
    try compare((held.snapshot, indexed.snapshot), context)
    shown.append((held.snapshot, indexed.snapshot))
    if shown.count > 6 { shown.remove(at: generator.number(in: 0...5)) }
    for earlier in shown { try compareContent(earlier, context) }
    if let earlier = generator.element(of: shown) {
      try compare(earlier, context)
      try compareRows(earlier, table, context)
    }
    guard case .indexed(let keys) = indexed.snapshot.keys else { return }
    try #require(keys.blocks.checkInvariants() == nil, context)
    try #require(keys.sections.checkInvariants() == nil, context)
    try #require(keys.blocks.rowCount == held.snapshot.matchingCount, context)
  }

  /// The steps, or `nil` for a reset.
  private func steps(_ progress: ListEngine.Progress) -> [ListEngine.Step]? {
    switch progress {
    case .unchanged: []
    case .moved(let steps): steps
    case .reset: nil
    }
  }

  private func compareContent(_ generation: Generation, _ context: Comment) throws {
    try #require(try generation.held.content == generation.indexed.content, context)
  }

  /// Compares everything that a generation can answer.
  private func compare(_ generation: Generation, _ context: Comment) throws {
    let (held, indexed) = generation
    try #require(held.rowCount == indexed.rowCount, context)
    try #require(held.matchingCount == indexed.matchingCount, context)
    try compareContent(generation, context)
    for section in 0..<held.sectionCount {
      let header = try #require(held.header(ofSection: section), context)
      try #require(indexed.header(ofSection: section) == header, context)
      try #require(held.section(of: header.id) == indexed.section(of: header.id), context)
    }
    for position in 0..<held.rowCount {
      let id = try #require(held.objectID(atFlatPosition: position), context)
      try #require(indexed.objectID(atFlatPosition: position) == id, context)
      try #require(indexed.path(of: id) == held.path(ofFlatPosition: position), context)
    }
    // Rows of other generations, of which some are not in this one.
    for other in shown.prefix(2) where other.held.rowCount > 0 {
      for position in stride(from: 0, to: other.held.rowCount, by: 5) {
        let id = try #require(other.held.objectID(atFlatPosition: position), context)
        try #require(indexed.path(of: id) == held.path(of: id), context)
      }
    }
  }

  /// Compares the objects at all positions, as they are read now.
  private func compareRows(
    _ generation: Generation,
    _ table: IndexedTable,
    _ context: Comment
  ) throws {
    let held = ResultsList<Row>(generation.held, table.store)
    let indexed = ResultsList<Row>(generation.indexed, table.store)
    for position in 0..<held.count {
      let row = try? held.object(atFlatPosition: position)
      let other = try? indexed.object(atFlatPosition: position)
      try #require(row == other, context)
    }
  }
}

/// R26, R43, R49, R50, R55, R64, R71, R77, R78, R88: controllers of lists that hold only counts behave like those that hold their keys.
@Suite(.serialized) struct `Controllers of lists over random indexes` {
  static let seeds: ClosedRange<UInt64> = {
    let first = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEED"].flatMap { UInt64($0) }
    let count = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEEDS"].flatMap { UInt64($0) }
    return (first ?? 501)...((first ?? 501) + (count ?? 6) - 1)
  }()

  @Test(.timeLimit(.minutes(5)), arguments: seeds)
  func `follow, pause, change and resume in the same way`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let table = try IndexedTable(&generator)
    table.crowd = 400
    for _ in 0..<8 { try table.commit(&generator, rows: 60, by: [.stranger]) }
    let list = try table.list(&generator)
    try table.makeIndex(for: list)
    let options = ResultsOptions(
      delivery: generator.choice(.immediate, .onDemand, .throttled(for: .seconds(1))),
      clock: ManualClock(),
      caches: MemoryCaches()
    )
    var pair = try await IndexedPair(list.definition, in: table.store, options)
    var indexed = try await pair.isIndexed() ? 1 : 0
    for step in 0..<14 {
      let context = comment("seed \(seed), step \(step)", table)
      try await live(&pair, table, &generator, context)
      if try await pair.isIndexed() { indexed += 1 }
    }
    let definition = pair.held.definition
    for round in 0..<3 {
      let context = comment("seed \(seed), opening \(round)", table)
      try await pair.held.saveCache()
      try await pair.indexed.saveCache()
      let wasIndexed = try await pair.isIndexed()
      pair.cancel()
      if generator.happens(percent: 50) { try table.reopen() }
      for _ in 0..<round {
        try table.commit(&generator, rows: generator.number(in: 1...8))
      }
      pair = try await IndexedPair(definition, in: table.store, options)
      let outcome = try #require(pair.indexed.cacheOutcome, context)
      try #require(outcome == pair.held.cacheOutcome, context)
      if case .miss(let reason) = outcome { Issue.record("a miss: \(reason); \(context)") }
      try #require(try await pair.isIndexed() == wasIndexed, context)
      try pair.compare(&generator, context)
      for _ in 0..<2 {
        try table.commit(&generator, rows: 5)
        try await pair.advance(&generator, context)
      }
    }
    pair.cancel()
  }

  /// Performs one random operation on both lists.
  private func live(
    _ pair: inout IndexedPair,
    _ table: IndexedTable,
    _ generator: inout SeededGenerator,
    _ context: Comment
  ) async throws {
    func commit(_ count: Int) throws {
      for _ in 0..<count {
        try table.commit(&generator, rows: generator.choice(1, 3, 8, 60))
      }
    }
    let lists = [pair.held, pair.indexed]
    switch generator.number(in: 0...9) {
    case 0...1:
      let next = try table.list(&generator)
      try table.makeIndex(for: next)
      try commit(generator.number(in: 0...2))
      for list in lists {
        try await list.update { definition in
          let name = definition.cacheName
          definition = next.definition
          definition.cacheName = name
        }
      }
    case 2...3:
      lists.forEach { $0.pause() }
      try commit(generator.number(in: 1...4))
      if generator.happens(percent: 30) {
        try await pair.advance(&generator, context)
        try commit(1)
      }
      for list in lists { try await list.resume() }
    case 4:
      try commit(1)
      for list in lists { try await list.performFetch() }
    default: try commit(generator.number(in: 0...3))
    }
    try await pair.advance(&generator, context)
    if let earlier = generator.element(of: pair.shown) {
      try pair.delta(since: earlier, context)
    }
  }

  private func comment(_ what: String, _ table: IndexedTable) -> Comment {
    Comment(rawValue: ([what] + table.story).joined(separator: "\n"))
  }
}

/// Section caches in memory.
final class MemoryCaches: SectionCacheStorage {
  private let caches = Mutex<[String: [UInt8]]>([:])

  func load(_ name: String) -> [UInt8]? { caches.withLock { $0[name] } }

  func save(_ bytes: [UInt8], as name: String) { caches.withLock { $0[name] = bytes } }

  func remove(_ name: String) -> Bool { caches.withLock { $0.removeValue(forKey: name) != nil } }

  func removeAll() -> Int {
    caches.withLock { caches in
      defer { caches = [:] }
      return caches.count
    }
  }

  func entries() -> [SectionCacheEntry] {
    caches.withLock { caches in
      caches.sorted { $0.key < $1.key }
        .map { SectionCacheEntry(name: $0.key, byteCount: $0.value.count, writtenAt: nil) }
    }
  }
}

/// Two controllers of one list, one that holds its keys and one that leaves them to an index, with their generations.
struct IndexedPair {
  typealias Generation = (held: ResultsList<Row>, indexed: ResultsList<Row>)

  let held: FetchedResultsController<Row>
  let indexed: FetchedResultsController<Row>
  /// Earlier generations that are still referenced.
  private(set) var shown: [Generation] = []

  init(
    _ definition: ResultsDefinition<Row>,
    in store: SQLiteStore,
    _ options: ResultsOptions = ResultsOptions()
  ) async throws {
    func controller(_ limit: Int, _ name: String) -> FetchedResultsController<Row> {
      var options = options
      options.inMemoryKeyLimit = limit
      options.auditPeriod = nil
      options.journalCapacity = .max
      var definition = definition
      definition.cacheName = name
      return FetchedResultsController(definition, in: store, options: options)
    }
    held = controller(4096 * 1000, "held")
    indexed = controller(-1, "indexed")
    for list in [held, indexed] {
      try await list.performFetch()
    }
    shown.append((try held.results, try indexed.results))
  }

  /// Whether the second list really leaves its keys to an index.
  func isIndexed() async throws -> Bool {
    if case .indexed = try await indexed.explain()?.keys { true } else { false }
  }

  func cancel() {
    held.cancel()
    indexed.cancel()
  }

  /// Refreshes both, and compares their deltas, their content and earlier generations.
  mutating func advance(_ generator: inout SeededGenerator, _ context: Comment) async throws {
    try await held.refresh()
    try await indexed.refresh()
    try compare(&generator, context)
  }

  /// Compares the deltas since the last call, and all content.
  mutating func compare(_ generator: inout SeededGenerator, _ context: Comment) throws {
    let last = shown[shown.count - 1]
    let present: Generation = (try held.results, try indexed.results)
    let delta = try delta(since: last, context)
    try delta?.verify(
      from: last.held.snapshot.content,
      to: present.held.snapshot.content
    )
    shown.append(present)
    try compare(present, context)
    for earlier in shown {
      try #require(try earlier.indexed.snapshot.content == earlier.held.snapshot.content, context)
    }
    // The first generation stays for long; the next delta starts from the last.
    if shown.count > 6 { shown.remove(at: generator.number(in: 1...shown.count - 2)) }
    if let earlier = generator.element(of: shown) { try compare(earlier, context) }
  }

  /// The delta from an earlier generation to the current one, which must be the same for both; `nil` if it is empty.
  @discardableResult
  func delta(since earlier: Generation, _ context: Comment) throws -> ResultsDelta? {
    switch (
      try held.catchUp(from: earlier.held.position),
      try indexed.catchUp(from: earlier.indexed.position)
    ) {
    case (.upToDate(let one), .upToDate(let other)):
      try #require(one.generation == other.generation, context)
      return nil
    case (.change(let one, _), .change(let other, _)):
      try #require(one == other, context)
      return one
    case let (one, other):
      Issue.record("\(one) and \(other) are no change of both; \(context)")
      return nil
    }
  }

  private func compare(_ generation: Generation, _ context: Comment) throws {
    let (held, indexed) = generation
    try #require(held.generation == indexed.generation, context)
    try #require(held.count == indexed.count, context)
    try #require(held.matchingCount == indexed.matchingCount, context)
    try #require(held.aggregates == indexed.aggregates, context)
    for section in 0..<held.snapshot.sectionCount {
      let header = try #require(held.snapshot.header(ofSection: section), context)
      try #require(indexed.snapshot.header(ofSection: section) == header, context)
      try #require(indexed.snapshot.section(of: header.id) == section, context)
    }
    for position in stride(from: 0, to: held.count, by: 11) {
      let path = try #require(held.snapshot.path(ofFlatPosition: position), context)
      let id = try #require(held.objectID(at: path), context)
      try #require(indexed.objectID(at: path) == id, context)
      try #require(indexed.path(of: id) == path, context)
      let row = try? held.object(at: path)
      try #require(row == (try? indexed.object(at: path)), context)
    }
  }
}
