import ResultsStoreKit
import Foundation
import Testing

/// Imports and exports: round trips, repeated imports, dry runs and bad lines.
@Suite struct ImportTests {
  private let books = ProgramFolder.fixture("books-200.tsv")

  @Test func `two hundred real books are imported once`() throws {
    let run = try ProgramRun()
    #expect(
      try run.run("book-catalog", "import", books).output
        == "imported 200 books, 0 known already\n"
    )
    #expect(
      try run.run("book-catalog", "import", books).output
        == "imported 0 books, 200 known already\n"
    )
    let last = try run.run("book-catalog", "list", "--format", "table").lines.last
    // Publishers are compared by bytes; some differ only by their Unicode normalization.
    #expect(last == "200 books in \(try publishers().count) sections")
  }

  @Test func `a file with other delimiters, or of another kind, is recognized`() throws {
    let run = try ProgramRun()
    let semicolons = try run.run(
      "book-catalog",
      "import",
      "-",
      input: "publisher;title\nA;B, C\n\"D;E\";F\n"
    )
    #expect(semicolons.output.contains("imported 2 books"), "\(semicolons)")
    let books = try run.run("book-catalog", "list", "--columns", "publisher,title").output
    #expect(books.contains("A\tB, C\n") && books.contains("D;E\tF\n"), "\(books)")
    let feed = try run.run(
      "book-catalog",
      "import",
      "-",
      input:
        "<rss version='2.0'><channel><title>f</title><item><title>t</title></item></channel></rss>",
      expecting: 65
    )
    #expect(feed.errors.contains("is a feed (RSS or Atom), and book-catalog does not"), "\(feed)")
    let table = try run.run("news-feed", "import", "-", input: "a,b\n1,2\n", expecting: 65)
    #expect(table.errors.contains("Columns found: a, b. Columns understood:"), "\(table)")
  }

  @Test(arguments: ["csv", "tsv", "jsonl"])
  func `an export that is imported again gives the same export`(_ form: String) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "import", books)
    try run.run("book-catalog", "export", "out.\(form)")
    try run.run("book-catalog", "import", "out.\(form)", "--store", "other.sqlite")
    try run.run("book-catalog", "export", "again.\(form)", "--store", "other.sqlite")
    let (once, twice) = (try run.read("out.\(form)"), try run.read("again.\(form)"))
    #expect(!once.isEmpty)
    #expect(Array(once.utf8) == Array(twice.utf8))
    let piped = try run.run("book-catalog", "export", "-", "--format", form)
    #expect(Array(piped.output.utf8) == Array(once.utf8))
  }

  @Test func `an export has all rows, not only those of the list`() throws {
    let run = try ProgramRun()
    let lines = (1...230).map { "s\($0),\($0),\(20 + $0 % 3)" }
    let csv = "studentName,studentId,studentAge\n" + lines.joined(separator: "\n") + "\n"
    try run.run("student-roster", "import", "-", input: csv)
    #expect(try run.run("student-roster", "list", "--format", "jsonl").lines.count == 200)
    #expect(try run.run("student-roster", "export", "-").lines.count == 230)
    #expect(try run.run("student-roster", "export", "-", "--limit", "7").lines.count == 7)
    #expect(try run.run("student-roster", "export", "-", "--offset", "7").lines.count == 223)
  }

  @Test func `a book without an identifier is recognized by all its fields, and counted`() throws {
    let run = try ProgramRun()
    let csv = "publisher,title,isbn\nA,B,\nA,B,\nA,C,1\nX,Y,1\n"
    let first = try run.run("book-catalog", "import", "-", input: csv)
    #expect(first.output == "imported 4 books, 0 known already\n")
    let second = try run.run("book-catalog", "import", "-", input: csv)
    #expect(second.output == "imported 0 books, 4 known already\n")
  }

  @Test func `a dry run reports what would be imported, and writes nothing`() throws {
    let run = try ProgramRun()
    let trial = try run.run("book-catalog", "import", books, "--dry-run", "--store", "b.sqlite")
    #expect(trial.output == "would import 200 books, 0 known already\n")
    #expect(!FileManager.default.fileExists(atPath: run.path("b.sqlite")))
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    try run.run("book-catalog", "import", books, "--dry-run", "--store", "b.sqlite")
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)
  }

  @Test func `a bad line is reported with its position, and nothing is imported`() throws {
    let run = try ProgramRun()
    try run.write("publisher,title,year\nA,B,1900\nA,C,19x\nA,D,1901\n", to: "bad.csv")
    let refused = try run.run("book-catalog", "import", "bad.csv", expecting: 65)
    #expect(refused.errors.hasPrefix("book-catalog: bad.csv:3:5: year "))
    #expect(refused.errors.contains("Nothing was imported."))
    #expect(refused.errors.contains("--skip-bad"))
    #expect(try run.run("book-catalog", "dump").output == "")

    let skipped = try run.run("book-catalog", "import", "bad.csv", "--skip-bad", expecting: 1)
    #expect(skipped.output == "imported 2 books, 0 known already, 1 skipped\n")
    #expect(skipped.errors.contains("skipped bad.csv:3:5: year "))
    #expect(try run.run("book-catalog", "dump").lines.count == 2)
  }

  @Test(arguments: [
    ("publisher,title\nA,\"B", ":2:3: "), ("", "empty"), ("pub,tit\nA,B\n", "publisher"),
    ("{\"publisher\":\"A\"\n", ":1:17: "), ("<rss><channel>", "feed"),
    ("publisher\ttitle\nA\tB\tC\n", ":2:5: "),
  ])
  func `a malformed file is refused`(_ text: String, _ words: String) throws {
    let run = try ProgramRun()
    let refused = try run.run("book-catalog", "import", "-", input: text, expecting: 65)
    #expect(refused.errors.contains("Nothing was imported."))
    #expect(refused.errors.contains(words))
    #expect(refused.output == "")
  }

  @Test func `a file that cannot be read has the exit code for missing input`() throws {
    let run = try ProgramRun()
    let missing = try run.run("book-catalog", "import", "nope.csv", expecting: 66)
    #expect(missing.errors.contains("nope.csv: cannot be read"))
    #expect(try run.run("book-catalog", "import", ".", expecting: 66).errors.contains("directory"))
  }

  @Test func `an export that fails creates no file`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "export", "none/out.csv", expecting: 73)
  }

  @Test func `an export does not replace databases and devices`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let refused = try run.run(
      "book-catalog",
      "export",
      "b.sqlite",
      "--store",
      "b.sqlite",
      expecting: 73
    )
    #expect(refused.errors.contains("is a database"))
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)

    // A link is followed; a device is written to, not replaced.
    try FileManager.default.createSymbolicLink(
      atPath: run.path("link.csv"),
      withDestinationPath: run.path("real.csv")
    )
    try run.write("old", to: "real.csv")
    try run.run("book-catalog", "export", "link.csv", "--store", "b.sqlite")
    #expect(try run.read("real.csv").hasPrefix("publisher,title"))
    let device = try run.run(
      "book-catalog",
      "export",
      "/dev/stderr",
      "--store",
      "b.sqlite",
      "--format",
      "csv"
    )
    #expect(device.errors.hasPrefix("publisher,title"))
  }

  @Test func `an export that fails does not change the existing file`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    let full = try run.run(
      "book-catalog",
      "export",
      "/dev/full",
      "--format",
      "csv",
      expecting: 74
    )
    #expect(full.errors.contains("No space left"))
    try run.write("old", to: "out.csv")
    try run.run("book-catalog", "export", "out.csv", "--where", "yaer = 1", expecting: 64)
    #expect(try run.read("out.csv") == "old")
    let files = try FileManager.default.contentsOfDirectory(atPath: run.folder)
    #expect(!files.contains { $0.hasSuffix(".part") })
  }

  @Test func `formulas are guarded on request`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "add", "publisher=A", "title==1+1")
    let plain = try run.run("book-catalog", "export", "-", "--format", "csv")
    #expect(plain.output.contains("A,=1+1,"))
    let safe = try run.run("book-catalog", "export", "-", "--format", "csv", "--spreadsheet-safe")
    #expect(safe.output.contains("A,'=1+1,"))
  }

  /// The publishers of the file, by bytes.
  private func publishers() throws -> Set<[UInt8]> {
    let data = try #require(FileManager.default.contents(atPath: books))
    let lines = data.split(separator: 0x0A).dropFirst()
    return Set(lines.map { Array($0.split(separator: 0x09, omittingEmptySubsequences: false)[3]) })
  }
}
