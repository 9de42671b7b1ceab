import ResultsStoreKit
import Foundation
import Testing

/// Importing real feeds: items that share a guid, are corrected, or have no identifier.
@Suite struct FeedImportTests {
  private func rss(_ title: String, _ items: String...) -> String {
    "<rss version=\"2.0\"><channel><title>\(title)</title>\(items.joined())</channel></rss>"
  }

  private func item(_ guid: String, _ title: String, _ more: String = "") -> String {
    "<item><guid isPermaLink=\"false\">\(guid)</guid><title>\(title)</title>\(more)</item>"
  }

  private func titles(_ run: ProgramRun) throws -> [String] {
    try run.run("news-feed", "list", "--format", "tsv", "--columns", "title").lines.dropFirst()
      .sorted()
  }

  @Test func `items of two feeds that share a guid are both imported, once`() throws {
    let run = try ProgramRun()
    for (feed, title) in [("A", "first"), ("B", "second")] {
      for report in ["imported 1 item, 0 known already\n", "imported 0 items, 1 known already\n"] {
        let result = try run.run("news-feed", "import", "-", input: rss(feed, item("1", title)))
        #expect(result.output == report)
      }
    }
    #expect(try titles(run) == ["A\tfirst", "B\tsecond"])
  }

  @Test func `R212: one bad date refuses neither the feed nor its item, which stands last`() throws
  {
    let run = try ProgramRun()
    let good = item("1", "dated", "<pubDate>Tue, 03 Nov 2026 09:00:00 GMT</pubDate>")
    let feed = rss("A", item("2", "undated", "<pubDate>garbage</pubDate>"), good)
    let result = try run.run("news-feed", "import", "-", input: feed)
    #expect(result.output == "imported 2 items, 0 known already\n")
    #expect(
      result.errors.contains(
        "“garbage” is not a date in the form of RFC 822 or RFC 3339: the item has no date."
      ),
      "\(result.errors)"
    )
    let listed = try run.run(
      "news-feed",
      "list",
      "--format",
      "tsv",
      "--columns",
      "title,published"
    ).lines
    #expect(Array(listed.dropFirst()) == ["A\tdated\t2026-11-03T09:00:00Z", "A\tundated\t"])
    // A date that is read stays when the publisher breaks it later.
    let broken = item("1", "dated", "<pubDate>soon</pubDate>")
    try run.run("news-feed", "import", "-", input: rss("A", broken))
    let kept = try run.run("news-feed", "list", "--format", "tsv", "--columns", "published")
    #expect(kept.output.contains("2026-11-03T09:00:00Z"))
  }

  @Test func `a corrected item is updated and stays read`() throws {
    let run = try ProgramRun()
    let wrong = item("1", "Teh title", "<description>old</description>")
    let right = item("1", "The title", "<description>new</description>")
    try run.run("news-feed", "import", "-", input: rss("A", wrong))
    try run.run("news-feed", "open", "1")
    let trial = try run.run("news-feed", "import", "-", "--dry-run", input: rss("A", right))
    #expect(trial.output == "would import 0 items, 0 known already, 1 updated\n")
    let update = try run.run("news-feed", "import", "-", input: rss("A", right))
    #expect(update.output == "imported 0 items, 0 known already, 1 updated\n")
    #expect(try run.run("news-feed", "list", "--unread", "--format", "tsv").lines.count <= 1)
    let opened = try run.run("news-feed", "open", "1")
    #expect(opened.output.contains("The title") && opened.output.contains("new"))
  }

  @Test func `an item with neither guid nor link is imported once`() throws {
    let run = try ProgramRun()
    let bare = "<item><title>bare</title><description>text</description></item>"
    let feed = rss("A", item("1", "named"), bare)
    let first = try run.run("news-feed", "import", "-", input: feed)
    #expect(first.output == "imported 2 items, 0 known already\n")
    let second = try run.run("news-feed", "import", "-", input: feed)
    #expect(second.output == "imported 0 items, 2 known already\n")
    #expect(try titles(run) == ["A\tbare", "A\tnamed"])
  }

  @Test func `items are imported although their feed gives all of them one guid`() throws {
    let run = try ProgramRun()
    let feed = rss(
      "A",
      item("same", "one", "<link>http://a.example/1</link>"),
      item("same", "two", "<link>http://a.example/2</link>")
    )
    #expect(
      try run.run("news-feed", "import", "-", input: feed).output
        == "imported 2 items, 0 known already\n"
    )
    #expect(
      try run.run("news-feed", "import", "-", input: feed).output
        == "imported 0 items, 2 known already\n"
    )
  }

  @Test func `an export and import preserves items, feeds and read marks`() throws {
    let run = try ProgramRun()
    for feed in ["A", "B"] {
      try run.run("news-feed", "import", "-", input: rss(feed, item("1", feed)))
    }
    try run.run("news-feed", "open", "1")
    try run.run("news-feed", "export", "a.jsonl")
    let report = try run.run("news-feed", "import", "a.jsonl", "--store", "b.sqlite")
    #expect(report.output == "imported 2 items, 0 known already\n")
    try run.run("news-feed", "export", "b.jsonl", "--store", "b.sqlite")
    #expect(try run.read("a.jsonl") == run.read("b.jsonl"))
    // Read marks in the store belong to the user: an older file does not change them.
    try run.run("news-feed", "mark-read", "--all")
    try run.run("news-feed", "import", "a.jsonl")
    #expect(try run.run("news-feed", "list", "--unread", "--format", "tsv").lines.count <= 1)
  }
}

/// Feeds in encodings that the XML parser does not support, or at which it crashes.
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
  func `a feed in UTF-16 or UTF-32 is read, with and without a byte order mark`(
    _ encoding: String.Encoding,
    _ hasMark: Bool
  ) throws {
    let run = try ProgramRun()
    let text = (hasMark ? "\u{FEFF}" : "") + "<?xml version=\"1.0\"?>" + feed
    let data = try #require(text.data(using: encoding))
    try data.write(to: URL(fileURLWithPath: run.path("feed.xml")))
    try run.run("news-feed", "import", "feed.xml")
    #expect(try titles(run) == ["Füd\t寿司"])
    // The format is detected from the content.
    try data.write(to: URL(fileURLWithPath: run.path("feed")))
    let again = try run.run("news-feed", "import", "feed")
    #expect(again.output == "imported 0 items, 1 known already\n")
  }

  @Test(arguments: [
    [0x00, 0x00, 0x3C, 0x00, 0x00, 0x00, 0x3F, 0x00], Array("<rss>\0</rss>".utf8),
    [0xFF, 0xFE, 0x00, 0x00, 0x3C], [0x3C, 0x00, 0x00, 0xD8], [0xFE, 0xFF, 0x00],
    [0x00, 0x00, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ])
  func `bytes of an unsupported encoding are refused before they are parsed`(
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
