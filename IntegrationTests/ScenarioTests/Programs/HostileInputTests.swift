import ResultsStoreKit
import Foundation
import Testing

/// Unusual paths and limits, and files that programs must not touch.
@Suite struct HostilePathTests {
  private func names(_ run: ProgramRun, _ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: run.path(folder)).sorted()
  }

  private func mode(_ run: ProgramRun, _ file: String) throws -> mode_t {
    var status = stat()
    try #require(stat(run.path(file), &status) == 0)
    return status.st_mode & 0o777
  }

  @Test(arguments: ["597h", "100000h", "0s"])
  func `a busy timeout of any length is accepted`(_ time: String) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite", "--busy-timeout", time)
    let list = try run.run("book-catalog", "dump", "--store", "b.sqlite", "--busy-timeout", time)
    #expect(list.lines.count == 14)
  }

  @Test func `an empty path is refused, and creates nothing`() throws {
    let run = try ProgramRun()
    let result = try run.run("book-catalog", "demo", "--store", "", expecting: 64)
    #expect(result.errors.contains("--store is empty. Name a file"))
    #expect(try names(run) == [])
  }

  @Test func `an argument that is not UTF-8 is refused`() throws {
    let run = try ProgramRun()
    let command = #"exec "$0" demo --store "$(printf 'x\377.sqlite')""#
    let program = try ProgramFolder.executable("book-catalog")
    let result = try RunningProgram(
      "/bin/sh",
      ["-c", command, program],
      environment: run.environment,
      folder: run.folder
    ).finish()
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains("Argument 3 is not UTF-8"), "\(result)")
    #expect(try names(run) == [])
  }

  // A hang would last forever; on a busy machine tests wait for the programs of other tests.
  @Test(.timeLimit(.minutes(10)), arguments: [["list"], ["list", "--read-only"], ["demo"]])
  func `a pipe as a store is refused at once`(_ verb: [String]) throws {
    let run = try ProgramRun()
    try #require(mkfifo(run.path("pipe"), 0o600) == 0)
    let result = try run.run("book-catalog", verb + ["--store", "pipe"])
    #expect(result.status == 66, "\(result)")
    #expect(result.errors.contains("pipe is a device, a pipe or a socket"), "\(result)")
    #expect(try names(run) == ["pipe"])
  }

  @Test func `an export does not extend the permissions of a file`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    try run.write("secret", to: "private.csv")
    chmod(run.path("private.csv"), 0o600)
    try run.run("book-catalog", "export", "private.csv", "--store", "b.sqlite")
    #expect(try mode(run, "private.csv") == 0o600)
    #expect(try run.read("private.csv").contains("title"))
    chmod(run.path("private.csv"), 0o640)
    try run.run("book-catalog", "export", "private.csv", "--store", "b.sqlite")
    #expect(try mode(run, "private.csv") == 0o640)
    #expect(try names(run).allSatisfy { !$0.hasSuffix(".part") })
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `an export does not replace the side files of a database`(
    _ suffix: String
  ) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let folder = try names(run)
    for format in ["csv", "jsonl"] {
      let result = try run.run(
        "book-catalog",
        "export",
        "b.sqlite" + suffix,
        "--format",
        format,
        "--store",
        "b.sqlite",
        expecting: 73
      )
      #expect(result.errors.contains("belongs to the database"), "\(result)")
    }
    #expect(try names(run) == folder)
    try run.run("book-catalog", "export", "notes" + suffix, "--store", "b.sqlite")
  }

  @Test func `foreign files in a linked cache folder are not removed`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    try FileManager.default.removeItem(atPath: run.path("b.sqlite-caches"))
    try FileManager.default.createDirectory(
      atPath: run.path("mine"),
      withIntermediateDirectories: false
    )
    try FileManager.default.createSymbolicLink(
      atPath: run.path("b.sqlite-caches"),
      withDestinationPath: "mine"
    )
    let others = ["letter.draft", "\(UUID().uuidString.lowercased()).draft", "x.sectioncache"]
    for file in others {
      try run.write("mine", to: "mine/" + file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)],
        ofItemAtPath: run.path("mine/" + file)
      )
    }
    try run.run("book-catalog", "list", "--store", "b.sqlite")
    #expect(try names(run, "mine").count == 4)
    try run.run("book-catalog", "doctor", "--repair", "--store", "b.sqlite")
    #expect(try Set(names(run, "mine")).isSuperset(of: others))
  }

  @Test(arguments: [
    ["list"], ["list", "--read-only"], ["show", "1"], ["doctor"], ["export", "-"], ["dump"],
    ["cache", "list"], ["list", "--explain"], ["show", "999"], ["list", "--where", "x"],
  ])
  func `a verb that only reads creates no side files`(_ verb: [String]) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let before = FileManager.default.contents(atPath: run.path("b.sqlite"))
    let result = try run.run("book-catalog", verb + ["--store", "b.sqlite"])
    #expect(try names(run) == ["b.sqlite", "b.sqlite-caches"], "\(result)")
    #expect(FileManager.default.contents(atPath: run.path("b.sqlite")) == before, "\(result)")
  }

  @Test func `a verb that is refused creates no side files`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "import", ProgramFolder.fixture("books-200.tsv"), "--store", "w")
    var bytes = try #require(FileManager.default.contents(atPath: run.path("w")))
    let book = try #require(bytes.range(of: Data("British and Boers in South Africa".utf8)))
    let page = book.lowerBound / 4096 * 4096
    for index in page..<page + 4096 { bytes[index] = 0xFF }
    for verb in [["list"], ["export", "-"], ["dump"], ["doctor"], ["list", "--read-only"]] {
      let url = URL(fileURLWithPath: run.path("damaged"))
      try bytes.write(to: url)
      let result = try run.run("book-catalog", verb + ["--store", "damaged"])
      #expect(result.status == 65, "\(result)")
      #expect(try Data(contentsOf: url) == bytes, "\(result)")
      #expect(try names(run).filter { $0.hasPrefix("damaged-") } == [], "\(result)")
    }
  }

  @Test func `an unknown schema format is a damaged file`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    var bytes = try #require(FileManager.default.contents(atPath: run.path("b.sqlite")))
    bytes[47] = 9
    try bytes.write(to: URL(fileURLWithPath: run.path("b.sqlite")))
    for verb in [["list"], ["list", "--read-only"], ["doctor"], ["demo"]] {
      let result = try run.run("book-catalog", verb + ["--store", "b.sqlite"])
      #expect(result.status == 65, "\(result)")
      #expect(result.errors.contains("unsupported file format"), "\(result)")
    }
  }
}

