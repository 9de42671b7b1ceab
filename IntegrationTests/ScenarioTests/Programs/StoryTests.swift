import ResultsStoreKit
import Foundation
import Testing

/// The stories that the programs print are documents: each is recorded in `Fixtures/Transcripts`.
///
/// `RESULTS_RECORD=1` records the present output and fails, so that nobody commits a transcript unread.
@Suite struct StoryTests {
  @Test(arguments: [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ])
  func `R36, R86: a story prints the recorded lines, on both stores, in every locale and time zone`(
    _ program: String
  ) throws {
    let run = try ProgramRun()
    let story = try run.run(program, "story").output
    let onFile = try run.run(program, "story", "--store", "story.sqlite").output
    #expect(onFile.utf8.elementsEqual(story.utf8), "the two stores give different stories")
    run.environment["LANG"] = "de_DE.UTF-8"
    run.environment["TZ"] = "America/New_York"
    let elsewhere = try run.run(program, "story").output
    #expect(elsewhere.utf8.elementsEqual(story.utf8), "locale or time zone change the story")

    let path = ProgramFolder.fixture("Transcripts/\(program)-story.txt")
    if ProcessInfo.processInfo.environment["RESULTS_RECORD"] == "1" {
      try Data(story.utf8).write(to: URL(fileURLWithPath: path))
      Issue.record("\(path) was recorded. Read it, then run without RESULTS_RECORD.")
    } else {
      let recorded = try #require(
        FileManager.default.contents(atPath: path),
        "there is no \(path); RESULTS_RECORD=1 records it"
      )
      let difference = firstDifference(String(decoding: recorded, as: UTF8.self), story)
      #expect(difference == nil, "RESULTS_RECORD=1 records the present output")
      #expect(recorded.count == story.utf8.count)
    }
  }

  @Test func `a story does not touch an existing file`() throws {
    let run = try ProgramRun()
    try run.write("precious", to: "notes.txt")
    let refused = try run.run("book-catalog", "story", "--store", "notes.txt", expecting: 73)
    #expect(refused.errors.contains("notes.txt exists already"))
    #expect(try run.read("notes.txt") == "precious")
  }

  private func firstDifference(_ expected: String, _ found: String) -> String? {
    let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let found = found.split(separator: "\n", omittingEmptySubsequences: false)
    for number in 0..<max(expected.count, found.count) {
      let left = number < expected.count ? expected[number] : "(the end)"
      let right = number < found.count ? found[number] : "(the end)"
      if !left.utf8.elementsEqual(right.utf8) {
        return "line \(number + 1)\n  recorded: \(left)\n  now:      \(right)"
      }
    }
    return nil
  }
}

/// The screens in the README are the output of the programs.
@Suite struct `The README's screens` {
  @Test func `the demo's screen is what the demo prints`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "books.sqlite")
    let list = try run.run("book-catalog", "list", "--store", "books.sqlite", "--format", "table")
    let drawn = try firstFrame()
    let printed = list.output.split(separator: "\n").map(Self.withoutSpaces)
      .filter { !$0.isEmpty }
    #expect(printed.count > 14)
    #expect(Array(drawn.dropFirst().prefix(printed.count)) == printed)
  }

  /// The lines of the picture's first frame, without spaces; the first line is the command.
  ///
  /// `script/picture` draws it again.
  private func firstFrame() throws -> [String] {
    let path = ProgramFolder.fixture("../docs/pictures/live-list.svg")
    let picture = try String(contentsOfFile: path, encoding: .utf8)
    let frames = picture.components(separatedBy: "<g class=\"f f")
    let frame = try #require(frames.dropFirst().first { $0.hasPrefix("0\"") })
    var lines: [(y: Substring, text: String)] = []
    for match in frame.matches(of: /<text [^>]*y="([0-9.]+)"[^>]*>([^<]*)<\/text>/) {
      let (y, text) = (match.output.1, Self.withoutSpaces(match.output.2))
      if lines.last?.y == y {
        lines[lines.count - 1].text += text
      } else {
        lines.append((y, text))
      }
    }
    return lines.map(\.text)
  }

  private static func withoutSpaces(_ text: Substring) -> String {
    text.filter { $0 != " " }.replacing("&lt;", with: "<").replacing("&gt;", with: ">")
      .replacing("&amp;", with: "&")
  }
}
