import Testing

/// Text from outside that means harm: shown, never obeyed, and never lost.
@Suite struct HostileTextTests {
  private static let texts = [
    "\u{1B}]52;c;aGk=\u{07}clipboard", "\u{1B}[2J\u{1B}[31mred", "\u{9B}31mC1", "right\u{202E}left",
    "tab\there", "line\nfeed\r\nends", "nul\u{0}?", "back\\slash", "\"quotes\"; 'and', commas",
    "=1+1", "か\u{3099} 葛\u{E0100} ｶﾞ 👨‍👩‍👧‍👦", "e" + String(repeating: "\u{301}", count: 400),
    String(repeating: "長", count: 300), "", " ", "\u{FEFF}mark", "\u{2028}separator",
  ]

  @Test func `every text is kept exactly, whatever form it takes`() throws {
    let run = try ProgramRun()
    // NUL cannot be an argument of a program.
    let texts = HostileTextTests.texts.filter { !$0.utf8.contains(0) }
    for text in texts {
      // For an optional attribute, nothing and an empty text are one in CSV and TSV.
      let author = text.isEmpty ? "author=NULL" : "author=\(text)"
      try run.run("book-catalog", "add", "publisher=\(text)", "title=\(text)", author)
    }
    let here = try run.run("book-catalog", "export", "-", "--format", "jsonl")
    #expect(here.lines.count == texts.count)
    for form in ["csv", "tsv", "jsonl"] {
      try run.run("book-catalog", "export", "out.\(form)")
      try run.run("book-catalog", "import", "out.\(form)", "--store", "\(form).sqlite")
      let back = try run.run(
        "book-catalog",
        "export",
        "-",
        "--format",
        "jsonl",
        "--store",
        "\(form).sqlite"
      )
      for (left, right) in zip(here.lines, back.lines) {
        #expect(left.utf8.elementsEqual(right.utf8), "\(form): \(left) came back as \(right)")
      }
      #expect(back.lines.count == texts.count)
    }
  }

  @Test func `what people read holds no control character`() throws {
    let run = try ProgramRun()
    for text in HostileTextTests.texts where !text.utf8.contains(0) {
      try run.run("book-catalog", "add", "publisher=\(text)", "title=\(text)")
    }
    let shown = try [
      run.run("book-catalog", "list", "--format", "table"),
      run.run("book-catalog", "list", "--format", "plain"),
      run.run("book-catalog", "list", "--format", "tsv"),
      run.run("book-catalog", "list", "--format", "json"),
      run.run("book-catalog", "list", "--format", "jsonl"),
      run.run("book-catalog", "dump"),
      run.run("book-catalog", "show", "1"),
      run.run("book-catalog", "show", "\u{1B}[2J", expecting: 64),
      run.run("book-catalog", "list", "--where", "\u{1B}[2J", expecting: 64),
      run.run("book-catalog", "\u{1B}[2J", expecting: 64),
      run.run("book-catalog", "list", "--\u{1B}[2J\u{7}", expecting: 64),
      run.run("book-catalog", "list", "--format", "\u{9B}2J", expecting: 64),
      run.run("book-catalog", "list", "\u{1B}]0;title\u{7}", expecting: 64),
    ]
    for result in shown {
      for scalar in (result.output + result.errors).unicodeScalars
      where scalar != "\n" && scalar != "\t" {
        #expect(scalar.properties.generalCategory != .control, "\(result.command)")
      }
    }
  }

  @Test func `one row stays one line`() throws {
    let run = try ProgramRun()
    let texts = HostileTextTests.texts.filter { !$0.utf8.contains(0) }
    for text in texts {
      try run.run("book-catalog", "add", "publisher=P", "title=\(text)")
    }
    let list = try run.run("book-catalog", "list", "--columns", "title,year", "--format", "tsv")
    #expect(list.output.utf8.filter { $0 == 0x0A }.count == texts.count + 1)
    for line in list.lines { #expect(line.utf8.filter { $0 == 0x09 }.count == 2, "\(line)") }
    #expect(
      try run.run("book-catalog", "dump").output.utf8.filter { $0 == 0x0A }.count == texts.count
    )
  }

  @Test func `a feed's title is shown harmlessly`() throws {
    let run = try ProgramRun()
    let feed = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title>
      <item><title>a&#xA0;b &lt;b&gt;bold&lt;/b&gt; c\u{85}</title><link>https://example.org/1</link>
      <guid>g1</guid><pubDate>Tue, 03 Nov 2026 09:00:00 +0900</pubDate></item>
      <item><title>second</title><link>https://example.org/2</link></item>
      </channel></rss>
      """
    let first = try run.run("news-feed", "import", "-", input: feed)
    #expect(first.output == "imported 2 items, 0 known already\n")
    let again = try run.run("news-feed", "import", "-", input: feed)
    #expect(again.output == "imported 0 items, 2 known already\n")
    let list = try run.run("news-feed", "list", "--unread", "--format", "jsonl")
    #expect(list.lines.count == 2)
    // An item without a guid is known by its link.
    #expect(list.output.contains(#""id":"https://example.org/2""#))
    #expect(list.output.contains(#""section":"News & more""#))
  }
}
