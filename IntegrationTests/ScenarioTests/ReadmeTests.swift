import Foundation
import Testing

/// What the README shows of the programs is what they print.
@Suite struct `The README's screens` {
  @Test func `the demo's screen is what the demo prints`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "books.sqlite")
    let list = try run.run("book-catalog", "list", "--store", "books.sqlite", "--format", "table")
    #expect(try screen(named: "demo") == list.output)
  }

  /// The fenced block below `<!-- screen: name -->`.
  private func screen(named name: String) throws -> String {
    let text = try String(contentsOfFile: ProgramFolder.fixture("../README.md"), encoding: .utf8)
    let parts = text.components(separatedBy: "<!-- screen: \(name) -->\n```text\n")
    let block = try #require(parts.dropFirst().first, "the README has no screen \(name)")
    return try #require(block.components(separatedBy: "```").first)
  }
}
