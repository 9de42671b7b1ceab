import Foundation
import Testing

/// Feeds as they are published: items that share a guid, are corrected, or have no name.
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

  @Test func `items of two feeds that share a guid are both there, and come in once`() throws {
    let run = try ProgramRun()
    for (feed, title) in [("A", "first"), ("B", "second")] {
      for report in ["imported 1 item, 0 known already\n", "imported 0 items, 1 known already\n"] {
        let result = try run.run("news-feed", "import", "-", input: rss(feed, item("1", title)))
        #expect(result.output == report)
      }
    }
    #expect(try titles(run) == ["A\tfirst", "B\tsecond"])
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

  @Test func `an item with neither guid nor link comes in once, and refuses nothing`() throws {
    let run = try ProgramRun()
    let bare = "<item><title>bare</title><description>text</description></item>"
    let feed = rss("A", item("1", "named"), bare)
    let first = try run.run("news-feed", "import", "-", input: feed)
    #expect(first.output == "imported 2 items, 0 known already\n")
    let second = try run.run("news-feed", "import", "-", input: feed)
    #expect(second.output == "imported 0 items, 2 known already\n")
    #expect(try titles(run) == ["A\tbare", "A\tnamed"])
  }

  @Test func `a guid that a feed gives to all its items tells none of them`() throws {
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

  @Test func `items come back from an export, with their feeds and marks`() throws {
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
    // Marks in the store are the reader's own: an older file does not take them back.
    try run.run("news-feed", "mark-read", "--all")
    try run.run("news-feed", "import", "a.jsonl")
    #expect(try run.run("news-feed", "list", "--unread", "--format", "tsv").lines.count <= 1)
  }
}
