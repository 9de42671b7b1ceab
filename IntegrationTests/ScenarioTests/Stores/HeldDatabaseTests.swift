import ResultsStoreKit
import Foundation
import Testing

/// R237: a database that another program keeps locked is read from a copy, if that is asked for.
@Suite(.enabled(if: SQLiteShell.isThere)) struct HeldDatabaseTests {
  private let run: ProgramRun
  private let shell: SQLiteShell

  init() throws {
    run = try ProgramRun()
    shell = try SQLiteShell(run, folder: run.folder)
  }

  /// Starts a program that keeps the database locked, in a transaction that has written pages of its own.
  private func holder(_ journal: String) throws -> RunningProgram {
    let holder = try shell.start()
    try holder.write(
      """
      PRAGMA journal_mode = \(journal);
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = 1;
      PRAGMA cache_spill = 1;
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO t SELECT i, printf('%.500c', 'x') FROM n;
      BEGIN;
      UPDATE t SET v = 'not committed ' || v;
      .print held

      """
    )
    var line = holder.lineIfAny(within: 20)
    while let other = line, other != "held" { line = holder.lineIfAny(within: 20) }
    try #require(line == "held")
    return holder
  }

  private func copies() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: run.folder)
      .filter { $0.hasPrefix("results-copy") }
  }

  @Test(arguments: ["wal", "delete", "truncate", "persist"])
  func `R237: the copy has what was committed, and the message for a locked file names it`(
    _ journal: String
  ) throws {
    let holder = try holder(journal)
    let refused = try run.run("live-list", ["list", "d.db", "t", "--busy-timeout", "0.2s"])
    #expect(refused.status == 75 && refused.errors.contains(" --copy reads a copy"), "\(refused)")
    let environment = run.environment.merging(["TMPDIR": run.folder]) { $1 }
    func list(_ words: String...) throws -> ProgramResult {
      let program = try RunningProgram(
        "live-list",
        words + ["--copy"],
        environment: environment,
        folder: run.folder
      )
      return try program.finish(within: 60)
    }
    let listed = try list("list", "d.db", "t", "--where", "v BEGINSWITH 'x'")
    #expect(listed.status == 0 && listed.lines.count == 501, "\(listed)")
    #expect(listed.errors.hasPrefix("live-list: reading a copy of d.db, made at "), "\(listed)")
    let tables = try list("d.db", "--format", "csv")
    #expect(tables.lines == ["table,kind,rows,key,refers to", "t,table,500,id,"], "\(tables)")
    let screen = try list("browse", "d.db", "t", "--print", "--size", "80x6")
    #expect(screen.lines.first?.contains("500 rows") == true, "\(screen)")
    #expect(screen.lines.first?.contains("copy of ") == true, "\(screen)")
    #expect(try copies() == [])
    try holder.write("COMMIT;\n")
    _ = try holder.finish()
    let later = try list("list", "d.db", "t", "--where", "v BEGINSWITH 'not'")
    #expect(later.lines.count == 501, "\(later)")
  }

  @Test func `R237: the copy of a process that was killed is removed by the next one`() throws {
    #expect(try shell.run("CREATE TABLE t (id INTEGER PRIMARY KEY);").status == 0)
    for name in ["abandoned", "present", "other"] {
      let folder = run.path("results-copy-\(name)")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      guard name != "other" else { continue }
      try Data().write(to: URL(fileURLWithPath: folder + "/lock"))
    }
    let lock = open(run.path("results-copy-present/lock"), O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let program = try RunningProgram(
      "live-list",
      ["list", "d.db", "t", "--copy"],
      environment: run.environment.merging(["TMPDIR": run.folder]) { $1 },
      folder: run.folder
    )
    let result = try program.finish(within: 60)
    #expect(result.status == 0, "\(result)")
    #expect(try copies().sorted() == ["results-copy-other", "results-copy-present"])
  }

  @Test func `R237: a copy that would take the room of others is refused`() throws {
    let path = run.path("huge.db")
    try Data("SQLite format 3\0".utf8).write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: 1 << 42)
    try file.close()
    let result = try run.run("live-list", ["list", "huge.db", "--copy"])
    #expect(result.status == 74 && result.errors.contains("half of the room"), "\(result)")
  }

  @Test func `R237: what is no database is not copied`() throws {
    try Data("no database".utf8).write(to: URL(fileURLWithPath: run.path("text")))
    for (name, status): (String, Int32) in [
      ("text", 65), ("nothing", 66), (".", 66), ("/dev/null", 66),
    ] {
      try run.run("live-list", "list", name, "--copy", expecting: status)
    }
    let watch = try run.run("live-list", ["watch", "d.db", "t", "--copy"])
    #expect(watch.status == 64 && watch.errors.contains("a copy does not change"), "\(watch)")
  }
}
