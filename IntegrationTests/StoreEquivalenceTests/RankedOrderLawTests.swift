import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@testable import ResultsPresentation

/// R112: rows that people move are where they want them, for about one write a move; the list over them moves that row alone.
///
/// A sixth of `RESULTS_LAW_STEPS`, at most 60,000, are the moves; `RESULTS_LAW_SEED` sets the first seed, and a failure names its own.
@Suite("Ranked orders obey the laws")
struct RankedOrderLawTests {
  static let moves = min(number("RESULTS_LAW_STEPS").map { $0 / 6 } ?? 600, 60_000)
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private struct Step: Entity {
    var id: Int64?
    var list = ""
    var position: Int64?

    static let schema = EntitySchema<Step>("Step", identity: \.id) {
      Attribute(\.list, "list")
      Attribute(\.position, "position")
    }
    static let order = RankedOrder(\Step.position, within: \.list)
  }

  /// A store with one list of steps, which follows every move.
  private struct World {
    let store: any Store
    var engine: ListEngine
    var written = 0

    init(_ store: any Store, rows: Int) throws {
      self.store = store
      try store.write { transaction in
        for _ in 0..<rows {
          try transaction.insert(Step(list: "a"), at: .end, in: Step.order)
          try transaction.insert(Step(list: "b"), at: .end, in: Step.order)
        }
      }
      let request = FetchRequest<Row>(
        entity: Step.entity,
        sortedBy: [.ascending("list"), Step.order.description.sortDescriptor]
      )
      let plan = try ListPlan(ResultsDefinition(request, sectionedBy: .attribute("list")))
      engine = try store.read { (store) throws(StoreError) in
        try ListEngine(plan, from: store, generation: 1, maintainsDigests: false)
      }
    }

    /// Moves a row, and expects the list to move that row alone.
    mutating func move(
      _ id: Int64,
      to position: RankedPosition,
      isSwap: Bool,
      _ context: Comment
    ) throws {
      let row = Step.id(id)
      let count = try store.write { transaction in
        try transaction.move(row, to: position, in: Step.order.description)
      }
      written += count
      let steps = try store.read { [engine] (store) throws(StoreError) in
        var next = engine
        return (try next.advance(to: store), next)
      }
      engine = steps.1
      try #require(steps.0.count == min(count, 1), context)
      guard let delta = steps.0.first?.delta else { return }
      try #require(delta.rows.deletes.isEmpty && delta.rows.inserts.isEmpty, context)
      try #require(delta.sections.isEmpty, context)
      try #require(delta.rows.moves.count == 1, context)
      if !isSwap || count == 1 { try #require(delta.rows.moves[0].id == row, context) }
      try #require(delta.rows.count == count, context)
    }

    func ids(inSection section: Int) throws -> [Int64] {
      try engine.snapshot.content.sections[section].rows.compactMap { id in
        if case .integer(let number) = id.key { number } else { nil }
      }
    }

    func ranks() throws -> [Int64?] {
      try store.fetch(FetchRequest<Step>(sortedBy: [.ascending(\.id)])).map(\.position)
    }
  }

  private enum Pattern: CaseIterable {
    case random, alwaysTheSame, toTheStart, theLastToTheMiddle
  }

  /// The largest average number of writes.
  ///
  /// Windows of rows that need no more room the larger they are would cost 4.7 at always the same position.
  private static func limit(_ pattern: Pattern) -> Double {
    switch pattern {
    case .alwaysTheSame, .theLastToTheMiddle: 4
    case .random, .toTheStart: 1.1
    }
  }

  @Test(arguments: Pattern.allCases)
  private func `R112: a move is one commit and one move of the list, and costs few writes`(
    pattern: Pattern
  ) throws {
    let seed = Self.firstSeed
    var generator = SeededGenerator(seed: seed)
    let twins = try TwinStores(Step.entity)
    let rows = 120
    var memory = try World(twins.memory, rows: rows)
    var sqlite = try World(twins.sqlite, rows: rows)
    var model = try memory.ids(inSection: 0)
    for step in 0..<Self.moves {
      let context = Comment(rawValue: "seed \(seed), \(pattern), move \(step)")
      let (from, to) =
        switch pattern {
        case .random:
          (generator.number(in: 0...rows - 1), generator.number(in: 0...rows - 1))
        case .alwaysTheSame: (generator.number(in: 0...rows - 1), rows / 2)
        case .toTheStart: (generator.number(in: 0...rows - 1), 0)
        case .theLastToTheMiddle: (rows - 1, rows / 2)
        }
      let id = model.remove(at: from)
      let position: RankedPosition =
        to == 0
        ? .start
        : generator.happens(percent: 50) || to == model.count
          ? .after(Step.id(model[to - 1])) : .before(Step.id(model[to]))
      model.insert(id, at: to)
      try memory.move(id, to: position, isSwap: abs(from - to) == 1, context)
      try sqlite.move(id, to: position, isSwap: abs(from - to) == 1, context)
      try #require(try memory.ids(inSection: 0) == model, context)
      try #require(try sqlite.ids(inSection: 0) == model, context)
      if step % 50 == 0 { try #require(try memory.ranks() == sqlite.ranks(), context) }
    }
    let average = Double(memory.written) / Double(Self.moves)
    #expect(memory.written == sqlite.written, "seed \(seed)")
    #expect(average <= Self.limit(pattern), "seed \(seed), \(pattern): \(average) writes a move")
    #expect(try memory.ids(inSection: 1).count == rows)
  }
}

extension Entity {
  fileprivate static func id(_ number: Int64) -> ObjectID {
    ObjectID(entity: entity.name, key: .integer(number))
  }
}