/// Hostile text from outside: it is displayed safely, never executed, and never lost.
@Suite struct HostileTextTests {
  private static let texts = [
    "\u{1B}]52;c;aGk=\u{07}clipboard", "\u{1B}[2J\u{1B}[31mred", "\u{9B}31mC1", "right\u{202E}left",
    "tab\there", "line\nfeed\r\nends", "nul\u{0}?", "back\\slash", "\"quotes\"; 'and', commas",
    "=1+1", "か\u{3099} 葛\u{E0100} ｶﾞ 👨‍👩‍👧‍👦", "e" + String(repeating: "\u{301}", count: 400),
    String(repeating: "長", count: 300), "", " ", "\u{FEFF}mark", "\u{2028}separator",
  ]

  @Test func `every text survives export and import exactly, in every format`() throws {
    let run = try ProgramRun()
    // NUL cannot be an argument of a program.
    let texts = HostileTextTests.texts.filter { !$0.utf8.contains(0) }
    for text in texts {
      // For optional attributes, CSV and TSV do not distinguish null from an empty text.
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

  @Test func `output for people contains no control characters`() throws {
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

  @Test func `a row is one line`() throws {
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

  @Test func `control characters in the title of a feed are escaped`() throws {
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
    // An item without a guid is identified by its link.
    #expect(list.output.contains(#""id":"https://example.org/2""#))
    #expect(list.output.contains(#""section":"News & more""#))
  }
}
