import Testing

@testable import ListBrowser

/// R135: one table is behind the handler, the help and the hints.
@Suite("The keys of the full-screen list")
struct KeymapTests {
  @Test func `R135: every action has keys, and no key has two actions`() {
    let sequences = BrowserKeymap.entries.flatMap(\.keys)
    #expect(Set(sequences).count == sequences.count)
    #expect(Set(BrowserKeymap.entries.map(\.action)) == Set(BrowserAction.allCases))
    for sequence in sequences {
      for length in 1..<max(sequence.count, 1) {
        #expect(BrowserKeymap.meaning(of: Array(sequence.prefix(length))) == .prefix)
      }
    }
    #expect(BrowserKeymap.meaning(of: ["z", "q"]) == .none)
  }

  @Test func `R135: the help does what its lines say`() async throws {
    var world = try await World((0..<30).map { ("A", "title \($0 + 10)", nil) })
    try world.press("?last row\r")
    #expect(world.model.pane.edge == .last)
    #expect(world.model.menu == nil)
    try world.press("?\u{1B}")
    #expect(world.model.menu == nil)
  }

  @Test func `R135: Esc closes exactly one thing, and never the browser`() async throws {
    var world = try await World([("A", "a", 1)], lines: 24)
    try world.press(" \r?")
    #expect(world.model.menu != nil && world.model.detail != nil && !world.model.selection.isEmpty)
    try world.press("\u{1B}")
    #expect(world.model.menu == nil && world.model.detail != nil)
    try world.press("\u{1B}")
    #expect(world.model.detail == nil && !world.model.selection.isEmpty)
    try world.press("\u{1B}")
    #expect(world.model.selection.isEmpty)
    try world.press("\u{1B}\u{1B}")
    #expect(world.effects.isEmpty)
    try world.press("q")
    guard case .quit(0)? = world.effects.last else {
      Issue.record("q does not leave")
      return
    }
  }
}
