import Foundation
import ResultsDomain
import ResultsPresentation
import SectionCacheFiles

extension MessageBench {
  /// How a store and what it is on the disk stand before an opening.
  private enum Warmth: String, CaseIterable {
    case warm
    case cold
  }

  /// Goal 1: first 50 rows from a valid cache, beside reading the whole index.
  func openingFromCache() async throws -> [Measurement] {
    try await saveCache(of: .folders)
    // The first opening of a process pays for what all later ones share.
    _ = try await opening(.folders)
    var measurements: [Measurement] = []
    for warmth in Warmth.allCases {
      let name = "first 50 rows from a valid cache, \(warmth)"
      guard warmth == .warm || ProcessFigures.dropFromMemory([]) else {
        measurements.append(
          .missing(goal: 1, name, rows: rows, unit: "µs", because: "no way to drop files here")
        )
        continue
      }
      var (ours, whole, scans, first) = (Samples(), Samples(), Samples(), Samples())
      for _ in 0..<runs {
        if warmth == .cold { try forgetFiles() }
        let open = try await opening(.folders)
        ours.add(open.list)
        whole.add(open.whole)
        if warmth == .cold { try forgetFiles() }
        let other = try PlainDatabase(path: file.path)
        defer { other.close() }
        scans.add(try scan(in: other))
        guard warmth == .cold else { continue }
        try forgetFiles()
        first.add(try firstRows())
      }
      let against = "the index read in C"
      measurements += [
        figure(1, name, ours.median).beside(scans.median, against, atLargest(0.01)),
        figure(1, "\(name), at most", ours.median, atLargest(15_000)),
        figure(1, "\(name), store opened too", whole.median)
          .beside(scans.median, against),
      ]
      guard warmth == .cold else { continue }
      measurements.append(figure(2, MessageBench.coldRowsInC, first.median))
    }
    // Later cases must not be the first to read what was dropped.
    _ = try plain.integer("SELECT count(*) FROM Message NOT INDEXED WHERE length(body) > 1000")
    return measurements
  }

  /// What an opening cannot do without: its rows lie on pages of their own.
  static let coldRowsInC = "first 50 rows read in C, cold"

  /// Reads the first fifty rows as a C program would.
  private func firstRows() throws -> Double {
    let other = try PlainDatabase(path: file.path)
    defer { other.close() }
    return try time {
      var count = 0
      try other.each("SELECT * FROM Message ORDER BY folder, date, id LIMIT 50") { _ in count += 1 }
      guard count == 50 else { throw BenchmarkError.wrongResult("the first rows") }
    }
  }

  /// Goal 2, one half: openings of lists of ten and of a hundred thousand sections.
  func openingByThreads() async throws -> [Measurement] {
    var times: [MessageList: Samples] = [.rooms: Samples(), .threads: Samples()]
    for list in times.keys { try await saveCache(of: list) }
    for _ in 0..<runs {
      for list in times.keys { times[list, default: Samples()].add(try await opening(list).list) }
    }
    let (rooms, threads) = (times[.rooms]?.median ?? 0, times[.threads]?.median ?? 0)
    return [
      figure(2, "from a valid cache, 100,000 sections", threads)
        .beside(rooms, "10 sections", atLargest(2))
    ]
  }

  /// Goal 3: without a cache, beside reading the index and beside `GROUP BY`.
  func building() async throws -> [Measurement] {
    var (ours, pages, scans, groups) = (Samples(), Samples(), Samples(), Samples())
    for _ in 0..<runs {
      let controller = list(of: Message.self)
      let start = ContinuousClock.now
      let shown = try await controller.fetchShowingFirstPage()
      ours.add((ContinuousClock.now - start).microseconds)
      pages.add((shown - start).microseconds)
      controller.cancel()
      scans.add(try scan())
      groups.add(try group())
    }
    let name = "exact list without a cache"
    return [
      figure(3, name, ours.median).beside(scans.median, "the index read in C", atLargest(0.45)),
      figure(3, name, ours.median).beside(groups.median, "GROUP BY in C", atLargest(0.8)),
      figure(3, "first 50 rows without a cache", pages.median, atLargest(5000)),
    ]
  }

