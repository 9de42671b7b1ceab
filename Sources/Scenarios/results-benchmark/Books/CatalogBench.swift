import GRDB
import ResultsDomain
import ResultsPresentation
import SQLitePersistence

/// A store of generated books, and a plain connection to the same file.
final class CatalogBench {
  let rows: Int
  let runs: Int
  let path: String
  let store: WorkCountingStore
  /// The connection of another writer.
  let writer: PlainDatabase
  /// The connection that reads what the reference reads.
  let plain: PlainDatabase
  var books: GeneratedBooks
  private let folder: BenchmarkFolder

  static let keysInOrder = "SELECT publisher, title, id FROM Book ORDER BY publisher, title, id"
  static let contents =
    "SELECT id, publisher, title, author, year, language, identifier FROM Book ORDER BY id"

  init(rows: Int, in folder: BenchmarkFolder, runs: Int) throws {
    self.rows = rows
    self.runs = runs
    self.folder = folder
    path = folder.path(of: "books.sqlite")
    var books = GeneratedBooks(rows: rows)
    let filling = try SQLiteStore(at: path, entities: [CatalogBook.entity])
    _ = try filling.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { database in
        let own = PlainDatabase(borrowing: database.sqliteConnection)
        defer { own.close() }
        for _ in 0..<rows { try own.each(CatalogBench.insertion, books.next()) }
      }
    }
    try filling.close()
    self.books = books
    writer = try PlainDatabase(path: path)
    try writer.run(
      "CREATE INDEX byPublisher ON Book (publisher, title); PRAGMA wal_checkpoint"
    )
    plain = try PlainDatabase(path: path)
    // Other writers are looked for when the benchmark says so, never by the timer.
    store = WorkCountingStore(
      try SQLiteStore(
        at: path,
        entities: [CatalogBook.entity],
        options: SQLiteStoreOptions(pollInterval: nil)
      )
    )
  }

  static let insertion = """
    INSERT INTO Book (publisher, title, author, year, language, identifier)
    VALUES (?, ?, ?, ?, ?, ?)
    """

  func close() throws {
    try store.close()
    writer.close()
    plain.close()
    folder.remove("books.sqlite")
  }

  /// The list by publisher and title, with sections by publisher.
  func list<Object: FetchedObject>(
    of kind: Object.Type,
    in counted: WorkCountingStore? = nil
  ) -> FetchedResultsController<Object> {
    FetchedResultsController(
      FetchRequest<Object>(
        entity: CatalogBook.entity,
        sortedBy: [.ascending("publisher"), .ascending("title")]
      ),
      sectionedBy: .attribute("publisher"),
      in: counted ?? store
    )
  }

  /// Reads the keys of the list as a C program would.
  func scanKeys() throws -> Double {
    try time { _ = try plain.scan(CatalogBench.keysInOrder, texts: 2, integers: 1) }
  }

  /// Reads all that the books hold as a C program would.
  func scanContents() throws -> Double {
    try time { _ = try plain.scan(CatalogBench.contents, texts: 7, integers: 0) }
  }
}

// MARK: - Reading

extension CatalogBench {
  /// The first fetch, beside reading the same index.
  func firstFetch() async throws -> [Measurement] {
    var (keys, objects, scans, contents) = (Samples(), Samples(), Samples(), Samples())
    _ = try scanKeys()
    for _ in 0..<runs {
      scans.add(try scanKeys())
      contents.add(try scanContents())
      let ids = list(of: ObjectID.self)
      keys.add(try await time { try await ids.performFetch() })
      ids.cancel()
      let books = list(of: CatalogBook.self)
      objects.add(try await time { try await books.performFetch() })
      books.cancel()
    }
    return [
      Measurement(
        name: "first fetch, ids and keys",
        rows: rows,
        value: keys.median,
        unit: "µs",
        reference: scans.median,
        against: "the index read in C",
        limit: rows == 250_000 ? 2.5 : nil
      ),
      Measurement(
        name: "first fetch, objects with digests",
        rows: rows,
        value: objects.median,
        unit: "µs",
        reference: scans.median + contents.median,
        against: "the index and all values read in C"
      ),
    ]
  }

