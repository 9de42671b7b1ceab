/// Measures the requested cases, size by size.
struct BenchmarkRun {
  let cases: Set<BenchmarkCase>
  /// The largest number of rows.
  let rows: Int
  let runs: Int
  let folder: BenchmarkFolder
  let books: String?
  let catalogProgram: String?

  /// Returns the powers of ten from a thousand on, up to and including the given number of rows.
  static func sizes(upTo rows: Int) -> [Int] {
    var sizes: [Int] = []
    var size = 1000
    while size < rows {
      sizes.append(size)
      size *= 10
    }
    return sizes + [rows]
  }

  /// Returns whether one of the goals is requested.
  func has(_ goals: Int...) -> Bool { goals.contains { cases.contains(.goal($0)) } }

  /// Returns whether another case is requested.
  func has(_ other: BenchmarkCase.Other) -> Bool { cases.contains(.other(other)) }

  /// Measures all requested cases.
  func measure(into report: inout Report) async throws {
    if has(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 27, 28, 29, 30, 31) {
      for size in Self.sizes(upTo: rows) { try await measureMessages(size, &report) }
      report.add(Growth(report.measurements).figures(goals: [2, 5].filter { has($0) }))
    }
    if has(16) { report.add(try DifferenceBenchmark(runs: runs).edits(upTo: rows)) }
    if has(17, 18, 19, 20, 21, 22, 23, 24, 25, 26) {
      for size in Self.sizes(upTo: min(rows, 1_000_000)) { try await measureLibrary(size, &report) }
      if has(19) { report.add(Growth(report.measurements).figures(goals: [19])) }
    }
    try await measureOthers(&report)
  }

  private func measureMessages(_ size: Int, _ report: inout Report) async throws {
    let isLargest = size == rows
    let file = try MessageFile(rows: size, in: folder)
    defer { folder.remove("messages-\(size).sqlite") }
    let table = try MessageTable(file, runs: runs, isLargest: isLargest, in: folder)
    let (opening, changes) = (OpeningBenchmark(table), ChangeBenchmark(table))
    let pages = PageBenchmark(table)
    if has(3) { report.add(try await opening.withoutCache()) }
    if has(1, 2) { report.add(try await opening.fromCache()) }
    if has(4) { report.add(try pages.memory(of: .folders)) }
    if has(9) { report.add(try await pages.pages()) }
    if has(5, 6, 7) { report.add(try await changes.oneChange()) }
    if has(10) { report.add(try await changes.foreignCommit()) }
    if has(12) { report.add(try await changes.freezing()) }
    if has(14) { report.add(try await changes.window()) }
    if has(27) { report.add(try await ArrangedListBenchmark(table).measure()) }
    if has(28) { report.add([try await DraftListBenchmark(table).measure()]) }
    if has(15) { report.add(try await pages.longestCall()) }
    let programs = ProgramListBenchmark(table)
    if has(29) { report.add([try await programs.running()]) }
    if has(30) { report.add(try await programs.conditions()) }
    if has(31), size <= ProgramListBenchmark.mostFiled { report.add(try await programs.filing()) }
    if has(11) { report.add(try await opening.fromStaleCache()) }
    if has(8), isLargest || size == 1_000_000 {
      report.add(try await BatchBenchmark(table).measure())
    }
    // Cases with other indexes come last, because each index slows down every writer.
    if has(13), isLargest || size == 1_000_000 {
      try table.createIndexes(for: [.letters, .months])
      report.add(try await opening.computedSections())
    }
    if isLargest, has(2) {
      try table.createIndexes(for: [.rooms, .threads])
      report.add(try await opening.byThreads())
    }
    if isLargest, has(4) {
      try table.createIndexes(for: [.subjects, .marks])
      for list in [MessageList.subjects, .marks] { report.add(try pages.memory(of: list)) }
    }
    try table.close()
  }

  private func measureLibrary(_ size: Int, _ report: inout Report) async throws {
    let file = try LibraryFile(books: size, in: folder)
    defer { folder.remove("library-\(size).sqlite") }
    let library = try Library(file, runs: runs, isLargest: size == min(rows, 1_000_000))
    let (lists, changes) = (RelatedListBenchmark(library), RelatedChangeBenchmark(library))
    if has(17, 26) {
      report.add(try await lists.firstFetch().filter { cases.contains(.goal($0.goal)) })
    }
    if has(18, 19) {
      report.add(try await changes.rename().filter { cases.contains(.goal($0.goal)) })
    }
    if has(20) { report.add(try await changes.unseenRename()) }
    if has(21) { report.add(try await changes.manyDependents()) }
    if has(22), size <= 100_000 { report.add(try await changes.peer()) }
    if has(23) { report.add(try await lists.pages()) }
    if has(24) { report.add(try await changes.shownOnly()) }
    // The last, since its index would serve others too.
    if has(25) { report.add(try await ObjectSectionBenchmark(library).measure()) }
    try library.close()
  }

