import FetchedResults
import GRDB
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures changes of the list of books: own changes, changes of other connections, wake-ups, and the same with GRDB.
extension CatalogBenchmark {
  /// The figures of changes through the store.
  private struct ChangeFigures {
    /// From the return of the transaction's closure to the delta of a subscriber, the commit included.
    var delta = Samples()
    /// From the call to the delta of a subscriber.
    var whole = Samples()
    /// The largest number of rows, keys and digests read for one change.
    var mostRead = 0
  }

  /// Measures one row that moves, from its commit to the delta of a subscriber.
  ///
  /// Changes and the same updates in C take turns in blocks, because each of them empties the page cache of the other connection.
  func ownChange() async throws -> [Measurement] {
    let blocks = 8
    let changes = max(1, min(400, 100 * runs) / blocks)
    var deltas = ["ids and keys": Pairs(), "objects": Pairs()]
    var wholes = deltas
    var mostRead = 0
    for _ in 0..<blocks {
      let ids = try await ownChanges(of: ObjectID.self, changes)
      let objects = try await ownChanges(of: CatalogBook.self, changes)
      var plain = Samples()
      for _ in 0..<changes { plain.add(try changeInC()) }
      for (name, figures) in [("ids and keys", ids), ("objects", objects)] {
        deltas[name]?.add(figures.delta.median, plain.median)
        wholes[name]?.add(figures.whole.median, plain.median)
      }
      mostRead = max(mostRead, objects.mostRead)
    }
    var measurements: [Measurement] = []
    for name in ["ids and keys", "objects"] {
      guard let delta = deltas[name], let whole = wholes[name] else { continue }
      measurements += [
        Measurement(
          name: "one own change, commit to delta, \(name)",
          rows: rows,
          delta,
          against: "the update and its commit in C",
          limit: rows == 100_000 ? 6 : nil
        ),
        Measurement(
          name: "the same with its writing, \(name)",
          rows: rows,
          whole,
          against: "the update and its commit in C"
        ),
      ]
    }
    measurements.append(
      Measurement(
        name: "read for one own change, objects",
        rows: rows,
        value: Double(mostRead),
        unit: "rows",
        limit: 0
      )
    )
    return measurements
  }

  private func ownChanges<Object: FetchedObject>(
    of kind: Object.Type,
    _ count: Int
  ) async throws -> ChangeFigures {
    // The store reads what other connections wrote, so that the first commit finds no gap in the history.
    try store.checkForExternalChanges()
    let counted = WorkCountingStore(store)
    let controller = list(of: kind, in: counted)
    try await controller.performFetch()
    var figures = ChangeFigures()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    for _ in 0..<count {
      let key = ObjectKey.integer(Int64(1 + books.draw(below: rows)))
      let change = books.change()
      _ = counted.takeWork()
      let start = ContinuousClock.now
      let written = try perform(change, on: key)
      guard case .change(let change) = await events.next(), change.delta.rows.count == 1 else {
        throw BenchmarkError.wrongResult("a change through the store")
      }
      let end = ContinuousClock.now
      figures.mostRead = max(figures.mostRead, counted.takeWork().total)
      figures.delta.add((end - written).microseconds)
      figures.whole.add((end - start).microseconds)
    }
    controller.cancel()
    return figures
  }

  /// Gives a book another publisher and title, so that it moves to another section.
  /// - Returns: The instant when the closure returned and the commit began.
  private func perform(
    _ change: GeneratedBooks.Change,
    on key: ObjectKey
  ) throws -> ContinuousClock.Instant {
    try store.commit(origin: .unnamed) { transaction in
      guard let row = try transaction.rows([key], of: CatalogBook.entity).first ?? nil else {
        throw BenchmarkError.wrongResult("a lookup of a book")
      }
      var values = row.values
      // A list of identities reports nothing for a row that stays in its section.
      values[0] = .text(values[0] == .text(change.publisher) ? change.other : change.publisher)
      values[1] = .text(change.title)
      try transaction.update(row.id, to: values, of: CatalogBook.entity, ifUnchangedFrom: nil)
      return ContinuousClock.now
    }.result
  }

