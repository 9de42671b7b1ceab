import ResultsStoreKit
import Foundation
import Testing

/// Subscribing to feeds and refreshing them with the built program, from a server on the loopback.
@Suite(
  .enabled(
    if: FetchingProgram.canFetch,
    "libcurl 7.85 or later is missing: apt-get install libcurl4"
  )
)
struct SubscriptionTests {
  private let run: ProgramRun
  private let server: FeedServer

  init() throws {
    run = try ProgramRun()
    server = try FeedServer()
    run.environment["no_proxy"] = "127.0.0.1"
  }

  private func rss(_ title: String, _ items: String..., ttl: Int? = nil) -> String {
    let ttl = ttl.map { "<ttl>\($0)</ttl>" } ?? ""
    return "<rss version=\"2.0\"><channel><title>\(title)</title>\(ttl)"
      + items.map { "<item><guid>\($0)</guid><title>item \($0)</title></item>" }.joined()
      + "</channel></rss>"
  }

  @discardableResult
  private func feed(_ arguments: String..., expecting status: Int32 = 0) throws -> ProgramResult {
    let result = try run.run("news-feed", arguments)
    #expect(result.status == status, "\(result)")
    return result
  }

  private var feeds: [String] {
    get throws {
      try feed("feeds", "--format", "tsv", "--columns", "title,unread,failure").lines.dropFirst()
        .map { String($0) }
    }
  }