  private func measureOthers(_ report: inout Report) async throws {
    let sizes = Self.sizes(upTo: min(rows, 100_000))
    for size in sizes {
      guard
        has(.firstFetch) || has(.sectionCounts) || has(.lookups) || has(.ownChange)
          || has(.changesOfOthers) || has(.wakeUp) || has(.peer)
      else { break }
      let catalog = try CatalogBenchmark(rows: size, in: folder, runs: runs)
      if has(.firstFetch) { report.add(try await catalog.firstFetch()) }
      if has(.sectionCounts) { report.add(try await catalog.sectionCounts()) }
      if has(.lookups) { report.add(try await catalog.lookups()) }
      if has(.ownChange) { report.add(try await catalog.ownChange()) }
      if has(.changesOfOthers) { report.add(try await catalog.changesOfOthers()) }
      if has(.wakeUp) { report.add(try await catalog.wakeUp()) }
      if has(.peer), size <= 10_000 { report.add(try await catalog.peer()) }
      try catalog.close()
    }
    // The limit of the first fetch applies to this size; small runs skip it.
    if has(.firstFetch), rows >= 250_000 {
      let catalog = try CatalogBenchmark(rows: 250_000, in: folder, runs: runs)
      report.add(try await catalog.firstFetch())
      try catalog.close()
    }
    if has(.capture) {
      report.add(try CaptureBenchmark(rows: min(100_000, rows), runs: runs, in: folder).measure())
    }
    if has(.manyLists) {
      let lists = min(1000, rows)
      report.add(try await ManyListsBenchmark(lists: lists, runs: runs, in: folder).measure())
      report.add(try await FiledListsBenchmark(upTo: rows, runs: runs, in: folder).measure())
    }
    if has(.adoption) {
      let rows = min(100_000, rows)
      report.add(try await AdoptionBenchmark(rows: rows, runs: runs, in: folder).measure())
    }
    if has(.shuffle) { report.add(try DifferenceBenchmark(runs: runs).shuffle(min(10_000, rows))) }
    try measureImport(&report)
    if has(.browse) {
      for size in Set([min(rows, 100_000), rows]).sorted() {
        let program = catalogProgram ?? ImportBenchmark.neighbour
        let browser = try BrowseBenchmark(rows: size, program: program, runs: runs, in: folder)
        report.add(try browser.measure())
      }
    }
  }

  private func measureImport(_ report: inout Report) throws {
    guard has(.bookImport) else { return }
    guard let books else {
      report.note("The case import is skipped; name a file with --books.")
      return
    }
    let program = catalogProgram ?? ImportBenchmark.neighbour
    report.add(try ImportBenchmark(books: books, program: program, in: folder).measure(runs: runs))
  }
}

// MARK: - Cases

/// A case of the benchmark: a goal of `docs/performance.md` with a number, or another case with a name.
enum BenchmarkCase: Hashable {
  /// A goal with its number.
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
    case adoption
    case bookImport = "import"
    case browse
  }

  /// The numbers of the goals.
  static let numbers = Array(1...31)

  /// All cases.
  static var all: Set<BenchmarkCase> {
    Set(numbers.map(BenchmarkCase.goal) + Other.allCases.map(BenchmarkCase.other))
  }

  /// Parses a list of cases: numbers, ranges of numbers and names, separated by commas; `goals`, `others` and `all` are groups.
  /// - Returns: The cases, or the first unknown word.
  static func parse(_ text: String) -> Result<Set<BenchmarkCase>, UnknownCase> {
    var cases: Set<BenchmarkCase> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(part.filter { $0 != " " })
      guard let named = named(word) else { return .failure(UnknownCase(word: word)) }
      cases.formUnion(named)
    }
    return .success(cases)
  }

  /// A word that is not the name of a case.
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
    return numbers.filter { first <= $0 && $0 <= last }.map(BenchmarkCase.goal)
  }
}
