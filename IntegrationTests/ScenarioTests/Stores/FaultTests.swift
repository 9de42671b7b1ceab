import ResultsStoreKit
import Foundation
import ResultsPresentation
import WireFormat
import ResultsTesting
import StudentRoster
import Testing

/// R71: every verb on a store with a damaged page gives a right answer or an error, never a signal.
///
/// With `RESULTS_TORTURE_OPERATIONS`, which `script/torture` sets, every page is damaged, not only some.
@Suite struct DamagedStoreTests {
  private static let size = 4096
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  /// Verbs that read and verbs that write; each runs on its own damaged store.
  private static let verbs = [
    ["list", "--format", "json"], ["list", "--section-by", "none", "--sort", "-year"],
    ["show", "7"],
    ["watch", "--deltas", "0", "--format", "jsonl"], ["export", "-"], ["dump"], ["doctor"],
    ["add", "publisher=A", "title=B"], ["edit", "7", "title=B"], ["remove", "7"],
  ]

  @Test(.timeLimit(.minutes(60)), arguments: [0x00, 0xFF, 0x0D] as [UInt8])
  func `a damaged page is reported, or does not matter`(_ byte: UInt8) throws {
    let run = try ProgramRun()
    let books = ProgramFolder.fixture("books-200.tsv")
    try run.run("book-catalog", "import", books, "--store", "whole.sqlite")
    let whole = try #require(FileManager.default.contents(atPath: run.path("whole.sqlite")))
    let pages = whole.count / Self.size
    try #require(pages > 6)
    var truth: [[String]: String] = [:]
    for verb in Self.verbs.prefix(6) {
      truth[verb] = try run.run("book-catalog", verb + ["--store", "whole.sqlite"]).output
    }
    var generator = SeededGenerator(seed: UInt64(byte))
    var errorCount = 0
    for page in 0..<pages {
      for verb in Self.verbs where Self.isLong || generator.happens(percent: 20) {
        let file = "damaged-\(page).sqlite"
        for end in ["-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: run.path(file) + end)
        }
        var bytes = whole
        let range = page * Self.size..<(page + 1) * Self.size
        bytes.replaceSubrange(range, with: Data(repeating: byte, count: Self.size))
        try bytes.write(to: URL(fileURLWithPath: run.path(file)))
        let result = try run.run("book-catalog", verb + ["--store", file])
        #expect([0, 65, 66, 74].contains(result.status), "page \(page): \(result)")
        #expect(!result.errors.contains("Fatal error"), "page \(page): \(result)")
        if result.status == 0 {
          if let truth = truth[verb] {
            #expect(Self.nameless(result.output) == Self.nameless(truth), "page \(page): \(result)")
          }
        } else {
          errorCount += 1
          #expect(result.errors.contains(file), "page \(page): \(result)")
        }
      }
    }
    #expect(errorCount > 3)
  }

  /// The output without the life of the list, which differs between processes.
  private static func nameless(_ output: String) -> String {
    output.replacingOccurrences(
      of: #""life":"[^"]*","#,
      with: "",
      options: .regularExpression
    )
  }
}

/// R71: programs that cannot write because of a limit, a full disk or permissions: an exit code, and no data loss.
@Suite struct DiskLimitTests {
  /// Runs a program with a limit for the size of files, as on a full disk.
  private func limited(
    _ run: ProgramRun,
    to bytes: Int,
    _ words: String...
  ) throws -> ProgramResult {
    // The unit of the limit is 512 bytes; it applies to standard output as well.
    let script = "ulimit -f \(bytes / 512) && exec \"$0\" \"$@\" > output"
    let program = try ProgramFolder.executable("book-catalog")
    return try RunningProgram(
      "/bin/sh",
      ["-c", script, program] + words,
      environment: run.environment,
      folder: run.folder
    ).finish()
  }

