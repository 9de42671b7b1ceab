import GRDB
import ResultsDomain
import ResultsPresentation
import SQLitePersistence

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

// MARK: - Other writers

extension CatalogBench {
  /// One book of a hundred changed by another connection, beside reading all keys again.
  func changesOfOthers() async throws -> [Measurement] {
    let ids = try await changesOfOthers(of: ObjectID.self)
    let objects = try await changesOfOthers(of: CatalogBook.self)
    return [
      Measurement(
        name: "1 % changed by others, ids and keys",
        rows: rows,
        value: ids.ours.median,
        unit: "µs",
        reference: ids.keys.median,
        against: "their keys read again in C",
        limit: rows == 100_000 ? 2 : nil
      ),
      Measurement(
        name: "1 % changed by others, objects",
        rows: rows,
        value: objects.ours.median,
        unit: "µs",
        reference: objects.keys.median + objects.contents.median,
        against: "keys and values read again in C"
      ),
      Measurement(
        name: "rows read for 1 % changed by others, objects",
        rows: rows,
        value: Double(objects.rowsRead),
        unit: "rows",
        limit: Double(rows / 100)
      ),
      Measurement(
        name: "keys read for 1 % changed by others, objects",
        rows: rows,
        value: Double(objects.keysRead),
        unit: "keys",
        limit: Double(rows)
      ),
    ]
  }

  private func changesOfOthers<Object: FetchedObject>(
    of kind: Object.Type
  ) async throws -> (ours: Samples, keys: Samples, contents: Samples, rowsRead: Int, keysRead: Int)
  {
    // A store of its own to count at, where no list that has ended can still be reading.
    let counted = WorkCountingStore(store)
    let controller = list(of: kind, in: counted)
    try await controller.performFetch()
    var (ours, keys, contents) = (Samples(), Samples(), Samples())
    var (rowsRead, keysRead) = (0, 0)
    for _ in 0..<runs {
      try writer.each("BEGIN IMMEDIATE")
      for place in 0..<rows / 100 {
        let key = Int64(1 + place * 100 + books.draw(below: 100))
        try writer.each(
          "UPDATE Book SET title = ? WHERE id = ?",
          [.text(books.title()), .integer(key)]
        )
      }
      try writer.each("COMMIT")
      let generation = try controller.results().generation
      _ = counted.takeWork()
      ours.add(try await time { try await controller.refresh() })
      let work = counted.takeWork()
      (rowsRead, keysRead) = (max(rowsRead, work.rows), max(keysRead, work.keys))
      guard try controller.results().generation == generation + 1 else {
        throw BenchmarkError.wrongResult("a refresh")
      }
      keys.add(try scanKeys())
      contents.add(try scanContents())
    }
    controller.cancel()
    return (ours, keys, contents, rowsRead, keysRead)
  }
}

// MARK: - Wake-up

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

// MARK: - The peer

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
