import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R285: the texts of a running column are those of the shown list, and are read again after every change.
@Suite("The running column of a screen")
struct RunningTextsTests {
  /// A world whose years are summed up from the last row on, with a column for the sums.
  private func world(_ rows: [(String, String, Int?)]) async throws -> World {
    var world = try await World(rows, isSectioned: false)
    try await world.controller.update {
      $0.aggregates = [SectionAggregate("years", .sum("year"))]
    }
    var setup = world.model.setup
    setup.columns.append(BrowserSetup.Column("sum", alignment: .trailing) { _ in "" })
    setup.running = BrowserSetup.RunningColumn(setup.columns.count - 1) {
      "=\($0.value)"
    }
    setup.order.runningOrigin = .last
    world.model = BrowserModel(setup, size: world.model.size)
    try world.send(.list(pane: 0, .snapshot(try world.controller.results)))
    return world
  }

  /// What the model asks to be read, if anything.
  private func request(
    _ world: inout World
  ) -> (BrowserSetup.RunningColumn, ResultsList<Row>, RangeSet<Int>)? {
    defer { world.effects = [] }
    for case .readRunning(let column, let list, let positions, _) in world.effects {
      return (column, list, positions)
    }
    return nil
  }

  private func texts(_ world: World) -> [String] {
    BrowserView.surface(of: world.model).lines.compactMap { line in
      line.split(separator: " ").last { $0.hasPrefix("=") }.map(String.init)
    }
  }

  private func answer(
    _ world: inout World,
    _ asked: (BrowserSetup.RunningColumn, ResultsList<Row>, RangeSet<Int>)
  ) throws {
    var texts: [Int: String] = [:]
    for range in asked.2.ranges {
      let found = asked.0.texts(of: asked.1, at: range, from: .last)
      for (position, text) in zip(range, found) { texts[position] = text }
    }
    try world.send(.running(texts, at: asked.2, of: asked.1.position))
  }

  @Test func `R285: they are asked for once, and again when any row has changed`() async throws {
    var world = try await world([("A", "a", 1), ("A", "b", 20), ("A", "c", 300)])
    let first = try #require(request(&world))
    #expect(!world.model.isSettled)
    #expect(texts(world) == [])
    try answer(&world, first)
    #expect(texts(world) == ["=321", "=320", "=300"])
    #expect(world.model.isSettled)
    try world.press("j")
    #expect(request(&world) == nil)
    try await world.write { transaction, world in
      let id = try #require(try world.controller.results.objectID(at: RowPath(section: 0, row: 2)))
      try transaction.update(id, to: World.values(("A", "c", 4000)), of: world.entity)
    }
    #expect(texts(world) == [])
    try answer(&world, try #require(request(&world)))
    #expect(texts(world) == ["=4021", "=4020", "=4000"])
  }

  @Test func `R285: texts of an earlier list are not shown, and are read again`() async throws {
    var world = try await world([("A", "a", 1), ("A", "b", 20)])
    let late = try #require(request(&world))
    try await world.write { transaction, world in
      _ = try transaction.insert(World.values(("A", "aa", 5)), key: nil, into: world.entity)
    }
    #expect(request(&world) == nil)
    try answer(&world, late)
    #expect(texts(world) == [])
    try answer(&world, try #require(request(&world)))
    #expect(texts(world) == ["=26", "=25", "=20"])
  }

  @Test func `R285: an order without running values shows none`() async throws {
    var world = try await world([("A", "a", 1)])
    try answer(&world, try #require(request(&world)))
    world.model.order.runningOrigin = nil
    try await world.write { transaction, world in
      _ = try transaction.insert(World.values(("A", "b", 5)), key: nil, into: world.entity)
    }
    #expect(request(&world) == nil)
    #expect(texts(world) == [])
    #expect(world.model.isSettled)
  }
}
