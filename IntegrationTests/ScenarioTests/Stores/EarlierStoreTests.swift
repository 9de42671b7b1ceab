import Foundation
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// Stores of the first version of `book-catalog`, whose books had the author as a text.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
struct EarlierStoreTests {
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  /// Makes a store of the first version in `b.sqlite`.
  private func fill(_ authors: [String?], title: String = "t") throws {
    let text = { (name: String) in AttributeDescription(name, .text, isOptional: true) }
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription("publisher", .text), AttributeDescription("title", .text),
        text("author"), AttributeDescription("year", .integer16, isOptional: true),
        text("language"), text("identifier"),
      ]
    )
    let store = try SQLiteStore(at: run.path("b.sqlite"), entities: [book])
    _ = try store.commit(origin: .unnamed) { transaction in
      for (number, author) in authors.enumerated() {
        try transaction.insert(
          [
            "p", .text("\(title) \(number)"), author.map { .text($0) } ?? .null,
            .integer(Int64(number % 100)), .null, .null,
          ],
          key: nil,
          into: book
        )
      }
    }
    try store.close()
  }

  private func sql(_ statement: String) throws -> String {
    let shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["-batch", "-cmd", ".timeout 20000", "b.sqlite", statement],
      environment: run.environment,
      folder: run.folder
    )
    let result = try shell.finish()
    #expect(result.status == 0, "\(result)")
    return result.output.trimmingCharacters(in: .newlines)
  }

  private var isConverted: Bool {
    get throws {
      try sql("SELECT count(*) FROM pragma_table_info('Book') WHERE name = 'author'") == "0"
    }
  }

  @Test(arguments: [
    ["list"], ["doctor"], ["show", "1"], ["export", "-"], ["dump"], ["edit", "1", "year=3"],
    ["watch", "--deltas", "0"], ["import", "none.csv"],
  ])
  func `any verb converts the store, and nothing is lost`(_ verb: [String]) throws {
    try fill(["Eco", nil, "Le Guin", "Eco", ""])
    try run.write("publisher,title\n", to: "none.csv")
    let result = try run.run("book-catalog", verb + ["--store", "b.sqlite"])
    #expect(result.status == 0, "\(result)")
    #expect(try isConverted)
    // R288: what books are filed as is empty until it is needed.
    #expect(try sql("SELECT count(*), count(filedAs) FROM Book") == "5|0")
    let authors = try sql(
      """
      SELECT group_concat(author, ' ') FROM (
        SELECT ifnull('<' || Author.name || '>', '-') AS author
        FROM Book LEFT JOIN Author ON Author.id = authorID ORDER BY Book.id)
      """
    )
    #expect(authors == "<Eco> - <Le Guin> <Eco> <>")
    #expect(
      try sql("SELECT group_concat(id || name) FROM (SELECT * FROM Author ORDER BY id)")
        == "1Eco,2Le Guin,3"
    )
    let list = try run.run(
      "book-catalog",
      "list",
      "--where",
      "author.name == 'Eco'",
      "--store",
      "b.sqlite"
    )
    #expect(list.lines.count == 3)
  }

  @Test func `a store that must not be written stays as it is, and the program says what to do`()
    throws
  {
    try fill(["Eco"])
    let before = FileManager.default.contents(atPath: run.path("b.sqlite"))
    let refused = try run.run(
      "book-catalog",
      "list",
      "--read-only",
      "--store",
      "b.sqlite",
      expecting: 65
    )
    #expect(
      refused.errors
        == "book-catalog: b.sqlite was written by an earlier version of the program (Book has the attribute"
        + " author), and is not converted while it is open for reading only. Open it once for writing; it was"
        + " not touched.\n"
    )
    #expect(FileManager.default.contents(atPath: run.path("b.sqlite")) == before)
  }

  @Test func `programs that open the store at once convert it once`() throws {
    try fill((0..<2000).map { "author \($0 % 300)" })
    let programs = try (0..<4).map { number in
      try run.start(
        "book-catalog",
        "add",
        "publisher=p",
        "title=new \(number)",
        "author=author 7",
        "--busy-timeout",
        "30s",
        "--store",
        "b.sqlite"
      )
    }
    for program in programs {
      let result = try program.finish()
      #expect(result.status == 0, "\(result)")
    }
    #expect(try sql("SELECT count(*), count(DISTINCT name) FROM Author") == "300|300")
    #expect(try sql("SELECT count(*), count(authorID) FROM Book") == "2004|2004")
  }

  @Test(.timeLimit(.minutes(3)))
  func `a program that is killed meanwhile leaves the earlier store or the converted one`() throws {
    let count = 12_000
    try fill(
      (0..<count).map { "author \($0 % 3000)" },
      title: String(repeating: "long ", count: 60)
    )
    let log = run.path("b.sqlite-wal")
    func size() -> Int {
      (try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int) ?? 0
    }
    var outcomes: [Bool] = []
    for threshold in [1, 200_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000] {
      guard try !isConverted else { break }
      let program = try run.start("book-catalog", "doctor", "--store", "b.sqlite")
      let deadline = ContinuousClock.now + .seconds(20)
      while size() < threshold, ContinuousClock.now < deadline { sched_yield() }
      program.send(SIGKILL)
      _ = try program.finish()
      let isConverted = try isConverted
      outcomes.append(isConverted)
      #expect(try sql("PRAGMA integrity_check") == "ok")
      let authors = isConverted ? "Author.name" : "author"
      let join = isConverted ? "JOIN Author ON Author.id = authorID" : ""
      let rest = try sql(
        "SELECT count(*) FROM Book \(join) WHERE \(authors) = 'author ' || ((Book.id - 1) % 3000)"
      )
      #expect(rest == "\(count)", "killed at \(threshold) bytes of the log")
    }
    #expect(outcomes.first == false, "no program was killed in the middle: \(outcomes)")
    try run.run("book-catalog", "doctor", "--store", "b.sqlite")
    #expect(try sql("SELECT count(*) FROM Author") == "3000")
    let joined = try sql(
      "SELECT count(*) FROM Book JOIN Author ON Author.id = authorID WHERE name = 'author ' || ((Book.id - 1) % 3000)"
    )
    #expect(joined == "\(count)")
  }
}

