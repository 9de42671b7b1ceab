import ResultsDomain
import ResultsPresentation
import SQLitePersistence

extension CatalogBench {
  /// One commit of another connection, from before its COMMIT to the delta that a subscriber holds.
  func wakeUp() async throws -> [Measurement] {
    let count = min(200, 40 * runs)
    let listening = try SQLiteStore(at: path, entities: [CatalogBook.entity])
    let controller = list(of: CatalogBook.self, in: WorkCountingStore(listening))
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    var (times, plainTimes) = (Samples(), Samples())
    for _ in 0..<count {
      let key = Int64(1 + books.draw(below: rows))
      let title = books.title()
      try writer.each("BEGIN IMMEDIATE")
      try writer.each(
        "UPDATE Book SET title = ? WHERE id = ?",
        [.text(title), .integer(key)]
      )
      let start = ContinuousClock.now
      try writer.each("COMMIT")
      plainTimes.add((ContinuousClock.now - start).microseconds)
      guard case .change(let change) = await events.next(), change.delta.rows.count == 1 else {
        throw BenchmarkError.wrongResult("a foreign commit")
      }
      times.add((ContinuousClock.now - start).microseconds)
    }
    controller.cancel()
    try listening.close()
    return [
      Measurement(
        name: "one foreign commit to delta, objects, p50",
        rows: rows,
        value: times.median,
        unit: "µs",
        reference: plainTimes.median,
        against: "its COMMIT in C"
      ),
      Measurement(
        name: "one foreign commit to delta, objects, p50, at most",
        rows: rows,
        value: times.median,
        unit: "µs",
        limit: rows == 100_000 ? 3000 : nil
      ),
      Measurement(
        name: "one foreign commit to delta, objects, p95",
        rows: rows,
        value: times.quantile(0.95),
        unit: "µs",
        reference: plainTimes.median,
        against: "its COMMIT in C"
      ),
    ]
  }
}
