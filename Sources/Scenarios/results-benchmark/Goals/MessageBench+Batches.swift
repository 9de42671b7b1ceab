import ResultsDomain
import ResultsPresentation

extension MessageBench {
  /// Goal 8: many changes in one commit, beside the cheapest way there is.
  ///
  /// The best tier is what so many single changes take, or making the list anew, whichever is less.
  func batches() async throws -> [Measurement] {
    try store.lookForOtherWriters()
    let rebuilt = try await rebuilding()
    let scanned = try scan()
    let controller = list(of: ObjectID.self)
    try await controller.fetchExactly()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    var (measurements, single) = ([Measurement](), 0.0)
    var size = 1
    while size <= min(100_000, rows / 10) {
      var times = Samples()
      for _ in 0..<(size == 1 ? 20 * runs : size < 10_000 ? runs : 2) {
        try commit(size)
        let committed = ContinuousClock.now
        guard case .change(let change) = await events.next(), change.delta.rows.count > size / 2
        else { throw BenchmarkError.wrongResult("a commit of \(size) changes") }
        times.add((ContinuousClock.now - committed).microseconds)
      }
      if size == 1 { single = times.median }
      measurements += figures(of: size, times.median, single, rebuilt, scanned)
      size *= 10
    }
    controller.cancel()
    return measurements
  }

  private func figures(
    of size: Int,
    _ value: Double,
    _ single: Double,
    _ rebuilt: Double,
    _ scanned: Double
  ) -> [Measurement] {
    let name = "\(ReportNumber.grouped(size)) random changes, commit to delta"
    let best = min(single * Double(size), rebuilt)
    var all = [figure(8, name, value).beside(best, "the best tier", atLargest(1.3))]
    if size == 1000, rows == 1_000_000 { all.append(figure(8, "\(name), at most", value, 15_000)) }
    if size == 100_000 {
      all.append(
        figure(8, name, value)
          .beside(scanned, "the index read in C", rows == 10_000_000 ? 1.5 : nil)
      )
    }
    return all
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
