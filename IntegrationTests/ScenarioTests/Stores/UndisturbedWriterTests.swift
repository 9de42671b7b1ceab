import Foundation
import Testing
import WireFormat

/// R186: what other programs write never fails because a program of this package watches their file.
@Suite(.enabled(if: SQLiteShell.isThere)) struct UndisturbedWriterTests {
  /// The shell waits for no lock.
  ///
  /// Its pauses let the watch read between two commits.
  @Test(
    arguments: ["delete", "truncate", "persist"],
    [(rows: 3, writes: 200, pause: 5), (50_000, 40, 20)]
  )
  func `R186: a writer that waits for no lock is never refused beside a watch`(
    _ journal: String,
    _ load: (rows: Int, writes: Int, pause: Int)
  ) throws {
    let run = try ProgramRun()
    let shell = try SQLiteShell(run, folder: run.folder)
    let made = try shell.run(
      """
      PRAGMA journal_mode = \(journal);
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(load.rows))
      INSERT INTO t SELECT i, 'value ' || i FROM n;
      """
    )
    #expect(made.status == 0, "\(made)")
    let watch = try run.start(
      "live-list",
      "watch",
      "d.db",
      "t",
      "--where",
      "id <= 10",
      "--format",
      "jsonl"
    )
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    let writes = (1...load.writes).map { number in
      """
      UPDATE t SET v = 'new \(number)' WHERE id = 1 + \(number) % 3;
      .system sleep 0.0\(load.pause < 10 ? "0" : "")\(load.pause)
      """
    }
    let writer = try shell.run(
      (["PRAGMA journal_mode = \(journal);"] + writes).joined(separator: "\n") + "\n"
    )
    #expect(writer.status == 0 && writer.errors.isEmpty, "\(writer)")
    let last = "\"new \(load.writes)\""
    while replay.line?.contains(last) != true {
      try replay.apply(line: try #require(try watch.line()))
    }
    let list = try run.run("live-list", "d.db", "t", "--where", "id <= 10", "--format", "json")
    var listed = WireReplay()
    try listed.apply(line: try #require(list.lines.first))
    #expect(replay.list?.sections == listed.list?.sections)
    watch.send(SIGINT)
    _ = try watch.finish()
  }

  @Test
  func `R187: a file that is too large for a copy is watched in place, and the watch says so`()
    throws
  {
    let run = try ProgramRun()
    let shell = try SQLiteShell(run, folder: run.folder)
    let made = try shell.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a');"
    )
    #expect(made.status == 0, "\(made)")
    let arguments = ["watch", "d.db", "t", "--format", "jsonl", "--deltas", "1"]
    let warning = "d.db uses a rollback journal: a writer that does not wait may find it locked"
    for isLarge in [false, true] {
      if isLarge {
        // The file gets no more blocks; SQLite counts its pages in the header.
        #expect(truncate(run.path("d.db"), 300 << 20) == 0)
      }
      let watch = try RunningProgram(
        "live-list",
        arguments,
        environment: run.environment,
        folder: run.folder
      )
      var replay = WireReplay()
      try replay.apply(line: try #require(try watch.line()))
      let written = try shell.run(".timeout 10000\nUPDATE t SET v = 'new \(isLarge)';")
      #expect(written.status == 0, "\(written)")
      try replay.apply(line: try #require(try watch.line()))
      #expect(replay.line?.contains("new \(isLarge)") == true)
      let result = try watch.finish()
      #expect(result.status == 0 && result.errors.contains(warning) == isLarge, "\(result)")
    }
  }
}
