/// Measures what was asked for, size by size.
struct BenchmarkRun {
  let cases: Set<BenchmarkCase>
  /// The largest size.
  let rows: Int
  let runs: Int
  let folder: BenchmarkFolder
  let books: String?
  let catalog: String?

  /// A thousand rows, ten thousand and so on, up to a number of rows, which is one of them.
  static func sizes(upTo rows: Int) -> [Int] {
    var sizes: [Int] = []
    var size = 1000
    while size < rows {
      sizes.append(size)
      size *= 10
    }
    return sizes + [rows]
  }

  /// Whether a goal is to be measured.
  func has(_ goals: Int...) -> Bool { goals.contains { cases.contains(.goal($0)) } }

  /// Whether another case is to be measured.
  func has(_ other: BenchmarkCase.Other) -> Bool { cases.contains(.other(other)) }

  /// Measures everything.
  func measure(into report: inout Report) async throws {
    if has(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) {
      for size in Self.sizes(upTo: rows) { try await measureMessages(size, &report) }
      report.add(Growth(report.measurements).figures(goals: [2, 5].filter { has($0) }))
    }
    if has(16) { report.add(try ArrayDifferenceBench(runs: runs, most: rows).measure()) }
    try await measureOthers(&report)
  }

  private func measureMessages(_ size: Int, _ report: inout Report) async throws {
    let isLargest = size == rows
    let file = try MessageFile(rows: size, in: folder)
    defer { folder.remove("messages-\(size).sqlite") }
    let bench = try MessageBench(file, runs: runs, isLargest: isLargest, in: folder)
    if has(3) { report.add(try await bench.building()) }
    if has(1, 2) { report.add(try await bench.openingFromCache()) }
    if has(4) { report.add(try bench.memory(of: .folders)) }
    if has(9) { report.add(try await bench.pages()) }
    if has(5, 6, 7) { report.add(try await bench.oneChange()) }
    if has(10) { report.add(try await bench.foreignCommit()) }
    if has(12) { report.add(try await bench.freezing()) }
    if has(14) { report.add(try await bench.window()) }
    if has(15) { report.add(try await bench.longestCall()) }
    if has(11) { report.add(try await bench.staleCache()) }
    if has(8), isLargest || size == 1_000_000 { report.add(try await bench.batches()) }
    // What needs other indexes comes last: each of them costs every writer.
    if has(13), isLargest || size == 1_000_000 {
      try bench.makeIndexes(of: [.letters, .months])
      report.add(try await bench.derivedSections())
    }
    if isLargest, has(2) {
      try bench.makeIndexes(of: [.rooms, .threads])
      report.add(try await bench.openingByThreads())
    }
    if isLargest, has(4) {
      try bench.makeIndexes(of: [.subjects, .marks])
      for list in [MessageList.subjects, .marks] { report.add(try bench.memory(of: list)) }
    }
    try bench.close()
  }

  private func measureOthers(_ report: inout Report) async throws {
    let sizes = Self.sizes(upTo: min(rows, 100_000))
    for size in sizes {
      guard
        has(.firstFetch) || has(.sectionCounts) || has(.lookups) || has(.ownChange)
          || has(.changesOfOthers) || has(.wakeUp) || has(.peer)
      else { break }
      let bench = try CatalogBench(rows: size, in: folder, runs: runs)
      if has(.firstFetch) { report.add(try await bench.firstFetch()) }
      if has(.sectionCounts) { report.add(try await bench.sectionCounts()) }
      if has(.lookups) { report.add(try await bench.lookups()) }
      if has(.ownChange) { report.add(try await bench.ownChange()) }
      if has(.changesOfOthers) { report.add(try await bench.changesOfOthers()) }
      if has(.wakeUp) { report.add(try await bench.wakeUp()) }
      if has(.peer), size <= 10_000 { report.add(try await bench.peer()) }
      try bench.close()
    }
    // The size that the first fetch's limit is set on, unless the run is meant to be small.
    if has(.firstFetch), rows >= 250_000 {
      let bench = try CatalogBench(rows: 250_000, in: folder, runs: runs)
      report.add(try await bench.firstFetch())
      try bench.close()
    }
    if has(.capture) {
      report.add(try TrackingBench(rows: min(100_000, rows), runs: runs, in: folder).measure())
    }
    if has(.manyLists) {
      let lists = min(1000, rows)
      report.add(try await ManyListsBench(lists: lists, runs: runs, in: folder).measure())
    }
    if has(.shuffle) { report.add(try ShuffleBench(rows: min(10_000, rows), runs: runs).measure()) }
    try measureImport(&report)
  }

  private func measureImport(_ report: inout Report) throws {
    guard has(.bookImport) else { return }
    guard let books else {
      report.note("import is left out: name a file with --books.")
      return
    }
    let program = catalog ?? ImportBench.neighbour
    report.add(try ImportBench(books: books, program: program, in: folder).measure(runs: runs))
  }
}

// MARK: - Cases

/// What can be measured: the goals of `docs/performance.md` by their numbers, and other cases by their names.
enum BenchmarkCase: Hashable {
  /// A goal.
  case goal(Int)
  /// A case without a number.
  case other(Other)

  /// Cases that have no number among the goals.
  enum Other: String, CaseIterable {
    case firstFetch = "first-fetch"
    case sectionCounts = "section-counts"
    case lookups
    case ownChange = "own-change"
    case changesOfOthers = "changes-of-others"
    case wakeUp = "wake-up"
    case peer
    case capture
    case manyLists = "many-lists"
    case shuffle
    case bookImport = "import"
  }

  /// The numbers of the goals.
  static let numbers = 1...16

  /// Everything.
  static var all: Set<BenchmarkCase> {
    Set(numbers.map(BenchmarkCase.goal) + Other.allCases.map(BenchmarkCase.other))
  }

  /// The cases that a text names: numbers, ranges of numbers and names, separated by commas; `goals`, `others` and `all` name many.
  /// - Returns: The cases, or the first word that names none.
  static func parse(_ text: String) -> Result<Set<BenchmarkCase>, UnknownCase> {
    var cases: Set<BenchmarkCase> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(part.filter { $0 != " " })
      guard let named = named(word) else { return .failure(UnknownCase(word: word)) }
      cases.formUnion(named)
    }
    return .success(cases)
  }

  /// A word that names no case.
  struct UnknownCase: Error {
    let word: String
  }

  private static func named(_ word: String) -> [BenchmarkCase]? {
    switch word {
    case "all": return Array(all)
    case "goals": return numbers.map(BenchmarkCase.goal)
    case "others": return Other.allCases.map(BenchmarkCase.other)
    default: break
    }
    if let other = Other(rawValue: word) { return [.other(other)] }
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
      first <= last, numbers.contains(first), numbers.contains(last)
    else { return nil }
    return (first...last).map(BenchmarkCase.goal)
  }
}
