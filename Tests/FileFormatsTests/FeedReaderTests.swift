import ResultsDomain
import Testing

@testable import FileFormats

@Suite("FeedReader")
struct FeedReaderTests {
  /// The fields of every item as `name=value`, without columns; errors as their texts.
  static func items(_ text: String, address: String? = nil) -> [String] {
    items(Array(text.utf8), address: address)
  }

  static func items(_ bytes: [UInt8], address: String? = nil) -> [String] {
    var reader = FeedReader(bytes: bytes, source: "f", address: address)
    var lines: [String] = []
    while true {
      do throws(RecordError) {
        guard let record = try reader.next() else { return lines }
        let fields = record.fields.map { "\($0.name)=\($0.value.text ?? "NULL")" }
        lines.append("\(record.line): \(fields.joined(separator: "|"))")
      } catch {
        lines.append("\(error.isRecoverable ? "?" : "!") \(error)")
      }
    }
  }

  static func rss(_ item: String) -> String {
    "<rss version=\"2.0\"><channel><title>F</title><link>http://e.org/</link>"
      + "<item>\(item)</item></channel></rss>"
  }

  static func title(_ item: String) -> String? {
    field("title", rss(item))
  }

  static func field(_ name: String, _ feed: String) -> String? {
    items(feed).first?.split(separator: "|").first { $0.hasSuffix(": ") || $0.contains(name + "=") }
      .map { String($0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)[1]) }
  }

  @Test func `RSS 2 gives one record per item`() {
    let feed = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
      <channel>
        <title>新聞</title>
        <atom:link href="http://example.org/feed.xml" rel="self"/>
        <link>http://example.org/</link>
        <image><title>Logo</title><link>http://example.org/logo</link></image>
        <item>
          <title>Rain &amp; wind</title>
          <link>http://example.org/1</link>
          <guid isPermaLink="false">tag:1</guid>
          <pubDate>Tue, 03 Nov 2026 09:00:00 +0900</pubDate>
          <description>&lt;p&gt;First&lt;/p&gt;&lt;p&gt;second &amp;amp; &amp;eacute;&lt;/p&gt;</description>
          <content:encoded><![CDATA[<b>long</b>]]></content:encoded>
          <media:title>Picture</media:title>
        </item>
        <item>
          <guid>http://example.org/2</guid>
          <description><![CDATA[No <i>title</i>, only text]]></description>
          <dc:date>2026-11-04T01:02:03Z</dc:date>
        </item>
        <item><title>No link</title></item>
      </channel>
      </rss>
      """
    #expect(
      Self.items(feed) == [
        "9: title=Rain & wind|link=http://example.org/1|guid=tag:1|published=2026-11-03T00:00:00Z"
          + "|feed=新聞|summary=First\n\nsecond & é",
        "18: title=No title, only text|link=http://example.org/2|guid=http://example.org/2"
          + "|published=2026-11-04T01:02:03Z|feed=新聞|summary=No title, only text",
        "23: title=No link|link=NULL|guid=NULL|published=NULL|feed=新聞|summary=NULL",
      ]
    )
  }

  @Test func `Atom gives one record per entry`() {
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://example.org/blog/">
        <title type="html">A &amp;amp; B</title>
        <link rel="self" href="atom.xml"/>
        <link href="/"/>
        <entry>
          <title type="html">&lt;em&gt;One&lt;/em&gt;</title>
          <id>urn:1</id>
          <link rel="enclosure" href="x.mp3"/>
          <link rel="alternate" href="one.html"/>
          <published>2026-11-03T09:00:00.5+09:00</published>
          <updated>2026-11-05T00:00:00Z</updated>
          <summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Two</p><p>par<b>ag</b>raphs</p></div></summary>
          <author><name>N</name><title>Dr</title></author>
        </entry>
        <entry>
          <title>a &lt; b</title><id>urn:2</id><link href="two.html" xml:base="http://other.org/"/>
          <updated>2026-11-05T00:00:00Z</updated>
          <content type="text">plain &lt;b&gt;</content>
        </entry>
      </feed>
      """
    #expect(
      Self.items(feed) == [
        "5: title=One|link=http://example.org/blog/one.html|guid=urn:1|published=2026-11-03T00:00:00.5Z"
          + "|feed=A & B|summary=Two\n\nparagraphs",
        "15: title=a < b|link=http://other.org/two.html|guid=urn:2|published=2026-11-05T00:00:00Z"
          + "|feed=A & B|summary=plain <b>",
      ]
    )
  }

  @Test func `marks of HTML are escaped whatever combines with them`() {
    let escaped = FeedName.escaped("&\u{301}<\u{338}\"\u{301}>")
    #expect(escaped.hasSameBytes(as: "&amp;\u{301}&lt;\u{338}&quot;\u{301}>"))
  }

  @Test func `R212: a date that cannot be read stays as text, and the feed says what it is`() throws
  {
    let feed = """
      <rss><channel><title>A</title><link>https://a.example/</link><ttl>90</ttl>
      <item><guid>1</guid><pubDate>next week</pubDate></item></channel></rss>
      """
    var reader = FeedReader(bytes: Array(feed.utf8), source: "feed")
    let record = try #require(try reader.next())
    let text = record.fields.first { $0.name == "publishedText" }
    #expect(text?.value == .text("next week"))
    #expect(reader.heading.title == "A" && reader.heading.minutesToLive == 90)
    #expect(reader.heading.site == "https://a.example/")
  }

  @Test func `RSS 1 gives one record per item`() {
    let feed = """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
       xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="http://e.org/"><title>R</title><link>http://e.org/</link></channel>
      <item rdf:about="http://e.org/1"><title>T</title><link>http://e.org/1</link>
      <dc:date>2026-11-03T09:00+09:00</dc:date></item>
      </rdf:RDF>
      """
    #expect(
      Self.items(feed) == [
        "4: title=T|link=http://e.org/1|guid=http://e.org/1|published=2026-11-03T00:00:00Z|feed=R|summary=NULL"
      ]
    )
  }

  @Test(
    arguments: [
      ("<title>a&nbsp;&eacute;&hellip;</title>", "a\u{A0}é…"),
      ("<title>AT&amp;amp;T</title>", "AT&T"),
      ("<title>a &lt; b</title>", "a < b"), ("<title><![CDATA[&nbsp;x]]></title>", "x"),
      ("<title>\n  x\n</title>", "x"), ("<title>&#x1b;</title>", nil),
      ("<title>&amp;#27;[31m</title>", "\u{1B}[31m"), ("<title>\u{9B}31m</title>", "\u{9B}31m"),
      ("<title>x</title><media:title>y</media:title>", "x"),
      ("<title/><link>http://e.org/1</link>", "http://e.org/1"),
      (
        "<title></title><description>" + String(repeating: "猫", count: 200) + "</description>",
        String(repeating: "猫", count: 99) + "…"
      ),
      (
        "<title>" + String(repeating: "長", count: 300) + "</title>",
        String(repeating: "長", count: 300)
      ),
    ] as [(String, String?)]
  )
  func `a title is text, and is not changed`(item: String, title: String?) {
    guard let title else {
      #expect(Self.items(Self.rss(item)).first?.hasPrefix("! f:1:") == true)
      return
    }
    #expect(Self.title(item).map { Array($0.utf8) } == Array(title.utf8))
  }

  @Test func `relative links are resolved against the feed`() {
    #expect(Self.field("link", Self.rss("<link>/1?a=b&amp;c</link>")) == "http://e.org/1?a=b&c")
    let bare = "<rss><channel><item><title>x</title><link>/1</link></item></channel></rss>"
    #expect(Self.items(bare).first?.contains("|link=/1|") == true)
    #expect(
      Self.items(bare, address: "http://a.org/feeds/f.xml").first?.contains("|link=http://a.org/1|")
        == true
    )
  }

  @Test func `R212: an item whose date cannot be read has none, and the reader says why`() throws {
    let item = "<title>bad</title>\n<pubDate>32 Nov 2026</pubDate></item><item><title>good</title>"
    let found = Self.items(Self.rss(item))
    #expect(found.count == 2)
    #expect(found.first?.contains("title=bad") == true)
    #expect(found.last?.contains("title=good") == true)
    var reader = FeedReader(bytes: Array(Self.rss(item).utf8), source: "f")
    let bad = try #require(try reader.next())
    #expect(bad.fields.first { $0.name == "published" }?.value == .null)
    #expect(
      reader.unreadDates.map(\.description).first?.hasSuffix(
        "“32 Nov 2026” is not a date in the form of RFC 822 or RFC 3339: the item has no date."
      ) == true
    )
    #expect(reader.unreadDates.count == 1 && reader.unreadDates[0].line == 2)
  }

  @Test(arguments: [
    (
      "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>f</a:title><a:entry><a:id>1</a:id>"
        + "<a:title>t</a:title><a:updated>2026-11-03T09:00:00Z</a:updated></a:entry></a:feed>",
      ["title=t", "guid=1", "published=2026-11-03T09:00:00Z", "feed=f"]
    ),
    (
      "<rss xmlns:d='http://purl.org/dc/terms/' xmlns:c='http://purl.org/dc/elements/1.1/'><channel>"
        + "<item><c:title>t</c:title><d:issued>2026-11-03</d:issued>"
        + "<d:modified>2026-11-04</d:modified></item></channel></rss>",
      ["title=t", "published=2026-11-03"]
    ),
    (
      "<rss xmlns='http://of.its.own/'><channel><item><title>t</title></item></channel></rss>",
      ["title=t"]
    ),
    (
      "<rss xmlns:m='http://search.yahoo.com/mrss/'><channel><item><m:title>m</m:title>"
        + "<title>t</title><guid>1</guid></item></channel></rss>",
      ["title=t"]
    ),
    (
      "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title>f</title><entry><id>1</id>"
        + "<title mode='base64' type='text/html'>PGI+Ym9sZDwvYj4=</title>"
        + "<created>2026-11-03T09:00:00Z</created></entry></feed>",
      ["title=bold", "published=2026-11-03T09:00:00Z"]
    ),
  ])
  func `parts are read from every element that feeds use for them`(
    _ feed: String,
    _ parts: [String]
  ) throws {
    let item = try #require(FeedReaderTests.items(feed).first)
    for part in parts { #expect(item.contains(part), "\(item)") }
  }

  @Test func `items that share a guid get unique ones, and of two versions the later counts`() {
    func items(_ texts: String...) -> [String] {
      FeedReaderTests.items(
        "<rss><channel>" + texts.map { "<item>\($0)</item>" }.joined() + "</channel></rss>"
      )
    }
    let guid = "<guid isPermaLink='false'>g</guid>"
    let links = items("\(guid)<link>http://a/1</link>", "\(guid)<link>http://a/2</link>")
    #expect(links.count == 2 && links[0].contains("guid=http://a/1"))
    let titles = items("\(guid)<title>a</title>", "\(guid)<title>b</title>")
    #expect(titles.count == 2 && titles.allSatisfy { $0.contains("guid=g#") })
    let old = "\(guid)<title>a</title><description>old</description>"
    let new = "\(guid)<title>a</title><description>new</description>"
    let versions = items(
      "\(old)<pubDate>Tue, 03 Nov 2026 09:00:00 GMT</pubDate>",
      "\(new)<pubDate>Wed, 04 Nov 2026 09:00:00 GMT</pubDate>"
    )
    #expect(versions.count == 1 && versions[0].contains("summary=new"))
    #expect(items(old, new).first?.contains("summary=old") == true)
  }
}

