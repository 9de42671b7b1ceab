import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import WireFormat
import ResultsTesting
import SQLitePersistence
import StudentRoster
import Testing

/// A printed list is of one version, even if the output is read slowly and others write meanwhile (R48).
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
struct OneVersionOutputTests {
  private static let count = 1500

  /// A store with more rows than fit in a pipe and the program's buffer.
  private func filled() throws -> ProgramRun {
    let run = try ProgramRun()
    let title = String(repeating: "t", count: 300)
    let lines = (0..<OneVersionOutputTests.count).map { "p\($0 % 7),\(title)\($0),old" }
    try run.write("publisher,title,author\n" + lines.joined(separator: "\n") + "\n", to: "many.csv")
    try run.run("book-catalog", "import", "many.csv", "--store", "b.sqlite")
    return run
  }

  @discardableResult
  private func sql(_ run: ProgramRun, _ statements: String) throws -> String {
    let shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["-batch", "-cmd", ".timeout 20000", "b.sqlite", statements],
      environment: run.environment,
      folder: run.folder
    )
    let result = try shell.finish()
    #expect(result.status == 0, "\(result)")
    return result.output
  }

  @Test(arguments: [
    ["list"], ["list", "--format", "csv"], ["list", "--format", "plain"],
    ["list", "--format", "table"], ["list", "--format", "jsonl"],
    ["list", "--sort", "-title", "--section-by", "none"],
    ["export", "-"], ["export", "-", "--format", "csv"], ["export", "/dev/stdout"],
    ["dump"],
  ])
  func `the output is of one version when it is read slowly (R48)`(_ arguments: [String]) throws {
    let run = try filled()
    let program = try RunningProgram(
      "book-catalog",
      arguments + ["--store", "b.sqlite"],
      environment: run.environment,
      folder: run.folder
    )
    let first = try #require(try program.line())
    try sql(
      run,
      "DELETE FROM Book WHERE id % 2; UPDATE Book SET identifier = 'new'; UPDATE Author SET name = 'new'"
    )
    let result = try program.finish()
    #expect(result.status == 0, "\(result.errors)")
    #expect(!(first + result.output).contains("new"))
    #expect(result.lines.count >= OneVersionOutputTests.count - 1)
  }

  @Test func `rows that are deleted before a watch has printed them do not end it (R48)`() throws {
    let run = try filled()
    let options = ["--columns", "title,author", "--store", "b.sqlite"]
    let watch = try RunningProgram(
      "book-catalog",
      ["watch"] + options,
      environment: run.environment,
      folder: run.folder
    )
    let first = try #require(try watch.line())
    // A commit that the log misses, as by a program that re-creates the triggers.
    try sql(
      run,
      """
      BEGIN; DROP TRIGGER _results_1_delete; DROP TRIGGER _results_1_update;
      DELETE FROM Book WHERE id % 2 = 0; UPDATE Book SET identifier = 'new'; UPDATE Author SET name = 'new'; COMMIT
      """
    )
    var lines = [first]
    while lines.last?.hasPrefix("1500 books") != true, let line = try watch.line() {
      lines.append(line)
    }
    #expect(lines.count == 1501)
    #expect(!lines.contains { $0.contains("new") })
    _ = try #require(try watch.line(), "what happened to the list is shown as well")
    watch.send(SIGTERM)
    let result = try watch.finish()
    #expect(result.status == 128 + SIGTERM, "\(result.errors)")
    // It may have noticed that the triggers were gone; nothing else is worth a word.
    let notes = result.errors.split(separator: "\n").filter {
      !$0.contains("the triggers that record changes of other programs are missing")
        && !$0.hasSuffix("the change log has every commit again")
    }
    #expect(notes.isEmpty, "\(result.errors)")
  }

  @Test func `output that is not read does not hold a version (R63)`() throws {
    let run = try filled()
    let list = try run.start("book-catalog", "list", "--store", "b.sqlite")
    _ = try #require(try list.line())
    try sql(run, "UPDATE Book SET identifier = 'new'; UPDATE Author SET name = 'new'")
    // The checkpoint waits for readers of earlier versions; its first column is 0 if there are none.
    let checkpoint = try sql(run, "PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(checkpoint.hasPrefix("0|"), "\(checkpoint)")
    let result = try list.finish()
    #expect(result.status == 0 && !result.output.contains("new"), "\(result.errors)")
  }
}

