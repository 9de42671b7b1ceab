import CSQLiteHooks
import GRDB
import ResultsDomain
import SQLitePersistence

/// What it costs a writer that its changes are captured, and what the log of them weighs.
///
/// Each case runs the same statements on a file of its own, beside an equal table that nobody follows.
struct TrackingBench {
  /// Who writes.
  enum Writer: String, CaseIterable {
    /// A connection to a database that no store has touched.
    case nobody
    /// The store's own connection, within one of its transactions.
    case own = "own writer"
    /// Another connection, as any program would open one.
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
        name: "log for an own sequential insert",
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
          try database.each(CatalogBench.insertion, book)
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

  /// Runs a case for every writer in turn, as often as asked.
  private func measure(
    _ what: String,
    _ name: String,
    _ limits: [Writer: Double],
    _ body: (Writer) throws -> Double
  ) throws -> [Measurement] {
    var times: [Writer: Samples] = [:]
    for _ in 0..<runs {
      for writer in Writer.allCases { times[writer, default: Samples()].add(try body(writer)) }
    }
    let reference = times[.nobody]?.median
    return [Writer.own, .foreign].map { writer in
      Measurement(
        name: "\(what), \(writer.rawValue)\(name)",
        rows: rows,
        value: times[writer]?.median ?? 0,
        unit: "µs",
        reference: reference,
        against: "the same untracked, in C",
        limit: limits[writer]
      )
    }
  }

  /// Makes a database, runs statements in one transaction and gives the time of that.
  private func withDatabase(
    _ schema: String,
    _ writer: Writer,
    filled: Bool = false,
    _ body: (PlainDatabase) throws -> Void
  ) throws -> Double {
    let path = folder.path(of: fileName)
    defer { folder.remove(fileName) }
    if writer != .nobody { try open().close() }
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    if writer == .nobody { try plain.run(Self.table) }
    if filled { try fill(plain) }
    try plain.run(schema)
    // What the store adds to the tables it finds now is part of what is measured.
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
          let own = PlainDatabase(borrowing: database.sqliteConnection)
          defer { own.close() }
          try body(own)
        }
      }
    }
  }

  private func fill(_ plain: PlainDatabase) throws {
    var books = GeneratedBooks(rows: rows)
    try plain.run("BEGIN IMMEDIATE")
    for _ in 0..<rows { try plain.each(CatalogBench.insertion, books.next()) }
    try plain.run("COMMIT")
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.path(of: fileName),
      entities: [CatalogBook.entity],
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  /// How much one transaction's insertions add to the log, a row.
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

  private static let table = """
    CREATE TABLE "Book" (
      "id" INTEGER PRIMARY KEY, "publisher" TEXT NOT NULL, "title" TEXT NOT NULL, "author" TEXT,
      "year" INTEGER, "language" TEXT, "identifier" TEXT
    ) STRICT
    """
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
