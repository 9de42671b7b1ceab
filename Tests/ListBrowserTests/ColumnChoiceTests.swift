import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R301: the columns of a list and their order are chosen in a menu.
@Suite("Choosing columns", .timeLimit(.minutes(1)))
struct ColumnChoiceTests {
  private static let escape = "\u{1B}"

  private func world(columns: Int = 60, remembered: [String]? = nil) async throws -> World {
    var world = try await World((0..<3).map { ("A", "title \($0)", 2000 + $0) }, columns: columns)
    let all = world.model.setup.details
    world.model.setup.columnChoice = BrowserSetup.ColumnChoice(
      names: all.map(\.title),
      usual: ["title", "year"],
      first: ["title", "year"],
      remembered: remembered
    ) { names in
      let shown = (names ?? ["title", "year"]).compactMap { name in
        all.first { $0.title == name }
      }
      return .init(shown, titleColumn: 0, running: nil)
    }
    return world
  }

  /// Answers the list that was asked for last.
  private func answer(_ world: inout World) throws {
    guard case .open(let pane, let choice)? = world.effects.last else {
      Issue.record("no list was asked for: \(world.effects)")
      return
    }
    let list = try world.controller.results
    try world.send(.opened(pane: pane, choice, list, order: "by publisher ▸ title"))
    world.effects = []
  }

  private func headings(_ world: World) -> [Substring] { world.screen[1].split(separator: " ") }

  @Test func `R301: the menu has the shown columns in their order, and the others below them`()
    async throws
  {
    var world = try await world()
    try world.press("C")
    let lines = world.screen.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines[1] == "Columns:")
    #expect(
      lines[2...5].elementsEqual([
        "> title column 1", "year column 2", "publisher", "the usual columns",
      ])
    )
    try world.press(Self.escape)
    #expect(world.effects.isEmpty && headings(world) == ["title", "year"])
  }

  @Test func `R301: names that differ in their bytes alone are two columns`() async throws {
    var world = try await world()
    world.model.setup.columnChoice?.names = ["title", "\u{E9}", "e\u{301}"]
    world.model.setup.columnChoice?.first = ["title", "\u{E9}"]
    try world.press("C")
    #expect(world.model.menu?.all.map { $0.text.unicodeScalars.count } == [5, 1, 2, 17])
    // One of them in place of the other is another list.
    try world.press("\u{1B}[B\r\u{1B}[B\r\(Self.escape)")
    try answer(&world)
    #expect(world.model.choice.columns?.map(\.unicodeScalars.count) == [5, 2])
  }

  @Test func `R301: a column is shown, hidden and moved, and Esc shows what was chosen`()
    async throws
  {
    var world = try await world()
    try world.press("jCpub\r")
    #expect(world.model.menu?.typed == "" && world.effects.isEmpty)
    // The third one to the left, and the one in the middle away.
    try world.press("\u{1B}[B\u{1B}[B\u{1B}[D")
    try world.press("\u{1B}[B\r\(Self.escape)")
    try answer(&world)
    #expect(world.model.choice.columns == ["title", "publisher"])
    #expect(headings(world) == ["title", "publisher"])
    #expect(world.screen.contains { $0.hasPrefix(">  title 1") && $0.contains(" A") })
    // The order, the sections and the filter are chosen beside the columns.
    try world.press("syear\r")
    try answer(&world)
    try world.press("-")
    try answer(&world)
    #expect(world.model.choice.columns == ["title", "publisher"])
    #expect(world.model.memory?.columns == ["title", "publisher"])
    try world.press("Cusual\r\(Self.escape)")
    #expect(world.model.choice.columns == nil && headings(world) == ["title", "year"])
    #expect(world.model.memory?.columns == nil)
  }

  @Test func `R301: a list keeps at least one column, and what is remembered until it is changed`()
    async throws
  {
    var world = try await world(remembered: ["year"])
    #expect(world.model.memory?.columns == ["year"])
    try world.press("C\r\r\(Self.escape)")
    #expect(world.model.message.hasPrefix("A list has at least one column"))
    #expect(world.model.choice.columns == nil && headings(world) == ["title", "year"])
    // What the program shows needs not be remembered.
    try world.press("C\r\(Self.escape)")
    try answer(&world)
    #expect(world.model.memory?.columns == ["year"] && headings(world) == ["year"])
    var plain = try await World()
    try plain.press("C")
    #expect(plain.model.message == "The columns of this list are fixed.")
  }

  @Test func `R301: in lines a column is named, and Enter alone shows what was chosen`()
    async throws
  {
    let world = try await world()
    var lines = LineBrowser(world.model.setup)
    _ = lines.update(.list(pane: 0, .snapshot(try world.controller.results)), at: .zero)
    _ = lines.readOut()
    _ = lines.enter("C publisher", at: .zero)
    #expect(lines.readOut().contains("3 publisher, column 3"))
    let effects = lines.enter("", at: .zero)
    let opened = effects.compactMap { effect -> BrowserChoice? in
      if case .open(_, let choice) = effect { choice } else { nil }
    }
    #expect(opened.map(\.columns) == [["title", "year", "publisher"]])
  }

  @Test func `R300: columns without room are counted on the screen`() async throws {
    var world = try await world(columns: 70)
    let wide = (0..<12).map { index in
      BrowserSetup.Column("wide column \(index)") { _ in "a value that is wide" }
    }
    world.model.setup.columns = wide
    world.model.naturalWidths = wide.map { _ in 20 }
    #expect(world.screen[world.screen.count - 2].hasSuffix("+ 4 columns: Enter  1/3"))
    try world.send(.resized(TerminalSize(columns: 300, rows: 14)))
    #expect(!world.screen[world.screen.count - 2].contains("columns"))
  }
}
