import Foundation
import GRDB
import GRDBRecords
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

// The records of an application, as GRDB's guide writes them: no `init()`, and nothing of this package.

struct Author: Codable, Hashable, FetchableRecord, PersistableRecord {
  let id: Int64
  var name: String
}

struct Book: Codable, Hashable, FetchableRecord, MutablePersistableRecord {
  enum Status: String, Codable { case planned, read }
  struct Metadata: Codable, Hashable { var pages: Int, words: [String] }

  private(set) var id: Int64?
  var title: String
  var authorId: Int64?
  var price: Decimal
  var status: Status
  var metadata: Metadata
  var cover: UUID
  var publishedAt: Date
  var deletedAt: Date?

  static let author = belongsTo(Author.self)

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A record with a naming strategy, and dates as numbers.
struct ReadingLog: Codable, Hashable, FetchableRecord, PersistableRecord {
  var deviceId: UUID
  var bookId: Int64
  var pageNumber: Int
  var readAt: Date

  static let databaseTableName = "reading_log"
  static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
  static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .secondsSince1970
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSince1970
  }
}

/// A record with a key that is a UUID.
struct Device: Codable, Hashable, FetchableRecord, PersistableRecord {
  var id: UUID
  var name: String
}

/// A record whose foreign key is not named like one.
struct Loan: Codable, Hashable, FetchableRecord, PersistableRecord {
  var id: Int64
  var borrower: UUID
}

/// The application's database.
struct Library {
  let writer: any DatabaseWriter

  static let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
    CREATE TABLE book (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL,
      authorId INTEGER REFERENCES author (id) ON DELETE CASCADE, price DECIMAL(10, 2) NOT NULL,
      status TEXT NOT NULL, metadata TEXT NOT NULL, cover BLOB NOT NULL,
      publishedAt DATETIME NOT NULL, deletedAt DATETIME,
      shelfmark TEXT AS (upper(substr(title, 1, 2)) || '-' || status));
    CREATE TABLE device (id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL);
    CREATE TABLE reading_log (device_id BLOB NOT NULL REFERENCES device (id) ON DELETE CASCADE,
      book_id INTEGER NOT NULL REFERENCES book (id) ON DELETE CASCADE,
      page_number INTEGER NOT NULL, read_at DATETIME NOT NULL,
      PRIMARY KEY (device_id, book_id)) WITHOUT ROWID;
    CREATE TABLE loan (id INTEGER PRIMARY KEY,
      borrower BLOB NOT NULL REFERENCES device (id) ON DELETE CASCADE);
    """

  init(_ lasting: (any DatabaseWriter)? = nil, filled: Bool = true) throws {
    writer = try lasting ?? DatabaseQueue()
    try writer.write { database in
      try database.execute(sql: Self.schema)
      guard filled else { return }
      for (id, name) in [(1, "Ursula"), (2, "Stephen"), (3, "Umberto")] {
        try Author(id: Int64(id), name: name).insert(database)
      }
      for (title, author) in [("Always Coming Home", 1), ("It", 2), ("Baudolino", 3)] {
        var book = Library.book(title, by: Int64(author))
        try book.insert(database)
      }
    }
  }

  static func book(_ title: String, by author: Int64?) -> Book {
    Book(
      title: title,
      authorId: author,
      price: Decimal(string: "12.50") ?? 0,
      status: .planned,
      metadata: Book.Metadata(pages: title.count, words: [title]),
      cover: UUID(),
      publishedAt: Date(timeIntervalSince1970: 500_000_000.125)
    )
  }

  func open(_ records: [any ListedRecord.Type], _ options: SQLiteStoreOptions = .quiet) throws
    -> SQLiteStore
  {
    try SQLiteStore(writer: writer, records: records, options: options)
  }
}

extension SQLiteStoreOptions {
  /// Without a timer; tests ask for others' changes.
  static var quiet: SQLiteStoreOptions { SQLiteStoreOptions(pollInterval: nil) }
}

extension ResultsList {
  /// The content as its sections and identities.
  func content() throws -> ResultsContent {
    ResultsContent(
      sections: try sections.map { section in
        .init(
          header: section.header,
          rows: try section.rows.objectIDs(at: 0..<section.count)
        )
      }
    )
  }
}
