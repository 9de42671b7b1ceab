import Foundation
import OrderStatistics
import ResultsDomain
import ResultsTesting
import SQLitePersistence
import Testing

@testable import ResultsPresentation

/// R19, R26, R48, R55, R56, R57, R77, R78, R83: over a real index and whoever writes, a list that holds only counts goes the same
/// way as one that holds its keys, and every generation stays readable.
@Suite struct `Random lists over random indexes` {
  static let seeds: ClosedRange<UInt64> = {
    let first = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEED"].flatMap { UInt64($0) }
    let count = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEEDS"].flatMap { UInt64($0) }
    return (first ?? 1)...((first ?? 1) + (count ?? 12) - 1)
  }()

  @Test(arguments: seeds)
  func `go the same way as lists that hold their keys (R55, R57, R77)`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let table = try IndexedTable(&generator)
    try table.commit(&generator, rows: generator.number(in: 0...120))
    var (indexed, round) = (0, 0)
    // Of few seeds no index serves any of the first lists.
    while round < 3 || indexed == 0 && round < 20 {
      defer { round += 1 }
      var walk = try Walk(table, &generator)
      if walk.isIndexed { indexed += 1 }
      for step in 0..<12 {
        let place = Comment(
          rawValue: "seed \(seed), list \(round), step \(step)\n"
            + table.story.joined(separator: "\n") + "\n\(walk.list.definition.request)"
        )
        for _ in 0..<generator.number(in: 0...3) {
          try table.commit(&generator, rows: step == 6 ? 60 : generator.number(in: 1...8))
        }
        try walk.look(table, &generator, place)
      }
    }
    #expect(indexed > 0, "seed \(seed): no list was indexed; \(table.story)")
  }
}

/// One list, once with its keys held and once without.
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
    var indexing = KeyIndexing(table.store, heldKeysLimit: -1)
    indexing?.stride = generator.number(in: 1...8)
    indexing?.placing = generator.choice(.cheapest, .seeking, .passing)
    (held, indexed) = try table.store.read { [indexing] (store) throws(StoreError) in
      (
        try ListEngine(plan, from: store, generation: 1, keepsDigests: false),
        try ListEngine(plan, from: store, generation: 1, keepsDigests: false, indexing: indexing)
      )
    }
  }

  var isIndexed: Bool { if case .indexed = indexed.snapshot.keys { true } else { false } }

  /// Leads both on, and compares all they tell and show.
  mutating func look(
    _ table: IndexedTable,
    _ generator: inout SeededGenerator,
    _ place: Comment
  ) throws {
    // What was shown before must be readable although nothing has been told of the commits yet.
    if let earlier = generator.element(of: shown) { try compareContent(earlier, place) }
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
    let (told, toldByCounts) = try (#require(first, place), #require(second, place))
    try #require(told.map(\.delta) == toldByCounts.map(\.delta), place)
    for (one, other) in zip(told, toldByCounts).dropLast() {
      try compareContent((one.snapshot, other.snapshot), place)
    }
    try compare((held.snapshot, indexed.snapshot), place)
    shown.append((held.snapshot, indexed.snapshot))
    if shown.count > 6 { shown.remove(at: generator.number(in: 0...5)) }
    for earlier in shown { try compareContent(earlier, place) }
    if let earlier = generator.element(of: shown) {
      try compare(earlier, place)
      try compareRows(earlier, table, place)
    }
    guard case .indexed(let keys) = indexed.snapshot.keys else { return }
    try #require(keys.blocks.checkInvariants() == nil, place)
    try #require(keys.sections.checkInvariants() == nil, place)
    try #require(keys.blocks.rowCount == held.snapshot.matchingCount, place)
  }

  /// The steps, or `nil` for a reset.
  private func steps(_ progress: ListEngine.Progress) -> [ListEngine.Step]? {
    switch progress {
    case .unmoved, .noted: []
    case .moved(let steps): steps
    case .reset: nil
    }
  }

  private func compareContent(_ generation: Generation, _ place: Comment) throws {
    try #require(try generation.held.content == generation.indexed.content, place)
  }

  /// Everything that can be asked of a generation, asked of both.
  private func compare(_ generation: Generation, _ place: Comment) throws {
    let (held, indexed) = generation
    try #require(held.rowCount == indexed.rowCount, place)
    try #require(held.matchingCount == indexed.matchingCount, place)
    try compareContent(generation, place)
    for section in 0..<held.sectionCount {
      let header = try #require(held.header(ofSection: section), place)
      try #require(indexed.header(ofSection: section) == header, place)
      try #require(held.section(of: header.id) == indexed.section(of: header.id), place)
    }
    for position in 0..<held.rowCount {
      let id = try #require(held.objectID(atFlatPosition: position), place)
      try #require(indexed.objectID(atFlatPosition: position) == id, place)
      try #require(indexed.path(of: id) == held.path(ofFlatPosition: position), place)
    }
    // Rows of other generations, of which some are not in this one.
    for other in shown.prefix(2) where other.held.rowCount > 0 {
      for position in stride(from: 0, to: other.held.rowCount, by: 5) {
        let id = try #require(other.held.objectID(atFlatPosition: position), place)
        try #require(indexed.path(of: id) == held.path(of: id), place)
      }
    }
  }

  /// The objects at all places, as they are read now.
  private func compareRows(
    _ generation: Generation,
    _ table: IndexedTable,
    _ place: Comment
  ) throws {
    let held = ResultsList<Row>(generation.held, table.store)
    let indexed = ResultsList<Row>(generation.indexed, table.store)
    for position in 0..<held.count {
      let row = try? held.object(atFlatPosition: position)
      let other = try? indexed.object(atFlatPosition: position)
      try #require(row == other, place)
    }
  }
}
