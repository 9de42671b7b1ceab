import ResultsDomain
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R208: what the browser says can be read, whatever the width of the screen.
@Suite("Messages of the full-screen list", .timeLimit(.minutes(1)))
struct MessageTests {
  private static let long =
    "books.sqlite is being written by python3 (process 28863); gave up after 5.0 s."
    + " Try again, or raise --busy-timeout."

  @Test func `R208: a long message keeps its beginning and what to do`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    try world.send(.performed(BrowserOutcome(Self.long)))
    let line = world.screen[world.screen.count - 2]
    #expect(line.hasPrefix(" books.sqlite is being written"))
    #expect(
      line.contains("… Try again, or raise --busy-timeout.")
        || line.contains("raise --busy-timeout.")
    )
    #expect(line.contains("…"))
  }

  @Test func `R208: M shows the last hundred messages in full, the newest first`() async throws {
    var world = try await World([("A", "a", 1)], columns: 60, lines: 24)
    for number in 0..<120 {
      try world.send(.performed(BrowserOutcome("message \(number)")))
    }
    try world.send(.performed(BrowserOutcome(Self.long)))
    try world.press("M")
    let shown = world.screen.dropFirst(2).dropLast(2)
      .map { $0.drop { " >".contains($0) } }.joined(separator: " ")
    #expect(shown.hasPrefix(Self.long + " message 119 message 118 "), "\(shown)")
    #expect(world.model.menu?.all.contains { $0.text == "message 20" } == false)
    #expect(world.model.menu?.all.contains { $0.text == "message 21" } == true)
    try world.press("\r")
    #expect(world.model.menu == nil)
  }

  @Test(arguments: 60...90)
  func `R208: M shows a message of any length without a sign that a part is missing`(
    _ length: Int
  ) async throws {
    var world = try await World([("A", "a", 1)], columns: 80, lines: 24)
    let text = "word " + String(repeating: "x", count: length)
    try world.send(.performed(BrowserOutcome(text)))
    try world.press("M")
    #expect(!world.screen.contains { $0.contains("…") }, "\(world.screen)")
    let shown = world.screen.dropFirst(2).joined().filter { $0 == "x" }
    #expect(shown.count == length)
  }

  @Test func `R208: a line of a command is as wide as the screen`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80, lines: 24)
    let line = String(repeating: "x", count: 77)
    try world.send(.performed(BrowserOutcome("", .lines(title: "Totals", [line, line + "y"]))))
    #expect(world.screen.contains(">  " + line))
    #expect(world.screen.contains("   " + line.dropLast() + "…"))
  }

  @Test func `R208: a request that waits for the store says so, until it is answered`() async throws
  {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.allowWriting()
    try world.press("jd")
    #expect(world.model.needsTicks)
    world.now = .seconds(1)
    try world.send(.tick)
    #expect(world.screen.contains { $0.hasPrefix(" waiting for books.sqlite for 1 s …") })
    try world.send(.performed(BrowserOutcome("deleted 1 book: u undoes.")))
    #expect(world.screen.contains { $0.hasPrefix(" deleted 1 book: u undoes.") })
    #expect(!world.model.needsTicks)
  }

  @Test func `R208: the reason why a list failed stays while the cursor moves`() async throws {
    var world = try await World([("A", "a", 1), ("A", "b", 1)], columns: 80)
    try world.send(.unreadable(pane: 0, reason: "books.sqlite is damaged."))
    try world.press("jk")
    #expect(world.screen.contains { $0.hasPrefix(" ! books.sqlite is damaged.") })
  }
}
