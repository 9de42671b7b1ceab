import ArgumentParser

/// The command `results-benchmark`: measures lists against plain statements and against a peer, in one run.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results-benchmark",
    abstract: "Measure live lists against plain SQLite statements and GRDB's observations.",
    discussion: """
      Every time stands beside a reference of the same run. Read the ratios: times belong to one machine and one moment.

      Goals: 1 first fetch, 2 section counts, 3 lookups, 4 one own change, 5 changes of others, 6 shuffled rows,
      7 import and list (needs --books), 8 the peer, 9 what capture costs writers, 10 one foreign commit, 11 a thousand lists.
      """
  )

  @Option(help: "How many rows, separated by commas; 1000000 needs some minutes.")
  var rows = "1000,10000,100000"
  @Option(help: "Which goals to measure, separated by commas.")
  var goals = "1,2,3,4,5,6,7,8,9,10,11"
  @Option(help: "How often each case is run; the median is reported.")
  var runs = 5
  @Option(help: "The form of the report: text or json.")
  var format = ReportFormat.text
  @Option(help: "A TSV file of books to import; goal 7 is left out without it.")
  var books: String?
  @Option(help: "The book-catalog program; by default the one beside this program.")
  var catalog: String?

  func validate() throws {
    _ = try numbers(rows, in: 100...10_000_000, called: "--rows")
    _ = try numbers(goals, in: 1...11, called: "--goals")
    guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
  }

  func run() async throws {
    let folder = try BenchmarkFolder()
    defer { folder.remove() }
    var report = Report(format)
    let goals = Set(try numbers(goals, in: 1...11, called: "--goals"))
    let sizes = try numbers(rows, in: 100...10_000_000, called: "--rows")
    report.begin()
    for size in sizes {
      let bench = try CatalogBench(rows: size, in: folder, runs: runs)
      if goals.contains(1) { report.add(try await bench.firstFetch()) }
      if goals.contains(2) { report.add(try await bench.sectionCounts()) }
      if goals.contains(3) { report.add(try await bench.lookups()) }
      if goals.contains(4) { report.add(try await bench.ownChange()) }
      if goals.contains(5) { report.add(try await bench.changesOfOthers()) }
      if goals.contains(10) { report.add(try await bench.wakeUp()) }
      if goals.contains(8), size <= 10_000 { report.add(try await bench.peer()) }
      try bench.close()
    }
    // The size that the first fetch's limit is set on, unless the run is meant to be small.
    if goals.contains(1), !sizes.contains(250_000), sizes.contains(where: { $0 >= 100_000 }) {
      let bench = try CatalogBench(rows: 250_000, in: folder, runs: runs)
      report.add(try await bench.firstFetch())
      try bench.close()
    }
    if goals.contains(9) {
      let size = min(100_000, sizes.max() ?? 100_000)
      report.add(try TrackingBench(rows: size, runs: runs, in: folder).measure())
    }
    if goals.contains(11) {
      let lists = min(1000, sizes.max() ?? 1000)
      report.add(try await ManyListsBench(lists: lists, runs: runs, in: folder).measure())
    }
    if goals.contains(6) { report.add(try ShuffleBench(rows: 10_000, runs: runs).measure()) }
    if goals.contains(7) {
      let program = catalog ?? ImportBench.neighbour
      if let books {
        report.add(try ImportBench(books: books, program: program, in: folder).measure(runs: runs))
      } else {
        report.note("goal 7 is left out: name a file with --books.")
      }
    }
    report.end()
  }

  private func numbers(_ text: String, in range: ClosedRange<Int>, called name: String) throws
    -> [Int]
  {
    try text.split(separator: ",").map { part in
      guard let number = Int(part), range.contains(number) else {
        throw ValidationError(
          "\(name) takes numbers from \(range.lowerBound) to \(range.upperBound), not \(part)."
        )
      }
      return number
    }
  }
}
