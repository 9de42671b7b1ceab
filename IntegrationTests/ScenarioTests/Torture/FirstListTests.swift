import Foundation
import ResultsPresentation
import Testing
import WireFormat

/// R48: a list that is printed while others write is of one version: every row is there, and stands in the section of its age.
@Suite("A first list while others write")
struct FirstListTests {
  @Test(arguments: [
    ["list", "--format", "json"], ["watch", "--format", "jsonl", "--deltas", "0"],
  ])
  func `places and values are of one version`(_ verb: [String]) throws {
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
    // Rows to change and to remove.
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
