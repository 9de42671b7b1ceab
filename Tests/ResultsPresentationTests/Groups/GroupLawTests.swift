import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R11: the groups of a list are those of a naive model after every commit, and every delta turns those that were shown into those that
/// are, whether the list holds its keys or an index has them.
@Suite("Groups of sections obey the laws")
struct GroupLawTests {
  static let seeds: Range<UInt64> = 1..<25
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) } ?? 10_000) / 50

  @Test(arguments: seeds)
  func `R11: groups over an index, in memory and naive ones agree`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed &+ 200)
    let store = IndexingStore(world.store)
    try world.commit(rows: 40)
    var (done, refusals, changes) = (0, 0, 0)
    while done < Self.steps / Self.seeds.count + 150 {
      var definition = world.groupedDefinition()
      guard var lists = try lists(definition, &world, store, "seed \(seed), step \(done)") else {
        refusals += 1
        done += 1
        continue
      }
      for step in 0..<30 {
        let context: Comment = "seed \(seed), step \(done)"
        done += 1
        let before = try lists.held.shown.content
        let isSingle = world.generator.below(2) == 0
        for _ in 0..<(isSingle ? 1 : 3) {
          try world.commit(rows: 1 + world.generator.below(step % 10 == 9 ? 30 : 3))
        }
        let isFolding = world.generator.below(2) == 0
        let naive = try naive(definition, world, store)
        guard let steps = try lists.advance(in: store, folding: isFolding, context) else {
          // A commit between may have put a section amid another group.
          if isSingle || isFolding { #expect(try naive.isRefused(world), context) }
          refusals += 1
          break
        }
        try steps.check(from: before, to: lists.held.shown.content, context)
        changes += steps.count { !$0.delta.groups.isEmpty }
        try compare(lists, naive, world, context)
        guard step % 4 == 3 else { continue }
        definition = world.regrouped(definition)
        guard try redefine(&lists, definition, world, store, context) else { break }
      }
    }
    #expect(changes > 20, "seed \(seed): \(changes) changes, \(refusals) refusals")
  }

  /// One list that holds its keys, and one that leaves them to an index.
  private struct Lists {
    var held: ListEngine
    var indexed: ListEngine

    /// - Returns: `nil` if both refuse the change.
    mutating func advance(
      in store: IndexingStore,
      folding isFolding: Bool,
      _ context: Comment
    ) throws -> [ListEngine.Step]? {
      try store.read { (snapshot) throws(StoreError) in
        let history = SnapshotHistory(snapshot)
        let steps = try refusing { () throws(StoreError) in
          try held.moved(in: history, folding: isFolding)
        }
        let others = try refusing { () throws(StoreError) in
          try indexed.moved(in: history, folding: isFolding)
        }
        #expect(steps?.map(\.delta) == others?.map(\.delta), context)
        return steps
      }
    }
  }

  private func lists(
    _ definition: ResultsDefinition<Row>,
    _ world: inout ListWorld,
    _ store: IndexingStore,
    _ context: Comment
  ) throws -> Lists? {
    let plan = try ListPlan(definition)
    var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
    indexing?.stride = 1 + world.generator.below(6)
    let held = try refusing { () throws(StoreError) in
      try ListEngine(plan, in: store, indexing: nil)
    }
    let indexed = try refusing { () throws(StoreError) in
      try ListEngine(plan, in: store, indexing: indexing)
    }
    let naive = try naive(definition, world, store)
    guard let held, let indexed else {
      #expect(held == nil && indexed == nil, context)
      #expect(try naive.isRefused(world), context)
      return nil
    }
    let lists = Lists(held: held, indexed: indexed)
    try compare(lists, naive, world, context)
    return lists
  }

  private func naive(
    _ definition: ResultsDefinition<Row>,
    _ world: ListWorld,
    _ store: IndexingStore
  ) throws -> NaiveList {
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.fetch(world.everything)
    }
    return NaiveList(definition: definition, rows: rows)
  }

  /// Gives both lists another definition.
  /// - Returns: Whether they took it.
  private func redefine(
    _ lists: inout Lists,
    _ definition: ResultsDefinition<Row>,
    _ world: ListWorld,
    _ store: IndexingStore,
    _ context: Comment
  ) throws -> Bool {
    let before = try lists.held.shown.content
    let plan = try ListPlan(definition)
    let current = lists
    let limits = plan.differsOnlyInSectionLimits(from: current.held.plan)
    let window = plan.differsOnlyInWindow(from: current.held.plan)
    func change(
      _ engine: inout ListEngine,
      _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> ListEngine.Step? {
      if limits { return try engine.moveLimits(to: plan, in: snapshot) }
      if window { return try engine.moveWindow(to: plan, in: snapshot) }
      return try engine.redefine(plan, in: snapshot)
    }
    let next: (Lists, [ListEngine.Step])? = try store.read { (snapshot) throws(StoreError) in
      var (held, indexed, fetched) = (current.held, current.indexed, current.held)
      return try refusing { () throws(StoreError) in
        let wanted = try fetched.redefine(plan, in: snapshot)
        let step = try change(&held, snapshot)
        let other = try change(&indexed, snapshot)
        #expect(step?.delta == wanted?.delta, context)
        #expect(other?.delta == wanted?.delta, context)
        return (Lists(held: held, indexed: indexed), step.map { [$0] } ?? [])
      }
    }
    let naive = try naive(definition, world, store)
    guard let next else {
      #expect(try naive.isRefused(world), context)
      return false
    }
    lists = next.0
    try next.1.check(from: before, to: lists.held.shown.content, context)
    try compare(lists, naive, world, context)
    return true
  }

  private func compare(
    _ lists: Lists,
    _ naive: NaiveList,
    _ world: ListWorld,
    _ context: Comment
  ) throws {
    let wanted = try naive.groups(naive.aggregates(world))
    for shown in [lists.held.shown, lists.indexed.shown] {
      let content = try shown.content
      #expect(content.groups == wanted, context)
      #expect(content.sections.map(\.rows) == naive.content.sections.map(\.rows), context)
      var start = 0
      for (index, group) in content.groups.enumerated() {
        let end = start + group.sectionCount
        #expect(shown.sections(ofGroup: index) == start..<end, context)
        for section in start..<end { #expect(shown.group(ofSection: section) == index, context) }
        start = end
      }
      #expect(shown.group(ofSection: start) == nil && shown.group(ofSection: -1) == nil, context)
    }
    #expect(try lists.held.shown.content == lists.indexed.shown.content, context)
  }
}

/// Runs a body; `nil` if the definition is refused because rows of a section, or sections of a group, are not adjacent.
private func refusing<Result>(
  _ body: () throws(StoreError) -> Result
) throws(StoreError) -> Result? {
  do {
    return try body()
  } catch {
    switch error {
    case .request(.groupNotContiguous), .request(.sectionNotContiguous): return nil
    default: throw error
    }
  }
}

extension NaiveList {
  fileprivate func aggregates(_ world: ListWorld) -> NaiveAggregates {
    NaiveAggregates(definition.aggregates, over: rows, of: world.entity)
  }

  /// Whether sections of a group, or rows of a section, are not adjacent.
  fileprivate func isRefused(_ world: ListWorld) throws -> Bool {
    try groups(aggregates(world)) == nil || hasSectionsApart
  }
}

extension ListWorld {
  /// A random definition with groups, some of which come apart.
  fileprivate mutating func groupedDefinition() -> ResultsDefinition<Row> {
    var definition = arrangedDefinition()
    while definition.sectionKey == nil { definition = arrangedDefinition() }
    // Groups that always come apart would test nothing else.
    if generator.below(3) > 0 { definition.arrangement.fixed = [] }
    if definition.arrangement.fixed.isEmpty { definition.arrangement.others = .after }
    if generator.below(2) == 0 {
      definition.aggregates = [
        SectionAggregate("sum", .sum("rank")), SectionAggregate("first", .minimum("note")),
      ]
    }
    return regrouped(definition)
  }

  /// The same definition with other limits, another window, other groups, or the opposite order.
  fileprivate mutating func regrouped(
    _ definition: ResultsDefinition<Row>
  ) -> ResultsDefinition<Row> {
    var definition = definition
    if definition.groups != nil {
      switch generator.below(6) {
      case 0:
        definition.arrangement.limits = limits(of: definition)
        return definition
      case 1:
        definition.request.fetchLimit = [nil, 5, 12][generator.below(3)]
        definition.request.fetchOffset = generator.below(6)
        return definition
      case 2: return definition.reversed()
      case 3:
        definition.groups = nil
        return definition
      default: break
      }
    }
    let isByText: Bool =
      if case .expression(.attribute, nil, _, _) = definition.sectionKey?.source { true } else {
        false
      }
    var choices: [SectionGroups] = [
      isByText
        ? .ids(by: PrefixGrouping(length: 1))
        : .ids(by: TensGrouping(width: [6, 8][generator.below(2)])),
      isByText ? .ids(by: LengthGrouping()) : .ids(by: TensGrouping(width: 12, language: "de")),
      .titles(by: PrefixGrouping(length: 1)),
    ]
    if case .expression = definition.sectionKey?.source, definition.arrangement.fixed.isEmpty {
      let direction: SortDirection = generator.below(2) == 0 ? .ascending : .descending
      // Sections with an order of their own may always come apart.
      definition.sectionKey?.contiguity = isByText && generator.below(4) == 0 ? .error : .split
      choices += [
        .attribute("note", direction),
        .expression(.bucket(.attribute("rank"), width: 4), direction, nulls: .last),
      ]
    }
    definition.groups = choices[generator.below(choices.count)]
    return definition
  }
}

/// Texts by the number of their scalars, which does not follow from their order.
private struct LengthGrouping: SectionGrouping {
  func group(of value: Value) -> SectionGroup {
    guard case .text(let text) = value else { return SectionGroup(id: .integer(0)) }
    return SectionGroup(id: .integer(Int64(min(1, text.unicodeScalars.count / 2))))
  }

  func title(of id: Value) -> String { "length \(id)" }
  var groupingIdentity: String { "length" }
  var titleIdentity: String { "" }
}
