#if PostgreSQL
import Foundation
import Testing

/// R163: the programs over a database behave as over a file.
@Suite("Programs over PostgreSQL", .timeLimit(.minutes(10)))
struct PostgreSQLProgramTests {
  @Test(arguments: [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ])
  func `R163: a story over a database is the recorded one`(_ program: String) throws {
    let server = try ServerRun()
    let story = try server.run(program, "story").output
    let path = ProgramFolder.fixture("Transcripts/\(program)-story.txt")
    let recorded = try #require(FileManager.default.contents(atPath: path))
    #expect(story.utf8.elementsEqual(recorded), "\(story)")
    let again = try server.run(program, "story", expecting: 73)
    #expect(again.errors.contains("has objects already"))
  }

  @Test func `R279: followers share the lines of a file over a database`() throws {
    let server = try ServerRun()
    let lines = (0..<3000).map { "line \($0)" }
    try server.run.write(lines.map { $0 + "\n" }.joined(), to: "app.log")
    let arguments = ["follow", "app.log", "--store", server.url]
    let followers = try (0..<2).map { _ in
      try RunningProgram(
        "event-log",
        arguments,
        environment: server.run.environment,
        folder: server.run.folder
      )
    }
    let watch = try server.run.start(
      "event-log",
      "watch",
      "--format",
      "jsonl",
      "--columns",
      "id",
      "--limit",
      "1",
      "--store",
      server.url
    )
    func messages() throws -> [String] {
      let list = ["list", "--columns", "message", "--sort", "id", "--format", "tsv"]
      return Array(
        try server.run.run("event-log", list + ["--store", server.url]).lines.dropFirst()
      )
    }
    while try messages().count < lines.count { _ = watch.lineIfAny(within: 0.2) }
    for follower in followers { follower.send(SIGTERM) }
    for follower in followers { #expect(try follower.finish().status == 128 + SIGTERM) }
    watch.send(SIGKILL)
    #expect(try messages() == lines)
  }

  @Test func `R163: every verb prints over a database what it prints over a file`() throws {
    let server = try ServerRun()
    let books = ProgramFolder.fixture("books-200.tsv")
    let conditions = ["title CONTAINS[c] 'NO'", "year IN (1999, 2000) OR author.name == NULL"]
    let commands: [[String]] =
      [
        ["import", books, "--dry-run"], ["demo"], ["list", "--format", "csv"],
        ["add", "publisher=Collins", "title=The Sea", "author=Murdoch; I.", "year=1978"],
        ["edit", "15", "year=1979"], ["show", "15"], ["import", books], ["import", books],
        ["list", "--sort", "-year,title", "--limit", "7"], ["list", "--format", "json"],
        ["list", "--section-by", "decade", "--columns", "id,title,year", "--format", "plain"],
        ["export", "-", "--format", "csv"], ["remove", "3", "5"], ["remove", "9999"], ["dump"],
        ["add", "id=2", "publisher=p", "title=t"], ["list", "--columns", "titel"],
        ["watch", "--deltas", "0", "--section-by", "language"],
      ] + conditions.map { ["list", "--where", $0, "--format", "tsv"] }
    for command in commands {
      let file = try server.run.run("book-catalog", command + ["--store", "b.sqlite"])
      let database = try server.run.run("book-catalog", command + ["--store", server.url])
      #expect(database.status == file.status, "\(database)")
      #expect(database.output.utf8.elementsEqual(file.output.utf8), "\(file)\n\(database)")
      #expect(database.errors.utf8.elementsEqual(file.errors.utf8), "\(file)\n\(database)")
    }
  }

  @Test func `R163: the same random operations leave the same objects`() throws {
    let server = try ServerRun()
    let simulate = [
      "simulate", "--seed", "7", "--operations", "200", "--watch", "--format", "jsonl", "--store",
    ]
    let file = try server.run.run("student-roster", simulate + ["a.sqlite"])
    let database = try server.run.run("student-roster", simulate + [server.url])
    #expect(database.status == 0, "\(database.errors)")
    let exported = ["a.sqlite", server.url].map { store in
      Result {
        try server.run.run("student-roster", "export", "-", "--format", "jsonl", "--store", store)
          .output
      }
    }
    #expect(try exported[0].get() == exported[1].get())
    #expect(file.lines.count > 100 && database.lines.count > 100)
  }

  @Test func `R163: replaying changes that psql makes gives the printed list`() throws {
    let server = try ServerRun()
    try server.run("book-catalog", "demo")
    var follower = try Follower(server.run, store: server.url, "--deltas", "6")
    for statement in [
      "UPDATE \"Book\" SET publisher = 'x' WHERE id = 1",
      "INSERT INTO \"Book\" (publisher, title) VALUES ('', 'no publisher'), ('x', 'か' || U&'\\3099')",
      "BEGIN; DELETE FROM \"Book\" WHERE id % 2 = 1; UPDATE \"Book\" SET year = 1999 WHERE id = 2; COMMIT",
      "UPDATE \"Book\" SET id = id + 1000 WHERE id < 6",
      "TRUNCATE \"Book\" CASCADE",
      "INSERT INTO \"Book\" (publisher, title) SELECT 'p' || n % 7, 't' || n FROM generate_series(1, 500) n",
    ] {
      try server.psql(statement)
      try follower.takeDelta()
    }
    try follower.expectEnd()
    try follower.expectList()
  }

  @Test func `R163: where transactions can be prepared, lists ask for news`() throws {
    let server = try ServerRun(on: "tests-prepared", settings: ["max_prepared_transactions=10"])
    try server.run("book-catalog", "demo")
    var follower = try Follower(server.run, store: server.url)
    try server.psql("UPDATE \"Book\" SET publisher = 'x' || id WHERE id < 4")
    try follower.takeList()
    try server.psql(
      """
      BEGIN; DELETE FROM \"Book\" WHERE id = 5; UPDATE \"Book\" SET title = 'prepared' WHERE id = 6;
      PREPARE TRANSACTION 'one'
      """
    )
    try server.psql("INSERT INTO \"Book\" (publisher, title) VALUES ('between', 'both')")
    try follower.takeList()
    try server.psql("COMMIT PREPARED 'one'")
    try follower.takeList()
    #expect(!follower.kinds.contains("reset"))
    try ServerRun.script(["stop", server.server])
  }

  @Test func `R163: two processes write at once, and nothing is lost or doubled`() async throws {
    let server = try ServerRun()
    try server.run("book-catalog", "demo")
    let (url, environment, folder) = (server.url, server.run.environment, server.run.folder)
    var follower = try Follower(server.run, store: url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          try await OwnThread.run {
            for number in 0..<15 {
              let result = try RunningProgram(
                "book-catalog",
                ["add", "publisher=w\(writer)", "title=t\(number)", "--store", url],
                environment: environment,
                folder: folder
              ).finish()
              #expect(result.status == 0, "\(result)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try server.psql("SELECT count(*), count(DISTINCT id) FROM \"Book\"") == "44|44")
    try follower.takeList()
  }

  @Test func `R163: doctor reports the condition of the server, the log and the rights`() throws {
    let server = try ServerRun()
    try server.run("book-catalog", "demo")
    let report = try server.run("book-catalog", "doctor").output
    for words in [
      "history    row by row, of every writer", "server     PostgreSQL ", "14 rows",
      "changes captured by ", "may read, insert, update, delete", "log        fetched_results",
      "bell       ",
    ] {
      #expect(report.contains(words), "\(words): \(report)")
    }
    #expect(!report.contains("problem"), "\(report)")
    try server.psql("DROP TRIGGER \"!results_update\" ON \"Book\"")
    let repaired = try server.run("book-catalog", "doctor", "--repair").output
    #expect(repaired.contains("repaired   the log of changes"), "\(repaired)")
    #expect(repaired.contains("14 rows, changes captured by "), "\(repaired)")
  }

  @Test func `R163: an administrator can run what doctor prints, and nothing else is needed`()
    throws
  {
    let server = try ServerRun()
    let printed = try server.run("book-catalog", "doctor", "--statements").output
    #expect(
      printed.contains("CREATE TABLE") && printed.contains("\"!results_update\""),
      "\(printed)"
    )
    #expect(try server.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0")
    try server.psql("BEGIN; \(printed) COMMIT")
    #expect(try server.run("book-catalog", "doctor", "--statements").output.hasPrefix("--"))
    try server.run("book-catalog", "demo")
    #expect(try server.psql("SELECT count(*) FROM \"Book\"") == "14")
  }

  @Test func `R162: the caches of a database are among the user's`() throws {
    let server = try ServerRun()
    try server.run("book-catalog", "demo")
    try server.run("book-catalog", "list")
    let report = try server.run("book-catalog", "cache", "list").output
    #expect(report.contains("up to date"), "\(report)")
    let folder = "\(server.run.folder)/.cache/book-catalog"
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    try server.psql("DELETE FROM \"Book\" WHERE id = 3")
    #expect(try server.run("book-catalog", "cache", "list").output.contains("1 change behind"))
    #expect(try server.run("book-catalog", "list").output.contains("叛逆航路") == false)
  }
}
#endif
