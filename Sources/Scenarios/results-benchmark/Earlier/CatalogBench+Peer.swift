import GRDB
import ResultsDomain
import ResultsPresentation

extension CatalogBench {
  /// One row changed and its difference known, beside an observation that fetches again and compares.
  func peer() async throws -> [Measurement] {
    let count = 20 * runs
    var ours = Samples()
    try store.checkForExternalChanges()
    let controller = list(of: CatalogBook.self)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    for _ in 0..<count {
      let key = ObjectKey.integer(Int64(1 + books.draw(below: rows)))
      let place = books.place()
      ours.add(
        try await time {
          _ = try move(key, to: place)
          guard case .change = await events.next() else {
            throw BenchmarkError.wrongResult("an own change")
          }
        }
      )
    }
    controller.cancel()
    let theirs = try await peerChanges(count)
    return [
      Measurement(
        name: "one own change to difference, objects",
        rows: rows,
        value: ours.median,
        unit: "µs",
        reference: theirs.median,
        against: "ValueObservation and CollectionDifference"
      )
    ]
  }

  private func peerChanges(_ count: Int) async throws -> Samples {
    let pool = try DatabasePool(path: path)
    let observation = ValueObservation.tracking { database in
      try PeerBook.fetchAll(
        database,
        sql: """
          SELECT id, publisher, title, author, year, language, identifier FROM Book
          ORDER BY publisher, title, id
          """
      )
    }
    var values = observation.values(in: pool).makeAsyncIterator()
    var shown = try await values.next() ?? []
    var times = Samples()
    for _ in 0..<count {
      let key = Int64(1 + books.draw(below: rows))
      let place = books.place()
      let start = ContinuousClock.now
      try await pool.write { database in
        try database.execute(
          sql: "UPDATE Book SET publisher = ?, title = ? WHERE id = ?",
          arguments: [place.publisher, place.title, key]
        )
      }
      // An observation may tell the same twice; what counts is when the change is known.
      while let value = try await values.next() {
        let difference = value.difference(from: shown)
        shown = value
        if !difference.isEmpty { break }
      }
      times.add((ContinuousClock.now - start).microseconds)
    }
    try pool.close()
    return times
  }
}
