import Foundation
import ResultsStoreKit
import Testing

/// R293, R294: a catalog takes the records of libraries, into a file and over PostgreSQL.
@Suite struct MARCFileTests {
  private let marc = ProgramFolder.fixture("library.mrc")
  private let xml = ProgramFolder.fixture("library.xml")
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  private func books(
    _ arguments: String...,
    store: String = "b.sqlite",
    input: String = "",
    expecting status: Int32 = 0
  ) throws -> ProgramResult {
    let result = try run.run("book-catalog", arguments + ["--store", store], input: input)
    #expect(result.status == status, "\(result)")
    return result
  }

  private let columns = "filedAs,author,publisher,year,language,identifier,tags"

  /// The books in filing order.
  private func listed(_ store: String = "b.sqlite") throws -> [String] {
    try books(
      "list",
      "--sort",
      "filing",
      "--section-by",
      "none",
      "--columns",
      columns,
      store: store
    ).lines.dropFirst().map { String($0) }
  }

  private let expected = [
    "e\u{301}toile = The star, L'\tE\u{301}méry, J. R.\tMaison Fictive\t1985\tfre\t2070360024\tE\u{301}toiles",
    "The The : a name\tSociety of Examples. Press Office\t[publisher not named]\t\teng\t00123456\t",
    "Trommel. Band 2, Winter, Die\tNacht, B.\tVerlag Nacht\t2003\tger\t3123456789\t",
    "zoo : a guide for visitors, The\tKeeper, Ada\tOtter & Sons\t1998\teng\t0306406152\t"
      + "Animals\\\\; their houses; Zoos",
  ]

  @Test func `R293: both forms are the same books, and come once`() throws {
    try holds(in: "b.sqlite")
    // A store in memory has no list of its own behind the command.
    let inMemory = try books("import", xml, store: ":memory:")
    #expect(inMemory.output == "imported 4 books, 0 known already\n")
    // From standard input the content says what it is.
    let file = try String(decoding: Data(contentsOf: URL(fileURLWithPath: marc)), as: UTF8.self)
    let known = "imported 0 books, 4 known already\n"
    #expect(try books("import", "-", input: file).output == known)
    #expect(try books("import", "-", "--format", "marc", input: file).output == known)
  }

  #if PostgreSQL
  @Test func `R293: both forms are the same books over PostgreSQL`() throws {
    let server = try ServerRun()
    try withExtendedLifetime(server) { try holds(in: server.url) }
  }
  #endif

  private func holds(in store: String) throws {
    let first = try books("import", marc, store: store)
    #expect(first.output == "imported 4 books, 0 known already\n")
    #expect(first.errors.contains("record 3: the ISBN 3123456789 has a wrong check digit"))
    let list = try listed(store)
    #expect(list == expected, "\(list)")
    #expect(try books("import", marc, store: store).output == "imported 0 books, 4 known already\n")
    #expect(try books("import", xml, store: store).output == "imported 0 books, 4 known already\n")
    #expect(try listed(store) == list)
  }

  @Test func `R294: a book is known by either of its numbers`() throws {
    try run.write("title,publisher,isbn\nZoo,p,978-0-306-40615-7\nX,p,123456789X\n", to: "l.csv")
    #expect(try books("import", "l.csv").output == "imported 2 books, 0 known already\n")
    #expect(
      try books("import", marc).output
        == "imported 3 books, 1 known already (1 with other values, left as is)\n"
    )
    #expect(try books("import", "l.csv").output == "imported 0 books, 2 known already\n")
  }

  @Test func `R293: a list takes its books from a big file`() throws {
    try run.write("\u{FEFF}978-0-306-40615-7\r\n\n00123456\n9780804429573\n", to: "isbns.txt")
    let taken = try books("import", marc, "--only", "isbns.txt")
    #expect(taken.output == "imported 2 books, 0 known already, 2 not in the list\n")
    #expect(taken.errors == "book-catalog: the file has 2 of the 3 in the list\n")
    #expect(try books("import", xml, "--only", "no.txt", expecting: 66).errors.contains("no.txt"))
    #expect(try listed() == [expected[1], expected[3]])
  }

  @Test func `R293: a broken record is named by its number, or left out`() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: marc))
    try bytes.dropLast(10).write(to: URL(fileURLWithPath: run.path("cut.mrc")))
    let refused = try books("import", "cut.mrc", expecting: 65)
    let message = "cut.mrc: record 4: the file ends after"
    #expect(refused.errors.contains(message), "\(refused)")
    #expect(refused.errors.contains("--skip-bad"))
    let skipped = try books("import", "cut.mrc", "--skip-bad", expecting: 1)
    #expect(skipped.output == "imported 3 books, 0 known already, 1 skipped\n")
    #expect(skipped.errors.contains("skipped \(message)"), "\(skipped)")
    let used = try books("import", marc, "--encoding", "windows-1252", expecting: 64)
    #expect(used.errors.contains("--encoding and --skip-lines are for text"), "\(used)")
  }

  @Test(arguments: ["household-ledger", "event-log", "student-roster", "news-feed"])
  func `R293: other programs refuse the records of libraries`(_ program: String) throws {
    for file in [marc, xml] {
      let result = try run.run(program, ["import", file, "--store", "o.sqlite"])
      #expect(result.status == 65, "\(result)")
      #expect(result.errors.contains("\(program) does not import MARC records"), "\(result)")
    }
  }
}