@Suite("Malformed feeds")
struct MalformedFeedTests {
  private static let bomb = """
    <?xml version="1.0"?>
    <!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>
    <rss><channel><item><title>&lol2;</title></item></channel></rss>
    """

  @Test(
    arguments: [
      ("", "f:1:1: the feed is empty or ends before"),
      ("x", "f:1:1: the feed is empty or ends before"),
      (
        "<rss><channel>\n<item><title>x</item></channel></rss>",
        "f:2:22: an end tag that does not match"
      ),
      ("<rss><channel>\n<item><title>x", "f:2:14: the feed ends inside of an element."),
      ("<rss><channel><item></item></channel>", "f:1:38: the feed ends inside of an element."),
      (bomb, "f:2: the document defines its own entities"),
      (
        "<!doctype html>\n<html><head></head></html>",
        "f:2:6: this is an HTML page, not an RSS or Atom feed."
      ),
      ("<opml><body/></opml>", "f:1:6: this is a “opml” document, not an RSS or Atom feed."),
      ("<rss><channel><item><title>&unknown;</title></item></channel></rss>", "f:1:"),
      ("<rss><channel><title>a & b</title></channel></rss>", "f:1:"),
      (
        "<rss><channel><title>\u{1B}[31m</title></channel></rss>",
        "f:1:22: a character that XML forbids."
      ),
      ("<rss><channel><title a='1' a='2'/></channel></rss>", "f:1:"),
      ("<rss><channel><title</channel></rss>", "f:1:"),
      (
        "<?xml version='1.0' encoding='EBCDIC'?><rss/>",
        "f:1: the encoding “ebcdic” is not supported."
      ),
      ("<rss>\n<title>\0</title></rss>", "f:2: a NUL character, which XML forbids."),
    ] as [(String, String)]
  )
  func `a broken feed is refused as a whole, with the position`(feed: String, expected: String) {
    let found = FeedReaderTests.items(feed)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("! " + expected) == true, "\(found)")
  }

  @Test func `bytes that are invalid in the declared encoding are reported`() {
    let bytes =
      Array("<rss><channel>\n<title>caf".utf8) + [0xE9] + Array("</title></channel></rss>".utf8)
    #expect(
      FeedReaderTests.items(bytes) == [
        "! f:2: the byte E9 at offset 25 is not valid UTF-8. "
          + "Convert it first, for example with: iconv -f ISO-8859-1 -t UTF-8."
      ]
    )
  }

  @Test func `declared encodings are read`() {
    let latin =
      Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><rss><channel><item><title>caf".utf8)
      + [0xE9] + Array("</title></item></channel></rss>".utf8)
    #expect(FeedReaderTests.items(latin).first?.contains("title=café|") == true)
    let japanese =
      Array("<?xml version='1.0' encoding='Shift_JIS'?><rss><channel><item><title>".utf8)
      + [0x94, 0x4C, 0x87, 0x40] + Array("</title></item></channel></rss>".utf8)
    #expect(FeedReaderTests.items(japanese).first?.contains("title=猫①|") == true)
    let wide = FeedReaderTests.rss("<title>猫</title>").utf16.flatMap {
      [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
    #expect(FeedReaderTests.items([0xFF, 0xFE] + wide).first?.contains("title=猫|") == true)
  }

  @Test func `a document type without declarations is accepted`() {
    let feed =
      "<?xml version='1.0'?>\n<!DOCTYPE rss PUBLIC \"-//Netscape//DTD RSS 0.91//EN\"\n \"http://x/\">\n"
      + FeedReaderTests.rss("<title>x</title>")
    #expect(FeedReaderTests.items(feed).first?.hasPrefix("4: title=x|") == true)
  }

  @Test func `a feed above the limit is refused`() {
    let reader = FeedReader(bytes: Array("<rss></rss>".utf8), source: "f", maximumBytes: 10)
    #expect(
      everything(reader) == ["! f: the feed has 11 bytes; the limit is 10. Shorten a saved copy."]
    )
  }

  @Test func `a truncated feed is refused, not read in part`() {
    let feed = Array(
      FeedReaderTests.rss("<title>x &eacute;</title><link>http://e.org/1</link>").utf8
    )
    for length in 0..<feed.count {
      let found = FeedReaderTests.items(Array(feed.prefix(length)))
      #expect(found.count == 1 && found.first?.hasPrefix("! ") == true, "\(length): \(found)")
    }
  }
}