  @Test func `R254: a feed is subscribed to, refreshed, listed and unsubscribed from`() throws {
    defer { server.stop() }
    server.set("/a", "200 OK", ["ETag: \"1\""], rss("Alpha", "1", "2"))
    let address = server.address("/a")
    #expect(
      try feed("subscribe", address, "--folder", "f").output == "subscribed to Alpha: 2 items\n"
    )
    #expect(
      try feed("subscribe", address).output == "Alpha is subscribed to already: 0 new items\n"
    )
    #expect(try feed("print-unread").output == "2\n")
    #expect(try feed("refresh").output.hasPrefix("no feed is due before "))
    server.set("/a", "200 OK", [], rss("Alpha", "2", "3"))
    let second = try feed("refresh", "--all").output
    #expect(second.contains(/^1 feed in [0-9]+\.[0-9] s: 1 with 1 new item\n$/), "\(second)")
    try feed("open", "2")
    #expect(try feeds == ["f\tAlpha\t2\t"])
    server.set("/a", "304 Not Modified")
    let third = try feed("refresh", "Alpha").output
    #expect(third.contains("1 unchanged"), "\(third)")
    #expect(server.requests.contains { $0.contains("If-None-Match: \"1\"\r\n") })
    #expect(
      try feed("unsubscribe", "nope", expecting: 1).errors.contains("There is no feed “nope”.")
    )
    #expect(
      try feed("unsubscribe", "1", "--keep-items").output
        == "unsubscribed from Alpha: 3 items kept\n"
    )
    #expect(try feed("refresh").output.hasPrefix("There are no feeds to fetch"))
    #expect(try feed("unsubscribe", "Alpha").output == "unsubscribed from Alpha: 3 items removed\n")
    #expect(try feed("print-unread").output == "0\n")
  }

  @Test func `R255: what a bad server does is its feed's failure, and the others go on`() throws {
    defer { server.stop() }
    let answers: [(path: String, failure: String, bytes: String)] = [
      ("/html", "line 1: this is an HTML page, not an RSS or Atom feed", "\n\n<html></html>"),
      ("/torn", "line 1: the feed ends inside of an element", "\n\n<rss><channel>"),
      ("/short", "the connection ended before the answer", "\nContent-Length: 99\n\n<rss>"),
      ("/empty", "line 1: the feed is empty or ends before its first element", "\n\n"),
      ("/packed", "the answer cannot be unpacked", "\nContent-Encoding: gzip\n\nno gzip"),
      (
        "/attack",
        "line 1: the document defines its own entities, which can be used for an entity-expansion attack",
        "\n\n<!DOCTYPE a [<!ENTITY b 'c'>]><rss/>"
      ),
    ]
    for (path, _, bytes) in answers {
      server.set(path, bytes: "HTTP/1.1 200 OK" + bytes.replacing("\n", with: "\r\n"))
    }
    let large = String(repeating: "<!-- \(String(repeating: "x", count: 1000)) -->", count: 9000)
    server.set("/large", "200 OK", [], large)
    server.set("/file", "302 Found", ["Location: file:///etc/passwd"])
    server.set("/circle", "302 Found", ["Location: /circle"])
    server.set("/busy", "429 Too Many Requests", ["Retry-After: 7200"])
    server.set("/gone", "410 Gone")
    server.set("/good", "200 OK", [], rss("Good", "1"))
    let others = [
      ("/large", "larger than 8 MB when unpacked"),
      ("/file", "redirected to an address that is none of http or https"),
      ("/circle", "redirected more than 5 times"), ("/busy", "429 Too Many Requests"),
      ("/gone", "410 Gone: it is not fetched any more"),
    ]
    let all = answers.map { ($0.path, $0.failure) } + others
    for (path, _) in all + [("/good", "")] {
      try feed("subscribe", server.address(path), "--later")
    }
    let result = try feed("refresh", expecting: 1)
    #expect(
      result.lines.first?.hasSuffix("s: 1 with 1 new item, \(all.count) failed") == true,
      "\(result)"
    )
    let stored = try feeds
    for (path, failure) in all {
      #expect(stored.contains("\t\(server.address(path))\t0\t\(failure)"), "\(path): \(stored)")
    }
    #expect(stored.contains("\tGood\t1\t"), "\(stored)")
    let times = try feed("feeds", "--format", "tsv", "--columns", "address,nextCheck").lines
    #expect(times.contains { $0.contains("/gone\t") && $0.hasSuffix("\t") }, "\(times)")
    // What cannot be fetched or read is not added, unless with --later.
    server.set("/missing", "404 Not Found")
    let missing = try feed("subscribe", server.address("/missing"), expecting: 69)
    #expect(missing.errors.contains("404 Not Found. Nothing was added."), "\(missing)")
    let page = """
      <html><head><link rel=stylesheet href=a.css><link rel="alternate" type="application/rss+xml" \
      href="/good"><LINK REL='alternate' TYPE='application/atom+xml' HREF='x/atom?a&amp;b'></head></html>
      """
    server.set("/d/page", "200 OK", [], page)
    let refused = try feed("subscribe", server.address("/d/page"), expecting: 65)
    let named = "\(server.address("/good")), \(server.address("/d/x/atom?a&b"))."
    #expect(refused.errors.contains("Feeds of this page: \(named)"), "\(refused)")
    #expect(try feeds.count == stored.count)
  }

  @Test func `R259: a password is refused and never shown`() throws {
    defer { server.stop() }
    let address = "http://user:secret@127.0.0.1:\(server.port)/a"
    let refused = try feed("subscribe", address, expecting: 64)
    #expect(refused.errors.contains(".netrc") && !refused.errors.contains("secret"), "\(refused)")
    try run.write(
      "<opml><body><outline text='a' xmlUrl='\(address)'/><outline xmlUrl='https://b.example/'/></body></opml>",
      to: "f.opml"
    )
    let list = try feed("opml", "import", "f.opml", expecting: 65)
    #expect(list.errors.contains(".netrc") && !list.errors.contains("secret"), "\(list)")
    let rest = try feed("opml", "import", "f.opml", "--skip-bad", expecting: 1)
    #expect(rest.output == "subscribed to 1 feed, 0 known already, 1 skipped\n")
    #expect(!rest.errors.contains("secret"))
    let edited = try feed("feeds", "edit", "1", "address=\(address)", expecting: 64)
    #expect(edited.errors.contains(".netrc") && !edited.errors.contains("secret"), "\(edited)")
    #expect(try !feed("feeds", "show", "1").output.contains("secret"))
    let keys = "e\\t\u{15}\(address)\\r"
    let form = try feed("feeds", "browse", "--print", "--keys", keys)
    #expect(try !feed("feeds", "export", "-").output.contains("secret"), "\(form)")
    // The password of a host is sent to that host.
    try run.write("machine 127.0.0.1 login user password secret\n", to: ".netrc")
    server.set("/a", "200 OK", [], rss("A", "1"))
    try feed("subscribe", server.address("/a"))
    #expect(server.requests.last?.contains("Authorization: Basic dXNlcjpzZWNyZXQ=\r\n") == true)
  }

  @Test func `R262: an interrupt ends a refresh at once, and keeps what has come`() throws {
    defer { server.stop() }
    server.set("/good", "200 OK", [], rss("Good", "1"))
    try feed("subscribe", server.address("/good"), "--later")
    try feed("subscribe", server.address("/silent"), "--later")
    let watch = try run.start("news-feed", "print-unread", "--watch", "--deltas", "1")
    #expect(try watch.line() == "0")
    let refresh = try run.start("news-feed", "refresh")
    // The list of another process fills while the refresh waits for a server.
    #expect(try watch.line() == "1")
    #expect(try watch.finish().status == 0)
    let start = ContinuousClock.now
    refresh.send(SIGINT)
    let result = try refresh.finish()
    #expect(result.status == 128 + SIGINT, "\(result)")
    // The limit of the fetch is 30 s.
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(
      try feed("list", "--format", "tsv", "--columns", "title").lines.contains("Good\titem 1")
    )
  }

  @Test func `R264: R fetches what is due while the list is shown, and says what came of it`()
    throws
  {
    defer { server.stop() }
    server.set("/good", "200 OK", [], rss("Good", "1", "2"))
    server.set("/bad", "404 Not Found")
    try feed("subscribe", server.address("/good"), "--later")
    try feed("subscribe", server.address("/bad"), "--later")
    let screen = ["browse", "--print", "--size", "100x10", "--keys"]
    func lines(_ list: [String], _ keys: String) throws -> [String] {
      let result = try run.run("news-feed", list + screen + [keys])
      #expect(result.status == 0, "\(result)")
      return result.lines
    }
    let fetched = try lines([], "R")
    #expect(fetched.contains { $0.contains("item 1") }, "\(fetched)")
    let said = try #require(fetched.last { $0.contains("2 feeds in ") })
    #expect(said.contains("s: 1 with 2 new items, 1 failed; "), "\(said)")
    #expect(said.contains("404 Not Found."), "\(said)")
    let nothing = try lines(["feeds"], "R")
    #expect(nothing.contains { $0.contains("no feed is due before ") }, "\(nothing)")
    let refused = try run.run("news-feed", screen + ["R", "--read-only"])
    #expect(refused.output.contains("Rows cannot be changed here."), "\(refused)")
  }

  @Test(.enabled(if: TerminalRun.exists))
  func `R264: R again ends what still runs, and a list in lines says what came`() throws {
    defer { server.stop() }
    let terminal = try TerminalRun()
    try terminal.run.run("news-feed", "subscribe", server.address("/silent"), "--later")
    try terminal.enter("export no_proxy=127.0.0.1; news-feed browse --linear")
    try terminal.wait("the list") { $0.contains("There are no items.") }
    try terminal.enter("R")
    try terminal.wait("the start") { $0.contains("fetching the feeds that are due: R stops.") }
    try terminal.enter("R")
    try terminal.wait("the end") { $0.contains("stopped: fetch the feeds that are due") }
    server.set("/silent", "200 OK", [], rss("Late", "1"))
    try terminal.enter("R")
    try terminal.wait("what came") {
      $0.contains("1 feed in ") && $0.contains("1 with 1 new item.")
    }
    try terminal.enter("q")
  }

  @Test func `a refresh that goes on prints what it has fetched, until it is interrupted`() throws {
    defer { server.stop() }
    server.set("/a", "200 OK", [], rss("A", "1"))
    try feed("subscribe", server.address("/a"), "--later")
    let refresh = try run.start("news-feed", "refresh", "--every", "1s")
    #expect(try refresh.line()?.contains("1 with 1 new item") == true)
    server.set("/b", "200 OK", [], rss("B", "2", "3"))
    try feed("subscribe", server.address("/b"), "--later")
    #expect(try refresh.line()?.contains("1 with 2 new items; 1 not due") == true)
    refresh.send(SIGTERM)
    #expect(try refresh.finish().status == 128 + SIGTERM)
  }

  @Test func `subscriptions go to other readers and come back`() throws {
    defer { server.stop() }
    let list = """
      <?xml version="1.0"?>
      <opml version="2.0"><head><title>t</title></head><body>
      <outline text="one &amp; two" xmlUrl="https://a.example/?x=1&amp;y=2" htmlUrl="https://a.example/"/>
      <outline text="news"><outline text="deep"><outline title="B" text="b" xmlUrl="b.example/f"/></outline></outline>
      <outline text="no feed"/>
      </body></opml>
      """
    try run.write(list, to: "in.opml")
    #expect(
      try feed("opml", "import", "in.opml").output == "subscribed to 2 feeds, 0 known already\n"
    )
    #expect(
      try feed("opml", "import", "in.opml").output == "subscribed to 0 feeds, 2 known already\n"
    )
    #expect(try feed("opml", "export", "out.opml").output == "exported 2 feeds to out.opml\n")
    try feed("opml", "import", "out.opml", "--store", "b.sqlite")
    let columns = ["--format", "tsv", "--columns", "title,address,site"]
    let before = try run.run("news-feed", ["feeds"] + columns).output
    let after = try run.run("news-feed", ["feeds", "--store", "b.sqlite"] + columns).output
    #expect(before == after)
    #expect(before.contains("news/deep\tB\thttps://b.example/f\t"), "\(before)")
    for bad in ["<rss/>", "<opml><body>", "no XML", ""] {
      try run.write(bad, to: "bad.opml")
      try feed("opml", "import", "bad.opml", expecting: 65)
    }
  }

  @Test func `R212: a date that cannot be read stays as text, and goes when it can be`() throws {
    defer { server.stop() }
    func rss(_ date: String) -> String {
      "<rss><channel><title>A</title><item><guid>1</guid><title>t</title><pubDate>\(date)</pubDate></item></channel></rss>"
    }
    func dates() throws -> String? {
      try feed("list", "--format", "tsv", "--columns", "published,publishedText").lines.last
    }
    server.set("/a", "200 OK", [], rss("next week"))
    try feed("subscribe", server.address("/a"))
    #expect(try dates() == "A\t\tnext week")
    server.set("/a", "200 OK", [], rss("Tue, 03 Nov 2026 09:00:00 GMT"))
    try feed("refresh", "--all")
    #expect(try dates() == "A\t2026-11-03T09:00:00Z\t")
    server.set("/a", "200 OK", [], rss("soon"))
    try feed("refresh", "--all")
    #expect(try dates() == "A\t2026-11-03T09:00:00Z\t")
  }

  @Test func `items of a file go to the feed that is named`() throws {
    defer { server.stop() }
    try run.write(rss("From the file", "1", "2"), to: "feed.xml")
    for report in ["imported 2 items, 0 known already\n", "imported 0 items, 2 known already\n"] {
      #expect(try feed("import", "feed.xml", "--feed", "Mine").output == report)
    }
    #expect(try feeds == ["\tMine\t2\t"])
  }
}

/// The program that fetches.
enum FetchingProgram {
  /// Whether the program finds the library: it says so before it looks at an address that nobody serves.
  static let canFetch: Bool = {
    if ProcessInfo.processInfo.environment["CI"] != nil { return true }
    let result = try? ProgramRun().run("news-feed", ["subscribe", "http://127.0.0.1:1/"])
    return result?.status != 78
  }()
}

/// Without the library only what fetches is refused.
@Suite struct FetchingLibraryTests {
  @Test func `what fetches says what to install, and everything else works`() throws {
    let run = try ProgramRun()
    // A file that is no library stands before the one of the system.
    for name in ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"] {
      try run.write("no library", to: name)
    }
    run.environment["LD_LIBRARY_PATH"] = run.folder
    run.environment["DYLD_LIBRARY_PATH"] = run.folder
    try run.run("news-feed", "subscribe", "https://a.example/", "--later")
    let refused = try run.run("news-feed", ["refresh"])
    #if os(Linux)
    #expect(refused.status == 78)
    #expect(
      refused.errors
        == "news-feed: refresh needs libcurl 7.85 or later: apt-get install libcurl4.\n"
    )
    #endif
    try run.run("news-feed", "feeds")
    try run.run("news-feed", "list")
  }
}
