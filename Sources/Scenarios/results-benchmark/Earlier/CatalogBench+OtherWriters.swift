import ResultsDomain
import ResultsPresentation

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
      let generation = try controller.results.generation
      _ = counted.takeWork()
      ours.add(try await time { try await controller.refresh() })
      let work = counted.takeWork()
      (rowsRead, keysRead) = (max(rowsRead, work.rows), max(keysRead, work.keys))
      guard try controller.results.generation == generation + 1 else {
        throw BenchmarkError.wrongResult("a refresh")
      }
      keys.add(try scanKeys())
      contents.add(try scanContents())
    }
    controller.cancel()
    return (ours, keys, contents, rowsRead, keysRead)
  }
}
