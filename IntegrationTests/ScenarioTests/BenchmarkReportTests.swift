import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What the benchmark prints and writes; figures of an earlier run stand for measured ones where only their form counts.
@Suite("Benchmark reports")
struct BenchmarkReportTests {
  private static let figures = """
    [{"goal":1,"name":"first 50 rows from a valid cache, warm, against the index read in C","rows":1000,\
    "value":500,"unit":"µs","reference":1000,"ratio":0.5,"limit":null,"holds":true},
    {"goal":1,"name":"first 50 rows from a valid cache, warm, against the index read in C","rows":1000000,\
    "value":600,"unit":"µs","reference":1e5,"ratio":0.006,"limit":0.01,"holds":true},
    {"goal":4,"name":"growth | of <a> process","rows":1000000,"value":35.5,"unit":"MB",\
    "reference":null,"ratio":null,"limit":16,"holds":false},
    {"goal":4,"name":"memory (not measured: no /proc)","rows":1000000,"value":null,"unit":"MB",\
    "reference":null,"ratio":null,"limit":16,"holds":false}]
    """

  // R25, R57: every goal has a figure or a reason, whatever the machine.
  @Test func `every goal is measured or says why not`() throws {
    let run = try ProgramRun()
    run.environment["TMPDIR"] = run.folder
    let result = try run.run(
      "results-benchmark",
      "--rows",
      "1000",
      "--goals",
      "goals",
      "--runs",
      "1",
      "--format",
      "json"
    )
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
    )
    #expect(Set(rows.compactMap { $0["goal"] as? Int }) == Set(1...16))
    for row in rows {
      #expect(
        Set(row.keys) == [
          "goal", "name", "rows", "value", "unit", "reference", "ratio", "limit", "holds",
        ]
      )
      guard row["value"] is NSNull else { continue }
      #expect((row["name"] as? String)?.contains("not measured: ") == true)
      #expect(row["holds"] as? Bool == false)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder).isEmpty)
  }

  @Test func `figures that are read are printed again as they were`() throws {
    let run = try ProgramRun()
    try run.write(Self.figures, to: "figures.json")
    let once = try run.run("results-benchmark", "--from", "figures.json", "--format", "json")
    try run.write(once.output, to: "again.json")
    let twice = try run.run("results-benchmark", "--from", "again.json", "--format", "json")
    #expect(once.output == twice.output)
    #expect(once.output.contains(#""value":600,"unit":"µs","reference":100000,"ratio":0.006,"#))
    #expect(once.lines.count == 4)
  }

  @Test func `the table says what misses its limit and what was not measured`() throws {
    let run = try ProgramRun()
    try run.write(Self.figures, to: "figures.json")
    let lines = try run.run("results-benchmark", "--from", "figures.json").lines
    try #require(lines.count == 6)
    let column = try #require(lines[0].range(of: "rows")).lowerBound
    let width = lines[0].distance(from: lines[0].startIndex, to: column)
    for (line, rows) in zip(lines[1...], ["1000 ", "1000000 "]) {
      #expect(line.dropFirst(width).hasPrefix(rows), "\(line)")
    }
    #expect(lines[2].hasSuffix("0.01x          the index read in C"))
    #expect(lines[3].contains("MISSED"))
    #expect(lines[4].contains("–"))
    #expect(lines[5] == "1 of 3 limits hold.")
  }

  @Test func `curves are well-formed pictures with named lines`() throws {
    let run = try ProgramRun()
    try run.write(Self.figures, to: "figures.json")
    try run.run("results-benchmark", "--from", "figures.json", "--svg", "curves")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.path("curves")) == ["open.svg"]
    )
    let picture = try run.read("curves/open.svg")
    let parser = XMLParser(data: Data(picture.utf8))
    #expect(parser.parse(), "\(parser.parserError.debugDescription)")
    for words in ["swift-fetched-results", "the index read in C", "600 µs", "100 ms", "1M"] {
      #expect(picture.contains(words), "\(words)")
    }
    #expect(!picture.contains("nan") && !picture.contains("inf"))
  }

  @Test func `a document gets new tables between its two lines and keeps the rest`() throws {
    let run = try ProgramRun()
    try run.write(Self.figures, to: "figures.json")
    let (start, end) = ("<!-- figures: results-benchmark -->", "<!-- end of figures -->")
    try run.write("# Head\n\n\(start)\nformer\n\(end)\n\nTail\n", to: "page.md")
    for _ in 0..<2 {
      try run.run("results-benchmark", "--from", "figures.json", "--document", "page.md")
      let page = try run.read("page.md")
      #expect(page.hasPrefix("# Head\n\n\(start)\n\n"))
      #expect(page.hasSuffix("|\n\n\(end)\n\nTail\n"))
      #expect(!page.contains("former"))
      #expect(page.contains(#"| 4 | growth \| of <a> process | 1,000,000 | 35.5 MB |"#))
      #expect(page.contains("| 16 MB | **no** |"))
    }
  }
}
