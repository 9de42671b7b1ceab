import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R133: what the model may have to wait for, and what it holds.
@Suite("Searches and pages of the full-screen list", .timeLimit(.minutes(1)))
struct SearchTests {
  private static let rows = ["A", "B", "C"].flatMap { section in
    (0..<10).map { (section, "\(section.lowercased())\($0)", 2000 + $0) }
  }

  /// Answers the search that waits.
  private func answer(_ world: inout World) throws {
    let index = world.effects.firstIndex { if case .find = $0 { true } else { false } }
    guard
      case .find(let search, _, let list, let ids) = world.effects.remove(at: try #require(index))
    else { return }
    try world.send(.found(search: search, ids.map { list.path(of: $0) }))
  }

  @Test func `R133: until the cursor's row is found in a list read again, the list before stays`()
    async throws
  {
    var world = try await World(Self.rows)
    try world.go(to: "b5")
    let (line, before) = (world.model.pane.line, world.screen)
    world.searchesLate = true
    _ = try world.store.commit(origin: .unnamed) { [world] transaction in
      for number in 0..<3 { try transaction.add("A", "a\(number)x", in: world) }
    }
    guard case .change(let change)? = await world.changes.next(isolation: nil) else { return }
    try world.send(.list(pane: 0, .reset(.beyondJournal, change.after)))
    #expect(world.screen == before)
    #expect(!world.model.isSettled)
    // A change that comes meanwhile waits for its turn.
    _ = try world.store.commit(origin: .unnamed) { [world] transaction in
      try transaction.add("A", "a9x", in: world)
    }
    guard let next = await world.changes.next(isolation: nil) else { return }
    try world.send(.list(pane: 0, next))
    #expect(world.screen == before)
    try answer(&world)
    #expect(world.model.isSettled)
    #expect(world.cursorTitle == "b5")
    #expect(world.model.pane.line == line)
    #expect(world.model.pane.list?.count == 34)
  }

  @Test func `R133: if the cursor's row is gone from a list read again, the nearest one is next`()
    async throws
  {
    var world = try await World(Self.rows)
    try world.go(to: "b5")
    _ = try world.store.commit(origin: .unnamed) { [world] transaction in
      for title in ["b4", "b5", "b6"] { try transaction.remove(title, in: world) }
    }
    guard case .change(let change)? = await world.changes.next(isolation: nil) else { return }
    try world.send(.list(pane: 0, .reset(.beyondJournal, change.after)))
    #expect(world.cursorTitle == "b7")
  }

  @Test func `R133: the browser never holds more than three screens of rows`() async throws {
    let rows = (0..<2000).map { ("\($0 / 50)", "t\($0)", Int?.none) }
    var world = try await World(rows, lines: 24)
    for keys in ["\u{6}\u{6}\u{6}", "40j", "G", "k\u{15}", "50%", "zM", "zR", "120G"] {
      try world.press(keys)
      let pane = world.model.pane
      #expect(pane.rows.all.count { _ in true } <= 3 * pane.height, "\(keys)")
      #expect(pane.missing == nil)
    }
    try world.send(.resized(TerminalSize(columns: 60, rows: 8)))
    #expect(world.model.pane.rows.all.count { _ in true } <= 3 * world.model.pane.height)
  }

  @Test(arguments: [(0, 0), (7, 1), (29, 2), (12, 1)])
  func `R134: the index has each letter once, and the present one is among them`(
    _ section: Int,
    _ height: Int
  ) {
    let titles = (0..<30).map { String("ABCAZ".dropFirst($0 / 7).prefix(1)) }
    let whole = IndexStrip(SectionIndexTitles(of: titles), section: section, height: 20)
    #expect(whole.letters == ["A", "B", "C", "Z"])
    #expect(whole.present.map { whole.letters[$0] } == titles[section])
    let thin = IndexStrip(SectionIndexTitles(of: titles), section: section, height: height + 1)
    #expect(thin.letters.count == min(height + 1, 4))
    #expect(Set(thin.letters).count == thin.letters.count)
    #expect(thin.present.map { thin.letters[$0] } == titles[section])
  }

  @Test func `R134: the heading of the sorted column has a sign`() async throws {
    var world = try await World(Self.rows)
    world.model.order = BrowserOrder("by year", column: "year", isDescending: true)
    #expect(world.screen[1].contains("year▼") && !world.screen[1].contains("title▲"))
    world.model.order = BrowserOrder("by title", column: "title")
    #expect(world.screen[1].contains("title▲"))
  }
}
