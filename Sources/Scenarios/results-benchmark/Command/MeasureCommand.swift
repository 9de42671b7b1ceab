import ArgumentParser

/// Measures, or takes the figures of an earlier run, and reports them.
struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure and report (the default command)."
  )

  @Option(
    help: "The largest size, from 1000 to 10000000; smaller ones go before it in steps of ten."
  )
  var rows = 1_000_000
  @Option(
    help: "What to measure: goals by number (1,5-8), other cases by name, goals, others, or all."
  )
  var goals = "all"
  @Option(help: "How often each case is run; the median is reported.")
  var runs = 5
  @Option(help: "The form of the report: text or json.")
  var format = Report.Format.text
  @Option(help: "Keep the generated databases in this folder, and use those that are there.")
  var keep: String?
  @Option(help: "Draw growth curves into this folder.")
  var svg: String?
  @Option(help: "Rewrite the tables of figures in this document.")
  var document: String?
  @Option(help: "Take the figures that an earlier run has printed as JSON, and measure nothing.")
  var from: String?
  @Option(help: "A TSV file of books to import; that case is left out without it.")
  var books: String?
  @Option(help: "The book-catalog program; by default the one beside this program.")
  var catalog: String?

  func validate() throws {
    guard (1000...10_000_000).contains(rows) else {
      throw ValidationError("--rows takes a number from 1000 to 10000000, not \(rows).")
    }
    guard (1...1000).contains(runs) else {
      throw ValidationError("--runs takes a number from 1 to 1000, not \(runs).")
    }
    _ = try cases()
  }

  func run() async throws {
    do {
      var report = Report(format)
      // A place that cannot be written is found before the time is spent.
      if let svg { try CurveFiles.check(svg) }
      if let document { try PerformanceDocument(at: document).check() }
      report.begin()
      if let from {
        report.add(try ReportRows.read(from))
      } else {
        try await measure(into: &report)
      }
      try report.end()
      if let svg { _ = try CurveFiles.write(GrowthCurve.all(of: report.measurements), to: svg) }
      if let document {
        try PerformanceDocument(at: document).rewrite(with: report.measurements)
      }
    } catch {
      throw BenchmarkFailure(error)
    }
  }

  private func measure(into report: inout Report) async throws {
    let folder = try BenchmarkFolder(keeping: keep)
    defer { folder.remove() }
    let run = BenchmarkRun(
      cases: try cases(),
      rows: rows,
      runs: runs,
      folder: folder,
      books: books,
      catalog: catalog
    )
    try await run.measure(into: &report)
  }

  private func cases() throws -> Set<BenchmarkCase> {
    switch BenchmarkCase.parse(goals) {
    case .success(let cases): return cases
    case .failure(let unknown):
      let names = BenchmarkCase.Other.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "--goals: “\(unknown.word)” is no number from 1 to 16 and none of \(names), goals, others, all."
      )
    }
  }
}

extension Report.Format: ExpressibleByArgument {}
