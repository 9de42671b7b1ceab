import Foundation
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

  /// The names of keys in the table below “## Keys” of docs/browse.md.
  private func documentedKeys() throws -> Set<String> {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/browse.md"),
      encoding: .utf8
    )
    let section = page.components(separatedBy: "\n## Keys\n").dropFirst().first ?? ""
    let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    let cells = rows.compactMap { row in
      // A bar inside of a key would be escaped.
      row.dropFirst(2).components(separatedBy: " | ").first
    }
    let spans = cells.flatMap { cell in
      cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map(\.element)
    }
    return Set(
      spans.flatMap { $0.split(separator: " ").map(String.init) }.map { key in
        // `:120` is an example of what follows the colon.
        key == "Space" ? "␣" : key.hasPrefix(":") ? ":" : key
      }
    )
  }

  @Test func `R135: the table of the document has the keys of the keymap, and no other`() throws {
    let documented = try documentedKeys()
    #expect(documented.count > 30)
    let known = BrowserKeymap.entries.map { $0.keys.map { $0.joined() } }
    for (entry, keys) in zip(BrowserKeymap.entries, known) {
      #expect(!documented.isDisjoint(with: keys), "\(entry.keyText): \(entry.help)")
    }
    let unknown = documented.subtracting(known.joined())
    #expect(unknown == [])
  }
}