  private func changeInC() throws -> Double {
    let key = PlainDatabase.Parameter.integer(Int64(1 + books.draw(below: rows)))
    let change = books.change()
    return try time {
      try writer.each("BEGIN IMMEDIATE")
      try writer.each("SELECT * FROM Book WHERE id = ?", [key])
      try writer.each(
        "UPDATE Book SET publisher = ?, title = ? WHERE id = ?",
        [.text(change.publisher), .text(change.title), key]
      )
      try writer.each("COMMIT")
    }
  }
}

// MARK: - Other writers

extension CatalogBenchmark {
  /// The figures of changes by another connection.
  private struct ForeignFigures {
    var keys = Pairs()
    var contents = Pairs()
    var rowsRead = 0
    var keysRead = 0
  }

  /// Measures one per cent of the books changed by another connection, against reading all keys again in C.
  func changesOfOthers() async throws -> [Measurement] {
    let ids = try await changesOfOthers(of: ObjectID.self)
    let objects = try await changesOfOthers(of: CatalogBook.self)
    return [
      Measurement(
        name: "1 % changed by others, ids and keys",
        rows: rows,
        ids.keys,
        against: "their keys read again in C",
        limit: rows == 100_000 ? 2 : nil
      ),
      Measurement(
        name: "1 % changed by others, objects",
        rows: rows,
        objects.contents,
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
  ) async throws -> ForeignFigures {
    // A separate counter, because a cancelled list may still be reading through another one.
    let counted = WorkCountingStore(store)
    let controller = list(of: kind, in: counted)
    try await controller.performFetch()
    var figures = ForeignFigures()
    for _ in 0..<runs {
      try writer.each("BEGIN IMMEDIATE")
      for hundred in 0..<rows / 100 {
        let key = Int64(1 + hundred * 100 + books.draw(below: 100))
        try writer.each(
          "UPDATE Book SET title = ? WHERE id = ?",
          [.text(books.title()), .integer(key)]
        )
      }
      try writer.each("COMMIT")
      let generation = try controller.results.generation
      _ = counted.takeWork()
      let ours = try await time { try await controller.refresh() }
      let work = counted.takeWork()
      figures.rowsRead = max(figures.rowsRead, work.rows)
      figures.keysRead = max(figures.keysRead, work.keys)
      guard try controller.results.generation == generation + 1 else {
        throw BenchmarkError.wrongResult("a refresh")
      }
      let keys = try scanKeys()
      figures.keys.add(ours, keys)
      figures.contents.add(ours, keys + (try scanContents()))
    }
    controller.cancel()
    return figures
  }
}

// MARK: - Wake-up

extension CatalogBenchmark {
  /// Measures one commit of another connection, from before its COMMIT to the delta of a subscriber.
  func wakeUp() async throws -> [Measurement] {
    let count = min(200, 40 * runs)
    let observing = try SQLiteStore(at: path, entities: [CatalogBook.entity])
    let controller = list(of: CatalogBook.self, in: WorkCountingStore(observing))
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    var pairs = Pairs()
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
      let committed = ContinuousClock.now
      guard case .change(let change) = await events.next(), change.delta.rows.count == 1 else {
        throw BenchmarkError.wrongResult("a foreign commit")
      }
      pairs.add(
        (ContinuousClock.now - start).microseconds,
        (committed - start).microseconds
      )
    }
    controller.cancel()
    try observing.close()
    let name = "one foreign commit to delta, objects"
    return [
      Measurement(
        name: "\(name), p50",
        rows: rows,
        pairs,
        against: "its COMMIT in C",
        limit: rows == 100_000 ? 20 : nil
      ),
      Measurement(
        name: "\(name), p95",
        rows: rows,
        value: pairs.ours.quantile(0.95),
        unit: "µs",
        reference: pairs.reference.median,
        against: "its COMMIT in C"
      ),
    ]
  }
}

// MARK: - GRDB

extension CatalogBenchmark {
  /// Measures one changed row until its difference is known, against an observation that fetches again and compares.
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
      let change = books.change()
      ours.add(
        try await time {
          _ = try perform(change, on: key)
          guard case .change = await events.next() else {
            throw BenchmarkError.wrongResult("a change through the store")
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
      let change = books.change()
      let start = ContinuousClock.now
      try await pool.write { database in
        try database.execute(
          sql: "UPDATE Book SET publisher = ?, title = ? WHERE id = ?",
          arguments: [change.publisher, change.title, key]
        )
      }
      // An observation may deliver equal values; the first different one counts.
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
