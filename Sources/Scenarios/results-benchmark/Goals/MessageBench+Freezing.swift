import CSQLiteHooks
import ResultsDomain
import ResultsPresentation

extension MessageBench {
  /// Goal 12: what the list shows, kept while the list goes on: its time, its memory, and what it does to checkpoints.
  func freezing() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let controller = list(of: Message.self)
    try await controller.fetchExactly()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    var times = Samples()
    var kept: [(results: ResultsList<Message>, place: Int, id: ObjectID?)] = []
    let before = ProcessFigures.memory
    for _ in 0..<40 * runs {
      var results: ResultsList<Message>?
      times.add(try time { results = try controller.results })
      let place = draws.draw(below: rows)
      if let results { kept.append((results, place, results.rows[place].objectID)) }
      try change(anyID(), moving: true)
      guard case .change = await events.next() else {
        throw BenchmarkError.wrongResult("one change")
      }
    }
    let after = ProcessFigures.memory
    for (results, place, id) in kept where results.rows[place].objectID != id {
      throw BenchmarkError.wrongResult("a frozen list")
    }
    try writer.run("PRAGMA busy_timeout = 0")
    var isBusy: Int64 = 0
    try writer.each("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = sqlite3_column_int64($0, 0) }
    try writer.run("PRAGMA busy_timeout = 5000")
    controller.cancel()
    let growth = (after?.own ?? 0) - (before?.own ?? 0)
    let name = "bytes a row and a frozen list, each of another generation"
    return [
      figure(12, "freezing what the list shows", times.median, 20),
      before == nil
        ? .missing(goal: 12, name, rows: rows, unit: "bytes", because: "no /proc/self/statm")
        // What one change touches is paid once a change; of the rows nothing may be copied.
        : figure(12, name, growth / Double(kept.count * rows), atLargest(0.01), "bytes"),
      figure(
        12,
        "checkpoints that frozen lists keep from ending",
        Double(isBusy),
        0,
        "checkpoints"
      ),
    ]
  }
}
