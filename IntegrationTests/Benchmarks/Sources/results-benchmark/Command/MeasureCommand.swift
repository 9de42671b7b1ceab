import ResultsStoreKit
import ArgumentParser
import Foundation

/// Measures, or reads the figures of an earlier run, and reports them.
struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure and report (the default command)."
  )

  @Option(
    help:
      "The largest number of rows, from 1000 to 10000000; smaller powers of ten are measured first."
  )
  var rows = 1_000_000
  @Option(
    help:
      "The store to measure: sqlite, or the URL of a PostgreSQL server, on which databases are created; postgresql means $PGURL."
  )
  var store = "sqlite"
  @Option(
    help: "What to measure: goals by number (1,5-8), other cases by name, goals, others, or all."
  )
  var goals = "all"
  @Option(help: "The number of runs of each case; the median is reported.")
  var runs = 5
  @Option(help: "The format of the report: text or json.")
  var format = Report.Format.text
  @Option(help: "A folder that keeps the generated databases for later runs.")
  var keep: String?
  @Option(help: "A folder to write the growth curves to.")
  var svg: String?
  @Option(help: "A Markdown document whose tables of figures are replaced.")
  var document: String?
  @Option(help: "A JSON report of an earlier run to read instead of measuring.")
  var from: String?
  @Option(help: "A TSV file of books for the case import, which is skipped without it.")
  var books: String?
  @Option(help: "The book-catalog program; by default the one next to this program.")
  var catalog: String?

  func validate() throws {
    guard (1000...10_000_000).contains(rows) else {
      throw ValidationError("--rows takes a number from 1000 to 10000000, not \(rows).")
    }
    guard (1...1000).contains(runs) else {
      throw ValidationError("--runs takes a number from 1 to 1000, not \(runs).")
    }
    _ = try cases()
    guard store != "sqlite" else { return }
    #if PostgreSQL
    _ = try server()
    #else
    throw ValidationError(
      "--store \(store): this program was built without PostgreSQL. Build and run it with script/benchmark --traits PostgreSQL."
    )
    #endif
  }

  func run() async throws {
    do {
      var report = Report(format)
      // Output that cannot be written fails before the long run.
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
    let folder = try BenchmarkFolder(persistent: keep)
    defer { folder.remove() }
    #if PostgreSQL
    if store != "sqlite" {
      let run = ServerRun(
        cases: try serverCases(),
        rows: rows,
        runs: runs,
        folder: folder,
        keeps: keep != nil
      )
      return try await run.measure(on: try server(), into: &report)
    }
    #endif
    let run = BenchmarkRun(
      cases: try cases(),
      rows: rows,
      runs: runs,
      folder: folder,
      books: books,
      catalogProgram: catalog
    )
    try await run.measure(into: &report)
  }

  #if PostgreSQL
  private func server() throws -> ServerAddress {
    let url = store == "postgresql" ? ProcessInfo.processInfo.environment["PGURL"] ?? "" : store
    guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
      throw ValidationError(
        "--store takes sqlite, postgresql://…, or postgresql with a URL in PGURL, not “\(store)”."
      )
    }
    return ServerAddress(url: url)
  }

  private func serverCases() throws -> Set<Int> {
    let numbers = try cases().compactMap { if case .goal(let number) = $0 { number } else { nil } }
    return Set(numbers).intersection(ServerRun.numbers)
  }
  #endif

  private func cases() throws -> Set<BenchmarkCase> {
    switch BenchmarkCase.parse(goals) {
    case .success(let cases): return cases
    case .failure(let unknown):
      let names = BenchmarkCase.Other.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "--goals: “\(unknown.word)” is no number from 1 to \(BenchmarkCase.numbers.count), and none of \(names), goals, others, all."
      )
    }
  }
}

extension Report.Format: ExpressibleByArgument {}
