import Foundation
import Testing

/// The README shows what the programs print.
@Suite struct `The README's picture` {
  @Test func `it begins with the list that the program prints`() throws {
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
