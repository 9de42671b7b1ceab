import Foundation
import InMemoryPersistence
import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R04, R05, R11, R30, R57: sections that have an order of their own, or stand in groups of an expression, move with their rows; a list that
/// holds its keys, one over an index, one that reads its keys again and a naive one agree after every commit.
///
/// A hundredth of `RESULTS_LAW_STEPS` are the steps; `RESULTS_LAW_SEED` sets the first seed, and a failure names its own.
@Suite("Sections with an order of their own obey the laws")
struct OrderedSectionLawTests {
  static let histories = 10
  static let steps = (number("RESULTS_LAW_STEPS") ?? 40_000) / 100
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(histories))
  func `R05: a section moves where its order changes, and its rows stay in it`(seed: UInt64) throws
  {
    var world = try RankedWorld(seed: seed)
    let store = IndexingStore(world.base.store)
    try world.commit(rows: 30)
    var (done, moves, refusals) = (0, 0, 0)
    while done < Self.steps / Self.histories + 100 {
      var definition = world.definition()
      let plan = try ListPlan(definition)
      guard var lists = try Lists(plan, store, stride: 1 + world.base.generator.below(5)) else {
        #expect(try world.list(definition).mayBeApart, "seed \(seed), step \(done)")
        refusals += 1
        done += 1
        try world.mend()
        continue
      }
      for _ in 0..<30 {
        let context: Comment = "seed \(seed), step \(done)"
        done += 1
        let before = try lists.held.shown.content
        let start = world.base.generator.below(12)
        lists.observed = start..<start + world.base.generator.below(8)
        let isSingle = world.base.generator.below(3) > 0
        for _ in 0..<(isSingle ? 1 : 3) {
          try world.commit(rows: 1 + world.base.generator.below(5))
        }
        let isFolding = world.base.generator.below(2) == 0
        let naive = try world.list(definition)
        guard let steps = try lists.advance(in: store, folding: isFolding, context) else {
          #expect(naive.mayBeApart || !isSingle && !isFolding, context)
          refusals += 1
          try world.mend()
          break
        }
        #expect(!naive.hasSectionsApart, context)
        try steps.check(from: before, to: lists.held.shown.content, context)
        moves += steps.reduce(0) { $0 + $1.delta.sections.moves.count }
        try compare(lists, naive, context)
        guard world.base.generator.below(5) == 0 else { continue }
        definition.request.fetchLimit = [nil, 4, 9][world.base.generator.below(3)]
        definition.request.fetchOffset = world.base.generator.below(6)
        let shown = try world.list(definition)
        guard try lists.moveWindow(to: ListPlan(definition), in: store, context) else {
          #expect(shown.mayBeApart, context)
          break
        }
        try compare(lists, shown, context)
      }
    }
    #expect(moves > 3, "seed \(seed): \(moves) moves of sections, \(refusals) refusals")
  }

  private func compare(_ lists: Lists, _ naive: NaiveList, _ context: Comment) throws {
    let wanted = naive.content
    for shown in [lists.held.shown, lists.indexed.shown] {
      let content = try shown.content
      #expect(content.sections.map(\.rows) == wanted.sections.map(\.rows), context)
      #expect(content.sections.map(\.header.id) == wanted.sections.map(\.header.id), context)
      for (index, section) in wanted.sections.enumerated() {
        #expect(shown.section(of: section.header.id) == index, context)
      }
      #expect(shown.section(of: SectionID(.text("no name"))) == nil, context)
      #expect(
        content.groups.map(\.id) == (try naive.groups(naive.aggregates)?.map(\.id) ?? []),
        context
      )
    }
    #expect(try lists.held.shown.content == lists.indexed.shown.content, context)
    guard case .indexed(let keys) = lists.indexed.snapshot.keys else {
      Issue.record("the list holds its keys", severity: .error)
      return
    }
    #expect(keys.sections.checkInvariants() == nil, context)
  }

  /// Lists of one definition that find their changes in different ways.
  private struct Lists {
    var held: ListEngine
    var indexed: ListEngine
    /// The rows that copies of both observe while they are advanced.
    var observed = 0..<0

    /// - Returns: `nil` if rows of one section stand apart.
    init?(_ plan: ListPlan, _ store: IndexingStore, stride: Int) throws {
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = stride
      if stride > 2 { indexing?.countsBySections = true }
      let held = try refusing { () throws(StoreError) in
        try ListEngine(plan, in: store, indexing: nil)
      }
      let policy = indexing
      let indexed = try refusing { () throws(StoreError) in
        try ListEngine(plan, in: store, indexing: policy)
      }
      #expect((held == nil) == (indexed == nil))
      guard let held, let indexed else { return nil }
      (self.held, self.indexed) = (held, indexed)
    }

    /// - Returns: Whether both have the other window.
    mutating func moveWindow(
      to plan: ListPlan,
      in store: IndexingStore,
      _ context: Comment
    ) throws -> Bool {
      let moved: (Lists, [ResultsDelta?])? = try store.read { (snapshot) throws(StoreError) in
        var next = self
        return try refusing { () throws(StoreError) in
          let steps = [
            try next.held.moveWindow(to: plan, in: snapshot),
            try next.indexed.moveWindow(to: plan, in: snapshot),
          ]
          return (next, steps.map { $0?.delta })
        }
      }
      guard let moved else { return false }
      #expect(moved.1[0] == moved.1[1], context)
      self = moved.0
      return true
    }

    /// - Returns: `nil` if all refuse the change.
    mutating func advance(
      in store: IndexingStore,
      folding isFolding: Bool,
      _ context: Comment
    ) throws -> [ListEngine.Step]? {
      let before = held.shown
      var (reader, partHeld, partIndexed) = (held, held, indexed)
      (partHeld.observedRows, partIndexed.observedRows) = (observed, observed)
      let snapshots = try store.read { (snapshot) throws(StoreError) in
        let history = SnapshotHistory(snapshot)
        func moved(_ engine: inout ListEngine) throws(StoreError) -> [ListEngine.Step]? {
          try refusing { () throws(StoreError) in
            try engine.moved(in: history, folding: isFolding)
          }
        }
        let seen = (try moved(&partHeld), try moved(&partIndexed))
        #expect(seen.0?.map(\.delta) == seen.1?.map(\.delta), context)
        return (
          try moved(&held), try moved(&indexed),
          try refusing { () throws(StoreError) in try reader.requery(in: snapshot) }
        )
      }
      let (steps, others, read) = snapshots
      #expect(steps?.map(\.delta.summary) == others?.map(\.delta.summary), context)
      #expect(steps?.map(\.delta) == others?.map(\.delta), context)
      guard let steps, let last = steps.last else { return steps }
      let full = try FullDelta(
        from: before.stored,
        to: last.snapshot.stored,
        ListChange(
          affected: [],
          version: last.snapshot.version,
          cause: .own,
          origins: []
        ) { (keys) throws(StoreError) in keys.map { _ in nil } },
        sameOrder: true
      )
      .assemble()
      if steps.count == 1 {
        // Reading again does not see rows with other content alone.
        let delta = read?.last?.delta
        #expect(delta?.sections.moved ?? [[], [], []] == steps[0].delta.sections.moved, context)
        #expect(delta?.moved ?? [[], [], []] == steps[0].delta.moved, context)
        #expect(full.sections.moved == steps[0].delta.sections.moved, context)
      }
      return steps
    }
  }
}

