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

  /// A list in which a request to delete a row has waited for some time.
  private func waiting(_ time: Duration) async throws -> World {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.allowWriting()
    try world.press("jd")
    world.effects = []
    world.now = time
    try world.send(.tick)
    return world
  }

  @Test func `R208: a wait names the writer, and ^C gives it up`() async throws {
    var world = try await waiting(.milliseconds(400))
    guard case .findWriter? = world.effects.first else {
      Issue.record("the writer is not sought: \(world.effects)")
      return
    }
    #expect(world.screen.contains { $0.hasPrefix(" waiting for books.sqlite …  ^C gives up") })
    try world.send(.writer("python3"))
    world.now = .seconds(2)
    try world.send(.tick)
    #expect(world.screen.contains { $0.hasPrefix(" waiting for python3 for 2 s …  ^C gives up") })
    world.effects = []
    try world.press("\u{3}")
    guard case .giveUp? = world.effects.first else {
      Issue.record("the wait goes on: \(world.effects)")
      return
    }
    #expect(world.screen.contains { $0.hasPrefix(" giving up …") })
    #expect(world.effects.count == 1)
    try world.send(.performed(BrowserOutcome("Gave up waiting for python3.")))
    #expect(world.screen.contains { $0.hasPrefix(" Gave up waiting for python3.") })
    // Nothing is left of the wait.
    try world.press("\u{3}")
    #expect(world.model.message == "q leaves, and so does ^C once more.")
  }

  @Test func `R208: ^C gives up before it closes a menu, and leaves if that is of no use`()
    async throws
  {
    var world = try await waiting(.seconds(1))
    try world.press("s")
    world.effects = []
    try world.press("\u{3}")
    #expect(world.model.menu != nil)
    guard case .giveUp? = world.effects.first else {
      Issue.record("the wait goes on: \(world.effects)")
      return
    }
    world.effects = []
    try world.press("\u{3}\u{3}\u{3}")
    guard case .quit(130)? = world.effects.last else {
      Issue.record("the browser cannot be left: \(world.effects)")
      return
    }
  }

  @Test func `R208: ^C before a wait is worth a word is no end of it`() async throws {
    var world = try await waiting(.milliseconds(200))
    try world.press("\u{3}")
    #expect(world.effects.isEmpty)
    #expect(world.model.message == "q leaves, and so does ^C once more.")
  }

  @Test func `R208: what only reads cannot be given up`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.offer([
      BrowserCommand(name: "totals", title: "totals", key: "t", scope: .list, writes: false)
    ]) { _ in true }
    try world.press("t")
    world.now = .seconds(1)
    world.effects = []
    try world.send(.tick)
    #expect(world.screen.contains { $0.hasPrefix(" waiting for books.sqlite for 1 s …  ") })
    #expect(!world.screen.contains { $0.contains("^C gives up") })
    #expect(world.effects.isEmpty)
  }

  @Test func `R208: a form whose saving is given up keeps what was typed`() async throws {
    var world = try await World.editing()
    try world.press("\t\u{15}A new title\r")
    world.effects.removeAll { if case .form(_, .draft) = $0 { true } else { false } }
    guard case .form(let number, .save(let submission))? = world.effects.last else {
      Issue.record("nothing is saved: \(world.effects)")
      return
    }
    world.effects = []
    world.now += .seconds(3)
    try world.send(.tick)
    try world.send(.writer("python3"))
    #expect(world.screen.last?.hasPrefix(" waiting for python3 for 3 s …  ^C gives up") == true)
    try world.press("\u{3}")
    #expect(world.effects.contains { if case .giveUp = $0 { true } else { false } })
    #expect(world.screen.last?.hasPrefix(" giving up …") == true)
    let reason = "Gave up waiting for python3."
    try world.send(.form(number: number, .saved(.failed(reason), of: submission)))
    #expect(world.screen.contains { $0.contains("A new title") })
    #expect(world.screen.contains { $0.contains(reason) })
    // It can be saved again.
    world.effects = []
    try world.press("\r")
    #expect(world.takeSubmissions().map(\.texts) == [submission.texts])
  }

  @Test func `R208: the reason why a list failed stays while the cursor moves`() async throws {
    var world = try await World([("A", "a", 1), ("A", "b", 1)], columns: 80)
    try world.send(.unreadable(pane: 0, reason: "books.sqlite is damaged."))
    try world.press("jk")
    #expect(world.screen.contains { $0.hasPrefix(" ! books.sqlite is damaged.") })
  }
}
