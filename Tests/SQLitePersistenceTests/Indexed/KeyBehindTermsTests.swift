import Foundation
import ResultsDomain
import ResultsPresentation
import SQLitePersistence
import Testing

/// R55, R56: terms after the object's key have no effect on the order, so an index is used with them, and remains in use.
@Suite struct `An order with terms after the object's key` {
  private typealias Row = ResultsDomain.Row

  private static let key = FetchExpression.objectKey

  /// Orders by an attribute and the key, with an optional attribute after them.
  private static let orders: [[FetchSortDescriptor]] = [
    [.ascending("publisher"), FetchSortDescriptor(key, .descending), .ascending("year")],
    [.ascending("publisher"), FetchSortDescriptor(key), .ascending("year")],
    [.descending("publisher"), FetchSortDescriptor(key, .descending), .descending("rating")],
    [FetchSortDescriptor(key, .descending), .ascending("year", nulls: .last)],
  ]

  @Test(arguments: 0..<4)
  func `R55 R56: uses the index created for it, and continues to`(_ index: Int) async throws {
    let store = try SQLiteStore.inMemory(entities: [Sample.book])
    try await store.write { transaction in
      for number in 0..<9 {
        try transaction.insert(
          Sample.values("P\(number % 2)", "t\(number)", number % 3 == 0 ? .null : .integer(7)),
          key: nil,
          into: Sample.book
        )
      }
    }
    let definition = try OrderDefinition(
      entity: Sample.book,
      predicate: .all,
      sortDescriptors: Self.orders[index]
    )
    try store.createIndex(serving: definition)
    let list = FetchedResultsController(
      FetchRequest<Row>(entity: Sample.book, sortedBy: Self.orders[index]),
      in: store,
      options: ResultsOptions(heldKeysLimit: -1, auditPeriod: nil)
    )
    try await list.performFetch()
    guard case .indexed? = try await list.explain()?.keys else {
      Issue.record("\(String(describing: try await list.explain()?.lines))")
      return
    }
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    for number in 1...6 as ClosedRange<Int64> {
      try await store.write { transaction in
        try transaction.delete(Sample.id(number), of: Sample.book)
        try transaction.insert(Sample.values("P0", "u", .null), key: nil, into: Sample.book)
      }
      guard case .change(let change) = await events.next() else {
        Issue.record("no change, but a reset")
        return
      }
      #expect(change.delta.rows.count == 2)
      let old = try change.before.snapshot.content
      #expect(try old.applying(change.delta) == change.after.snapshot.content)
    }
    list.cancel()
  }
}