  @Test(arguments: [2048, 20_480, 33_792, 40_960, 61_440, 4_096_000])
  func `an import that does not fit adds nothing, one that fits adds all rows`(_ bytes: Int) throws
  {
    let run = try ProgramRun()
    try run.run("book-catalog", "add", "publisher=P", "title=kept", "--store", "b.sqlite")
    let books = ProgramFolder.fixture("books-200.tsv")
    let result = try limited(run, to: bytes, "import", books, "--store", "b.sqlite")
    #expect([0, 74].contains(result.status), "\(result)")
    #expect((result.status == 0) == (bytes > 100_000) || bytes == 61_440, "\(result)")
    if result.status == 74 { #expect(result.errors.contains("Check the disk"), "\(result)") }
    let rows = try run.run("book-catalog", "dump", "--store", "b.sqlite").lines
    #expect(rows.count == (result.status == 0 ? 201 : 1))
    let health = try run.run("book-catalog", "doctor", "--store", "b.sqlite")
    #expect(health.lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") }, "\(health)")
  }

  @Test(arguments: [["--help"], ["list", "--help"], ["doctor", "--store", ":memory:"], ["story"]])
  func `output that does not fit is an error, not a signal`(_ words: [String]) throws {
    let run = try ProgramRun()
    let program = try ProgramFolder.executable("book-catalog")
    // Not even one block fits.
    let script = "ulimit -f 0 && exec \"$0\" \"$@\" > output"
    let result = try RunningProgram(
      "/bin/sh",
      ["-c", script, program] + words,
      environment: run.environment,
      folder: run.folder
    ).finish()
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("cannot be written"), "\(result)")
  }

  @Test func `an export that does not fit does not change the existing file`() throws {
    let run = try ProgramRun()
    let books = ProgramFolder.fixture("books-200.tsv")
    try run.run("book-catalog", "import", books, "--store", "b.sqlite")
    try run.write("what was here\n", to: "books.tsv")
    let result = try limited(run, to: 4096, "export", "books.tsv", "--store", "b.sqlite")
    #expect(result.status == 74, "\(result)")
    #expect(try run.read("books.tsv") == "what was here\n")
  }

  // Root may write everywhere, so for root the programs run as another user.
  private static let other = "/usr/bin/setpriv"
  private static var canBeAnother: Bool {
    geteuid() != 0 || FileManager.default.isExecutableFile(atPath: other)
  }

  private func withoutRights(_ run: ProgramRun, _ words: [String]) throws -> ProgramResult {
    let rights =
      geteuid() == 0 ? [Self.other, "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let command = rights + [try ProgramFolder.executable("book-catalog")] + words
    return try RunningProgram(
      command[0],
      Array(command.dropFirst()),
      environment: run.environment,
      folder: run.folder
    ).finish()
  }

  @Test(.enabled(if: canBeAnother))
  func `missing permissions for a folder and a file are reported`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    chmod(run.folder, 0o555)
    defer { chmod(run.folder, 0o755) }
    // Another user may have no access to the built programs.
    guard try withoutRights(run, ["--help"]).status == 0 else { return }
    let new = try withoutRights(run, ["demo", "--store", "new.sqlite"])
    #expect(new.status == 73, "\(new)")
    #expect(new.errors.contains("new.sqlite cannot be created: no permission to create files in"))
    for verb in [["list"], ["add", "publisher=A", "title=B"], ["watch", "--deltas", "0"]] {
      let result = try withoutRights(run, verb + ["--store", "b.sqlite"])
      #expect([66, 73].contains(result.status), "\(result)")
      #expect(result.errors.contains("b.sqlite"), "\(result)")
      #expect(result.errors.contains("Copy it to read it."), "\(result)")
    }
    let reader = try withoutRights(run, ["list", "--read-only", "--store", "b.sqlite"])
    #expect(reader.errors.contains("reading it needs permission to create files in its folder"))
    chmod(run.folder, 0o777)
    let writer = try withoutRights(run, ["list", "--store", "b.sqlite"])
    let words = "b.sqlite cannot be opened for writing. To only look at it, add --read-only."
    #expect(writer.status == 66 && writer.errors.contains(words), "\(writer)")
    let readOnly = try withoutRights(run, ["list", "--read-only", "--store", "b.sqlite"])
    #expect(readOnly.status == 0 && readOnly.output != "", "\(readOnly)")
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)
  }
}

