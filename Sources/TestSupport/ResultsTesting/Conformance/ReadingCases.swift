import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

extension StoreConformance {
  static let readingCases: [Case] = [
    Case("a row that is read after a later commit is as its change says", ["R200"]) { fixture in
      for inMemoryKeyLimit in [4096, -1] {
        let (store, list) = try await fixture.liveItem(.immediate, inMemoryKeyLimit)
        var events = list.changes.makeAsyncIterator()
        _ = await events.next()
        try fixture.set(0, "b", in: store)
        try await list.refresh()
        guard case .change(let change)? = await events.next() else {
          throw fixture.failure("a change", "another event")
        }
        // Before the view reads the row, the next commit is in the store and taken back.
        try fixture.set(1, "b", in: store)
        try await list.refresh()
        try fixture.expectEqual(try fixture.item(of: change.after), 0, "the row of the change")
        try fixture.expectEqual(
          try fixture.item(of: list.results),
          1,
          "the row of the present list"
        )
        try fixture.set(0, "b", in: store)
        try await list.refresh()
        try fixture.expectEqual(try fixture.item(of: list.results), 0, "the row in the end")
        list.cancel()
      }
    },

    Case("a row that is read between two commits is as it was before both", ["R200"]) { fixture in
      for delivery in [ResultsDelivery.onDemand, .throttled(for: .seconds(3600))] {
        let (store, list) = try await fixture.liveItem(delivery, 4096)
        let shown = try list.results
        try fixture.set(1, "a", in: store)
        try fixture.expectEqual(try fixture.item(of: shown), 0, "the row between the commits")
        try fixture.set(0, "a", in: store)
        try await list.refresh()
        try fixture.expectEqual(try fixture.item(of: shown), 0, "the row after both")
        list.cancel()
      }
    },
  ]
}

extension ConformanceFixture {
  /// A store with one item, and a list of it.
  fileprivate func liveItem(
    _ delivery: ResultsDelivery,
    _ inMemoryKeyLimit: Int
  ) async throws -> (any Store, FetchedResultsController<Row>) {
    let store = try open()
    try set(nil, "a", in: store)
    let list = FetchedResultsController(
      FetchRequest<Row>(entity: Sample.item, sortedBy: [.ascending("title")]),
      in: store,
      options: ResultsOptions(delivery: delivery, inMemoryKeyLimit: inMemoryKeyLimit)
    )
    try await list.performFetch()
    return (store, list)
  }

  /// Sets the item's number, or inserts the item with 0.
  fileprivate func set(_ number: Int64?, _ title: Value, in store: any Store) throws {
    let values = Sample.item(title, number: .integer(number ?? 0))
    try store.write { transaction in
      guard number != nil else {
        try transaction.insert(values, key: .integer(1), into: Sample.item)
        return
      }
      try transaction.update(Sample.itemID(1), to: values, of: Sample.item, ifUnchangedFrom: nil)
    }
  }

  /// The item's number in a list.
  fileprivate func item(of list: ResultsList<Row>) throws -> Int64? {
    try list.object(at: RowPath(section: 0, row: 0))["number"].integer
  }
}
