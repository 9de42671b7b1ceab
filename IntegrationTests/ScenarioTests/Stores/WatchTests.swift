import ResultsStoreKit
import Foundation
import ResultsPresentation
import WireFormat
import Testing

/// `watch` in one process while others write: replaying its lines gives the list that `list` prints.
@Suite struct WatchTests {
  @Test func `replaying changes by another process gives the printed list`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    var follower = try Follower(run, "--deltas", "5")

    try run.run("book-catalog", "add", "publisher=新潮社", "title=新しい本", "--store", "b.sqlite")
    try follower.takeDelta()
    try run.run("book-catalog", "edit", "1", "publisher=岩波書店", "year=2001", "--store", "b.sqlite")
    try follower.takeDelta()
    try run.run("book-catalog", "remove", "2", "3", "4", "--store", "b.sqlite")
    try follower.takeDelta()
    let books = ProgramFolder.fixture("books-200.tsv")
    try run.run("book-catalog", "import", books, "--store", "b.sqlite")
    try follower.takeDelta()
    try run.run("book-catalog", "edit", "15", "title=か\u{3099}", "--store", "b.sqlite")
    try follower.takeDelta()

    try follower.expectEnd()
    try follower.expectList()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
  func `replaying changes by the plain SQLite shell gives the printed list`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    var follower = try Follower(run, "--deltas", "3")
    for statement in [
      "UPDATE Book SET publisher = '新潮社' WHERE publisher = '文藝春秋'",
      "INSERT INTO Book(publisher, title) VALUES('', 'no publisher'), ('新潮社', 'か' || char(12441))",
      "DELETE FROM Book WHERE id % 2; UPDATE Book SET year = 1999 WHERE id = 2",
    ] {
      let shell = try RunningProgram(
        "/usr/bin/sqlite3",
        ["-batch", "b.sqlite", "BEGIN; \(statement); COMMIT"],
        environment: run.environment,
        folder: run.folder
      )
      #expect(try shell.finish().status == 0)
      try follower.takeDelta()
    }
    try follower.expectEnd()
    try follower.expectList()
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")),
    arguments: ["plain", "jsonl"]
  )
  func `a watch ends when its table is dropped`(_ form: String) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let watch = try run.start(
      "book-catalog",
      "watch",
      "--format",
      form,
      "--section-by",
      "none",
      "--for",
      "60s",
      "--store",
      "b.sqlite"
    )
    _ = try watch.line()
    let shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["-batch", "b.sqlite", "DROP TABLE Book"],
      environment: run.environment,
      folder: run.folder
    )
    #expect(try shell.finish().status == 0)
    let result = try watch.finish()
    #expect(result.status == 65, "\(result)")
    let reason = "The table Book of b.sqlite has changed since it was opened"
    #expect(result.errors.contains(reason), "\(result)")
    #expect(!result.errors.contains("Please report"), "\(result)")
  }

  @Test func `a watch exits after its time limit, and has printed the whole list`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let result = try run.run(
      "book-catalog",
      "watch",
      "--format",
      "jsonl",
      "--for",
      "1ms",
      "--store",
      "b.sqlite"
    )
    var replay = WireReplay()
    for line in result.lines { try replay.apply(line: line) }
    let list = try run.run("book-catalog", "list", "--format", "json", "--store", "b.sqlite")
    // `watch` prints the life of its list, because changes may follow; `list` prints none.
    #expect(replay.list?.life != .unknown)
    var listed = WireReplay()
    try listed.apply(line: try #require(list.lines.first))
    #expect(listed.list?.life == .unknown)
    #expect(replay.list?.generation == listed.list?.generation)
    #expect(replay.list?.sections == listed.list?.sections)
  }

  @Test func `a watch for no changes exits at once`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let result = try run.run(
      "book-catalog",
      "watch",
      "--format",
      "jsonl",
      "--deltas",
      "0",
      "--store",
      "b.sqlite"
    )
    #expect(result.lines.count == 1)
    #expect(result.lines.first?.contains(#""rows":14"#) == true)
  }

  @Test func `a read item stays in a frozen unread list, and leaves a live one`() throws {
    let run = try ProgramRun()
    let lines = (1...3).map { #"{"guid":"g\#($0)","title":"t\#($0)","feed":"f"}"# }
    let file = try run.write(lines.joined(separator: "\n") + "\n", to: "items.jsonl")
    try run.run("news-feed", "import", file, "--store", "n.sqlite")
    let watch = ["watch", "--unread", "--format", "jsonl", "--store", "n.sqlite", "--deltas", "1"]
    let environment = run.environment
    let frozen = try RunningProgram(
      "news-feed",
      watch + ["--frozen"],
      environment: environment,
      folder: run.folder
    )
    let live = try RunningProgram(
      "news-feed",
      watch,
      environment: environment,
      folder: run.folder
    )
    #expect(try frozen.line()?.contains(#""rows":3"#) == true)
    #expect(try live.line()?.contains(#""rows":3"#) == true)
    try run.run("news-feed", "open", "g2", "--store", "n.sqlite")
    let held = try #require(try frozen.line())
    #expect(held.contains(#""op":"update","id":"g2""#), "\(held)")
    let lost = try #require(try live.line())
    #expect(lost.contains(#""op":"delete","id":"g2""#), "\(lost)")
    #expect(try frozen.finish().status == 0)
    #expect(try live.finish().status == 0)
  }

  @Test func `a watch whose output is closed exits without a message`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let watch = try run.start("book-catalog", "watch", "--format", "jsonl", "--store", "b.sqlite")
    _ = try watch.line()
    watch.closeOutput()
    try run.run("book-catalog", "add", "publisher=A", "title=B", "--store", "b.sqlite")
    let result = try watch.finish()
    #expect(result.status == 141, "\(result)")
    #expect(result.errors == "")
  }

  @Test func `a watch whose output is closed exits before the next change`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    let watch = try run.start("book-catalog", "watch", "--format", "jsonl", "--store", "b.sqlite")
    _ = try watch.line()
    watch.closeOutput()
    let result = try watch.finish(within: 20)
    #expect(result.status == 141, "\(result)")
    #expect(result.errors == "")
    #expect(!FileManager.default.fileExists(atPath: run.path("b.sqlite-wal")), "it was not closed")
  }

  @Test(
    arguments: [SIGINT, SIGTERM, SIGHUP],
    [["watch"], ["simulate", "--watch", "--for", "1h"]]
  )
  func `a signal ends a running verb, and the store is closed`(
    _ signal: Int32,
    _ verb: [String]
  ) throws {
    let run = try ProgramRun()
    try run.run("student-roster", "add-random", "--store", "s.sqlite")
    let program = try RunningProgram(
      "student-roster",
      verb + ["--format", "jsonl", "--store", "s.sqlite"],
      environment: run.environment,
      folder: run.folder
    )
    _ = try program.line()
    program.send(signal)
    let result = try program.finish(within: 20)
    #expect(result.status == 128 + signal, "\(result.errors)")
    #expect(result.errors == "")
    #expect(!FileManager.default.fileExists(atPath: run.path("s.sqlite-wal")), "it was not closed")
  }

  @Test func `a signal ends a watch whose output is not read`() async throws {
    // The program waits two seconds for its output to be read; other tests run meanwhile.
    let status = try await OwnThread.run {
      let run = try ProgramRun()
      let title = String(repeating: "t", count: 500)
      let lines = (0..<1000).map { "p,\(title)\($0)" }
      try run.write("publisher,title\n" + lines.joined(separator: "\n") + "\n", to: "many.csv")
      try run.run("book-catalog", "import", "many.csv", "--store", "b.sqlite")
      let watch = try run.start("book-catalog", "watch", "--store", "b.sqlite")
      _ = try watch.line()
      watch.send(SIGTERM)
      return try watch.status(within: 20)
    }
    #expect(status == 128 + SIGTERM)
  }
}

