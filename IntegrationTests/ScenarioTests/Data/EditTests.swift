import ResultsStoreKit
import Foundation
import Testing

/// R13: two processes edit one object: no update is lost, unless last-write-wins is requested.
@Suite struct EditTests {
  private func makeStore() throws -> ProgramRun {
    let run = try ProgramRun()
    try run.run("book-catalog", "add", "publisher=P", "title=A", "year=1999", "--store", "b.sqlite")
    return run
  }

  private func edit(_ run: ProgramRun, _ words: String...) throws -> ProgramResult {
    try run.run("book-catalog", ["edit", "1"] + words + ["--store", "b.sqlite"])
  }

  /// The value of an attribute in the output of `show`.
  private func shown(_ run: ProgramRun, _ name: String) throws -> String {
    let result = try run.run("book-catalog", "show", "1", "--store", "b.sqlite")
    let line = try #require(result.lines.first { $0.hasPrefix("\(name) ") }, "\(result)")
    return String(line.dropFirst(name.count).trimmingPrefix { $0 == " " })
  }

  @Test func `an edit based on an older version is refused with the stored values`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(version.count == 16)
    #expect(try edit(run, "title=B", "year=NULL").status == 0)

    let refused = try edit(run, "title=C", "--based-on", version)
    #expect(refused.status == 75, "\(refused)")
    #expect(refused.output == "")
    let newVersion = try shown(run, "version")
    let words = [
      "Book 1", version, newVersion, "Nothing was written", "--based-on", "--overwrite",
      "title       B (edit: C)", "year        NULL\n", "publisher   P\n",
    ]
    for word in words { #expect(refused.errors.contains(word), "\(word): \(refused)") }
    #expect(try shown(run, "title") == "B")
    #expect(
      try edit(run, "title=C", "--based-on", newVersion).output == "changed title of Book 1\n"
    )
    #expect(try shown(run, "title") == "C")
  }

  @Test func `the last write wins on request`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(try edit(run, "title=B").status == 0)
    #expect(try edit(run, "title=C", "--based-on", version, "--overwrite").status == 0)
    #expect(try shown(run, "title") == "C")
    #expect(try shown(run, "year") == "1999")
  }

  @Test func `a version token identifies its values`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(try edit(run, "title=B").status == 0)
    #expect(try edit(run, "title=A").status == 0)
    #expect(try shown(run, "version") == version)
    #expect(try edit(run, "title=C", "--based-on", version).status == 0)
  }

  @Test func `a removed object is not found, and a malformed version is refused`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(try edit(run, "title=B", "--based-on", "latest").status == 64)
    try run.run("book-catalog", "remove", "1", "--store", "b.sqlite")
    #expect(try edit(run, "title=B", "--based-on", version).status == 1)
  }

  @Test func `of many edits based on one version exactly one succeeds`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    let editors = try (0..<8).map { number in
      try run.start(
        "book-catalog",
        "edit",
        "1",
        "title=T\(number)",
        "--based-on",
        version,
        "--store",
        "b.sqlite"
      )
    }
    let results = try editors.map { try $0.finish() }
    let winners = results.indices.filter { results[$0].status == 0 }
    #expect(winners.count == 1, "\(results)")
    #expect(results.count { $0.status == 75 } == 7, "\(results)")
    #expect(try shown(run, "title") == winners.first.map { "T\($0)" })
  }

  @Test func `concurrent edits of different attributes are both stored`() throws {
    let run = try makeStore()
    for round in 0..<8 {
      let one = try run.start("book-catalog", "edit", "1", "title=T\(round)", "--store", "b.sqlite")
      let other = try run.start(
        "book-catalog",
        "edit",
        "1",
        "year=\(2000 + round)",
        "--store",
        "b.sqlite"
      )
      let results = [try one.finish(), try other.finish()]
      #expect(results.allSatisfy { $0.status == 0 }, "\(results)")
      #expect(try shown(run, "title") == "T\(round)")
      #expect(try shown(run, "year") == "\(2000 + round)")
    }
  }
}

/// `book-catalog` as users see it: demo, dump, output formats, adding, changing, removing.
@Suite struct CatalogTests {
  @Test func `the demo, run twice, shows fourteen books in four sections`() throws {
    let run = try ProgramRun()
    let first = try run.run("book-catalog", "demo", "--format", "table")
    let second = try run.run("book-catalog", "demo", "--format", "table")
    #expect(first.lines.last == "14 books in 4 sections")
    #expect(first.output == second.output)
    let headers = first.lines.filter { $0.hasSuffix(")") && !$0.hasPrefix(" ") }
    #expect(headers == ["岩波書店  (5)", "文藝春秋  (2)", "早川書房  (4)", "東京創元社  (3)"])
    let inMemory = try run.run("book-catalog", "demo", "--store", ":memory:", "--format", "table")
    #expect(inMemory.output == first.output)
  }

