import ResultsDomain
import ResultsPresentation

extension MessageBench {
  /// Goal 10: one commit of another connection, from the wake-up to the delta.
  ///
  /// What waits for the file system is left out: `refresh()` does what follows a wake-up.
  func foreignCommit() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let controller = list(of: Message.self)
    try await controller.fetchExactly()
    try await controller.refresh()
    let ranks = try ranks()
    var (processor, ours, plainTimes) = (Samples(), Samples(), Samples())
    for _ in 0..<20 * runs {
      let (id, place) = (anyID(), anyPlace())
      let old = try PlainRanks.key(of: id, in: writer)
      let generation = try controller.results.generation
      try move(id, to: place)
      let before = ProcessFigures.processorMicroseconds
      ours.add(try await time { try await controller.refresh() })
      processor.add(ProcessFigures.processorMicroseconds - before)
      guard try controller.results.generation == generation + 1, let old else {
        throw BenchmarkError.wrongResult("a foreign commit")
      }
      plainTimes.add(
        try time {
          guard let new = try PlainRanks.key(of: id, in: plain) else { return }
          _ = try ranks.rank(of: old, in: plain)
          _ = try ranks.rank(of: new, in: plain)
        }
      )
    }
    controller.cancel()
    let name = "one foreign commit, wake-up to delta"
    return [
      figure(10, "\(name), processor time", processor.median, atLargest(300)),
      figure(10, name, ours.median)
        .beside(plainTimes.median, "row and two ranks on another connection in C"),
    ]
  }

  /// Goal 11: a cache that is a thousand changes old.
  func staleCache() async throws -> [Measurement] {
    let changes = min(1000, rows / 10)
    var (ours, scans) = (Samples(), Samples())
    for _ in 0..<min(3, runs) {
      try await saveCache(of: .folders)
      try writer.each("BEGIN IMMEDIATE")
      for _ in 0..<changes {
        let (id, place) = (anyID(), anyPlace())
        try writer.each(Self.movement, parameters(id, place))
      }
      try writer.each("COMMIT")
      let other = try file.open()
      let controller = list(of: Message.self, cached: true, in: other)
      ours.add(
        try await time {
          try await controller.performFetch()
          try controller.readFirst(50)
        }
      )
      let outcome = controller.cacheOutcome
      controller.cancel()
      try other.close()
      guard case .replayed = outcome else {
        let words = outcome.map { "\($0)" } ?? "no cache"
        return [
          .missing(goal: 11, Self.staleName, rows: rows, unit: "µs", because: words)
        ]
      }
      scans.add(try scan())
    }
    return [
      figure(11, Self.staleName, ours.median).beside(scans.median, "the index read in C"),
      figure(11, "\(Self.staleName), at most", ours.median, atLargest(30_000)),
    ]
  }

  private static let staleName = "first 50 rows from a cache 1,000 changes old"

  /// Moves a row by another connection's commit.
  func move(_ id: Int64, to place: (folder: Int64, date: Int64)) throws {
    try writer.each("BEGIN IMMEDIATE")
    try writer.each(Self.movement, parameters(id, place))
    try writer.each("COMMIT")
  }

  private static let movement = "UPDATE Message SET folder = ?, date = ? WHERE id = ?"

  private func parameters(
    _ id: Int64,
    _ place: (folder: Int64, date: Int64)
  ) -> [PlainDatabase.Parameter] {
    [.integer(place.folder), .integer(place.date), .integer(id)]
  }
}
