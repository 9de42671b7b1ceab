import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R140: a list read out in lines has the keys of the full screen, and says what a screen would show.
@Suite("The list in lines")
struct LineTests {
  /// A list in memory that is read out.
  private struct Reader {
    var world: World
    var lines: LineBrowser

    init(_ rows: [(String, String, Int?)], commands: [BrowserCommand] = []) async throws {
      world = try await World(rows)
      world.model.setup.commands = commands
      lines = LineBrowser(world.model.setup)
      try send(.list(pane: 0, .snapshot(world.controller.results)))
      _ = lines.readOut()
    }

    /// Sends an event, and answers the requests for pages.
    mutating func send(_ event: BrowserEvent) throws {
      try answer(lines.update(event, at: .zero))
    }

    private mutating func answer(_ effects: [BrowserEffect]) throws {
      var waiting = effects
      while !waiting.isEmpty {
        switch waiting.removeFirst() {
        case .readPage(let pane, let list, let positions):
          let rows: [Row?] = try list.objects(at: positions)
          let page = BrowserEvent.page(pane: pane, from: positions.lowerBound, rows: rows)
          waiting += lines.update(page, at: .zero)
        case .find(let search, _, let list, let ids):
          waiting += lines.update(.found(search: search, ids.map { list.path(of: $0) }), at: .zero)
        case let effect: world.effects.append(effect)
        }
      }
    }

    /// Types a line, and returns what is read out.
    mutating func type(_ line: String) throws -> [String] {
      try answer(lines.enter(line, at: .zero))
      return lines.readOut()
    }

    /// Commits as another program would, and returns what is announced.
    mutating func write(
      _ body: (any StoreTransaction, World) throws -> Void
    ) async throws -> [String] {
      let world = world
      _ = try world.store.commit(origin: .unnamed) { try body($0, world) }
      guard let event = await self.world.changes.next(isolation: nil) else { return [] }
      try send(.list(pane: 0, event))
      return lines.hasAnnouncements ? lines.readAnnouncements() : []
    }
  }

  private static let books = [
    ("A", "a1", 2001), ("A", "a2", nil), ("B", "b1", 2003), ("B", "b2", 2004), ("C", "c1", 2005),
  ]

