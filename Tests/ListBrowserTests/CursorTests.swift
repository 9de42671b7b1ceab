import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@testable import ListBrowser

/// R133: the rules of the cursor, one by one.
@Suite("The cursor while others write", .timeLimit(.minutes(1)))
struct CursorTests {
  /// Sections A to D with rows `a0` to `d9`.
  private static let rows = ["A", "B", "C", "D"].flatMap { section in
    (0..<10).map { (section, "\(section.lowercased())\($0)", 2000 + $0) }
  }

  private func world(at title: String, lines: Int = 14) async throws -> World {
    var world = try await World(Self.rows, lines: lines)
    try world.go(to: title)
    return world
  }

  @Test func `R133: rows come, go and move elsewhere, and the cursor keeps its row and its line`()
    async throws
  {
    var world = try await world(at: "b5")
    let line = world.model.pane.line
    try await world.write { transaction, world in
      for number in 0..<7 { try transaction.add("A", "a\(number)x", in: world) }
      try transaction.remove("b1", in: world)
      try transaction.change("d1", in: world) { $0[1] = .text("d91") }
    }
    #expect(world.cursorTitle == "b5")
    #expect(world.model.pane.line == line)
  }

  @Test func `R133: a row that others move on the screen is followed there`() async throws {
    var world = try await world(at: "b5")
    let top = world.model.pane.top
    try await world.write { transaction, world in
      try transaction.change("b5", in: world) { $0[1] = .text("b71") }
    }
    #expect(world.cursorTitle == "b71")
    #expect(world.model.pane.top == top)
  }

  @Test func `R133: a row that others move away is left, and can be followed`() async throws {
    var world = try await world(at: "b5")
    let line = world.model.pane.line
    try await world.write { transaction, world in
      try transaction.change("b5", in: world) { $0[0] = .text("D") }
    }
    #expect(world.cursorTitle == "b6")
    #expect(world.model.pane.line == line)
    #expect(world.model.message == "↗ b5 went to D: ^O follows")
    try world.press("\u{F}")
    #expect(world.cursorTitle == "b5")
    try world.press("\u{F}")
    #expect(world.cursorTitle == "b6")
  }

  @Test func `R133: a row that my own command moves is followed`() async throws {
    var world = try await world(at: "b5")
    let line = world.model.pane.line
    try await world.write(origin: CommitOrigin("browse-1")) { transaction, world in
      try transaction.change("b5", in: world) { $0[0] = .text("D") }
    }
    #expect(world.cursorTitle == "b5")
    #expect(world.model.pane.line == line)
  }

  @Test func `R133: the next row takes the cursor of a deleted one, and then the row before`()
    async throws
  {
    var world = try await world(at: "b8")
    let line = world.model.pane.line
    try await world.write { transaction, world in try transaction.remove("b8", in: world) }
    #expect(world.cursorTitle == "b9")
    #expect(world.model.pane.line == line)
    #expect(world.model.message == "b8 is no longer in the list.")
    try await world.write { transaction, world in try transaction.remove("b9", in: world) }
    #expect(world.cursorTitle == "b7")
    #expect(world.model.pane.line == line)
  }

  @Test func `R133: when its section goes, the cursor is on the first row of the next one`()
    async throws
  {
    var world = try await world(at: "b5")
    try await world.write { transaction, world in
      for number in 0..<10 { try transaction.remove("b\(number)", in: world) }
    }
    #expect(world.cursorTitle == "c0")
    // A cursor on a header goes to the next header, or the one before.
    try world.press("K")
    #expect(world.model.pane.cursor == .header(1))
    try await world.write { transaction, world in
      for number in 0..<10 { try transaction.remove("c\(number)", in: world) }
    }
    #expect(world.model.pane.cursor == .header(1))
    #expect(world.model.pane.header(1)?.title == "D")
    try await world.write { transaction, world in
      for number in 0..<10 { try transaction.remove("d\(number)", in: world) }
    }
    #expect(world.model.pane.header(0)?.title == "A")
    #expect(world.model.pane.cursor == .header(0))
    try await world.write { transaction, world in
      for number in 0..<10 { try transaction.remove("a\(number)", in: world) }
    }
    #expect(world.model.pane.cursor == nil)
    #expect(world.screen.contains { $0.contains("There are no books.") })
  }

  @Test func `R133: the cursor keeps to an edge after g and G, until it moves`() async throws {
    var world = try await world(at: "b5")
    try world.press("G")
    #expect(world.cursorTitle == "d9")
    try await world.write { transaction, world in try transaction.add("E", "e0", in: world) }
    #expect(world.cursorTitle == "e0")
    #expect(world.screen[0].hasSuffix("⇣ last  ● live"))
    try world.press("g")
    try await world.write { transaction, world in try transaction.add("0", "zero", in: world) }
    #expect(world.cursorTitle == "zero")
    try world.press("j")
    let title = world.cursorTitle
    try await world.write { transaction, world in try transaction.add("00", "y", in: world) }
    #expect(world.cursorTitle == title)
  }

  @Test func `R133: rows that come above the first line scroll off, and are counted`() async throws
  {
    var world = try await world(at: "a2")
    #expect(world.model.pane.top == 0)
    let line = world.model.pane.line
    try await world.write { transaction, world in
      for number in 0..<3 { try transaction.add("0", "zero\(number)", in: world) }
    }
    #expect(world.cursorTitle == "a2")
    #expect(world.model.pane.line == line)
    #expect(world.model.message == "↑ 3 new above")
  }

  @Test func `R133: the line of the cursor changes only where the list has an end`() async throws {
    var world = try await world(at: "d9")
    #expect(world.model.pane.line == world.model.pane.height - 1)
    try await world.write { transaction, world in
      for number in 0..<10 {
        try transaction.remove("a\(number)", in: world)
        try transaction.remove("b\(number)", in: world)
        try transaction.remove("c\(number)", in: world)
      }
      for number in 3..<9 { try transaction.remove("d\(number)", in: world) }
    }
    #expect(world.cursorTitle == "d9")
    #expect(world.model.pane.top == 0)
    #expect(world.model.pane.line == 4)
  }
}

extension World {
  /// The title of the row under the cursor.
  var cursorTitle: String? {
    if case .text(let title)? = model.pane.cursorRow?.values[1] { title } else { nil }
  }

  /// Moves the cursor to the row with a title.
  mutating func go(to title: String) throws {
    guard let id = try row(title)?.id, let path = model.pane.list?.path(of: id) else { return }
    model.pane.go(to: .row(path))
    try send(.tick)
  }
}
