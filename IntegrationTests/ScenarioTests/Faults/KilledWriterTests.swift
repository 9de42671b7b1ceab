import Foundation
import ResultsPresentation
import ResultsTesting
import StudentRoster
import Testing

/// R71: programs that are killed with -9 wherever they happen to be: what they said to have done stays, and the rest is all or nothing.
@Suite struct KilledWriterTests {
  /// Adds students two by two, in one transaction each, through the SQLite shell, and is killed.
  @Test(.enabled(if: ShellWriter.isThere), arguments: 1...4)
  func `what a killed writer said to have committed is there`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let run = try ProgramRun()
    try run.run("student-roster", "watch", "--deltas", "0", "--store", "s.sqlite")
    var said = 0
    for round in 0..<6 {
      let shell = try run.start(ShellWriter.path, "-batch", "s.sqlite")
      try shell.write(".timeout 60000\n")
      // All is told at once, so that the shell is somewhere in it when it is killed.
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
        said += 1
      }
      shell.send(SIGKILL)
      let rest = try shell.finish()
      said += rest.lines.count { $0 == "done" }

      let list = try run.run(
        "student-roster",
        ["list", "--limit", "100000", "--format", "jsonl", "--store", "s.sqlite"]
      )
      let names = list.lines
      #expect(names.count.isMultiple(of: 2), "seed \(seed), round \(round)")
      // The one whose answer was on its way may have been made.
      #expect((said...said + round + 1).contains(names.count / 2), "seed \(seed), round \(round)")
    }
    let health = try run.run("student-roster", "doctor", "--store", "s.sqlite")
    #expect(health.lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") }, "\(health)")
  }

  /// A list is killed between its first line and its end, where it keeps what the next start can use.
  @Test func `a list that is killed while it keeps its cache is right the next time`() throws {
    let run = try ProgramRun()
    try run.run("student-roster", "simulate", "--operations", "400", "--store", "s.sqlite")
    let list = ["list", "--format", "jsonl", "--limit", "100000", "--store", "s.sqlite"]
    for round in 0..<12 {
      // The list of the last round may have been killed while it wrote what this one begins with.
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
