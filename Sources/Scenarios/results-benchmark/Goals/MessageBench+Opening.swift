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
