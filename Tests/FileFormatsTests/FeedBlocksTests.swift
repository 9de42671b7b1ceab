import FileFormats
import ResultsDomain
import Testing

/// The texts of feeds with paragraphs, lists and links.
@Suite struct FeedBlocksTests {
  /// The summary of the only item of a feed whose description is some HTML.
  private func summary(_ html: String) throws -> String? {
    try field(
      "summary",
      """
      <rss><channel><title>F</title><link>http://e.org/news/</link>
      <item><title>T</title><link>http://e.org/1</link><description><![CDATA[\(html)]]></description></item>
      </channel></rss>
      """
    )
  }

  private func field(_ name: String, _ feed: String) throws -> String? {
    var reader = FeedReader(bytes: Array(feed.utf8), source: "feed")
    let record = try #require(try reader.next())
    return record.fields.first { $0.name == name }?.value.text
  }

  @Test(arguments: [
    ("<p>One</p><p>Two <b>bold</b>\n words</p>", "One\n\nTwo bold words"),
    ("a<br>b<br/><br>c", "a\nb\n\nc"),
    ("<p>See</p><ul><li>x</li><li><p>y</p></li></ul><p>end</p>", "See\n\n• x\n• y\n\nend"),
    (
      "<ol><li>one<ul><li>in</li></ul></li><li>two<br>more</ol>",
      "1. one\n  • in\n2. two\n  more"
    ),
    ("<blockquote><p>said</p><p>so</p></blockquote>by me", "> said\n\n> so\n\nby me"),
    ("<pre>if x\n  y</pre>", "if x\n  y"),
    ("<table><tr><th>a<th>b</tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"),
    ("<img src=x alt='a &amp; b'><img src=y>", "[picture: a & b]"),
    (
      "<a href='http://a.org/?x=1&amp;y'>one</a>, <a href=/two>two</a> and <a href=\"http://a.org/?x=1&amp;y\">again</a>",
      "one [1], two [2] and again [1]\n\n[1] http://a.org/?x=1&y\n[2] http://e.org/two"
    ),
    ("<a href='http://a.org/'>http://a.org/</a>", "http://a.org/"),
    ("<a href='javascript:x()'>run</a> <a>none</a>", "run none"),
    ("a < b <script>if (a<b) {}</script>c", "a < b c"),
    ("<p>x</li></ul></blockquote></pre></a>y", "x\n\ny"),
    ("", nil),
  ])
  func `R212: paragraphs, lists and links are kept`(_ html: String, _ text: String?) throws {
    #expect(try summary(html) == text)
  }

  @Test func `R212: XHTML is read like HTML`() throws {
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><link href="http://e.org/"/>
      <entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a<i>b</i> &lt;i&gt;</div></title><id>1</id>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x &lt;p&gt; &amp;amp;</p><ul><li><a href="?a&amp;b">y</a></li></ul></div></content>
      </entry></feed>
      """
    #expect(try field("summary", feed) == "x <p> &amp;\n\n• y [1]\n\n[1] http://e.org/?a&b")
    #expect(try field("title", feed) == "ab <i>")
  }

  @Test func `R212: an item without a title has its first paragraph`() throws {
    let feed = """
      <rss><channel><item><link>http://e.org/1</link>
      <description>&lt;p&gt;One&lt;br&gt;line&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;</description></item></channel></rss>
      """
    #expect(try field("title", feed) == "One line")
  }

  @Test func `R212: what a terminal obeys is not in a text, and a deep document takes no longer`()
    throws
  {
    #expect(try summary("a&#27;[31mb&#7;&#155;c<p title='&#27;'>d") == "a[31mbc\n\nd")
    let link = try #require(try summary("<a href='http://a.org/&#27;[0m'>x</a>"))
    #expect(link.hasPrefix("x") && !link.unicodeScalars.contains("\u{1B}"))
    let deep = String(repeating: "<ul><li><blockquote>", count: 50_000) + "x"
    #expect(try summary(deep)?.hasSuffix("• x") == true)
    let wide = String(repeating: "<a href='http://a.org/'>x</a> ", count: 50_000)
    #expect(try summary(wide)?.hasSuffix("\n\n[1] http://a.org/") == true)
  }
}
