import FetchedResults
@_spi(Measurement) import ResultsPresentation
import ResultsStoreKit

/// Measures many changes in one commit: goal 8.
struct BatchBenchmark {
  /// A list that advances only on demand, and its subscription.
  private final class BatchList {
    let controller: FetchedResultsController<ObjectID>
    private var events: ResultsChanges<ObjectID>.AsyncIterator

    init(_ controller: FetchedResultsController<ObjectID>) async throws {
      try await controller.performFetch()
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

  /// The times of three lists in every round: one that chooses a strategy, one that must seek, one that must scan.
  private struct Rounds {
    var times: [[Double]] = [[], [], []]

    /// The list that chooses, against the faster of the other two.
    var better: Pairs {
      let best = median(1) <= median(2) ? 1 : 2
      var pairs = Pairs()
      for (ours, other) in zip(times[0], times[best]) { pairs.add(ours, other) }
      return pairs
    }

    private func median(_ list: Int) -> Double {
      let sorted = times[list].sorted()
      return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
  }

  /// The orders in which the three lists advance after a commit.
  ///
  /// The first list reads the changed pages into the cache, and a scan evicts them again. In three rounds each list has each position
  /// once, and in six each list follows each other one equally often.
  private static let turns = [
    [0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 0, 2], [0, 2, 1],
  ]

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  /// Goal 8: random rows that move in one commit, from the commit to the delta.
  func measure() async throws -> [Measurement] {
    try table.store.checkForExternalChanges()
    let rebuilt = try await rebuild()
    var lists: [BatchList] = []
    for seeks in [nil, true, false] {
      lists.append(try await BatchList(list(seeksKeys: seeks)))
    }
    let largest = min(100_000, table.rows / 10)
    var (measurements, size) = ([Measurement](), 1)
    while size <= largest {
      var (rounds, ranks, scans) = (Rounds(), Pairs(), Pairs())
      for round in 0..<self.rounds(of: size) {
        try commit(size)
        for index in Self.turns[round % Self.turns.count] {
          let list = lists[index]
          rounds.times[index].append(try await time { try await list.takeChange(of: size) })
        }
        let ours = rounds.times[0][round]
        if size == 1000 {
          ranks.add(ours, try time { try table.rankRows(size, in: table.plain) })
        }
        if size == 100_000 { scans.add(ours, try table.scan()) }
      }
      measurements += figures(of: size, rounds.better, rebuilt, ranks, scans)
      size *= 10
    }
    for list in lists { list.controller.cancel() }
    return measurements
      + [try await observingFew(of: min(1000, largest)), try await observingFew(of: largest)]
      + [try await resetting(after: largest, rebuilt)]
  }

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
    _ better: Pairs,
    _ rebuilt: Double,
    _ ranks: Pairs,
    _ scans: Pairs
  ) -> [Measurement] {
    let name = "\(ReportNumber.grouped(size)) random changes, commit to delta"
    var all = [
      table.figure(
        8,
        name,
        better,
        against: "the better strategy for all keys",
        limit: table.atLargest(1.3)
      ),
      table.figure(8, name, better.ours.median)
        .compared(to: rebuilt, "a new list, without a delta"),
    ]
    if size == 1000 {
      all.append(
        table.figure(
          8,
          name,
          ranks,
          against: "rows and two ranks of each in C",
          limit: table.rows == 1_000_000 ? 1.2 : nil
        )
      )
    }
    if size == 100_000 {
      all.append(
        table.figure(
          8,
          name,
          scans,
          against: "the index read in C",
          limit: table.rows == 10_000_000 ? 1.5 : nil
        )
      )
    }
    return all
  }

  /// Measures a list with a hundred observed rows, which need not find the positions of the others.
  private func observingFew(of size: Int) async throws -> Measurement {
    let list = try await BatchList(list())
    list.controller.observedRows = 0..<100
    var pairs = Pairs()
    for _ in 0..<rounds(of: size) {
      try commit(size)
      let ours = try await time { try await list.takeChange(of: size) }
      pairs.add(ours, try table.scan())
    }
    list.controller.cancel()
    let name = "\(ReportNumber.grouped(size)) random changes, 100 rows observed"
    return table.figure(8, name, pairs, against: "the index read in C")
  }

  /// Measures a list whose consumer wants a reset instead of a change of this size: it is counted again.
  private func resetting(after size: Int, _ rebuilt: Double) async throws -> Measurement {
    let list = try await BatchList(list(resetThreshold: size / 2))
    var times = Samples()
    for _ in 0..<2 {
      try commit(size)
      times.add(try await time { try await list.takeReset() })
    }
    list.controller.cancel()
    let name = "\(ReportNumber.grouped(size)) random changes, commit to the requested reset"
    return table.figure(8, name, times.median).compared(to: rebuilt, "a new list")
  }

  /// Measures creating the list without a cache.
  private func rebuild() async throws -> Double {
    var times = Samples()
    for _ in 0..<3 {
      let controller = table.list(of: ObjectID.self)
      times.add(try await time { try await controller.performFetch() })
      controller.cancel()
    }
    return times.median
  }

  /// Creates a controller that advances only on demand.
  private func list(
    seeksKeys: Bool? = nil,
    resetThreshold: Int? = nil
  ) -> FetchedResultsController<ObjectID> {
    var options = ResultsOptions(delivery: .onDemand, resetThreshold: resetThreshold)
    options.seeksKeys = seeksKeys
    return FetchedResultsController(
      MessageList.folders.definition(of: ObjectID.self),
      in: table.store,
      options: options
    )
  }

  /// Moves the given number of different rows in one commit.
  private func commit(_ size: Int) throws {
    let (first, step) = (table.numbers.draw(below: table.rows), table.rows / size)
    try table.store.commit(origin: .unnamed) { transaction in
      for number in 0..<size {
        let id = Int64(1 + (first + number * step) % table.rows)
        try table.change(id, table.anyPosition(), in: transaction)
      }
    }
  }
}

extension ResultsDelta {
  /// The number of rows that the delta names or counts.
  var size: Int {
    let counts = [unobserved?.above, unobserved?.below].compactMap(\.self)
    return rows.count + counts.reduce(0) { $0 + $1.inserted + $1.changed }
  }
}
