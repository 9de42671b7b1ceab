import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R207, R211: keys that people press by habit do what they mean in other programs, or say what they do not.
@Suite("Keys pressed by habit", .timeLimit(.minutes(1)))
struct HabitTests {
  private static let escape = "\u{1B}"

  /// Answers the list that was asked for last with all rows.
  private func answer(_ world: inout World) throws {
    guard case .open(let pane, let choice)? = world.effects.last else {
      Issue.record("no list was asked for: \(world.effects)")
      return
    }
    let list = try world.controller.results
    try world.send(.opened(pane: pane, choice, list, order: "by year"))
    world.effects = []
  }

  private func sorted() async throws -> World {
    var world = try await World((0..<9).map { ("A", "title \($0)", 2000 + $0) }, columns: 80)
    try world.press("syear\r")
    try answer(&world)
    return world
  }

  @Test func `R207: Esc closes what is open and ends what is selected, and never the order`()
    async throws
  {
    var world = try await sorted()
    try world.press("S")
    try world.press("title\r")
    try answer(&world)
    try world.press("jj  \(Self.escape)")
    #expect(world.model.selection.isEmpty)
    try world.press("\u{1}")
    try world.press(Self.escape)
    #expect(!world.model.selectsAll)
    for _ in 0..<3 { try world.press(Self.escape) }
    #expect(world.model.choice.sort == "year" && world.model.choice.sectionBy == "title")
    #expect(world.screen[0].contains("by year"))
    #expect(world.effects.isEmpty)
    #expect(world.model.message == "q leaves, and - shows the usual order and sections.")
  }

  @Test func `R207: the filter goes before the selection, and the order stays under it`()
    async throws
  {
    var world = try await sorted()
    try world.press(" /title\r")
    try answer(&world)
    #expect(world.model.choice.filter == "title")
    try world.press(Self.escape)
    guard case .open(_, let choice)? = world.effects.last else {
      Issue.record("the filter stays")
      return
    }
    #expect(choice.sort == "year" && choice.filter.isEmpty)
    #expect(!world.model.selection.isEmpty)
  }

  @Test func `R207: Esc gives up a list that is being opened, and shows the one before`()
    async throws
  {
    var world = try await sorted()
    try world.press("/title\r")
    try world.press(Self.escape)
    #expect(world.model.choice.sort == "year" && world.model.choice.filter.isEmpty)
    guard case .close? = world.effects.last else {
      Issue.record("it is still being opened: \(world.effects)")
      return
    }
    #expect(world.screen[0].contains("● live"))
  }

  @Test func `R207: the key - shows the usual order and sections again, and the hints say so`()
    async throws
  {
    var world = try await sorted()
    #expect(world.screen.last?.hasPrefix(" - usual order") == true)
    try world.press("-")
    #expect(world.model.choice == BrowserChoice())
    #expect(world.screen[0].contains("by publisher"))
    try world.press("-")
    #expect(world.model.message == "The list has its usual order and sections.")
  }