/// R48: a list that is printed while others write is of one version: every row is in the section of its age.
@Suite("A first list while others write")
struct FirstListTests {
  @Test(arguments: [
    ["list", "--format", "json"], ["watch", "--format", "jsonl", "--deltas", "0"],
  ])
  func `positions and values are of one version`(_ verb: [String]) throws {
    let run = try ProgramRun()
    let writer = try run.start(
      "student-roster",
      "simulate",
      "--operations",
      "100000000",
      "--store",
      "s.sqlite",
      "--watch",
      "--format",
      "jsonl",
      "--limit",
      "5"
    )
    // There must be rows to change and to remove.
    for _ in 0..<20 { _ = try writer.line() }
    for _ in 0..<15 {
      let result = try run.run(
        "student-roster",
        verb + ["--limit", "100000", "--store", "s.sqlite"]
      )
      try #require(result.status == 0, "\(result.errors)")
      var replay = WireReplay()
      try replay.apply(line: try #require(result.lines.first))
      let list = try #require(replay.list)
      var invariant = PairInvariant(holdsPairs: false)
      #expect(throws: Never.self) { try invariant.begin(list, isChecked: true) }
    }
    writer.send(SIGKILL)
    #expect(try writer.finish().status == 137)
  }
}

/// R18: controllers are started while another process and this one commit; no commit is lost or published twice between the first
/// fetch and the first change.
///
/// There are no further commits until the controller shows both, and no refresh: a lost commit would never be shown.
@Suite("Starting while others write")
struct StartTests {
  private static let runs =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"].flatMap { Int($0) }
    .map { max(1, $0 / 10) } ?? 100

  @Test(.enabled(if: ShellWriter.isThere), .timeLimit(.minutes(runs > 1000 ? 120 : 5)))
  func `no commit is lost between the first fetch and the first change`() async throws {
    let run = try ProgramRun()
    let store = try SQLiteStore(
      at: run.path("s.sqlite"),
      entities: [Student.entity],
      options: SQLiteStoreOptions(busyTimeout: .seconds(60), pollInterval: .milliseconds(20))
    )
    let shell = try run.start(ShellWriter.path, "-batch", "s.sqlite")
    try shell.write(".timeout 60000\n")
    var generator = SeededGenerator(seed: 18)
    for number in 1...Self.runs {
      let (theirs, ours) = (number * 2, number * 2 + 1)
      let values = "(\(theirs), \(number % 1000), 'shell', \(10 + number % 3))"
      try shell.write(
        "BEGIN IMMEDIATE; DELETE FROM Student WHERE id < \(theirs - 60);"
          + " INSERT INTO Student VALUES \(values); COMMIT;\n"
      )
      async let committed: Void = insert(ours, into: store)
      let view = generator.happens(percent: 50) ? TortureView.wholeRoster : .plainRoster
      let controller = FetchedResultsController(view.definition, in: store)
      if generator.happens(percent: 50) {
        let events = controller.changes.makeAsyncIterator()
        try await controller.performFetch()
        try await follow(events, until: [theirs, ours], number)
      } else {
        try await controller.performFetch()
        try await follow(controller.changes.makeAsyncIterator(), until: [theirs, ours], number)
      }
      try await committed
      controller.cancel()
    }
    let result = try shell.finish()
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    try store.close()
  }

  private func insert(_ key: Int, into store: SQLiteStore) async throws {
    let values = Student(studentId: 1, studentName: "own", studentAge: 11).attributeValues
    _ = try await store.write { transaction in
      try transaction.insert(values, key: .integer(Int64(key)), into: Student.entity)
    }
  }

  /// Takes events until some rows are shown; each event is published once, and generations are consecutive.
  private func follow(
    _ events: ResultsChanges<Row>.AsyncIterator,
    until keys: [Int],
    _ number: Int
  ) async throws {
    var events = events
    let wanted = keys.map { ObjectID(entity: Student.entity.name, key: .integer(Int64($0))) }
    var shown: ResultsList<Row>?
    while let event = await events.next() {
      switch event {
      case .snapshot(let results):
        #expect(shown == nil, "run \(number): a second first list")
        shown = results
      case .change(let change):
        let before = try #require(shown)
        #expect(change.delta.from == before.generation, "run \(number)")
        try change.delta.verify(
          from: before.snapshot.content,
          to: change.after.snapshot.content
        )
        shown = change.after
      case .reset(let reason, _): Issue.record("run \(number): a reset: \(reason)")
      case .failure(let error): Issue.record("run \(number): \(error)")
      }
      if let shown, wanted.allSatisfy({ shown.path(of: $0) != nil }) { return }
    }
    Issue.record("run \(number): the controller ended")
  }
}