@Suite("Feed dates and HTML")
struct FeedTextTests {
  @Test(
    arguments: [
      ("Tue, 03 Nov 2026 09:00:00 +0900", "2026-11-03T00:00:00Z"),
      ("3 Nov 26 09:00 GMT", "2026-11-03T09:00:00Z"),
      ("Tuesday, 3 nov 2026 09:00:00 EST", "2026-11-03T14:00:00Z"),
      (" 03 Nov 2026 09:00:00 UT ", "2026-11-03T09:00:00Z"),
      ("03 Nov 96 09:00 -0130", "1996-11-03T10:30:00Z"),
      ("Sat, 29 Feb 2020 23:59:59 Z", "2020-02-29T23:59:59Z"),
      ("2026-11-03T09:00:00+09:00", "2026-11-03T00:00:00Z"), ("2026-11-03", "2026-11-03"),
      ("2026-11-03t09:00:00.123456789z", "2026-11-03T09:00:00.123456Z"),
      ("1900-01-01T00:00Z", "1900-01-01T00:00:00Z"),
      ("29 Feb 2026 09:00 GMT", nil), ("31 Apr 2026 09:00 GMT", nil), ("03 Nov 2026", nil),
      ("3 Nov 2026 9:00", nil),
      ("03 Nov 2026 24:00 GMT", nil), ("03 Nov 2026 09:60 GMT", nil),
      ("03 Foo 2026 09:00 GMT", nil),
      ("Foo, 03 Nov 2026 09:00 GMT", nil), ("03 Nov 2026 09:00 XYZ", nil),
      ("03 Nov 2026 09:00 GMT x", nil),
      ("2026-13-01T00:00:00Z", nil), ("2026-11-03T09:00:00", nil),
      ("2026-11-03T09:00:00+25:00", nil),
      ("2026/11/03", nil), ("", nil), ("0000-01-01", nil), ("1762128000", nil), ("２０２６-11-03", nil),
    ] as [(String, String?)]
  )
  func `a date is parsed exactly or not at all`(text: String, expected: String?) {
    #expect(FeedDate.instant(of: text)?.plainText == expected)
  }

