import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

/// R238: a view that holds a window of a list, and nothing else of it, gets from any generation to the present one by one change.
///
/// `RESULTS_LAW_STEPS` sets the number of steps, `RESULTS_LAW_SEED` the first seed; a failure names its own.
@Suite("Windows of a list")
struct WindowChangeTests {
  static let histories = 12
  static let steps = min(number("RESULTS_LAW_STEPS") ?? 6000, 1_000_000)
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// A view as another process has it.
  private struct View {
    var list: ResultsList<Row>
    var window: Range<Int>
    var rows: [Row]

    init(_ list: ResultsList<Row>, _ window: Range<Int>) throws {
      (self.list, self.window) = (list, window)
      rows = try list.objects(at: window)
    }

    /// Shows the present list.
    /// - Returns: Whether the rows were kept, and not read again.
    mutating func advance(_ change: ResultsChange<Row>, _ context: Comment) throws -> Bool {
      guard let effect = WindowChange(change, in: window) else {
        #expect(!change.delta.sections.moves.isEmpty, context)
        self = try View(change.after, window)
        return false
      }
      let read = try effect.positionsToRead.map { position in
        (position, try #require(try change.after.objects(at: position..<position + 1).first))
      }
      let values = Dictionary(uniqueKeysWithValues: read)
      let applied = effect.apply(to: rows, identity: \.id) { values[$0] ?? rows[0] }
      rows = try #require(applied, context)
      window = effect.newRows.lowerBound..<effect.newRows.lowerBound + window.count
      list = change.after
      return true
    }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(histories))
  func `R238: the rows of a window after a change are those of the list there`(
    seed: UInt64
  ) async throws {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 60)
    var (done, kept) = (0, 0)
    while done < WindowChangeTests.steps / WindowChangeTests.histories {
      let list = FetchedResultsController(
        world.definition(),
        in: world.store,
        options: ResultsOptions(
          journalCapacity: 2000,
          inMemoryKeyLimit: seed.isMultiple(of: 2) ? 0 : 4096
        )
      )
      try await list.performFetch()
      var views = try (0..<4).map { _ in
        let start = world.generator.below(40)
        return try View(try list.results, start..<start + world.generator.below(24))
      }
      for _ in 0..<40 {
        try world.commit(rows: 1 + world.generator.below(world.generator.below(8) == 0 ? 30 : 4))
        try await list.refresh()
        done += 1
        for index in views.indices where world.generator.below(3) > 0 {
          let context: Comment = "seed \(seed), step \(done), view \(index)"
          let before = views[index].list
          switch try list.catchUp(from: before.position) {
          case .upToDate: continue
          case .reset(let reason, let present):
            Issue.record("reset: \(reason), \(context)")
            views[index] = try View(present, views[index].window)
          case .change(let delta, let present):
            let change = try ResultsChange(from: before, by: delta, to: present)
            if try views[index].advance(change, context) { kept += 1 }
          }
          let wanted = try views[index].list.objects(at: views[index].window)
          #expect(views[index].rows == wanted, context)
          if world.generator.below(9) == 0 {
            let start = world.generator.below(60)
            views[index] = try View(
              views[index].list,
              start..<start + world.generator.below(24)
            )
          }
        }
      }
      list.cancel()
    }
    #expect(kept > done / 2)
  }

  @Test
  func `R238: the window follows its rows, and says how they came in`() async throws {
    let store = try InMemoryStore(entities: [Volume.entity])
    for title in ["b", "d", "f", "h", "j"] {
      try await store.write { _ = try $0.insert(Volume(series: "A", title: title)) }
    }
    let list = FetchedResultsController(
      FetchRequest<Row>(entity: Volume.entity, sortedBy: [.ascending("title")]),
      in: store,
      options: ResultsOptions(journalCapacity: 100)
    )
    try await list.performFetch()
    let before = try list.results
    try await store.write { transaction in
      _ = try transaction.insert(Volume(series: "A", title: "a"))
      _ = try transaction.insert(Volume(series: "A", title: "e"))
    }
    try await list.refresh()
    guard case .change(let delta, let after) = try list.catchUp(from: before.position) else {
      Issue.record("no change")
      return
    }
    let change = try ResultsChange(from: before, by: delta, to: after)
    // d, f of b d f h j; then a b d e f h j.
    let narrow = try #require(WindowChange(change, in: 1..<3))
    #expect(narrow.newRows == 2..<4)
    #expect(narrow.arrived == [.init(position: 3, kind: .insert)])
    #expect(narrow.removed.isEmpty)
    #expect(narrow.above.inserted == 1)
    // A window beyond the end of a list has room for what comes.
    let wide = try #require(WindowChange(change, in: 3..<8))
    #expect(wide.oldRows == 3..<5)
    #expect(wide.newRows == 5..<7)
    #expect(wide.keepsRows)
    try await store.write { transaction in
      for id in [try #require(after.objectID(at: RowPath(section: 0, row: 2)))] {
        try transaction.delete(id, of: Volume.entity)
      }
    }
    try await list.refresh()
    guard case .change(let second, let last) = try list.catchUp(from: after.position) else {
      Issue.record("no change")
      return
    }
    let shorter = try #require(
      WindowChange(try ResultsChange(from: after, by: second, to: last), in: 2..<4)
    )
    #expect(shorter.removed.map(\.position) == [2])
    #expect(shorter.arrived == [.init(position: 3, kind: .fill)])
  }

  @Test
  func `R238: rows of another window are not taken for those of this one`() {
    let change = WindowChange(
      oldRows: 0..<2,
      newRows: 0..<1,
      removed: [.init(position: 0, id: ObjectID(entity: "Volume", key: .integer(1)))],
      arrived: [],
      updated: [],
      above: .init(),
      below: .init()
    )
    let ids = [2, 1].map { ObjectID(entity: "Volume", key: .integer($0)) }
    #expect(change.apply(to: ids, identity: \.self) { _ in ids[0] } == nil)
    #expect(change.apply(to: ids.reversed(), identity: \.self) { _ in ids[0] } == [ids[0]])
    #expect(change.apply(to: [ids[0]], identity: \.self) { _ in ids[0] } == nil)
  }
}
