import ResultsDomain
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R134: titles of every kind in screens of every size.
@Suite("Sizes of the full-screen list", .timeLimit(.minutes(1)))
struct SizeTests {
  /// Texts that terminals draw, or execute, differently.
  private static let titles = [
    "帰還", "ラドチ戦史 👩‍🚀 合本", "e\u{301}tude", "\u{1B}]52;c;aGk=\u{7}", "\u{9B}31m",
    "a\u{202E}b\u{2066}c", "👨‍👩‍👧‍👦🇯🇵", "ﷺ", "क्षि", String(repeating: "長", count: 300), "",
  ]

  @Test(arguments: [(20, 4), (40, 12), (80, 24), (200, 50), (21, 5), (119, 18), (120, 17)])
  func `R134: no line is longer than the screen, and nothing is executed`(
    _ columns: Int,
    _ lines: Int
  ) async throws {
    let rows = Self.titles.enumerated().map { index, title in (title, "\(title) \(index)", index) }
    var world = try await World(rows, columns: columns, lines: lines)
    let width = DisplayWidth()
    for keys in ["", "jj", "\r", "\t", "\r", "G", "zM", "?", "\u{1B}", "\"", "\u{1B}", "/影", "*"] {
      try world.press(keys)
      let screen = world.screen
      #expect(screen.count == lines)
      for line in screen {
        #expect(width.columns(of: line) <= columns, "\(keys.debugDescription): \(line)")
        let isSafe = line.unicodeScalars.allSatisfy { scalar in
          scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
            && !(0x202A...0x202E).contains(scalar.value)
            && !(0x2066...0x2069).contains(scalar.value)
        }
        #expect(isSafe, "\(keys.debugDescription): \(line.debugDescription)")
      }
    }
  }

  @Test func `R134: a wide screen has the detail pane beside the list`() async throws {
    var world = try await World([("早川書房", "ソラリス", 2004)], columns: 120, lines: 20)
    try world.press("\r")
    #expect(world.screen[2].contains("│── ソラリス ─ Book 1 ───"))
    #expect(world.screen[3].contains("│  publisher  早川書房"))
    #expect(world.screen[3].hasPrefix(">  ソラリス"))
  }

  @Test func `R134: a pane that is too small says which of its lines it shows`() async throws {
    var world = try await World([("A", "a", 1)], columns: 80, lines: 18)
    let long = (0..<12).map { BrowserDetail("line \($0)", "text") }
    world.model.addDetails(long)
    try world.press("\r")
    #expect(world.screen.contains { $0.hasSuffix("1–4 of 15, Tab scrolls") })
    try world.press("\tj")
    #expect(world.screen.contains { $0.hasSuffix("2–5 of 15, Tab scrolls") })
  }
}

extension BrowserModel {
  fileprivate mutating func addDetails(_ lines: [BrowserDetail]) {
    setup.details += lines.map { line in BrowserSetup.Column(line.title) { _ in line.text } }
  }
}
