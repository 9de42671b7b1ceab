import Foundation
import Testing

/// Feeds in encodings that the XML parser does not take, or does not survive.
@Suite struct FeedEncodingTests {
  private let feed = """
    <rss version="2.0"><channel><title>F\u{FC}d</title><item><guid>1</guid><title>\u{5BFF}\u{53F8}</title></item>\
    </channel></rss>
    """

  private func titles(_ run: ProgramRun) throws -> [String] {
    try run.run("news-feed", "list", "--format", "tsv", "--columns", "title").lines.dropFirst()
      .sorted()
  }

  @Test(
    arguments: [
      String.Encoding.utf32BigEndian, .utf32LittleEndian, .utf16BigEndian, .utf16LittleEndian,
    ],
    [true, false]
  )
  func `a feed in another Unicode form is read, with a byte order mark and without`(
    _ encoding: String.Encoding,
    _ hasMark: Bool
  ) throws {
    let run = try ProgramRun()
    let text = (hasMark ? "\u{FEFF}" : "") + "<?xml version=\"1.0\"?>" + feed
    let data = try #require(text.data(using: encoding))
    try data.write(to: URL(fileURLWithPath: run.path("feed.xml")))
    try run.run("news-feed", "import", "feed.xml")
    #expect(try titles(run) == ["Füd\t寿司"])
    // By what it holds, where its name says nothing.
    try data.write(to: URL(fileURLWithPath: run.path("feed")))
    let again = try run.run("news-feed", "import", "feed")
    #expect(again.output == "imported 0 items, 1 known already\n")
  }

  @Test(arguments: [
    [0x00, 0x00, 0x3C, 0x00, 0x00, 0x00, 0x3F, 0x00], Array("<rss>\0</rss>".utf8),
    [0xFF, 0xFE, 0x00, 0x00, 0x3C], [0x3C, 0x00, 0x00, 0xD8], [0xFE, 0xFF, 0x00],
    [0x00, 0x00, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ])
  func `bytes of no encoding that is read are refused before they are parsed`(
    _ bytes: [UInt8]
  ) throws {
    let run = try ProgramRun()
    try Data(bytes).write(to: URL(fileURLWithPath: run.path("feed.xml")))
    let refused = try run.run("news-feed", "import", "feed.xml", expecting: 65)
    #expect(refused.errors.contains("iconv"))
  }

  @Test(arguments: [
    ("euc-kr", [0xB1, 0xB9] as [UInt8], "\u{AD6D}"), ("Big5", [0xB6, 0xEA], "\u{5713}"),
    ("gb2312", [0xB9, 0xFA], "\u{56FD}"), ("KOI8-R", [0xC1], "\u{430}"),
    ("EUC-JP", [0xB9, 0xF1], "\u{56FD}"), ("windows-1252", [0x80], "\u{20AC}"),
    ("UTF-16", [0x61], "a"),
  ])
  func `a feed in a declared encoding is read`(
    _ name: String,
    _ title: [UInt8],
    _ expected: String
  ) throws {
    let run = try ProgramRun()
    let start =
      "<?xml version='1.0' encoding='\(name)'?><rss><channel><title>f</title><item><title>"
    let end = "</title><guid>1</guid></item></channel></rss>"
    try Data(Array(start.utf8) + title + Array(end.utf8)).write(
      to: URL(fileURLWithPath: run.path("feed.xml"))
    )
    try run.run("news-feed", "import", "feed.xml")
    #expect(try titles(run) == ["f\t\(expected)"])
  }
}
