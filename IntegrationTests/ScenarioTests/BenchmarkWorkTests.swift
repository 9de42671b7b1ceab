import Foundation
import Testing

/// Work that the benchmark counts is exact, so it is gated; times are not.
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

  // R25, R57: nothing is decoded for counts, and nothing is read for an own change.
  @Test func `the work for a thousand rows stays within its thresholds`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try ProgramFolder.executable("results-benchmark"))
    process.arguments = [
      "--rows", "1000", "--goals", "section-counts,own-change,changes-of-others", "--runs", "1",
      "--format", "json",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let json = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let figures = try JSONDecoder().decode([Figure].self, from: json)
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
    let path = ProgramFolder.fixture("Thresholds/work-counts.tsv")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
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
