import FetchedResults
import GRDB
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures a list of generated books by publisher and title: first fetch, counts and lookups; `CatalogChanges.swift` measures changes.
final class CatalogBenchmark {
  let rows: Int
  let runs: Int
  let path: String
  let store: WorkCountingStore
  /// The connection of another writer.
  let writer: PlainDatabase
  /// The connection of the references that only read.
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
        let connection = PlainDatabase(borrowing: database.sqliteConnection)
        defer { connection.close() }
        for _ in 0..<rows { try connection.each(CatalogBenchmark.insertion, books.next()) }
      }
    }
    try filling.close()
    self.books = books
    writer = try PlainDatabase(path: path)
    try writer.run(
      "CREATE INDEX byPublisher ON Book (publisher, title); PRAGMA wal_checkpoint"
    )
    plain = try PlainDatabase(path: path)
    // No timer polls for other writers during a measurement.
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

  /// Creates a controller of the list by publisher and title, with sections by publisher.
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

  /// Measures reading the keys of the list in C.
  func scanKeys() throws -> Double {
    try time { _ = try plain.scan(CatalogBenchmark.keysInOrder, texts: 2, integers: 1) }
  }

  /// Measures reading all values of the books in C.
  func scanContents() throws -> Double {
    try time { _ = try plain.scan(CatalogBenchmark.contents, texts: 7, integers: 0) }
  }
}

// MARK: - Reading

extension CatalogBenchmark {
  /// Measures the first fetch, against reading the same index in C.
  func firstFetch() async throws -> [Measurement] {
    var (keys, objects) = (Pairs(), Pairs())
    _ = try scanKeys()
    for _ in 0..<runs {
      let scan = try scanKeys()
      let ids = list(of: ObjectID.self)
      keys.add(try await time { try await ids.performFetch() }, scan)
      ids.cancel()
      let contents = try scanContents()
      let books = list(of: CatalogBook.self)
      objects.add(try await time { try await books.performFetch() }, scan + contents)
      books.cancel()
    }
    return [
      Measurement(
        name: "first fetch, ids and keys",
        rows: rows,
        keys,
        against: "the index read in C",
        limit: rows == 250_000 ? 2.5 : nil
      ),
      Measurement(
        name: "first fetch, objects with digests",
        rows: rows,
        objects,
        against: "the index and all values read in C"
      ),
    ]
  }

  /// Measures the lengths of all sections, against `GROUP BY` in C.
  func sectionCounts() async throws -> [Measurement] {
    let ids = list(of: CatalogBook.self)
    _ = store.takeWork()
    try await ids.performFetch()
    var (ours, grouped, total) = (Samples(), Samples(), 0)
    for _ in 0..<runs {
      ours.add(try time { total = try ids.results.sections.reduce(0) { $0 + $1.count } })
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

  /// Measures lookups between paths and identities in both directions, against `OFFSET` and a count in C.
  func lookups() async throws -> [Measurement] {
    let ids = list(of: ObjectID.self)
    try await ids.performFetch()
    let snapshot = try ids.results.snapshot
    ids.cancel()
    let paths = (0..<1000).compactMap { _ in
      snapshot.path(ofFlatPosition: books.draw(below: rows))
    }
    let found = paths.compactMap { snapshot.objectID(at: $0) }
    let first = time { _ = snapshot.path(of: found[0]) }
    var (toIdentity, toPath, offsets, ranks, isSame) = (
      Samples(), Samples(), Samples(), Samples(), true
    )
    for _ in 0..<runs {
      toIdentity.add(
        time {
          for path in paths { isSame = snapshot.objectID(at: path) != nil && isSame }
        }
      )
      toPath.add(
        time {
          for (id, path) in zip(found, paths) { isSame = snapshot.path(of: id) == path && isSame }
        }
      )
      for id in found.prefix(20) { ranks.add(try plainRank(of: id)) }
      for path in paths.prefix(20) {
        offsets.add(try plainOffset(snapshot.flatPosition(of: path) ?? 0))
      }
    }
    guard isSame else { throw BenchmarkError.wrongResult("lookups") }
    return [
      Measurement(
        name: "path to identity, a call",
        rows: rows,
        value: toIdentity.median / 1000,
        unit: "µs",
        reference: offsets.median,
        against: "LIMIT 1 OFFSET n in C"
      ),
      Measurement(
        name: "identity to path, a call",
        rows: rows,
        value: toPath.median / 1000,
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
