import Foundation
import Testing

/// R181: while the log misses changes, every front end says that the list is compared, and why.
@Suite("Lists that are compared", .timeLimit(.minutes(5)))
struct ComparedListTests {
  /// What a watch says while triggers are missing, and after they are back.
  private func check(
    _ run: ProgramRun,
    store: String,
    reading: [String] = [],
    reason: String,
    breaking: () throws -> Void,
    changing: () throws -> Void
  ) throws {
    _ = try run.run("book-catalog", ["demo", "--store", store])
    func watch(_ options: String...) throws -> RunningProgram {
      try RunningProgram(
        "book-catalog",
        ["watch", "--store", store] + reading + options,
        environment: run.environment,
        folder: run.folder
      )
    }
    let lines = try watch("--format", "jsonl")
    let plain = try watch("--deltas", "1")
    _ = try #require(try lines.line())
    _ = try #require(try plain.line())
    try breaking()
    let said = try #require(try line(of: lines, kind: "capture"))
    #expect(said.hasPrefix(#"{"v":1,"t":"capture","complete":false,"problems":["#), "\(said)")
    #expect(said.contains(reason), "\(said)")
    // A list that is printed once says it too, and a watch that begins now.
    let explained = try run.run("book-catalog", ["list", "--explain", "--store", store] + reading)
    #expect(explained.output.contains("compared   ") && explained.output.contains(reason))
    let doctor = try run.run("book-catalog", ["doctor", "--store", store])
    #expect(doctor.output.contains("compared   ") && doctor.output.contains(reason))
    let late = try watch("--format", "jsonl")
    #expect(try line(of: late, kind: "capture")?.contains(reason) == true)
    // The other watch may be slower. What it has not seen apart, it shows as another list, which is no delta.
    let deadline = ContinuousClock.now + .seconds(60)
    while !plain.errorText.contains(reason), .now < deadline {
      _ = plain.lineIfAny(within: 0.1)
    }
    // What is committed meanwhile is shown all the same.
    try changing()
    var delta = try line(of: lines, kind: "delta")
    while let text = delta, !text.contains(#""compared""#) {
      delta = try line(of: lines, kind: "delta")
    }
    #expect(delta != nil)
    let human = try plain.finish()
    #expect(human.status == 0)
    #expect(human.errors.contains("book-catalog: the list is compared"), "\(human.errors)")
    #expect(human.errors.contains(reason), "\(human.errors)")
    let repaired = try run.run("book-catalog", ["doctor", "--repair", "--store", store])
    #expect(repaired.status == 0, "\(repaired.errors)")
    let end = try #require(try line(of: lines, kind: "capture"))
    #expect(end == #"{"v":1,"t":"capture","complete":true,"problems":[]}"#)
    for program in [lines, late] { program.send(SIGINT) }
  }

  /// The next line of a kind.
  private func line(of program: RunningProgram, kind: String) throws -> String? {
    while let line = try program.line(within: 30) {
      if line.contains(#""t":"\#(kind)""#) { return line }
    }
    return nil
  }

  /// Runs a statement by a shell that knows nothing of this package.
  private func sqlite(_ run: ProgramRun, _ statement: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    shell.arguments = ["sqlite3", "\(run.folder)/b.sqlite", statement]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
  }

  @Test func `R181: of a file, after another program has dropped a trigger`() throws {
    let run = try ProgramRun()
    try check(
      run,
      store: "b.sqlite",
      // A store that may write puts them back, and compares once.
      reading: ["--read-only"],
      reason: "triggers that record changes",
      breaking: { try sqlite(run, "DROP TRIGGER _results_1_update") },
      changing: { try sqlite(run, "UPDATE Book SET title = 'compared' WHERE id = 1") }
    )
  }

  #if PostgreSQL
  @Test func `R181: of a database, after an administrator has switched triggers off`() throws {
    let server = try ServerRun()
    try check(
      server.run,
      store: server.url,
      reason: "were switched off or removed",
      breaking: { try server.psql(#"ALTER TABLE "Book" DISABLE TRIGGER ALL"#) },
      changing: { try server.psql(#"UPDATE "Book" SET title = 'compared' WHERE id = 1"#) }
    )
  }
  #endif
}
