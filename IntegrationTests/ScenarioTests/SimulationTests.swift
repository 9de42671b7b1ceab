import Foundation
import ResultsPresentation
import Testing
import WireFormat

/// `student-roster simulate`: equal seeds, equal bytes, and lines that lead where they say.
@Suite struct SimulationTests {
  @Test(arguments: [7, 1, 20261121])
  func `replaying a simulation gives what is listed afterwards`(_ seed: Int) throws {
    let run = try ProgramRun()
    let simulate = [
      "simulate", "--seed", "\(seed)", "--operations", "500", "--watch", "--format", "jsonl",
      "--store",
    ]
    let first = try run.run("student-roster", simulate + ["a.sqlite"])
    let second = try run.run("student-roster", simulate + ["b.sqlite"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.utf8.elementsEqual(second.output.utf8), "seed \(seed)")
    #expect(first.lines.count > 300, "seed \(seed)")

    var replay = WireReplay()
    for line in first.lines { try replay.apply(line: line) }
    var listed = WireReplay()
    let list = try run.run("student-roster", "list", "--format", "json", "--store", "a.sqlite")
    try listed.apply(line: try #require(list.lines.first))
    #expect(replay.list?.sections == listed.list?.sections, "seed \(seed)")
    let rows = listed.list?.sections.reduce(0) { $0 + $1.rows.count } ?? 0
    #expect(rows > 100, "seed \(seed)")
  }

  @Test func `another order, other sections and a window replay too`() throws {
    let run = try ProgramRun()
    let options = ["--section-by", "none", "--sort", "-studentName", "--limit", "20"]
    let simulation = try run.run(
      "student-roster",
      [
        "simulate", "--seed", "3", "--operations", "300", "--watch", "--format", "jsonl",
        "--store", "a.sqlite",
      ] + options
    )
    var replay = WireReplay()
    for line in simulation.lines { try replay.apply(line: line) }
    let list = try run.run(
      "student-roster",
      ["list", "--format", "json", "--store", "a.sqlite"] + options
    )
    var listed = WireReplay()
    try listed.apply(line: try #require(list.lines.first))
    #expect(replay.list?.sections == listed.list?.sections)
    #expect(listed.list?.sections.first?.rows.count == 20)
  }

  @Test func `a simulation ends after its time`() throws {
    let run = try ProgramRun()
    let result = try run.run(
      "student-roster",
      "simulate",
      "--for",
      "20ms",
      "--rate",
      "1000",
      "--store",
      "a.sqlite"
    )
    #expect(result.output.hasSuffix(" operations\n"))
  }

  @Test func `a long list shows its first two hundred, and says of how many`() throws {
    let run = try ProgramRun()
    try run.run(
      "student-roster",
      "simulate",
      "--seed",
      "5",
      "--operations",
      "1500",
      "--store",
      "a.sqlite"
    )
    let list = try run.run("student-roster", "list", "--format", "table", "--store", "a.sqlite")
    let last = try #require(list.lines.last)
    #expect(last.hasPrefix("200 of "), "\(last)")
  }
}
