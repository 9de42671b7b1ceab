import ResultsStoreKit
import Foundation

/// A stranger's file and its twin that nobody watches; each writer changes both in the same way.
struct StrangerTwins {
  /// How a writer ended without us, and whether it ended otherwise beside us.
  struct Outcome {
    var hasFailed = false
    var difference: String?
    /// What the writer did, for a script that repeats it.
    let story: String
    /// Whether the script ends in neither file within the time that a shell has, as with triggers that run each other for each row.
    var isEndless = false
  }

  private(set) var watched: SQLiteShell
  private(set) var free: SQLiteShell

  init(_ run: ProgramRun) throws {
    watched = try SQLiteShell(run, folder: run.path("watched"))
    free = try SQLiteShell(run, folder: run.path("twin"))
  }

  /// From now on the shells wait for locks: a list writes into the file, too.
  mutating func wait() { (watched.waits, free.waits) = (true, true) }

  /// Makes both databases; of statements that are refused, the others are run one by one.
  func begin(_ script: String) throws {
    for shell in [watched, free] where try shell.run(script).status != 0 {
      let lines = script.split(separator: ";\n").filter { $0 != "BEGIN" && $0 != "COMMIT" }
      for line in lines { _ = try shell.run(line + ";") }
    }
  }

  /// Runs a script.
  func run(_ script: String) throws -> Outcome {
    try compared(script, script)
  }

  /// Runs a script over both files.
  private func compared(_ script: String, _ story: String) throws -> Outcome {
    let mine = Result { try watched.run(script) }
    let others = Result { try free.run(script) }
    switch (mine, others) {
    case (.success(let mine), .success(let others)): return compared(mine, others, story)
    case (.failure, .failure): return Outcome(hasFailed: true, story: story, isEndless: true)
    case (.failure(let error), .success):
      return Outcome(difference: "\(error), and ended without us", story: story)
    case (.success, .failure(let error)): throw error
    }
  }

  private func compared(_ watched: ProgramResult, _ free: ProgramResult, _ story: String) -> Outcome
  {
    var outcome = Outcome(hasFailed: free.status != 0, story: story)
    if watched.status != free.status || watched.errors != free.errors {
      outcome.difference =
        "status \(watched.status) \(watched.errors), without us \(free.status) \(free.errors)"
    }
    return outcome
  }

  /// Holds an exclusive lock while the twin is changed, and then runs the script.
  func hold(_ script: String) throws -> Outcome {
    let story = "BEGIN EXCLUSIVE;\n-- The lock is held for a while.\nCOMMIT;\n\(script)"
    let holder = try watched.start()
    try holder.write("BEGIN EXCLUSIVE;\n.print held\n")
    guard holder.lineIfAny(within: 10) == "held" else {
      let errors = try holder.finish().errors
      return Outcome(difference: "an exclusive lock was not given: \(errors)", story: story)
    }
    let other = try free.run("SELECT count(*) FROM sqlite_schema;")
    try holder.write("COMMIT;\n")
    _ = try holder.finish()
    guard other.status == 0 else { return Outcome(difference: other.errors, story: story) }
    return try compared(script, story)
  }

  /// Kills a writer in a transaction that has spilled pages into the file, and then runs the script.
  func kill(_ script: String) throws -> Outcome {
    let spilling = """
      PRAGMA cache_size = 1;
      BEGIN;
      CREATE TABLE killed(a);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO killed SELECT zeroblob(900) FROM n;
      """
    let writer = try watched.start()
    try writer.write("\(spilling)\n.print done\n")
    _ = writer.lineIfAny(within: 10)
    writer.send(SIGKILL)
    _ = try writer.finish()
    let story = "\(spilling)\n-- The writer is killed.\n\(script)"
    return try compared(script, story)
  }

  /// Replaces the file by a copy, as a restored backup does, and then runs the script.
  func replace(_ script: String, hasWriteAheadLog: Bool) throws -> Outcome {
    for shell in [watched, free] {
      let path = "\(shell.folder)/d.db"
      let copying = "PRAGMA wal_checkpoint(TRUNCATE); VACUUM INTO 'new.db';"
      guard try shell.run(copying).status == 0 else { continue }
      if hasWriteAheadLog { _ = try shell.run("PRAGMA journal_mode = wal;", on: "new.db") }
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      _ = rename("\(shell.folder)/new.db", path)
    }
    let story = "-- The file is replaced by a copy (VACUUM INTO).\n\(script)"
    return try compared(script, story)
  }

  /// What is beside the database, or grew beyond its bound; `nil` if nothing.
  func growth() throws -> String? {
    let known = [
      "d.db", "d.db-wal", "d.db-shm", "d.db-journal", "other.db", "other.db-journal", "script.sql",
    ]
    let (watched, free) = (try files(self.watched), try files(self.free))
    if let file = watched.keys.first(where: { !known.contains($0) }) {
      return "there is a file \(file)"
    }
    let (mine, others) = (watched.values.reduce(0, +), free.values.reduce(0, +))
    // A change log has at most 16 MiB of values (R230). Pages that are half empty make that twice as much, and the write-ahead log can have
    // all of them as well.
    return mine > 4 * others + 70_000_000
      ? "\(mine) bytes of files, and the twin's are \(others)" : nil
  }

  private func files(_ shell: SQLiteShell) throws -> [String: Int] {
    try FileManager.default.contentsOfDirectory(atPath: shell.folder)
      .reduce(into: [:]) { sizes, name in
        let file = try? FileManager.default.attributesOfItem(atPath: "\(shell.folder)/\(name)")
        sizes[name] = file?[.size] as? Int ?? 0
      }
  }
}