/// R71: programs that are killed at a random point: confirmed commits stay, and the rest is all or nothing.
@Suite struct KilledWriterTests {
  /// The SQLite shell adds students in pairs, one transaction per pair, and is killed.
  @Test(.enabled(if: ShellWriter.isThere), arguments: 1...4)
  func `the confirmed commits of a killed writer are stored`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let run = try ProgramRun()
    try run.run("student-roster", "watch", "--deltas", "0", "--store", "s.sqlite")
    var confirmed = 0
    for round in 0..<6 {
      let shell = try run.start(ShellWriter.path, "-batch", "s.sqlite")
      // A killed process loses nothing that it has written, so the commits need not wait for the disk.
      try shell.write(".timeout 60000\nPRAGMA synchronous = OFF;\n")
      // All statements are sent at once, so that the shell is killed in the middle of them.
      for number in 0..<200 {
        let values = "(1, 'r\(round)-\(number)', 12)"
        try shell.write(
          "BEGIN; INSERT INTO Student(studentId, studentName, studentAge) VALUES \(values);"
            + " INSERT INTO Student(studentId, studentName, studentAge) VALUES \(values);"
            + " COMMIT; SELECT 'done';\n"
        )
      }
      for _ in 0..<generator.number(in: 0...150) {
        #expect(try shell.line() == "done")
        confirmed += 1
      }
      shell.send(SIGKILL)
      let rest = try shell.finish()
      confirmed += rest.lines.count { $0 == "done" }

      let list = try run.run(
        "student-roster",
        ["list", "--limit", "100000", "--format", "jsonl", "--store", "s.sqlite"]
      )
      let names = list.lines
      #expect(names.count.isMultiple(of: 2), "seed \(seed), round \(round)")
      // A commit whose confirmation was not read may be stored.
      #expect(
        (confirmed...confirmed + round + 1).contains(names.count / 2),
        "seed \(seed), round \(round)"
      )
    }
    let health = try run.run("student-roster", "doctor", "--store", "s.sqlite")
    #expect(health.lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") }, "\(health)")
  }

  /// A `list` is killed between its first line and its end, when it writes its cache.
  @Test func `a list is right after one that was killed while it wrote its cache`() throws {
    let run = try ProgramRun()
    try run.run("student-roster", "simulate", "--operations", "400", "--store", "s.sqlite")
    let list = ["list", "--format", "jsonl", "--limit", "100000", "--store", "s.sqlite"]
    for round in 0..<12 {
      // The list of the last round may have been killed while it wrote the cache for this one.
      try run.run("student-roster", "edit", "1", "studentName=r\(round)", "--store", "s.sqlite")
      let listed = try run.run("student-roster", list).output
      try? FileManager.default.removeItem(atPath: run.path("s.sqlite-caches"))
      #expect(try run.run("student-roster", list).output == listed, "round \(round)")
      #expect(listed.contains(#""studentName":"r\#(round)""#), "round \(round)")
      let name = "studentName=again\(round)"
      try run.run("student-roster", "edit", "1", name, "--store", "s.sqlite")
      let killed = try RunningProgram(
        "student-roster",
        list,
        environment: run.environment,
        folder: run.folder
      )
      for _ in 0..<round { _ = try killed.line() }
      killed.send(SIGKILL)
      #expect([0, 137].contains(try killed.finish().status))
    }
  }
}

