import Foundation
import Testing

/// Every story, told by the built program, word for word as recorded; in memory and on a file alike.
///
/// `RESULTS_RECORD=1` records what is told now and fails, so that nobody keeps a transcript unread.
@Suite struct StoryTests {
  @Test(arguments: [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ])
  func `a story is told as recorded, on both stores`(_ program: String) throws {
    let run = try ProgramRun()
    let memory = try run.run(program, "story").output
    let file = try run.run(program, "story", "--store", "story.sqlite").output
    #expect(Array(memory.utf8) == Array(file.utf8), "the two stores tell different stories")

    let path = ProgramFolder.fixture("Transcripts/\(program)-story.txt")
    if ProcessInfo.processInfo.environment["RESULTS_RECORD"] == "1" {
      try Data(memory.utf8).write(to: URL(fileURLWithPath: path))
      Issue.record("\(path) was recorded. Read it, then run without RESULTS_RECORD.")
    } else {
      let recorded = try #require(
        FileManager.default.contents(atPath: path),
        "there is no \(path); RESULTS_RECORD=1 records it"
      )
      let difference = firstDifference(String(decoding: recorded, as: UTF8.self), memory)
      #expect(difference == nil, "RESULTS_RECORD=1 records what is told now")
    }
  }

  @Test func `a story does not depend on the reader's locale or time zone`() throws {
    let run = try ProgramRun()
    let plain = try run.run("household-ledger", "story").output
    run.environment["LANG"] = "de_DE.UTF-8"
    run.environment["TZ"] = "America/New_York"
    #expect(try run.run("household-ledger", "story").output == plain)
  }

  @Test func `a story does not touch a file that is there`() throws {
    let run = try ProgramRun()
    try run.write("precious", to: "notes.txt")
    let refused = try run.run("book-catalog", "story", "--store", "notes.txt", expecting: 73)
    #expect(refused.errors.contains("notes.txt is there already"))
    #expect(try run.read("notes.txt") == "precious")
  }

  private func firstDifference(_ expected: String, _ found: String) -> String? {
    let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let found = found.split(separator: "\n", omittingEmptySubsequences: false)
    for number in 0..<max(expected.count, found.count) {
      let left = number < expected.count ? expected[number] : "(the end)"
      let right = number < found.count ? found[number] : "(the end)"
      if !left.utf8.elementsEqual(right.utf8) {
        return "line \(number + 1)\n  recorded: \(left)\n  told now: \(right)"
      }
    }
    return nil
  }
}

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
