import CSQLite
import FetchedResults
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence

/// Measures the cost of change capture for a writer, and the size of the change log.
///
/// Each case runs the same statements on a file of its own and on an equal table without capture.
struct CaptureBenchmark {
  /// The writing connection.
  private enum Writer: String, CaseIterable {
    /// A connection to a database without a store.
    case untracked
    /// The connection of the store, in one of its transactions.
    case own = "own writer"
    /// A connection of another program.
    case foreign = "foreign writer"
  }

  private let rows: Int
  private let runs: Int
  private let folder: BenchmarkFolder
  private let fileName = "tracking.sqlite"

  init(rows: Int, runs: Int, in folder: BenchmarkFolder) {
    self.rows = rows
    self.runs = runs
    self.folder = folder
  }

  func measure() throws -> [Measurement] {
    let byPublisher = "CREATE INDEX byPublisher ON Book (publisher, title)"
    let unique = "CREATE UNIQUE INDEX byIdentifier ON Book (identifier)"
    var all = try insertions(index: byPublisher, called: "", own: 1.1, foreign: 1.5)
    all += try insertions(index: unique, called: ", secondary UNIQUE", own: 1.1, foreign: 2)
    all += try unlistedUpdates()
    all.append(
      Measurement(
        name: "log for a sequential insert through the store",
        rows: rows,
        value: try logBytes(),
        unit: "bytes",
        limit: 4
      )
    )
    return all
  }

  private func insertions(
    index: String,
    called name: String,
    own: Double,
    foreign: Double
  ) throws -> [Measurement] {
    try measure("insert", name, [.own: own, .foreign: foreign]) { writer in
      try withDatabase(index, writer) { database in
        var books = GeneratedBooks(rows: rows)
        for number in 0..<rows {
          var book = books.next()
          book[5] = .text("isbn \(number &* 7919)")
          try database.each(CatalogBenchmark.insertion, book)
        }
      }
    }
  }

  private func unlistedUpdates() throws -> [Measurement] {
    let note = "ALTER TABLE Book ADD COLUMN note TEXT"
    return try measure("update of an unlisted column", "", [.own: 1.05, .foreign: 1.3]) { writer in
      try withDatabase(note, writer, filled: true) { database in
        for number in 1...rows {
          try database.each(
            "UPDATE Book SET note = ? WHERE id = ?",
            [.text("a note of \(number)"), .integer(Int64(number))]
          )
        }
      }
    }
  }

  /// Measures a case for every writer in turn.
  private func measure(
    _ what: String,
    _ name: String,
    _ limits: [Writer: Double],
    _ body: (Writer) throws -> Double
  ) throws -> [Measurement] {
    var pairs: [Writer: Pairs] = [:]
    for _ in 0..<runs {
      let reference = try body(.untracked)
      for writer in [Writer.own, .foreign] {
        pairs[writer, default: Pairs()].add(try body(writer), reference)
      }
    }
    return [Writer.own, .foreign].map { writer in
      Measurement(
        name: "\(what), \(writer.rawValue)\(name)",
        rows: rows,
        pairs[writer] ?? Pairs(),
        against: "the same untracked, in C",
        limit: limits[writer]
      )
    }
  }

  /// Creates a database, and measures statements in one transaction.
  private func withDatabase(
    _ schema: String,
    _ writer: Writer,
    filled: Bool = false,
    _ body: (PlainDatabase) throws -> Void
  ) throws -> Double {
    let path = folder.path(of: fileName)
    defer { folder.remove(fileName) }
    if writer != .untracked { try open().close() }
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    if writer == .untracked { try plain.run(CatalogBook.table) }
    if filled { try fill(plain) }
    try plain.run(schema)
    // The triggers that the store adds to the tables are part of the measured cost.
    if writer == .foreign { try open().close() }
    guard writer == .own else {
      return try time {
        try plain.run("BEGIN IMMEDIATE")
        try body(plain)
        try plain.run("COMMIT")
      }
    }
    let store = try open()
    defer { try? store.close() }
    return try time {
      _ = try store.commit(origin: .unnamed) { transaction in
        try (transaction as? SQLiteTransaction)?.withDatabase { database in
          let connection = PlainDatabase(borrowing: database.sqliteConnection)
          defer { connection.close() }
          try body(connection)
        }
      }
    }
  }

  private func fill(_ plain: PlainDatabase) throws {
    var books = GeneratedBooks(rows: rows)
    try plain.run("BEGIN IMMEDIATE")
    for _ in 0..<rows { try plain.each(CatalogBenchmark.insertion, books.next()) }
    try plain.run("COMMIT")
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.path(of: fileName),
      entities: [CatalogBook.entity],
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  /// Returns the bytes per row that the insertions of one transaction add to the change log.
  private func logBytes() throws -> Double {
    defer { folder.remove(fileName) }
    let store = try open()
    var books = GeneratedBooks(rows: rows)
    _ = try store.commit(origin: .unnamed) { transaction in
      for _ in 0..<rows {
        try transaction.insert(books.next().map(\.value), key: nil, into: CatalogBook.entity)
      }
    }
    let plain = try PlainDatabase(path: folder.path(of: fileName))
    defer { plain.close() }
    var bytes: Int64 = 0
    try plain.each("SELECT sum(payload) FROM dbstat WHERE name = '_results_log'") {
      bytes = sqlite3_column_int64($0, 0)
    }
    try store.close()
    return Double(bytes) / Double(rows)
  }
}

extension PlainDatabase.Parameter {
  /// The parameter as a value of an attribute.
  fileprivate var value: Value {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .null: .null
    }
  }
}
