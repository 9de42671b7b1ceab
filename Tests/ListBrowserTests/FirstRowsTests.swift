import ResultsDomain
import ResultsPresentation
import Testing

@testable import ListBrowser

/// R144: the first rows of a long list, while the others are counted.
@Suite("The first rows of a long list", .timeLimit(.minutes(1)))
struct FirstRowsTests {
  /// A browser in which a filter has been typed whose list is being opened.
  private func filtering() async throws -> (World, pane: Int, rows: [Row]) {
    var world = try await World((0..<9).map { ("A", "title \($0)", 2000 + $0) })
    world.model.setup.canWrite = true
    try world.press("/title\r")
    let opened = world.effects.compactMap { effect -> Int? in
      if case .open(let pane, _) = effect { pane } else { nil }
    }
    let rows = ["title 4", "title 6"]
    return (world, try #require(opened.last), try rows.map { try #require(try world.row($0)) })
  }

  @Test func `R144: they are shown at once, and nothing else can be done with them`() async throws {
    var (world, pane, rows) = try await filtering()
    try world.send(.first(pane: pane - 1, rows, order: "by another"))
    #expect(!world.screen[0].contains("first"))
    try world.send(.first(pane: pane, rows, order: "by title"))
    #expect(world.screen[0].contains("first 2 books  ◌ opening"))
    #expect(world.screen.contains { $0.hasPrefix(">  title 4") })
    // They stay while the next letter is being searched.
    var narrowed = world
    try narrowed.press("/ 6")
    #expect(narrowed.screen.contains { $0.hasPrefix(">  title 4") })
    try narrowed.press("\u{1B}")
    #expect(narrowed.screen.contains { $0.contains("title 0") })
    #expect(!world.screen.contains { $0.contains("title 0") })
    let cursor = world.cursorTitle
    world.effects = []
    try world.press("jd")
    #expect(world.effects.isEmpty && world.cursorTitle == cursor)
    #expect(world.model.message == "The rows are being counted.")
  }

  @Test func `R144: Esc goes back at once, and the whole list comes after them`() async throws {
    var (world, pane, rows) = try await filtering()
    try world.send(.first(pane: pane, rows, order: "by title"))
    var back = world
    try back.press("\u{1B}")
    #expect(back.screen.contains { $0.contains("title 0") })
    #expect(!back.screen[0].contains("first"))
    let list = try world.controller.results
    let choice = world.model.choice
    try world.send(.opened(pane: pane, choice, list, order: "by title"))
    #expect(world.screen[0].contains("9 books in 1"))
    #expect(world.screen.contains { $0.contains("title 0") })
  }
}
