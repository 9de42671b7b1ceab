import Foundation
import Testing

/// How the benchmark refuses what it cannot do, and what it leaves behind.
@Suite("Benchmark refusals")
struct BenchmarkRefusalTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let status: Int32
    let words: String
    let arguments: [String]
    var testDescription: String { "\(arguments.joined(separator: " ")) → \(status)" }

    init(_ status: Int32, _ words: String, _ arguments: String...) {
      (self.status, self.words, self.arguments) = (status, words, arguments)
    }
  }

  @Test(arguments: [
    Case(64, "from 1000 to 10000000, not -5", "--rows=-5"),
    Case(64, "from 1000 to 10000000, not 999", "--rows", "999"),
    Case(64, "from 1000 to 10000000, not 10000001", "--rows", "10000001"),
    Case(64, "many", "--rows", "many"),
    Case(64, "from 1 to 1000, not 0", "--runs", "0"),
    Case(64, "“17” is no number", "--goals", "1,17"),
    Case(64, "“5-3” is no number", "--goals", "5-3"),
    Case(64, "“” is no number", "--goals", ""),
    Case(64, "“opening” is no number", "--goals", "opening"),
    Case(64, "yaml", "--format", "yaml"),
    Case(65, "no report of --format json", "--from", "missing.json"),
    Case(65, "has no lines <!-- figures", "--from", "none.json", "--document", "none.json"),
    Case(73, "cannot be written", "--from", "none.json", "--svg", "/dev/null/curves"),
    Case(73, "cannot be written", "--rows", "1000", "--goals", "9", "--keep", "/dev/null/kept"),
  ])
  func `what makes no sense is refused before anything is measured`(_ test: Case) throws {
    let run = try ProgramRun()
    try run.write("[]", to: "none.json")
    let result = try run.run("results-benchmark", test.arguments)
    #expect(result.status == test.status, "\(result)")
    #expect(result.errors.contains(test.words), "\(result)")
    #expect(!result.output.contains("µs"), "\(result)")
  }

  @Test func `a disk that takes no more ends the run and leaves nothing behind`() throws {
    let run = try ProgramRun()
    run.environment["TMPDIR"] = run.folder
    let program = try ProgramFolder.executable("results-benchmark")
    // Writes beyond 64 blocks fail, as they do on a full disk; the signal for it is ignored.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --rows 1000 --goals 9"
    let result = try run.run("/bin/sh", ["-c", script, program])
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("Check the disk"), "\(result)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder).isEmpty)
  }

  @Test func `what a killed run has left is removed, and what runs is left alone`() throws {
    let run = try ProgramRun()
    run.environment["TMPDIR"] = run.folder
    let own = "results-benchmark-\(ProcessInfo.processInfo.processIdentifier)"
    // No system gives such a number to a process.
    for name in [own, "results-benchmark-2147483646", "results-benchmark-notes"] {
      try FileManager.default.createDirectory(
        atPath: run.path(name),
        withIntermediateDirectories: false
      )
      try run.write("left", to: "\(name)/messages-1000.sqlite")
    }
    try run.run("results-benchmark", "--rows", "1000", "--goals", "shuffle", "--runs", "1")
    let left = try FileManager.default.contentsOfDirectory(atPath: run.folder)
    #expect(Set(left) == [own, "results-benchmark-notes"])
  }

  @Test func `kept databases serve the next run`() throws {
    let run = try ProgramRun()
    let arguments = ["--rows", "1000", "--goals", "9", "--runs", "1", "--keep", "kept"]
    for _ in 0..<2 {
      let result = try run.run("results-benchmark", arguments)
      #expect(result.status == 0, "\(result)")
      let kept = try FileManager.default.contentsOfDirectory(atPath: run.path("kept"))
      #expect(kept == ["messages-1000.sqlite"])
    }
  }
}