  @Test
  func `R140: each command reads out the row under the cursor, and its section if it is another`()
    async throws
  {
    var reader = try await Reader(Self.books)
    #expect(
      reader.lines.greeting()[0]
        == "book-catalog, books.sqlite, by publisher ▸ title: 5 books in 3 sections."
    )
    #expect(try reader.type("j") == ["a2, 2 of 5"])
    #expect(try reader.type("2j") == ["Section B, 2 books", "b1; 2003, 3 of 5"])
    #expect(try reader.type("kkk") == ["Section A, 2 books", "a1; 2001, 1 of 5"])
    #expect(try reader.type("G") == ["Section C, 1 book", "c1; 2005, 5 of 5"])
    #expect(try reader.type(":2") == ["Section A, 2 books", "a2, 2 of 5"])
    #expect(try reader.type("4") == ["Section B, 2 books", "b2; 2004, 4 of 5"])
    #expect(try reader.type("'c") == ["Section C, 1 book"])
    #expect(try reader.type("za") == ["Section C, 1 book, folded"])
    #expect(try reader.type("1g") == ["Section A, 2 books", "a1; 2001, 1 of 5"])
    #expect(
      try reader.type("") == [
        "publisher: A", "title: a1", "year: 2001", "a1; 2001, 1 of 5",
      ]
    )
    #expect(try reader.type(" ") == ["a2, 2 of 5"])
    #expect(try reader.type("K") == ["Section A, 2 books"])
  }

  @Test func `R140: a word that is no key does nothing, whatever keys its letters are`()
    async throws
  {
    var reader = try await Reader(Self.books)
    for word in ["dog", "dd", "quit", "d 3", "zq", "é"] {
      let lines = try reader.type(word)
      #expect(lines[0].hasPrefix("There is no key “\(word)”."), "\(lines)")
      #expect(reader.world.effects.isEmpty)
    }
    #expect(try reader.type("zz")[0] == "That needs a full screen.")
    #expect(try reader.type("e")[0].contains("The verbs add and edit of book-catalog"))
    #expect(try reader.type("?").count { $0.contains("zz") || $0.contains("clipboard") } == 0)
    #expect(try reader.type("? filter").contains { $0.hasPrefix("/: ") })
  }

  @Test func `R140: a menu is a numbered list, and is answered by a number or a part of a name`()
    async throws
  {
    var reader = try await Reader(Self.books)
    let menu = try reader.type("S")
    #expect(menu.first == "Sections by:" && menu.contains("3 title"))
    _ = try reader.type("2")
    guard case .open(_, let choice)? = reader.world.effects.last else {
      Issue.record("nothing is opened: \(reader.world.effects)")
      return
    }
    #expect(choice.sectionBy == "publisher")
    var other = try await Reader(Self.books)
    _ = try other.type("s -ye")
    guard case .open(_, let choice)? = other.world.effects.last else {
      Issue.record("nothing is opened: \(other.world.effects)")
      return
    }
    #expect(choice.sort == "-year")
    let several = try other.type("\"")
    #expect(several.contains("1 A, 2"))
    #expect(try other.type("") == ["a1; 2001, 1 of 5"])
  }

  @Test func `R140: changes of others are announced in words, many of them as a number`()
    async throws
  {
    var reader = try await Reader(Self.books)
    _ = try reader.type("3")
    #expect(
      try await reader.write { try $0.add("B", "b0", 1999, in: $1) } == ["added: b0; 1999, in B"]
    )
    #expect(
      try await reader.write { try $0.change("a1", in: $1) { $0[2] = .integer(7) } } == [
        "changed: a1; 7"
      ]
    )
    let moved = try await reader.write { try $0.change("a1", in: $1) { $0[0] = .text("C") } }
    #expect(moved == ["moved: a1; 7, from A to C"])
    let gone = try await reader.write { try $0.remove("b1", in: $1) }
    #expect(gone == ["deleted: b1; 2003", "b2; 2004, 3 of 5"])
    let many = try await reader.write { transaction, world in
      for number in 0..<9 { try transaction.add("D", "d\(number)", in: world) }
    }
    #expect(many.count == LineBrowser.mostNamedChanges)
    #expect(many.last == "and 5 more changes: 14 books in 4 sections")
  }

  @Test func `R140: a line is edited without escape sequences`() {
    var editor = LineEditor()
    var screen = ""
    for character in "ab影" { screen += editor.press(Key(.character(character))).echo }
    #expect(screen == "ab影")
    #expect(editor.press(Key(.backspace)).echo == "\u{8} \u{8}\u{8} \u{8}")
    #expect(editor.text == "ab")
    #expect(editor.press(Key(.down)) == (.typing, ""))
    #expect(editor.press(Key(.character("u"), control: true)).echo.count == 6)
    #expect(editor.press(Key(.down)) == (.key(Key(.down)), ""))
    #expect(
      editor.press(Key(.character("\u{9B}"))).echo.unicodeScalars.allSatisfy { $0 != "\u{9B}" }
    )
    #expect(editor.press(Key(.enter)) == (.line("\u{9B}"), "\r\n"))
    #expect(editor.press(Key(.character("d"), control: true)) == (.end, ""))
  }

  @Test func `R140: a value with control characters is read out without them`() async throws {
    var reader = try await Reader([("A", "\u{1B}]52;c;aGk=\u{7}", 1), ("A", "b\u{9B}2J", 2)])
    for line in ["j", "k", "*", "1", "Enter", "/b", "/", "V", "2j"] {
      let lines = try reader.type(line)
      #expect(
        lines.allSatisfy { text in
          text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        },
        "\(line)"
      )
    }
  }

  @Test(arguments: ["99999999999999999999j", "9223372036854775806jj", "99999999999999999999^F"])
  func `R140: a count beyond every list goes to its end`(_ line: String) async throws {
    var reader = try await Reader((0..<9).map { ("A", "a\($0)", nil) })
    _ = try reader.type("3j")
    #expect(try reader.type(line).last?.contains("9 of 9") == true)
  }
}
