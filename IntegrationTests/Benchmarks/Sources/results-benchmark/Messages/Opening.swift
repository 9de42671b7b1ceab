import FetchedResults
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SectionCacheFiles

/// Measures the time until a list shows its first rows, with a cache and without one: goals 1 to 3, 11 and 13.
struct OpeningBenchmark {
  /// Whether files are in the page cache of the system.
  private enum Temperature: String, CaseIterable {
    case warm
    case cold
  }

  /// The name of the reference without which no opening is possible: the rows lie on separate pages.
  static let coldRowsInC = "first 50 rows read in C, cold"
  private static let scanName = "the index read in C"

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  /// Goal 1: the first 50 rows from a valid cache.
  func fromCache() async throws -> [Measurement] {
    try await table.saveCache(of: .folders)
    // The first opening in a process pays for one-time initialization.
    _ = try await open(.folders)
    var measurements: [Measurement] = []
    for temperature in Temperature.allCases {
      let name = "first 50 rows from a valid cache, \(temperature)"
      guard temperature == .warm || ProcessFigures.dropFromPageCache([]) else {
        measurements.append(
          .missing(
            goal: 1,
            name,
            rows: table.rows,
            unit: "µs",
            because: "this system cannot drop files from its page cache"
          )
        )
        continue
      }
      var (scans, firstRows, withStore) = (Pairs(), Pairs(), Pairs())
      for _ in 0..<table.runs {
        if temperature == .cold { try table.dropFiles() }
        let opening = try await open(.folders)
        if temperature == .cold { try table.dropFiles() }
        firstRows.add(opening.list, try table.readFirstRows())
        if temperature == .cold { try table.dropFiles() }
        let other = try PlainDatabase(path: table.file.path)
        defer { other.close() }
        let scan = try table.scan(in: other)
        scans.add(opening.list, scan)
        withStore.add(opening.whole, scan)
      }
      measurements += [
        table.figure(1, name, scans, against: Self.scanName, limit: table.atLargest(0.01)),
        table.figure(
          1,
          "opening from a valid cache, \(temperature)",
          firstRows,
          against: "first 50 rows read in C",
          limit: table.atLargest(temperature == .warm ? 20 : 2.5)
        ),
        table.figure(1, "\(name), store opened too", withStore, against: Self.scanName),
      ]
      guard temperature == .cold else { continue }
      measurements.append(table.figure(2, Self.coldRowsInC, firstRows.reference.median))
    }
    // Later cases must not be the first to read the dropped pages.
    _ = try table.plain.integer(
      "SELECT count(*) FROM Message NOT INDEXED WHERE length(body) > 1000"
    )
    return measurements
  }

  /// Goal 2, one half: lists of ten and of a hundred thousand sections.
  func byThreads() async throws -> [Measurement] {
    for list in [MessageList.rooms, .threads] { try await table.saveCache(of: list) }
    var pairs = Pairs()
    for _ in 0..<table.runs {
      let rooms = try await open(.rooms).list
      pairs.add(try await open(.threads).list, rooms)
    }
    return [
      table.figure(
        2,
        "from a valid cache, 100,000 sections",
        pairs,
        against: "10 sections",
        limit: table.atLargest(2)
      )
    ]
  }

  /// Goal 3: a list without a cache.
  func withoutCache() async throws -> [Measurement] {
    var (scans, groups, pages) = (Pairs(), Pairs(), Pairs())
    for _ in 0..<table.runs {
      let fetch = try await table.fetch()
      scans.add(fetch.whole, try table.scan())
      groups.add(fetch.whole, try table.group())
      pages.add(fetch.first, try table.readFirstRows())
    }
    let name = "exact list without a cache"
    return [
      table.figure(3, name, scans, against: Self.scanName, limit: table.atLargest(0.45)),
      table.figure(3, name, groups, against: "GROUP BY in C", limit: table.atLargest(0.8)),
      table.figure(
        3,
        "first 50 rows without a cache",
        pages,
        against: "first 50 rows read in C",
        limit: table.atLargest(12)
      ),
    ]
  }

  /// Goal 11: a cache that is a thousand changes old.
  func fromStaleCache() async throws -> [Measurement] {
    let name = "first 50 rows from a cache 1,000 changes old"
    let changes = min(1000, table.rows / 10)
    var (scans, ranks) = (Pairs(), Pairs())
    for _ in 0..<min(3, table.runs) {
      try await table.saveCache(of: .folders)
      try table.writer.each("BEGIN IMMEDIATE")
      for _ in 0..<changes { try table.move(table.anyID(), to: table.anyPosition()) }
      try table.writer.each("COMMIT")
      let opening = try await table.openFromCache()
      guard case .replayed = opening.outcome else {
        let reason = opening.outcome.map { "\($0)" } ?? "no cache"
        return [.missing(goal: 11, name, rows: table.rows, unit: "µs", because: reason)]
      }
      ranks.add(opening.list, try time { try table.rankRows(changes, in: table.plain) })
      scans.add(opening.list, try table.scan())
    }
    return [
      table.figure(11, name, scans, against: Self.scanName),
      table.figure(
        11,
        "\(name), opened",
        ranks,
        against: "rows and two ranks of as many changes in C",
        limit: table.atLargest(1)
      ),
    ]
  }

  /// Opens a list from a cache that is still valid.
  private func open(_ list: MessageList) async throws -> (list: Double, whole: Double) {
    let opening = try await table.openFromCache(list)
    guard opening.outcome == .hit else {
      throw BenchmarkError.wrongResult("the cache (\(opening.outcome.map { "\($0)" } ?? "none"))")
    }
    return (opening.list, opening.whole)
  }
}

// MARK: - Computed sections

extension OpeningBenchmark {
  /// Goal 13: the titles and counts of all computed sections, from a cache of the list.
  func computedSections() async throws -> [Measurement] {
    var measurements: [Measurement] = []
    for list in [MessageList.months, .letters] {
      try await table.saveCache(of: list)
      var (cached, uncached) = (Pairs(), Pairs())
      for _ in 0..<min(3, table.runs) {
        let other = try table.file.open()
        let controller = table.list(list, isCached: true, in: other)
        let ours = try await time {
          try await controller.performFetch()
          try countSections(of: controller)
        }
        controller.cancel()
        try other.close()
        cached.add(ours, try table.group(list))
        let sectioned = try await fetch(list, isSectioned: true)
        uncached.add(sectioned, try await fetch(list, isSectioned: false))
      }
      let limit: Double? = table.rows == 1_000_000 ? 0.01 : nil
      measurements += [
        table.figure(
          13,
          "all sections by \(list), from a cache",
          cached,
          against: "GROUP BY expression in C",
          limit: limit
        ),
        table.figure(
          13,
          "list without a cache, sections by \(list)",
          uncached,
          against: "the same list without sections"
        ),
      ]
    }
    return measurements
  }

  private func fetch(_ list: MessageList, isSectioned: Bool) async throws -> Double {
    let controller = FetchedResultsController(
      list.definition(of: ObjectID.self, isSectioned: isSectioned),
      in: table.store
    )
    defer { controller.cancel() }
    return try await time {
      try await controller.performFetch()
      try countSections(of: controller)
    }
  }

  /// Reads the titles and counts of all sections.
  private func countSections(of controller: FetchedResultsController<ObjectID>) throws {
    let sections = try controller.results.sections
    let count = sections.reduce(0) { $0 + ($1.title.utf8.isEmpty && $1.count == 0 ? 0 : $1.count) }
    guard count == table.rows else { throw BenchmarkError.wrongResult("the sections") }
  }
}