  /// The lengths of all sections, beside `GROUP BY`.
  func sectionCounts() async throws -> [Measurement] {
    let ids = list(of: CatalogBook.self)
    _ = store.takeWork()
    try await ids.performFetch()
    var (ours, grouped, total) = (Samples(), Samples(), 0)
    for _ in 0..<runs {
      ours.add(try time { total = try ids.results().sections.reduce(0) { $0 + $1.count } })
      grouped.add(
        try time {
          _ = try plain.scan(
            "SELECT publisher, count(*) FROM Book GROUP BY publisher",
            texts: 1,
            integers: 1
          )
        }
      )
    }
    let work = store.takeWork()
    ids.cancel()
    return [
      Measurement(
        name: "counts and titles of all sections",
        rows: total,
        value: ours.median,
        unit: "µs",
        reference: grouped.median,
        against: "GROUP BY in C"
      ),
      Measurement(
        name: "rows decoded for the first fetch and all counts",
        rows: total,
        value: Double(work.rows),
        unit: "rows",
        limit: 0
      ),
      Measurement(
        name: "keys read for the first fetch and all counts",
        rows: total,
        value: Double(work.keys),
        unit: "keys",
        limit: Double(rows)
      ),
    ]
  }

  /// Both ways between paths and identities, beside `OFFSET` and a count.
  func lookups() async throws -> [Measurement] {
    let ids = list(of: ObjectID.self)
    try await ids.performFetch()
    let snapshot = try ids.results().snapshot
    ids.cancel()
    let paths = (0..<1000).compactMap { _ in
      snapshot.path(ofFlatPosition: books.draw(below: rows))
    }
    let found = paths.compactMap { snapshot.objectID(at: $0) }
    let first = time { _ = snapshot.path(of: found[0]) }
    var (there, back, offsets, ranks, same) = (Samples(), Samples(), Samples(), Samples(), true)
    for _ in 0..<runs {
      there.add(time { for path in paths { same = snapshot.objectID(at: path) != nil && same } })
      back.add(
        time {
          for (id, path) in zip(found, paths) { same = snapshot.path(of: id) == path && same }
        }
      )
      for id in found.prefix(20) { ranks.add(try plainRank(of: id)) }
      for path in paths.prefix(20) {
        offsets.add(try plainOffset(snapshot.flatPosition(of: path) ?? 0))
      }
    }
    guard same else { throw BenchmarkError.wrongResult("lookups") }
    return [
      Measurement(
        name: "path to identity, a call",
        rows: rows,
        value: there.median / 1000,
        unit: "µs",
        reference: offsets.median,
        against: "LIMIT 1 OFFSET n in C"
      ),
      Measurement(
        name: "identity to path, a call",
        rows: rows,
        value: back.median / 1000,
        unit: "µs",
        reference: ranks.median,
        against: "count(*) of the rows before in C"
      ),
      Measurement(
        name: "identity to path, the first call",
        rows: rows,
        value: first,
        unit: "µs",
        reference: ranks.median,
        against: "count(*) of the rows before in C"
      ),
    ]
  }

  private func plainOffset(_ position: Int) throws -> Double {
    try time {
      try plain.each(
        "SELECT id FROM Book ORDER BY publisher, title, id LIMIT 1 OFFSET ?",
        [.integer(Int64(position))]
      )
    }
  }

  private func plainRank(of id: ObjectID) throws -> Double {
    guard case .integer(let number) = id.key else { return 0 }
    return try time {
      try plain.each(
        """
        SELECT count(*) FROM Book AS other, Book AS this WHERE this.id = ?
        AND (other.publisher, other.title, other.id) < (this.publisher, this.title, this.id)
        """,
        [.integer(number)]
      )
    }
  }
}