  @Test(
    arguments: [
      ("<p>a</p><p>b</p>", "a b"), ("a<br>b<br/>c", "a b c"), ("par<b>ag</b>raph", "paragraph"),
      ("a < b > c", "a < b > c"),
      ("1<2", "1<2"), ("&lt;b&gt; &amp;amp; &#233; &#xE9; &eacute; &apos;", "<b> &amp; é é é '"),
      ("&bogus; & &", "&bogus; & &"),
      ("&#0;&#xD800;&#99999999999;", "\u{FFFD}\u{FFFD}&#99999999999;"),
      ("<script>x<b>y</script>z", "z"), ("<STYLE type='a>b'>x</STYLE>z", "z"),
      ("<!-- <b> -->a", "a"), ("<!-- a", ""),
      ("  a \n\t b&nbsp; c ", "a b c"), ("<a title='>'>x</a>", "x"), ("<a href=\"", ""), ("", ""),
      ("<", "<"),
      ("&#27;[31m", "\u{1B}[31m"), ("か\u{3099}<b>e\u{301}</b>", "か\u{3099}e\u{301}"),
    ] as [(String, String)]
  )
  func `HTML becomes one line of text`(html: String, text: String) {
    #expect(Array(HTMLText.plain(html).utf8) == Array(text.utf8))
  }

  @Test func `the table of entities is that of HTML 4`() {
    #expect(HTMLEntities.scalar(named: "nbsp") == "\u{A0}")
    #expect(HTMLEntities.scalar(named: "diams") == "♦")
    #expect(HTMLEntities.scalar(named: "yuml") == "ÿ")
    #expect(HTMLEntities.scalar(named: "lt") == nil)
  }
}