/// Runs a body; `nil` if rows of a section are not adjacent.
private func refusing<Result>(
  _ body: () throws(StoreError) -> Result
) throws(StoreError) -> Result? {
  do {
    return try body()
  } catch {
    if case .request(.sectionNotContiguous) = error { return nil }
    throw error
  }
}

extension ResultsDelta {
  /// The paths that the delta names.
  fileprivate var summary: String {
    let sections =
      self.sections.deletes.map { "-S\($0.from)" } + self.sections.inserts.map { "+S\($0.to)" }
      + self.sections.moves.map { "~S\($0.from)>\($0.to)" }
      + self.sections.updates.map { "=S\($0.from)>\($0.to)" }
    let rows =
      self.rows.deletes.map { "-\($0.id.key) \($0.from)" }
      + self.rows.inserts.map { "+\($0.id.key) \($0.to)" }
      + self.rows.moves.map { "~\($0.id.key) \($0.from)>\($0.to)" }
      + self.rows.updates.map { "=\($0.id.key) \($0.from)>\($0.to)" }
    return (sections + rows).joined(separator: ", ")
  }
}

extension ResultsDelta {
  /// The rows that left, came or moved.
  fileprivate var moved: [[String]] {
    [
      rows.deletes.map { "\($0.from)" }, rows.inserts.map { "\($0.to)" },
      rows.moves.map { "\($0.from) \($0.to)" },
    ]
  }
}

extension SectionChanges {
  /// The sections that left, came or moved.
  fileprivate var moved: [[Int]] {
    [
      deletes.map(\.from), inserts.map(\.to), moves.flatMap { [$0.from, $0.to] },
    ]
  }
}

extension ResultsSnapshot {
  /// The generation as its keys have it.
  fileprivate var stored: ResultsSnapshot {
    var stored = self
    stored.update { fields in
      fields.arrangement = nil
      fields.groups = nil
      fields.aggregates = nil
    }
    return stored
  }
}

extension NaiveList {
  /// Whether rows of one series have two positions: then they stand apart, if they are shown at all.
  fileprivate var mayBeApart: Bool {
    Set(rows.map { [$0.values[0], $0.values[1]] }).count > Set(rows.map { $0.values[0] }).count
  }

  fileprivate var aggregates: NaiveAggregates {
    NaiveAggregates(
      definition.aggregates,
      over: rows,
      of: rows.first?.entity ?? definition.request.entity
    )
  }
}

/// Rows in series, whose position each of their rows has.
private struct RankedWorld {
  var base: ListWorld
  /// The positions of the series.
  private var ranks: [Int: Int64] = [:]