  @Test func `R211: an order that does not fit the sections can mean several lists`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.setup.orderOffers = { choice in
      guard choice.sort == "-year" else { return [] }
      var without = choice
      without.sectionBy = "none"
      return [
        BrowserOffer("within publishers", order: "by publisher ▸ -year", choice),
        BrowserOffer("without sections", order: "by -year", without),
      ]
    }
    try world.press("s-year\r")
    #expect(world.effects.isEmpty)
    let lines = Array(world.screen[1...3])
    #expect(
      lines == [
        "  Order -year:", ">  within publishers  by publisher ▸ -year",
        "   without sections   by -year",
      ]
    )
    try world.press("\(Self.escape)")
    #expect(world.model.menu == nil && world.model.choice == BrowserChoice())
    try world.press("s-year\r\u{E}\r")
    guard case .open(_, let choice)? = world.effects.last else {
      Issue.record("no list was asked for: \(world.effects)")
      return
    }
    #expect(choice.sort == "-year" && choice.sectionBy == "none")
    try world.press("stitle\r")
    #expect(world.model.menu == nil && world.model.choice.sort == "title")
  }

  @Test func `R283: a saved list is opened by its name, and Esc returns to the usual one`()
    async throws
  {
    var world = try await World([("A", "a", 1)], columns: 80)
    try world.press("L")
    #expect(world.model.menu == nil && world.model.message.hasPrefix("No list is saved: "))
    var old = BrowserChoice()
    old.savedList = "old"
    world.model.setup.savedLists = [BrowserOffer("old", order: "by year", old)]
    try world.press("L")
    #expect(
      world.screen[1...3] == ["  Saved lists:", ">  the usual list", "   old             by year"]
    )
    try world.press("\r")
    #expect(world.model.menu == nil && world.effects.isEmpty)
    try world.press("Lold\r")
    guard case .open(_, old)? = world.effects.last else {
      Issue.record("no list was asked for: \(world.effects)")
      return
    }
    try answer(&world)
    #expect(world.screen.last?.hasPrefix(" Esc back") == true)
    try world.press("syear\r")
    try answer(&world)
    // What is remembered for the next run is the usual list's.
    #expect(world.model.choice.savedList == "old" && world.model.memory?.sort == nil)
    try world.press(Self.escape)
    #expect(world.model.choice == BrowserChoice())
    #expect(world.screen[0].contains("by publisher"))
  }

  @Test func `R227: sections that do not fit the order can mean several lists`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.setup.sectionOffers = { choice in
      guard choice.sectionBy == "year" else { return [] }
      var both = choice
      both.sort = "-year,title"
      return [BrowserOffer("order by -year, then title", order: "by year ▸ -year, title", both)]
    }
    try world.press("Syear\r")
    #expect(world.effects.isEmpty)
    #expect(world.screen[1] == "  Sections by year:")
    try world.press("\(Self.escape)")
    #expect(world.model.menu == nil && world.model.choice == BrowserChoice())
    try world.press("Syear\r\r")
    guard case .open(_, let choice)? = world.effects.last else {
      Issue.record("no list was asked for: \(world.effects)")
      return
    }
    #expect(choice.sort == "-year,title" && choice.sectionBy == "year")
  }

  @Test func `R207: an order that is refused does not come back with the next filter`() async throws
  {
    var world = try await World([("A", "a", 1)])
    try world.press("syear\r")
    guard case .open(let pane, _)? = world.effects.last else { return }
    try world.send(.refused(pane: pane, reason: "There is no such order."))
    try world.press("/a\r")
    guard case .open(_, let choice)? = world.effects.last else {
      Issue.record("nothing is filtered")
      return
    }
    #expect(choice.sort == nil && choice.filter == "a")
  }

  @Test func `R207: dd deletes once, and so does a key that is held down`() async throws {
    var world = try await World((0..<9).map { ("A", "title \($0)", nil) })
    world.model.allowWriting()
    try world.press("jdd")
    #expect(world.effects.count == 1)
    for _ in 0..<10 {
      world.now += .milliseconds(30)
      try world.press("d")
    }
    #expect(world.effects.count == 1)
    world.now += .seconds(1)
    try world.press("d")
    #expect(world.effects.count == 2)
    // Another key between the two makes them two.
    try world.press("jd")
    #expect(world.effects.count == 3)
  }

  @Test func `R207: a command that found nothing left to do hides no message`()
    async throws
  {
    var world = try await World([("A", "a", 1)])
    var nothing = BrowserOutcome("The book is no longer in the store: nothing was deleted.")
    nothing.foundNothing = true
    try world.send(.performed(nothing))
    #expect(world.model.message == nothing.message)
    try world.send(.performed(BrowserOutcome("deleted 1 book: u undoes.")))
    try world.send(.performed(nothing))
    #expect(world.model.message == "deleted 1 book: u undoes.")
  }

  /// A list whose only row has been deleted, which the message says.
  private func emptied() async throws -> World {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.allowWriting()
    world.model.offer([
      BrowserCommand(name: "demo", title: "add the demo books", key: "b", scope: .list)
    ]) { _ in false }
    try world.press("jd")
    try world.send(.performed(BrowserOutcome("deleted 1 book: u undoes.")))
    try await world.write(origin: CommitOrigin("browse-1")) { transaction, world in
      try transaction.remove("a", in: world)
    }
    world.now += .seconds(1)
    world.effects = []
    return world
  }

  @Test(arguments: ["b", "i", "-", HabitTests.escape, "d", "\u{F}", "J", "\"", "*"])
  func `R207: a key that has nothing to do hides no message`(_ key: String) async throws {
    var world = try await emptied()
    for _ in 0..<2 {
      try world.press(key)
      #expect(world.model.message == "deleted 1 book: u undoes.")
    }
    #expect(world.effects.isEmpty)
    // What a movement has put an end to does not come back.
    try world.press("j")
    try world.press(key)
    #expect(world.model.message != "deleted 1 book: u undoes.")
    #expect(!world.model.message.isEmpty)
  }

  @Test(arguments: ["\u{12}", "u"])
  func `R207: a request that finds nothing to do hides no message`(_ key: String) async throws {
    var world = try await emptied()
    try world.press(key)
    #expect(world.model.message == "deleted 1 book: u undoes.")
    var nothing = BrowserOutcome("There is nothing to do again.")
    nothing.foundNothing = true
    try world.send(.performed(nothing))
    #expect(world.model.message == "deleted 1 book: u undoes.")
    try world.press("j\(key)")
    try world.send(.performed(nothing))
    #expect(world.model.message == nothing.message)
    // One such sentence gives way to another, or a key would seem to be ignored.
    try world.press("-")
    #expect(world.model.message == "The list has its usual order and sections.")
  }

  @Test func `R207: what others changed gives way to a sentence that there is nothing to do`()
    async throws
  {
    var world = try await World([("A", "a", 1)])
    try await world.write { transaction, world in
      try transaction.add("A", "b", in: world)
      try transaction.add("A", "c", in: world)
    }
    #expect(world.model.message == "+2")
    try world.press("-")
    #expect(world.model.message == "The list has its usual order and sections.")
  }

  @Test func `R207: a number before d deletes nothing unseen`() async throws {
    var world = try await World((0..<9).map { ("A", "title \($0)", nil) })
    world.model.allowWriting()
    try world.press("j3d")
    #expect(world.effects.isEmpty)
    #expect(world.model.message == "d deletes one row, or the selected ones: 3␣ selects 3.")
  }

  @Test(arguments: [
    "undo", "search", "reverse", "quit", "exit", "group", "save", "sort", "help", "filter",
    "delete",
    "redo", "find", "remove", "refresh", "jump",
  ])
  func `R211: the help finds a key by the words of the hints and of other programs`(_ word: String)
    async throws
  {
    var world = try await World([("A", "a", 1)], columns: 80)
    try world.press("?\(word)")
    #expect(world.model.menu?.items.isEmpty == false)
  }

  @Test func `R211: a menu without a match says so, and stays for another word`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    try world.press("?xyzzy\r")
    #expect(world.screen.contains { $0.contains("No key does “xyzzy”: Backspace, or Esc back.") })
    try world.press(Self.escape)
    try world.press("sxyzzy")
    #expect(world.screen.contains { $0.contains("Nothing here contains “xyzzy”: Backspace") })
  }

  @Test(arguments: [
    ("i", "i is not a key here: ? shows all keys."),
    ("zq", "zq is not a key here: ? shows all keys."),
    ("\u{1B}[18~", "F7 is not a key here: ? shows all keys."),
    (":q\r", ":q is no command: q leaves. :=q goes to that value."),
    (":w\r", ":w is no command: all is stored already. :=w goes to that value."),
    (":wq\r", ":wq is no command: all is stored already. :=wq goes to that value."),
  ])
  func `R211: what is no key is named`(_ keys: String, _ message: String) async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    try world.press(keys)
    #expect(world.model.message == message)
    #expect(world.effects.isEmpty)
    #expect(world.screen[world.screen.count - 2].contains(message))
  }

  @Test func `R211: the key of a command that has nothing to do is no key`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.allowWriting()
    world.model.offer([
      BrowserCommand(name: "demo", title: "add the demo books", key: "b", scope: .list)
    ]) { _ in false }
    try world.press("b")
    #expect(world.model.message == "b is not a key here: ? shows all keys.")
    #expect(world.effects.isEmpty)
  }

  @Test(arguments: ["?", "s", "S", "\"", "M"])
  func `R211: ^U clears what was typed in a menu`(_ menu: String) async throws {
    var world = try await World([("A", "a", 1)], columns: 80)
    world.model.message = "a message"
    try world.press("\(menu)foo\u{15}")
    #expect(world.model.menu?.typed.isEmpty == true)
    #expect(world.model.menu?.items.isEmpty == false)
  }

  @Test func `R211: F1 helps, F5 paints again, and ^N and ^P move`() async throws {
    var world = try await World((0..<9).map { ("A", "title \($0)", nil) })
    try world.press("\u{1B}OP")
    #expect(world.model.menu?.purpose == .help)
    try world.press(Self.escape)
    try world.go(to: "title 3")
    try world.press("\u{E}")
    #expect(world.cursorTitle == "title 4")
    try world.press("\u{10}\u{10}")
    #expect(world.cursorTitle == "title 2")
    try world.press("\u{1B}[15~")
    guard case .repaint? = world.effects.last else {
      Issue.record("nothing is painted again")
      return
    }
  }

  @Test func `R211: n asks what to search, and a section without a title has a name in menus`()
    async throws
  {
    var world = try await World([("", "a", 1), ("B", "b", 2)])
    try world.press("n")
    #expect(world.model.field?.purpose == .filter)
    try world.press(Self.escape)
    try world.press("\"")
    #expect(world.screen.contains { $0.hasPrefix(">  (none)") || $0.hasPrefix("   (none)") })
  }

  @Test func `R211: ' chooses from a menu where the list has too many sections for letters`()
    async throws
  {
    let rows = (0..<ListPane.mostIndexedSections + 1).map { ("p\($0)", "t", Int?.none) }
    var world = try await World(rows)
    try world.press("'")
    #expect(world.model.menu?.purpose == .sections)
  }

  @Test(arguments: [["2025-01", "2026-03"], ["", "1", "2"], ["only"]])
  func `R211: ' chooses from a menu where letters distinguish no sections`(_ titles: [String])
    async throws
  {
    var world = try await World(titles.map { ($0, "t", Int?.none) }, columns: 80)
    #expect(world.screen.last?.contains("' index") == false)
    try world.press("'")
    #expect(world.model.menu?.purpose == .sections)
    #expect(world.model.menu?.items.count == titles.count)
  }

  @Test func `R211: ' without sections says how to get some`() async throws {
    var world = try await World([("A", "a", 1)], isSectioned: false)
    try world.press("'")
    #expect(world.model.message == "The list has no sections: S chooses some.")
  }
}
