import ResultsDomain
import ResultsPresentation

extension MessageBench {
  /// Goal 8: many changes in one commit, beside the better of the two ways in which their places can be found.
  ///
  /// The same commits are told to three lists, one after the other: one chooses, the others must seek each key, or pass over all.
  func batches() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let rebuilt = try await rebuilding()
    let scanned = try scan()
    var lists: [BatchList] = []
    for placing in [KeyPlacing.cheapest, .seeking, .passing] {
      lists.append(try await BatchList(listOnDemand(placing: placing)))
    }
    var (measurements, size) = ([Measurement](), 1)
    while size <= min(100_000, rows / 10) {
      var times = lists.map { _ in Samples() }
      for round in 0..<rounds(of: size) {
        try commit(size)
        for place in turns[round % turns.count] {
          times[place].add(try await time { try await lists[place].takeChange(of: size) })
        }
      }
      let best = min(times[1].median, times[2].median)
      measurements += figures(of: size, times[0].median, best, rebuilt, scanned)
      size *= 10
    }
    for list in lists { list.controller.cancel() }
    let largest = min(100_000, rows / 10)
    return measurements
      + [try await observingFew(of: min(1000, largest)), try await observingFew(of: largest)]
      + [try await withoutChanges(of: largest, rebuilt)]
  }

  /// In which order the three lists are told of a commit.
  ///
  /// Whoever comes first brings the changed pages in, and whoever follows the pass over all keys finds them gone again. So in three rounds
  /// each list is in each place once, and in six each follows each other one as often.
  private var turns: [[Int]] {
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 0, 2], [0, 2, 1]]
  }

  /// How many commits of a size are made: many of small ones, whose times are short.
  private func rounds(of size: Int) -> Int {
    switch size {
    case ..<1000: 24
    case ..<10_000: 12
    case ..<100_000: 6
    default: 3
    }
  }

  private func figures(
    of size: Int,
    _ value: Double,
    _ best: Double,
    _ rebuilt: Double,
    _ scanned: Double
  ) -> [Measurement] {
    let name = "\(ReportNumber.grouped(size)) random changes, commit to delta"
    var all = [
      figure(8, name, value).beside(best, "the better way for all keys", atLargest(1.3)),
      figure(8, name, value).beside(rebuilt, "a list made anew, without a delta", nil),
    ]
    if size == 1000, rows == 1_000_000 { all.append(figure(8, "\(name), at most", value, 15_000)) }
    if size == 100_000 {
      all.append(
        figure(8, name, value)
          .beside(scanned, "the index read in C", rows == 10_000_000 ? 1.5 : nil)
      )
    }
    return all
  }

  /// A list of which a hundred rows are observed: the places of the others are not looked for.
  private func observingFew(of size: Int) async throws -> Measurement {
    let list = try await BatchList(listOnDemand())
    list.controller.observedRows = 0..<100
    var times = Samples()
    for _ in 0..<rounds(of: size) {
      try commit(size)
      times.add(try await time { try await list.takeChange(of: size) })
    }
    list.controller.cancel()
    let name = "\(ReportNumber.grouped(size)) random changes, 100 rows observed"
    return figure(8, name, times.median).beside(try scan(), "the index read in C")
  }

  /// A list whose consumer wants no change of so many rows: it is counted anew, once the log has told of them.
  private func withoutChanges(of size: Int, _ rebuilt: Double) async throws -> Measurement {
    let list = try await BatchList(listOnDemand(resetThreshold: size / 2))
    var times = Samples()
    for _ in 0..<2 {
      try commit(size)
      times.add(try await time { try await list.takeReset() })
    }
    list.controller.cancel()
    let name = "\(ReportNumber.grouped(size)) random changes, commit to the reset that is asked for"
    return figure(8, name, times.median).beside(rebuilt, "a list made anew", nil)
  }

  /// How long it takes to make the list without a cache.
  private func rebuilding() async throws -> Double {
    var times = Samples()
    for _ in 0..<3 {
      let controller = list(of: ObjectID.self)
      times.add(try await time { try await controller.fetchExactly() })
      controller.cancel()
    }
    return times.median
  }

  /// Moves so many rows, all of them others, in one commit.
  private func commit(_ size: Int) throws {
    let (first, step) = (draws.draw(below: rows), rows / size)
    try store.commit(origin: .unnamed) { transaction in
      for number in 0..<size {
        let id = Int64(1 + (first + number * step) % rows)
        try self.change(id, self.anyPlace(), in: transaction)
      }
    }
  }
}

/// A list that is led on when it is asked, and what it tells.
private final class BatchList {
  let controller: FetchedResultsController<ObjectID>
  private var events: ResultsChanges<ObjectID>.AsyncIterator

  init(_ controller: FetchedResultsController<ObjectID>) async throws {
    try await controller.fetchExactly()
    self.controller = controller
    events = controller.changes.makeAsyncIterator()
    _ = await events.next()
  }

  func takeChange(of size: Int) async throws {
    try await controller.refresh()
    guard case .change(let change) = await events.next(), change.delta.size > size / 2
    else { throw BenchmarkError.wrongResult("a commit of \(size) changes") }
  }

  func takeReset() async throws {
    try await controller.refresh()
    guard case .reset = await events.next() else {
      throw BenchmarkError.wrongResult("a commit beyond the threshold")
    }
  }
}

extension ResultsDelta {
  /// How many rows it names or counts.
  fileprivate var size: Int {
    let counts = [unobserved?.above, unobserved?.below].compactMap(\.self)
    return rows.count + counts.reduce(0) { $0 + $1.inserted + $1.changed }
  }
}
