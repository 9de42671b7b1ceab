import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R138: going to values and matches, selecting many rows, and the mouse.
@Suite("Movements of the full-screen list", .timeLimit(.minutes(1)))
struct MovementTests {
  private static let rows = ["A", "B", "C", "D"].flatMap { section in
    (0..<10).map { (section, "\(section.lowercased())\($0)", 2000 + $0) }
  }

  @Test func `R138: a value goes to where it would stand, and a number stays a row`() async throws {
    var world = try await World(Self.rows)
    try world.press("7G")
    #expect(world.cursorTitle == "a6" && world.model.pane.edge == nil)
    try world.press(":12\r")
    #expect(world.cursorTitle == "b1")
    #expect(world.effects.isEmpty)
    try world.press(":C\r")
    guard case .seek(let pane, let list, _, "C")? = world.effects.popLast() else {
      Issue.record("nothing was sought")
      return
    }
    #expect(!world.model.isSettled)
    let values: [Value] = [.text("C"), .null, .null]
    let id = ObjectID(entity: "Book", key: .integer(.min))
    let row = Row(entity: world.entity, id: id, values: values)
    try world.send(.landed(pane: pane, row, try list.landingPath(of: row), in: list))
    #expect(world.cursorTitle == "c0")
    #expect(world.model.isSettled)
    try world.press("\u{F}")
    #expect(world.cursorTitle == "b1")
    try world.press(":=7\r")
    guard case .seek(_, _, _, "7")? = world.effects.popLast() else {
      Issue.record("a number after = is a value")
      return
    }
  }

  @Test func `R138: n and N seek from the cursor on, and the list stays whole`() async throws {
    var world = try await World(Self.rows)
    try world.press("n")
    #expect(world.model.message.hasPrefix("Type what to search"))
    try world.press("\u{1B}")
    try world.go(to: "b5")
    world.model.searchText = "7"
    try world.press("n")
    guard case .match(_, _, _, "7", from: 16, backward: false)? = world.effects.popLast() else {
      Issue.record("n does not seek below the cursor")
      return
    }
    try world.send(.matched(try world.row("c7")?.id))
    #expect(world.cursorTitle == "c7")
    #expect(world.model.derived == nil)
    try world.press("N")
    guard case .match(_, _, _, "7", from: 26, backward: true)? = world.effects.popLast() else {
      Issue.record("N does not seek above the cursor")
      return
    }
    try world.send(.matched(nil))
    #expect(world.cursorTitle == "c7")
    #expect(world.model.message == "No further row matches 7.")
  }

  @Test func `R138: the menu of * seeks a value of the row`() async throws {
    var world = try await World(Self.rows)
    try world.go(to: "b5")
    try world.press("*")
    #expect(world.screen.contains { $0.contains("publisher  publisher=\"B\"") })
    try world.press("\r")
    #expect(world.model.searchText == "publisher=\"B\"")
    #expect(world.model.isMatching)
  }

  @Test func `R138: counts repeat movements and selections`() async throws {
    var world = try await World(Self.rows)
    try world.press("3J")
    #expect(world.model.pane.cursor == .header(3))
    try world.press("g2K3v")
    #expect(world.model.selection.count == 2)
    try world.press("2v")
    #expect(world.model.selection.count == 4)
  }

  @Test func `R138: all rows are selected by the definition, and not one by one`() async throws {
    var world = try await World(Self.rows, columns: 80)
    world.model.allowWriting()
    try world.press("j\u{1}")
    #expect(world.screen.contains { $0.contains("all selected") })
    #expect(world.screen.count { $0.hasPrefix(" * ") || $0.hasPrefix(">* ") } > 5)
    try world.press("\u{1B}")
    #expect(!world.model.selectsAll)
    try world.press("\u{1}d")
    guard case .perform(.deleteAll(let choice))? = world.effects.last else {
      Issue.record("not all rows are deleted")
      return
    }
    #expect(choice == BrowserChoice())
    #expect(!world.model.selectsAll)
    // More rows than can be taken back: the only question that is ever asked.
    let count = world.effects.count
    world.model.limitUndo(to: 39)
    try world.press("\u{1}d")
    #expect(world.effects.count == count)
    #expect(world.model.message == "u cannot take back 40 rows: d again deletes them all.")
    try world.press("d")
    #expect(world.effects.count == count + 1)
  }

