import ResultsDomain
import ResultsPresentation

extension CatalogBench {
  /// One row that moves, from its commit to the delta that a subscriber holds.
  func ownChange() async throws -> [Measurement] {
    var measurements: [Measurement] = []
    let changes = min(400, 100 * runs)
    var plainTimes = Samples()
    let ids = try await ownChanges(of: ObjectID.self, changes)
    for _ in 0..<changes { plainTimes.add(try plainChange()) }
    let objects = try await ownChanges(of: CatalogBook.self, changes)
    for (name, times) in [("ids and keys", ids), ("objects", objects)] {
      measurements.append(
        Measurement(
          name: "one own change, commit to delta, \(name)",
          rows: rows,
          value: times.delta.median,
          unit: "µs",
          reference: plainTimes.median,
          against: "the update and its commit in C"
        )
      )
      if rows == 100_000 {
        measurements.append(
          Measurement(
            name: "one own change, commit to delta, \(name), at most",
            rows: rows,
            value: times.delta.median,
            unit: "µs",
            limit: 200
          )
        )
      }
      measurements.append(
        Measurement(
          name: "the same with its writing, \(name)",
          rows: rows,
          value: times.whole.median,
          unit: "µs",
          reference: plainTimes.median,
          against: "the update and its commit in C"
        )
      )
    }
    measurements.append(
      Measurement(
        name: "read for one own change, objects",
        rows: rows,
        value: Double(objects.mostRead),
        unit: "rows",
        limit: 0
      )
    )
    return measurements
  }

  /// How long one change takes.
  private struct ChangeTimes {
    /// From where the transaction's closure has returned, so that the commit itself is part of it.
    var delta = Samples()
    /// From the call on.
    var whole = Samples()
    /// Rows, keys and digests read for one change, at most.
    var mostRead = 0
  }

  private func ownChanges<Object: FetchedObject>(
    of kind: Object.Type,
    _ count: Int
  ) async throws -> ChangeTimes {
    // What others wrote before is known, so that the first commit finds no gap in the history.
    try store.checkForExternalChanges()
    let counted = WorkCountingStore(store)
    let controller = list(of: kind, in: counted)
    try await controller.performFetch()
    var times = ChangeTimes()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    for _ in 0..<count {
      let key = ObjectKey.integer(Int64(1 + books.draw(below: rows)))
      let place = books.place()
      _ = counted.takeWork()
      let start = ContinuousClock.now
      let written = try move(key, to: place)
      guard case .change(let change) = await events.next(), change.delta.rows.count == 1 else {
        throw BenchmarkError.wrongResult("an own change")
      }
      let end = ContinuousClock.now
      times.mostRead = max(times.mostRead, counted.takeWork().total)
      times.delta.add((end - written).microseconds)
      times.whole.add((end - start).microseconds)
    }
    controller.cancel()
    return times
  }

  /// Gives a book another publisher and title, so that it moves to another section.
  /// - Returns: When the closure was left, and the commit began.
  func move(
    _ key: ObjectKey,
    to place: GeneratedBooks.Place
  ) throws -> ContinuousClock.Instant {
    try store.commit(origin: .unnamed) { transaction in
      guard let row = try transaction.rows([key], of: CatalogBook.entity).first ?? nil else {
        throw BenchmarkError.wrongResult("a lookup of a book")
      }
      var values = row.values
      // A list of identities says nothing of a row that stays where it is.
      values[0] = .text(values[0] == .text(place.publisher) ? place.other : place.publisher)
      values[1] = .text(place.title)
      try transaction.update(row.id, to: values, of: CatalogBook.entity, ifUnchangedFrom: nil)
      return ContinuousClock.now
    }.result
  }

  private func plainChange() throws -> Double {
    let key = PlainDatabase.Parameter.integer(Int64(1 + books.draw(below: rows)))
    let place = books.place()
    return try time {
      try writer.each("BEGIN IMMEDIATE")
      try writer.each("SELECT * FROM Book WHERE id = ?", [key])
      try writer.each(
        "UPDATE Book SET publisher = ?, title = ? WHERE id = ?",
        [.text(place.publisher), .text(place.title), key]
      )
      try writer.each("COMMIT")
    }
  }
}