  @Test func `opening and importing add no demo book`() throws {
    let run = try ProgramRun()
    let file = try run.write("publisher,title\nA,B\n", to: "one.csv")
    #expect(try run.run("book-catalog", "list", "--format", "table").output.contains("0 books"))
    try run.run("book-catalog", "import", file)
    #expect(try run.run("book-catalog", "list", "--format", "table").output.contains("1 book in 1"))
  }

  @Test func `the dump has one line per book`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    let lines = try run.run("book-catalog", "dump").lines
    #expect(lines.count == 14)
    #expect(lines.first == "publisher=岩波書店 title=こわれた腕環")
    #expect(lines.contains("publisher=文藝春秋 title=11/22/63(上)"))
  }

  @Test func `each format of a list has every row`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    func list(_ format: String) throws -> [String] {
      try run.run("book-catalog", "list", "--format", format).lines
    }
    let tsv = try list("tsv")
    #expect(tsv.first == "section\ttitle\tauthor\tyear")
    #expect(tsv[1] == "岩波書店\tこわれた腕環\t\t")
    #expect(tsv.count == 15)
    let csv = try list("csv")
    #expect(csv.first == "section,title,author,year")
    #expect(csv.count == 15)
    let jsonLines = try list("jsonl")
    #expect(jsonLines.count == 14)
    #expect(
      jsonLines[0] == #"{"section":"岩波書店","id":6,"title":"こわれた腕環","author":null,"year":null}"#
    )
    let json = try list("json")
    #expect(json.count == 1)
    #expect(json[0].hasPrefix(#"{"v":1,"t":"snapshot","generation":1,"rows":14,"sections":["#))
    // In a pipe the format is TSV, without colours and not truncated.
    #expect(try run.run("book-catalog", "list").lines == tsv)
  }

  @Test func `options choose rows, order, sections and a window`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    func titles(_ options: String...) throws -> [String] {
      let lines = try run.run(
        "book-catalog",
        ["list", "--columns", "title", "--format", "csv"] + options
      ).lines
      return Array(lines.dropFirst())
    }
    let flat = ["--section-by", "none"]
    #expect(try titles("--where", "title CONTAINS '帰'").count == 2)
    let forwards = try titles("--sort", "title", "--section-by", "none")
    let backwards = try titles("--sort", "-title", "--section-by", "none")
    #expect(forwards.first == "11/22/63(上)")
    #expect(backwards == forwards.reversed())
    let window = try run.run(
      "book-catalog",
      ["list", "--limit", "2", "--offset", "1", "--format", "table"] + flat
    )
    #expect(window.lines.last == "2 of 14 books")
  }

  @Test func `an id that is named twice is removed once`() throws {
    let run = try ProgramRun()
    for title in ["A", "B"] {
      try run.run("book-catalog", "add", "publisher=P", "title=\(title)")
    }
    #expect(try run.run("book-catalog", "remove", "2", "2").output == "removed 1 book\n")
    #expect(try run.run("book-catalog", "list", "--columns", "id").output.contains("1"))
  }

  @Test func `add, edit, show and remove work on one object`() throws {
    let run = try ProgramRun()
    let added = try run.run("book-catalog", "add", "publisher=岩波書店", "title=ゲド戦記外伝")
    #expect(added.output == "added Book 1\n")
    let edited = try run.run("book-catalog", "edit", "1", "year=2004", "title=ゲド戦記外伝")
    #expect(edited.output == "changed year of Book 1\n")
    #expect(try run.run("book-catalog", "show", "1").output.contains("year        2004\n"))
    try run.run("book-catalog", "edit", "1", "year=NULL")
    #expect(try run.run("book-catalog", "show", "1").output.contains("\nyear\n"))
    #expect(try run.run("book-catalog", "remove", "1").output == "removed 1 book\n")
    #expect(try run.run("book-catalog", "list", "--fail-if-empty", expecting: 1).errors == "")
  }

  @Test func `removing several objects is all or nothing`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    try run.run("book-catalog", "remove", "1", "99", expecting: 1)
    #expect(try run.run("book-catalog", "dump").lines.count == 14)
  }

  @Test func `a read-only store is read, not written`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let list = try run.run("book-catalog", "dump", "--store", "b.sqlite", "--read-only")
    #expect(list.lines.count == 14)
    let refused = try run.run(
      "book-catalog",
      "remove",
      "1",
      "--store",
      "b.sqlite",
      "--read-only",
      expecting: 64
    )
    #expect(refused.errors.contains("Unknown option '--read-only'"))
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)
  }

  @Test func `doctor reports the path of the store and its health`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let lines = try run.run("book-catalog", "doctor", "--store", "b.sqlite").lines
    #expect(lines.first == "store      b.sqlite")
    #expect(lines.contains("entity     Book, 14 objects, 10 attributes"))
    #expect(lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") })
  }

  @Test func `doctor creates a useful index once`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let lines = try run.run("book-catalog", "doctor", "--create-index", "--store", "b.sqlite").lines
    let index = #"CREATE INDEX "BookByPublisherAndTitle" ON "Book" ("publisher", "title")"#
    #expect(lines.first == "made       \(index)")
    #expect(lines.last == "list       read from the index BookByPublisherAndTitle")
  }
}