  init(seed: UInt64) throws { base = try ListWorld(seed: seed &+ 700) }

  private static let names = ["a", "b", "か", "", "a\0b", "c", "d", nil]

  /// A random definition whose sections are the series by their positions, with or without groups, limits and a window.
  mutating func definition() -> ResultsDefinition<Row> {
    let direction: SortDirection = base.generator.below(2) == 0 ? .ascending : .descending
    var request = FetchRequest<Row>(
      entity: base.entity,
      where: base.generator.below(3) == 0
        ? .comparison(.attribute("note"), .notEqual, .literal("y")) : .all,
      sortedBy: [[.ascending("note")], [.descending("note")]][base.generator.below(2)]
    )
    if base.generator.below(4) == 0 {
      request.fetchLimit = [5, 12][base.generator.below(2)]
      request.fetchOffset = base.generator.below(4)
    }
    var definition = ResultsDefinition(
      request,
      sectionedBy: base.generator.below(3) == 0
        ? SectionKey.attribute("series", direction)
        : SectionKey(
          .expression(
            .attribute("series"),
            orderedBy: .attribute("rank"),
            direction,
            nulls: base.generator.below(2) == 0 ? .first : .last
          )
        )
    )
    if case .expression(_, nil, _, _) = definition.sectionKey?.source {
      definition.groups = .expression(
        .bucket(.attribute("rank"), width: 4),
        direction,
        nulls: .last
      )
    } else if base.generator.below(3) == 0 {
      definition.groups = .expression(
        .bucket(.attribute("rank"), width: [4, 1][base.generator.below(2)]),
        direction
      )
    }
    if base.generator.below(3) == 0 {
      definition.arrangement.limits = SectionLimits(all: [0, 1, 3][base.generator.below(3)])
      definition.arrangement.limits[SectionID(.text("a"))] = 2
    }
    if base.generator.below(3) == 0 {
      definition.aggregates = [
        SectionAggregate("sum", .sum("rank")), SectionAggregate("first", .minimum("note")),
      ]
    }
    return definition
  }

  func list(_ definition: ResultsDefinition<Row>) throws -> NaiveList {
    let rows = try base.store.read { (store) throws(StoreError) in
      try store.fetch(base.everything)
    }
    return NaiveList(definition: definition, rows: rows)
  }

  /// Commits a few changes: of rows, of a whole series's position, and at times of the position of one row alone.
  mutating func commit(rows count: Int) throws {
    var (drawn, positions) = (base.generator, ranks)
    let (everything, entity) = (base.everything, base.entity)
    try base.store.write { transaction in
      var rows = try transaction.fetch(everything)
      for _ in 0..<count {
        let name = drawn.below(RankedWorld.names.count)
        let position = positions[name, default: Int64(drawn.below(12))]
        positions[name] = position
        let values: [Value] = [
          RankedWorld.names[name].map { .text($0) } ?? .null,
          position == 11 ? .null : .integer(position),
          .text(["x", "y", "z"][drawn.below(3)]),
        ]
        switch rows.count < 6 ? 0 : drawn.below(rows.count > 30 ? 7 : 5) {
        case 0, 1:
          let id = try transaction.insert(values, key: nil, into: entity)
          rows.append(Row(entity: entity, id: id, values: values))
        case 2:
          // The row goes to another series, or gets another note.
          let index = drawn.below(rows.count)
          var changed = values
          if drawn.below(2) == 0 { changed = Array(rows[index].values[..<2]) + [values[2]] }
          try transaction.update(rows[index].id, to: changed, of: entity, ifUnchangedFrom: nil)
          rows[index] = Row(entity: entity, id: rows[index].id, values: changed)
        case 3, 4:
          // The series, or at times a single row of it, gets another position.
          let isWhole = drawn.below(12) > 0
          let next = Int64(drawn.below(12))
          if isWhole { positions[name] = next }
          for index in rows.indices where rows[index].values[0] == values[0] {
            var changed = rows[index].values
            changed[1] = next == 11 ? .null : .integer(next)
            try transaction.update(rows[index].id, to: changed, of: entity, ifUnchangedFrom: nil)
            rows[index] = Row(entity: entity, id: rows[index].id, values: changed)
            if !isWhole { break }
          }
        default:
          let row = rows.remove(at: drawn.below(rows.count))
          try transaction.delete(row.id, of: entity)
        }
      }
    }
    (base.generator, ranks) = (drawn, positions)
  }

  /// Gives all rows of a series its position again.
  mutating func mend() throws {
    let (everything, entity, positions) = (base.everything, base.entity, ranks)
    try base.store.write { transaction in
      for row in try transaction.fetch(everything) {
        let name = RankedWorld.names.firstIndex { $0.map { .text($0) } ?? .null == row.values[0] }
        guard let name, let position = positions[name] else { continue }
        var changed = row.values
        changed[1] = position == 11 ? .null : .integer(position)
        try transaction.update(row.id, to: changed, of: entity, ifUnchangedFrom: nil)
      }
    }
  }
}
