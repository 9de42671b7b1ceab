import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import ResultsTesting
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R11: headers of groups on the screen.
@Suite("Groups on the screen", .timeLimit(.minutes(1)))
struct GroupLineTests {
  private func world(_ rows: [(String, String, Int?)]) async throws -> World {
    var world = try await World(rows)
    try await world.controller.update { $0.groups = .titles(by: PrefixGrouping(length: 1)) }
    try await world.follow()
    try world.press("g")
    return world
  }

  private static let rows: [(String, String, Int?)] = [
    ("Ace", "a", 1), ("Ace", "b", 2), ("Ada", "c", 3), ("Bee", "d", 4),
  ]

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `R11: lines are those of a list that was written down`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let rows = (0..<generator.number(in: 1...20)).map { number in
      (generator.choice("a", "ab", "b", "ba", "bb", "c", "d", "da"), "\(number)", Int?.none)
    }
    let world = try await world(rows)
    let list = try #require(world.model.pane.list)
    let folded = list.sections.indices.filter { _ in generator.happens(percent: 30) }
    let map = LineMap(list, folded: folded)
    var lines: [ListItem] = []
    for (index, section) in list.sections.enumerated() {
      if index == 0 || list.sections[index - 1].title.first != section.title.first {
        lines.append(.group(index))
      }
      lines.append(.header(index))
      guard !folded.contains(index) else { continue }
      lines += section.indices.map { .row(RowPath(section: index, row: $0)) }
    }
    #expect(map.count == lines.count, "seed \(seed)")
    for (line, item) in lines.enumerated() {
      #expect(map.item(at: line) == item, "seed \(seed), line \(line)")
      #expect(map.line(of: item) == line, "seed \(seed), line \(line)")
      #expect(map.visible(item) == item, "seed \(seed), line \(line)")
    }
    #expect(map.item(at: lines.count) == nil && map.item(at: -1) == nil, "seed \(seed)")
  }

  @Test func `R11: the cursor goes over groups, and Enter folds all sections of one`() async throws
  {
    var world = try await world(Self.rows)
    #expect(world.cursorTitle == "a" && world.model.pane.line == 2)
    try world.press("kk")
    #expect(world.model.pane.cursor == .group(0))
    #expect(world.screen[2].hasPrefix("▾>A"), "\(world.screen)")
    try world.press("\r")
    #expect(world.model.pane.lines.folded == [0, 1])
    #expect(world.screen[2].hasPrefix("▸>A") && world.screen[2].contains(" 3 A"), "\(world.screen)")
    try world.press("j")
    #expect(world.model.pane.cursor == .header(0))
    try world.press("jj")
    #expect(world.model.pane.cursor == .group(2))
    try world.press("kkkl")
    #expect(world.model.pane.lines.folded.isEmpty)
  }

  @Test func `R11: the cursor of a group stays with it while sections come and go`() async throws {
    var world = try await world(Self.rows)
    try world.press("G")
    try world.press("kk")
    #expect(world.model.pane.cursor == .group(2))
    try await world.write { transaction, world in
      try transaction.add("Bea", "e", in: world)
    }
    #expect(world.model.pane.cursor == .group(2))
    #expect(world.screen.contains { $0.hasPrefix("▾>B") && $0.contains(" 2") }, "\(world.screen)")
    try await world.write { transaction, world in
      try transaction.add("Ae", "f", in: world)
    }
    #expect(world.model.pane.cursor == .group(3))
  }
}