  /// Keeps a list under its name, as it is now.
  func saveCache(of kept: MessageList) async throws {
    try store.checkForExternalChanges()
    let controller = list(kept, cached: true)
    try await controller.fetchExactly()
    guard try await controller.saveCache() else {
      throw BenchmarkError.wrongResult("the cache of \(kept)")
    }
    controller.cancel()
  }

  /// Opens a list in a store of its own.
  private func opening(_ kept: MessageList) async throws -> (list: Double, whole: Double) {
    let start = ContinuousClock.now
    let other = try file.open()
    let opened = ContinuousClock.now
    let controller = list(kept, of: Message.self, cached: true, in: other)
    try await controller.performFetch()
    try controller.readFirst(50)
    let end = ContinuousClock.now
    let outcome = controller.cacheOutcome
    controller.cancel()
    try other.close()
    guard outcome == .hit else {
      throw BenchmarkError.wrongResult("the cache (\(outcome.map { "\($0)" } ?? "none"))")
    }
    return ((end - opened).microseconds, (end - start).microseconds)
  }

  /// Makes the system forget the database and the caches.
  private func forgetFiles() throws {
    try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let folder = caches.folder
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let files = names.map { folder.appendingPathComponent($0).path }
    let program = ChildProgram(ProcessFigures.program)
    _ = try program.output(["forget", file.path, file.path + "-wal"] + files)
  }
}

// MARK: - Sections and windows

extension MessageBench {
  /// Goal 13: sections that are computed, all of their titles and counts, from a cache of the list.
  func derivedSections() async throws -> [Measurement] {
    var measurements: [Measurement] = []
    for list in [MessageList.months, .letters] {
      try await saveCache(of: list)
      var (ours, groups, with, without) = (Samples(), Samples(), Samples(), Samples())
      for _ in 0..<min(3, runs) {
        let other = try file.open()
        let controller = self.list(list, cached: true, in: other)
        ours.add(
          try await time {
            try await controller.performFetch()
            try countSections(of: controller)
          }
        )
        controller.cancel()
        try other.close()
        with.add(try await building(list, isSectioned: true))
        without.add(try await building(list, isSectioned: false))
        groups.add(try group(list))
      }
      let limit: Double? = rows == 1_000_000 ? 0.01 : nil
      measurements += [
        figure(13, "all sections by \(list), from a cache", ours.median)
          .beside(groups.median, "GROUP BY expression in C", limit),
        figure(13, "list without a cache, sections by \(list)", with.median)
          .beside(without.median, "the same list without sections"),
      ]
    }
    return measurements
  }

  private func building(_ list: MessageList, isSectioned: Bool) async throws -> Double {
    let controller = FetchedResultsController(
      list.definition(of: ObjectID.self, isSectioned: isSectioned),
      in: store
    )
    defer { controller.cancel() }
    return try await time {
      try await controller.fetchExactly()
      try countSections(of: controller)
    }
  }

  /// Asks for the titles and counts of all sections.
  private func countSections(of controller: FetchedResultsController<ObjectID>) throws {
    let sections = try controller.results().sections
    let count = sections.reduce(0) { $0 + ($1.title.utf8.isEmpty && $1.count == 0 ? 0 : $1.count) }
    guard count == rows else { throw BenchmarkError.wrongResult("the sections") }
  }

  /// Goal 14: the first hundred rows of all, and changes behind them.
  func window() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let controller = list(of: ObjectID.self, limit: 100)
    try await controller.fetchExactly()
    let shown = Set(try controller.results().fetchedObjects.compactMap(\.id))
    var (most, times) = (0, Samples())
    for _ in 0..<4 * runs {
      let id = anyID()
      guard !shown.contains(ObjectID(entity: Message.entity.name, key: .integer(id))) else {
        continue
      }
      let before = try await controller.explain()?.last
      // To a folder that is never among the first.
      _ = try store.commit(origin: .unnamed) { transaction in
        let place = (folder: Int64(Message.folders - 1), date: self.anyPlace().date)
        try self.change(id, place, in: transaction)
      }
      times.add(try await time { try await controller.refresh() })
      let last = try await controller.explain()?.last
      // The account stays the same while commits do not concern the list.
      if last != before { most = max(most, last?.work.queries ?? 0) }
    }
    controller.cancel()
    return [
      figure(14, "queries for a change beyond a window of 100", Double(most), 0, "queries"),
      figure(14, "such a change, until the list is up to date", times.median),
    ]
  }
}