/// `student-roster simulate`: the same seed prints the same bytes, and replaying them gives the stored list.
@Suite struct SimulationTests {
  @Test(arguments: [7, 1, 20261121])
  func `replaying a simulation gives the printed list`(_ seed: Int) throws {
    let run = try ProgramRun()
    let simulate = [
      "simulate", "--seed", "\(seed)", "--operations", "500", "--watch", "--format", "jsonl",
      "--store",
    ]
    let first = try run.run("student-roster", simulate + ["a.sqlite"])
    let second = try run.run("student-roster", simulate + ["b.sqlite"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.utf8.elementsEqual(second.output.utf8), "seed \(seed)")
    #expect(first.lines.count > 300, "seed \(seed)")

    var replay = WireReplay()
    for line in first.lines { try replay.apply(line: line) }
    var listed = WireReplay()
    let list = try run.run("student-roster", "list", "--format", "json", "--store", "a.sqlite")
    try listed.apply(line: try #require(list.lines.first))
    #expect(replay.list?.sections == listed.list?.sections, "seed \(seed)")
    let rows = listed.list?.sections.reduce(0) { $0 + $1.rows.count } ?? 0
    #expect(rows > 100, "seed \(seed)")
  }

  @Test func `a simulation with another order, sections and a window can be replayed`() throws {
    let run = try ProgramRun()
    let options = ["--section-by", "none", "--sort", "-studentName", "--limit", "20"]
    let simulation = try run.run(
      "student-roster",
      [
        "simulate", "--seed", "3", "--operations", "300", "--watch", "--format", "jsonl",
        "--store", "a.sqlite",
      ] + options
    )
    var replay = WireReplay()
    for line in simulation.lines { try replay.apply(line: line) }
    let list = try run.run(
      "student-roster",
      ["list", "--format", "json", "--store", "a.sqlite"] + options
    )
    var listed = WireReplay()
    try listed.apply(line: try #require(list.lines.first))
    #expect(replay.list?.sections == listed.list?.sections)
    #expect(listed.list?.sections.first?.rows.count == 20)
  }

  @Test func `a simulation exits after its time limit`() throws {
    let run = try ProgramRun()
    let result = try run.run(
      "student-roster",
      "simulate",
      "--for",
      "20ms",
      "--rate",
      "1000",
      "--store",
      "a.sqlite"
    )
    #expect(result.output.hasSuffix(" operations\n"))
  }

  @Test func `a long list shows its first two hundred rows and their total number`() throws {
    let run = try ProgramRun()
    try run.run(
      "student-roster",
      "simulate",
      "--seed",
      "5",
      "--operations",
      "1500",
      "--store",
      "a.sqlite"
    )
    let list = try run.run("student-roster", "list", "--format", "table", "--store", "a.sqlite")
    let last = try #require(list.lines.last)
    #expect(last.hasPrefix("200 of "), "\(last)")
  }
}
