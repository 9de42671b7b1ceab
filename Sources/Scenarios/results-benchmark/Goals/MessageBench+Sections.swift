import ResultsDomain
import ResultsPresentation

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
    let sections = try controller.results.sections
    let count = sections.reduce(0) { $0 + ($1.title.utf8.isEmpty && $1.count == 0 ? 0 : $1.count) }
    guard count == rows else { throw BenchmarkError.wrongResult("the sections") }
  }

  /// Goal 14: the first hundred rows of all, and changes behind them.
  func window() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let controller = list(of: ObjectID.self, limit: 100)
    try await controller.fetchExactly()
    let shown = Set(try controller.results.rows.compactMap(\.objectID))
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
