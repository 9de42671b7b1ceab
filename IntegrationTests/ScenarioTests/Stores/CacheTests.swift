import ResultsStoreKit
import Foundation
import Testing

/// R88: the list caches of programs.
@Suite struct CacheTests {
  @Test func `rows that changed without the log are listed in the right order`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let before = try run.run("book-catalog", "list", "--store", "b.sqlite")
    let file = URL(fileURLWithPath: run.path("b.sqlite"))
    var bytes = try Data(contentsOf: file)
    // Like a damaged page: the last publisher is replaced by one that sorts first.
    let range = try #require(bytes.range(of: Data("東京創元社".utf8), options: .backwards))
    bytes.replaceSubrange(range, with: Data("0000000000 ABCD".utf8))
    try bytes.write(to: file)
    let cached = try run.run("book-catalog", "list", "--store", "b.sqlite")
    try FileManager.default.removeItem(atPath: run.path("b.sqlite-caches"))
    let fresh = try run.run("book-catalog", "list", "--store", "b.sqlite")
    #expect(fresh.lines.dropFirst().first?.hasPrefix("0000000000 ABCD") == true, "\(fresh)")
    #expect(cached.output == fresh.output)
    #expect(cached.output != before.output)
  }

  @Test(arguments: [
    ("book-catalog", "Demo"), ("household-ledger", "transactionSortedByDate"),
    ("event-log", "Root Event"), ("student-roster", "StudentTable"), ("news-feed", "Items"),
  ])
  func
    `the default list of a program is cached under its name beside the store, and used at the next start`(
      program: String,
      name: String
    ) throws
  {
    let run = try ProgramRun()
    try run.run(program, "watch", "--deltas", "0", "--store", "s.sqlite")
    try run.run(program, "cache", "delete", "--all", "--store", "s.sqlite")
    #expect(try caches(program, run).isEmpty)
    let first = try run.run(program, "list", "--store", "s.sqlite")
    let cached = try #require(try caches(program, run).first)
    #expect(cached[0] == name)
    #expect(cached[4] == "up to date")
    #expect(try files(run).count == 1)
    #expect(try run.run(program, "list", "--store", "s.sqlite").output == first.output)
    let health = try run.run(program, "doctor", "--store", "s.sqlite")
    #expect(health.lines.contains("cache      \(name): up to date, 0 rows"))
  }

  @Test func `a list that is changed by options is not cached, and does not overwrite a cache`()
    throws
  {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "s.sqlite")
    let cached = try caches("book-catalog", run)
    #expect(cached.map { $0[1] } == ["14"])
    for change in [["--where", "title CONTAINS '帰還'"], ["--sort", "title"], ["--limit", "1"]] {
      try start(
        "book-catalog",
        ["list", "--store", "s.sqlite", "--section-by", "none"] + change,
        in: run
      )
      #expect(try caches("book-catalog", run) == cached)
    }
  }

  @Test func `a changed locale is a cache miss, and all titles have the new form`() throws {
    let run = try ProgramRun()
    for day in ["2026-01-02", "2026-01-03"] {
      let fields = ["date=\(day)", "payee=A", "category=b", "amount=-1"]
      try start("household-ledger", ["add", "--store", "s.sqlite"] + fields, in: run)
    }
    let list = ["list", "--store", "s.sqlite", "--format", "tsv"]
    try start("household-ledger", list + ["--locale", "en_US"], in: run)
    let options = ["--store", "s.sqlite", "--locale", "de_DE"]
    let lines = try start("household-ledger", ["doctor"] + options, in: run).lines
    #expect(
      lines.contains(
        "cache      transactionSortedByDate: not usable: the locale is another one, 2 rows"
      )
    )
    let german = try start("household-ledger", list + ["--locale", "de_DE"], in: run).lines
      .dropFirst()
    #expect(german.allSatisfy { $0.contains(".1.2026\t") })
    let health = try start("household-ledger", ["doctor"] + options, in: run).lines
    #expect(health.contains("cache      transactionSortedByDate: up to date, 2 rows"))
  }

  @Test func `caches are deleted by name or all at once; an unknown name is reported`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "s.sqlite")
    let delete = ["cache", "delete", "--store", "s.sqlite"]
    let unknown = try start("book-catalog", delete + ["Dem"], in: run, expecting: 1)
    #expect(unknown.errors.contains("no cache “Dem”"))
    #expect(unknown.errors.contains("The caches are Demo."))
    try start("book-catalog", delete + ["--all", "--read-only"], in: run, expecting: 64)
    try start("book-catalog", delete, in: run, expecting: 64)
    try start("book-catalog", delete + ["Demo", "--all"], in: run, expecting: 64)
    #expect(try start("book-catalog", delete + ["Demo"], in: run).output == "deleted 1 cache\n")
    #expect(try files(run).isEmpty)
    try run.run("book-catalog", "list", "--store", "s.sqlite")
    #expect(try start("book-catalog", delete + ["--all"], in: run).output == "deleted 1 cache\n")
    #expect(try start("book-catalog", delete + ["--all"], in: run).output == "deleted 0 caches\n")
  }

  @Test func `a list that is only explained is cached completely`() throws {
    let run = try ProgramRun()
    try start(
      "student-roster",
      ["simulate", "--seed", "3", "--operations", "3000", "--store", "s.sqlite"],
      in: run
    )
    for _ in 0..<5 {
      try start("student-roster", ["cache", "delete", "--all", "--store", "s.sqlite"], in: run)
      try run.run("student-roster", "list", "--explain", "--store", "s.sqlite")
      let cached = try files(run)
      #expect(cached.count == 1 && cached.allSatisfy { $0.hasSuffix(".sectioncache") }, "\(cached)")
    }
  }

  @Test func `a damaged cache is reported and written again; a store in memory has none`() throws {
    let run = try ProgramRun()
    let first = try run.run("book-catalog", "demo", "--store", "s.sqlite")
    let file = try #require(try files(run).first)
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: file))
    let lines = try run.run("book-catalog", "doctor", "--store", "s.sqlite").lines
    #expect(lines.contains("cache      Demo: not usable: the cache is damaged"))
    let again = try run.run("book-catalog", "list", "--store", "s.sqlite")
    #expect(again.output == first.output)
    #expect(try caches("book-catalog", run).map { $0[4] } == ["up to date"])
    let inMemory = try ProgramRun()
    try inMemory.run("book-catalog", "demo", "--store", ":memory:")
    #expect(try FileManager.default.contentsOfDirectory(atPath: inMemory.folder).isEmpty)
  }

  /// The lines of `cache list` without its heading, by fields.
  private func caches(_ program: String, _ run: ProgramRun) throws -> [[String]] {
    try run.run(program, "cache", "list", "--store", "s.sqlite").lines.dropFirst().map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Runs a program with arguments in a list.
  @discardableResult
  private func start(
    _ program: String,
    _ arguments: [String],
    in run: ProgramRun,
    expecting status: Int32 = 0
  ) throws -> ProgramResult {
    let result = try run.run(program, arguments)
    #expect(result.status == status, "\(result)")
    return result
  }

  private func files(_ run: ProgramRun) throws -> [String] {
    let folder = run.path("s.sqlite-caches")
    return try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
  }
}
