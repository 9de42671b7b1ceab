#if PostgreSQL
import FetchedResults
import SectionCacheFiles

/// Measures opening a list in PostgreSQL, reading its pages, and its memory: goals 1, 2, 5 and 10 of a store over PostgreSQL.
struct ServerOpening {
  private static let countName = "count(*)"

  let table: ServerTable

  init(_ table: ServerTable) { self.table = table }

  /// Goal 1: an exact list without a cache.
  func withoutCache() async throws -> [Measurement] {
    var (counts, passes, first) = (Pairs(), Pairs(), Samples())
    for _ in 0..<table.runs {
      let fetch = try await table.fetch()
      counts.add(fetch.whole, try count())
      passes.add(fetch.whole, try pass())
      first.add(fetch.first)
    }
    return [
      table.figure(
        1,
        "exact list without a cache",
        counts,
        against: Self.countName,
        limit: table.atLargest(1.4)
      ),
      table.figure(
        1,
        "exact list without a cache",
        passes,
        against: "count(*) over the list's own index"
      ),
      table.figure(1, "first 50 rows without a cache", first.median, table.atLargest(20_000)),
    ]
  }

  /// Goal 2: the first 50 rows from a valid cache.
  func fromCache() async throws -> [Measurement] {
    let name = "first 50 rows from a valid cache"
    let saved = table.list(isCached: true)
    try await saved.performFetch()
    let isSaved = try await saved.saveCache()
    saved.cancel()
    var counts = Pairs()
    for _ in 0..<table.runs {
      let opening = try await table.openFromCache()
      var isValid = isSaved
      switch opening.outcome {
      // Other programs may have committed since, to other tables too.
      case .hit?, .replayed?: break
      default: isValid = false
      }
      guard isValid else {
        let reason = opening.outcome.map { "\($0)" } ?? "no cache"
        return [.missing(goal: 2, name, rows: table.rows, unit: "µs", because: reason)]
      }
      counts.add(opening.list, try count())
    }
    return [
      table.figure(2, name, counts, against: Self.countName, limit: table.atLargest(0.01))
    ]
  }

  /// The time to count the rows over the index of the list, whose order is not that of the table.
  private func pass() throws -> Double {
    let ordered = "SELECT folder, date, id FROM \"Message\" ORDER BY folder, date, id OFFSET 0"
    return try time {
      guard try table.plain.integer("SELECT count(*) FROM (\(ordered)) m") == table.rows else {
        throw BenchmarkError.wrongResult("a count")
      }
    }
  }

  /// The time to count the rows over the smallest index, that of the key.
  private func count() throws -> Double {
    try time {
      guard try table.plain.integer("SELECT count(*) FROM \"Message\"") == table.rows else {
        throw BenchmarkError.wrongResult("a count")
      }
    }
  }

  /// Goal 5: a page of 50 at any depth, and an identity at a position.
  func pages() async throws -> [Measurement] {
    let controller = table.list(of: Message.self)
    try await controller.performFetch()
    let results = try controller.results
    var (pages, lookups, offsets) = (Pairs(), Pairs(), Pairs())
    for round in 0..<40 * table.runs {
      let range = table.anyPage()
      var count = 0
      let ours = try time { count = try results.objects(at: range).count }
      guard count == range.count else { throw BenchmarkError.wrongResult("a page") }
      let page = try keysetPage()
      pages.add(ours, page)
      var id: ObjectID?
      let position = table.numbers.draw(below: table.rows)
      let one = time { id = results.rows[position].objectID }
      guard id != nil else { throw BenchmarkError.wrongResult("an identity at a position") }
      lookups.add(one, try lookup())
      if round < 3 {
        offsets.add(
          ours,
          try time {
            _ = try table.plain.call(
              "SELECT * FROM \"Message\" ORDER BY folder, date, id OFFSET $1::int8 LIMIT 50",
              [Int64(range.lowerBound)]
            )
          }
        )
      }
    }
    controller.cancel()
    return [
      table.figure(
        5,
        "page of 50 objects at any depth",
        pages,
        against: "a keyset page in C",
        limit: table.atLargest(2)
      ),
      table.figure(5, "page of 50 objects at any depth", offsets, against: "OFFSET n LIMIT 50"),
      table.figure(
        5,
        "identity at a random position",
        lookups,
        against: "a key lookup in C",
        limit: table.atLargest(3)
      ),
    ]
  }

  /// Fifty rows from a random key on, with the key known as a program knows it.
  private func keysetPage() throws -> Double {
    let id = table.anyID()
    let key = try table.plain.call(
      "SELECT folder, date, id FROM \"Message\" WHERE id = $1::int8",
      [id]
    )
    let parameters = (0..<3).map { key.integer(0, $0) }
    return try time {
      _ = try table.plain.call(
        """
        SELECT * FROM "Message" WHERE (folder, date, id) >= ($1::int8, $2::int8, $3::int8)
        ORDER BY folder, date, id LIMIT 50
        """,
        parameters
      )
    }
  }

  private func lookup() throws -> Double {
    let id = table.anyID()
    return try time {
      _ = try table.plain.call("SELECT id FROM \"Message\" WHERE id = $1::int8", [id])
    }
  }

  /// Goal 10: the memory of a list.
  func memory() async throws -> [Measurement] {
    let controller = table.list(of: Message.self)
    try await controller.performFetch()
    let bytes = try await controller.explain()?.keyBytes ?? 0
    controller.cancel()
    let share = Double(bytes) / Double(table.rows)
    return [table.figure(10, "bytes a row", share, table.atLargest(0.3), "bytes")]
  }
}
#endif