/// R62, R71, R72: the file of a store is deleted, replaced or moved back under a running `watch`.
///
/// The last good list stays, an error line says that the file is gone, and the changes that follow give the list of the new file.
@Suite struct ReplacedStoreTests {
  /// A `watch` of `b.sqlite`, line by line.
  private struct Follower {
    let run: ProgramRun
    let watch: RunningProgram
    var replay = WireReplay()
    var errorCount = 0

    init(_ run: ProgramRun) throws {
      self.run = run
      watch = try run.start("book-catalog", "watch", "--format", "jsonl", "--store", "b.sqlite")
      try take()
    }

    /// Takes lines until the list shows a title, or to the first error without one.
    mutating func take(until title: String? = nil) throws {
      while true {
        let line = try #require(try watch.line(within: 20), "\(try? watch.finish())")
        try replay.apply(line: line)
        if replay.failure != nil { errorCount += 1 }
        guard let title else { return }
        if titles.contains(title) { return }
      }
    }

    var titles: [String] {
      (replay.list?.sections ?? []).flatMap(\.rows).compactMap { $0["title"]?.string }
    }

    /// Expects the list that `list` prints.
    func expectList() throws {
      let list = try run.run("book-catalog", "list", "--format", "json", "--store", "b.sqlite")
      var listed = WireReplay()
      try listed.apply(line: try #require(list.lines.first))
      #expect(replay.list?.sections == listed.list?.sections)
    }
  }

  private func makeStore(_ run: ProgramRun, _ name: String, _ title: String) throws {
    try run.run("book-catalog", "add", "publisher=P", "title=\(title)", "--store", name)
  }

  /// Moves a store's files: the database's own file first or last, so that nobody finds it without its log.
  private func move(_ run: ProgramRun, _ from: String, _ to: String, logFirst: Bool) throws {
    for end in logFirst ? ["-wal", "-shm", ""] : ["", "-wal", "-shm"]
    where FileManager.default.fileExists(atPath: run.path(from + end)) {
      try FileManager.default.moveItem(atPath: run.path(from + end), toPath: run.path(to + end))
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a watch continues after its file is moved away and back`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    var follower = try Follower(run)
    try move(run, "b.sqlite", "away.sqlite", logFirst: false)
    try follower.take()
    #expect(follower.replay.failure?.contains("b.sqlite") == true)
    #expect(follower.titles == ["first"])
    try move(run, "away.sqlite", "b.sqlite", logFirst: true)
    try makeStore(run, "b.sqlite", "second")
    try follower.take(until: "second")
    try follower.expectList()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a watch follows a file that is replaced by another store`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    try makeStore(run, "other.sqlite", "another")
    var follower = try Follower(run)
    #expect(rename(run.path("other.sqlite"), run.path("b.sqlite")) == 0)
    try follower.take(until: "another")
    #expect(follower.titles == ["another"])
    try makeStore(run, "b.sqlite", "more")
    try follower.take(until: "more")
    try follower.expectList()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a watch follows a file that is deleted and created again`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    var follower = try Follower(run)
    for end in ["", "-wal", "-shm"] { unlink(run.path("b.sqlite" + end)) }
    try follower.take()
    #expect(follower.replay.failure?.contains("b.sqlite") == true)
    #expect(follower.titles == ["first"])
    try makeStore(run, "b.sqlite", "again")
    try follower.take(until: "again")
    try follower.expectList()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a watch continues after its file is damaged and repaired`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    try makeStore(run, "good.sqlite", "good")
    var follower = try Follower(run)
    try run.write(String(repeating: "This is no database. ", count: 400), to: "bad.sqlite")
    #expect(rename(run.path("bad.sqlite"), run.path("b.sqlite")) == 0)
    try follower.take()
    #expect(follower.replay.failure?.contains("b.sqlite") == true)
    #expect(follower.titles == ["first"])
    #expect(rename(run.path("good.sqlite"), run.path("b.sqlite")) == 0)
    try follower.take(until: "good")
    try follower.expectList()
  }
}
