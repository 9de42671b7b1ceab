import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures a list over a draft: goal 28.
struct DraftListBenchmark {
  private static let edits = 100
  private static let blocks = 8

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  /// Goal 28: a commit to the base under a draft of a hundred edits, against one under a draft without edits.
  func measure() async throws -> Measurement {
    var pairs = Pairs()
    for _ in 0..<Self.blocks {
      let empty = try await following(edits: 0)
      pairs.add(try await following(edits: Self.edits), empty)
    }
    return table.figure(
      28,
      "a change under a draft of 100 edits, commit to delta",
      pairs,
      against: "the same under a draft without edits",
      limit: table.atLargest(1.5)
    )
  }

  /// The median time from the end of a commit's closure to the change of a list over a draft.
  private func following(edits: Int) async throws -> Double {
    let draft = DraftStore(over: table.store)
    try edit(draft, rows: edits)
    var definition = MessageList.folders.definition(of: Message.self)
    definition.cacheName = nil
    let list = FetchedResultsController(definition, in: draft)
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    var samples = Samples()
    for round in 0..<5 + 5 * table.runs {
      let written = try table.change(table.anyID(), moving: true)
      var isFollowed = false
      while !isFollowed, let event = await events.next() {
        if case .change = event { isFollowed = true }
      }
      guard isFollowed else { throw BenchmarkError.wrongResult("a list over a draft") }
      if round >= 5 { samples.add((ContinuousClock.now - written).microseconds) }
    }
    list.cancel()
    try draft.close()
    return samples.median
  }

  /// Edits rows that are far apart.
  private func edit(_ draft: DraftStore, rows: Int) throws {
    guard rows > 0 else { return }
    let stride = max(1, table.rows / rows)
    let keys = (0..<rows).map { ObjectKey.integer(Int64(1 + $0 * stride)) }
    try draft.write { transaction in
      for case .some(let row) in try transaction.rows(keys, of: Message.entity) {
        var values = row.values
        values[Message.bodyIndex] = .text("an edit")
        try transaction.update(row.id, to: values, of: Message.entity, ifUnchangedFrom: nil)
      }
    }
  }
}
