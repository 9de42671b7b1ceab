import ResultsStoreKit
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The output and the files of the benchmark; tests of their form use the figures of an earlier run.
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

  // R25, R57: every goal has a figure or a reason, on every machine.
  @Test func `every goal is measured, or the reason is printed`() throws {
    let run = try BenchmarkProgram()
    let result = try run.run(
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
    #expect(Set(rows.compactMap { $0["goal"] as? Int }) == Set(1...31))
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
    #expect(try run.files.isEmpty)
  }

  @Test func `figures that are read from a file are printed unchanged`() throws {
    let run = try BenchmarkProgram()
    try run.write(Self.figures, to: "figures.json")
    let once = try run.run("--from", "figures.json", "--format", "json")
    try run.write(once.output, to: "again.json")
    let twice = try run.run("--from", "again.json", "--format", "json")
    #expect(once.output == twice.output)
    #expect(once.output.contains(#""value":600,"unit":"µs","reference":100000,"ratio":0.006,"#))
    #expect(once.lines.count == 4)
  }

  @Test func `the table marks missed limits and missing measurements`() throws {
    let run = try BenchmarkProgram()
    try run.write(Self.figures, to: "figures.json")
    let lines = try run.run("--from", "figures.json").lines
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

  @Test func `curves are well-formed pictures with labelled lines`() throws {
    let run = try BenchmarkProgram()
    try run.write(Self.figures, to: "figures.json")
    try run.run("--from", "figures.json", "--svg", "curves")
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

  @Test func `a document gets new tables between its markers, and the rest is unchanged`() throws {
    let run = try BenchmarkProgram()
    try run.write(Self.figures, to: "figures.json")
    let (start, end) = ("<!-- figures: results-benchmark -->", "<!-- end of figures -->")
    try run.write("# Head\n\n\(start)\nformer\n\(end)\n\nTail\n", to: "page.md")
    for _ in 0..<2 {
      try run.run("--from", "figures.json", "--document", "page.md")
      let page = try run.read("page.md")
      #expect(page.hasPrefix("# Head\n\n\(start)\n\n"))
      #expect(page.hasSuffix("|\n\n\(end)\n\nTail\n"))
      #expect(!page.contains("former"))
      #expect(page.contains(#"| 4 | growth \| of <a> process | 1,000,000 | 35.5 MB |"#))
      #expect(page.contains("| 16 MB | **no** |"))
    }
  }
}

/// Refused arguments of the benchmark, and cleaning up after failures.
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
    Case(64, "“32” is no number", "--goals", "1,32"),
    Case(64, "“5-3” is no number", "--goals", "5-3"),
    Case(64, "“” is no number", "--goals", ""),
    Case(64, "“opening” is no number", "--goals", "opening"),
    Case(64, "yaml", "--format", "yaml"),
    Case(65, "no report of --format json", "--from", "missing.json"),
    Case(65, "has no lines <!-- figures", "--from", "none.json", "--document", "none.json"),
    Case(73, "cannot be written", "--from", "none.json", "--svg", "/dev/null/curves"),
    Case(73, "cannot be written", "--rows", "1000", "--goals", "9", "--keep", "/dev/null/kept"),
  ])
  func `invalid arguments are refused before anything is measured`(_ test: Case) throws {
    let run = try BenchmarkProgram()
    try run.write("[]", to: "none.json")
    let result = try run.run(test.arguments)
    #expect(result.status == test.status, "\(result)")
    #expect(result.errors.contains(test.words), "\(result)")
    #expect(!result.output.contains("µs"), "\(result)")
  }

  @Test func `a full disk ends the run, and no files remain`() throws {
    let run = try BenchmarkProgram()
    // Writes beyond 64 blocks fail as on a full disk; their signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --rows 1000 --goals 9"
    let result = try run.run(script: script)
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("Check the disk"), "\(result)")
    #expect(try run.files.isEmpty)
  }

  @Test func `files of a killed run are removed, those of a running one are not`() throws {
    let run = try BenchmarkProgram()
    let own = "results-benchmark-\(ProcessInfo.processInfo.processIdentifier)"
    // No process has this number.
    for name in [own, "results-benchmark-2147483646", "results-benchmark-notes"] {
      try FileManager.default.createDirectory(
        atPath: run.path(name),
        withIntermediateDirectories: false
      )
      try run.write("left", to: "\(name)/messages-1000.sqlite")
    }
    try run.run("--rows", "1000", "--goals", "shuffle", "--runs", "1")
    let left = try run.files
    #expect(Set(left) == [own, "results-benchmark-notes"])
  }

  // Goal 10 moves the same rows to the same positions in every run, and goal 18 renames the same authors.
  @Test(arguments: [("9", "messages"), ("10", "messages"), ("18", "library")])
  func `retained databases are used by the next run, which finds them as they were created`(
    goal: String,
    name: String
  ) throws {
    let run = try BenchmarkProgram()
    let arguments = ["--rows", "1000", "--goals", goal, "--runs", "1", "--keep", "kept"]
    var contents: [Data] = []
    for _ in 0..<2 {
      let result = try run.run(arguments)
      #expect(result.status == 0, "\(result)")
      let kept = try FileManager.default.contentsOfDirectory(atPath: run.path("kept"))
      #expect(kept == ["\(name)-1000.sqlite"])
      contents.append(try Data(contentsOf: URL(fileURLWithPath: run.path("kept/\(kept[0])"))))
    }
    #expect(contents[0] == contents[1])
  }
}

/// The work that the benchmark counts is exact, so it has thresholds.
@Suite("Benchmark work")
struct BenchmarkWorkTests {
  private struct Figure: Decodable {
    var name: String
    var rows: Int
    var value: Double
  }

  private struct Threshold {
    var name: String
    var rows: Int
    var most: Double
  }

  // R25, R57, R96, R99: counting decodes nothing, a change by the same store reads nothing, a related object without dependent rows is
  // one search, and a page with related values costs one reading for each step.
  @Test func `the work for a thousand rows stays within its thresholds`() throws {
    let run = try BenchmarkProgram()
    let goals = "section-counts,own-change,changes-of-others,20,23"
    let json = try run.run("--rows", "1000", "--goals", goals, "--runs", "1", "--format", "json")
    let figures = try JSONDecoder().decode([Figure].self, from: Data(json.output.utf8))
    let thresholds = try thresholds()
    #expect(!thresholds.isEmpty)
    for threshold in thresholds {
      let figure = try #require(
        figures.first { $0.name == threshold.name && $0.rows == threshold.rows },
        "\(threshold.name) is not measured"
      )
      #expect(figure.value <= threshold.most, "\(threshold.name)")
    }
  }

  private func thresholds() throws -> [Threshold] {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    let table = root.appendingPathComponent("Fixtures/Thresholds/work-counts.tsv")
    let lines = try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
    return try lines.dropFirst().map { line in
      let fields = line.split(separator: "\t")
      try #require(fields.count == 3)
      return Threshold(
        name: String(fields[0]),
        rows: try #require(Int(fields[1])),
        most: try #require(Double(fields[2]))
      )
    }
  }
}