/// Stores of the first version of `news-feed`, whose items had the title of their feed as a text.
@Suite struct EarlierFeedTests {
  @Test(arguments: [
    ["list"], ["feeds"], ["doctor"], ["export", "-"], ["print-unread"], ["watch", "--deltas", "0"],
  ])
  func `R260: any verb converts the store, and nothing is lost`(_ verb: [String]) throws {
    let run = try ProgramRun()
    let text = { (name: String) in AttributeDescription(name, .text, isOptional: true) }
    let item = try EntityDescription(
      name: "Item",
      identity: .text(column: "id"),
      attributes: [
        AttributeDescription("title", .text), text("link"), AttributeDescription("feed", .text),
        AttributeDescription("published", .date, isOptional: true), text("summary"),
        AttributeDescription("isRead", .boolean),
      ]
    )
    let store = try SQLiteStore(at: run.path("n.sqlite"), entities: [item])
    _ = try store.commit(origin: .unnamed) { transaction in
      for (number, feed) in ["B", "A", "B", "", "A\u{301}"].enumerated() {
        let values: [Value] = [
          .text("t\(number)"), .null, .text(feed), .integer(Int64(number) * 1_000_000), "s",
          .integer(Int64(number % 2)),
        ]
        try transaction.insert(values, key: .text("g\(number)"), into: item)
      }
    }
    try store.close()
    let opened = try run.run("news-feed", verb + ["--store", "n.sqlite"])
    #expect(opened.status == 0, "\(opened)")
    let list = try run.run(
      "news-feed",
      ["list", "--sort", "id", "--section-by", "none", "--format", "csv", "--columns"]
        + ["id,title,feed,isRead,summary", "--store", "n.sqlite"]
    )
    #expect(
      list.lines.dropFirst().map { $0 } == [
        "g0,t0,B,false,s", "g1,t1,A,true,s", "g2,t2,B,false,s", "g3,t3,,true,s",
        "g4,t4,A\u{301},false,s",
      ],
      "\(list)"
    )
    let feeds = try run.run(
      "news-feed",
      ["feeds", "--format", "csv", "--columns", "title,unread,items.@count", "--store", "n.sqlite"]
    )
    #expect(
      Set(feeds.lines.dropFirst()) == [",,0,1", ",A,0,1", ",A\u{301},1,1", ",B,2,2"],
      "\(feeds)"
    )
  }
}