  @Test func `R138: a click puts the cursor, on a header it folds, and the wheel scrolls`()
    async throws
  {
    var world = try await World(Self.rows)
    try world.press("m")
    guard case .mouse(true)? = world.effects.last else {
      Issue.record("m does not turn the mouse on")
      return
    }
    // Two lines of headings, the section's header, then rows.
    try world.send(.mouse(Mouse(.press, line: 5, column: 10)))
    #expect(world.cursorTitle == "a2")
    #expect(world.model.pane.line == 3)
    try world.send(.mouse(Mouse(.wheelDown, line: 5, column: 10)))
    #expect(world.cursorTitle == "a5")
    try world.send(.mouse(Mouse(.wheelUp, line: 5, column: 10)))
    try world.send(.mouse(Mouse(.press, line: 2, column: 10)))
    #expect(world.model.pane.foldedIDs.count == 1)
    #expect(world.model.pane.cursor == .header(0))
    try world.send(.mouse(Mouse(.press, line: 13, column: 10)))
    #expect(world.model.pane.cursor == .header(0))
  }
}

/// R139: what the screen says about changes and rows.
@Suite("Marks and panes of the full-screen list", .timeLimit(.minutes(1)))
struct MarkTests {
  @Test(arguments: [(1500, false), (0, false), (nil, true)])
  func `R139: changes are marked for a time, not at all, or for good`(
    _ time: Int?,
    _ isKept: Bool
  ) async throws {
    var world = try await World([("A", "a", 1), ("B", "b", 2)])
    world.model.setMarkTime(time.map { .milliseconds($0) })
    try await world.write { transaction, world in
      try transaction.change("a", in: world) { $0[0] = .text("B") }
    }
    // The status line says it too.
    let isMarked = world.screen.dropLast(2).contains { $0.contains("→ a from A") }
    #expect(isMarked == (time != 0))
    #expect(world.model.needsTicks == (time == 1500))
    world.now = .seconds(10)
    try world.send(.tick)
    #expect(world.screen.dropLast(2).contains { $0.contains("→ a from A") } == isKept)
  }

  @Test func `R139: the lines of a command are read again when the list changes`() async throws {
    var world = try await World([("A", "a", 1)])
    world.model.addCommand(
      BrowserCommand(name: "totals", title: "totals", key: "t", scope: .list, writes: false)
    )
    try world.press("t")
    #expect(world.effects.count == 1)
    try world.send(.performed(BrowserOutcome("", .lines(title: "totals", ["one 1"]))))
    #expect(world.screen.contains { $0.contains("one 1") })
    try await world.write { transaction, world in try transaction.add("A", "b", in: world) }
    #expect(world.effects.count == 2)
    try world.send(.performed(BrowserOutcome("", .lines(title: "totals", ["two 2"]))))
    #expect(world.screen.contains { $0.contains("two 2") })
    try world.press("\u{1B}")
    try await world.write { transaction, world in try transaction.add("A", "c", in: world) }
    #expect(world.effects.count == 2)
  }

  @Test func `R139: rows that cannot be read say why, and the list that was read stays`()
    async throws
  {
    var world = try await World([("A", "a", 1)])
    try world.send(.unreadable(pane: 0, reason: "books.sqlite is damaged."))
    #expect(world.screen[0].hasSuffix("! failed"))
    #expect(world.screen.contains { $0.contains("books.sqlite is damaged.") })
    #expect(world.screen.contains { $0.hasPrefix(">  a") })
    #expect(world.model.needsTicks)
    world.now = .seconds(2)
    try world.send(.tick)
    guard case .recheck(pane: 0)? = world.effects.last else {
      Issue.record("nobody looks whether the list can be read again")
      return
    }
    try world.send(.recovered(pane: 0))
    #expect(world.screen[0].hasSuffix("● live"))
    #expect(!world.model.needsTicks)
  }

  @Test func `R139: further details are read for the cursor's row alone`() async throws {
    var world = try await World([("A", "a", 1), ("A", "b", 2)], lines: 24)
    world.model.showMoreDetails()
    try world.press("\r")
    guard case .readDetails(let id)? = world.effects.last else {
      Issue.record("nothing is read")
      return
    }
    #expect(!world.model.isSettled)
    try world.send(.details(id, [BrowserDetail("tags", "sea; \u{1B}[2J")]))
    #expect(world.model.isSettled)
    #expect(world.screen.contains { $0.contains("tags       sea; ␛[2J") })
    try world.send(.resized(TerminalSize(columns: 60, rows: 18)))
    #expect(world.screen.contains { $0.hasPrefix("── a ─ Book 1") })
    try world.press("j")
    #expect(!world.screen.contains { $0.contains("tags") })
    // An answer for the row before is too late.
    try world.send(.details(id, [BrowserDetail("tags", "late")]))
    #expect(!world.screen.contains { $0.contains("late") })
  }
}

extension BrowserModel {
  fileprivate mutating func limitUndo(to rows: Int) { setup.mostUndoableRows = rows }
  fileprivate mutating func setMarkTime(_ time: Duration?) { setup.markTime = time }
  fileprivate mutating func addCommand(_ command: BrowserCommand) { setup.commands = [command] }
  fileprivate mutating func showMoreDetails() { setup.hasMoreDetails = true }
}
