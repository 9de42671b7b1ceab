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
