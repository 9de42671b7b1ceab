import FetchedResults
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// A book of the benchmark's library, which has an author and tags.
struct LibraryBook: Entity {
  var id: Int64?
  var title = ""
  var year = 0
  var authorID: Int64?

  static let author = ToOne<LibraryBook, LibraryAuthor>("author", \.authorID, onDelete: .nullify)
  static let tags = ToMany<LibraryBook, LibraryTag>(
    "tags",
    through: Link("BookTag", "bookID", "tagID")
  )

  static let schema = EntitySchema<LibraryBook>("Book", identity: \.id) {
    Attribute(\.title, "title")
    Attribute(\.year, "year")
    Attribute(\.authorID, "authorID")
    Relationship(author)
    Relationship(tags)
  }
}

/// An author of the library.
struct LibraryAuthor: Entity {
  var id: Int64?
  var name = ""
  var countryID: Int64?

  static let country = ToOne<LibraryAuthor, LibraryCountry>("country", \.countryID)

  static let schema = EntitySchema<LibraryAuthor>("Author", identity: \.id) {
    Attribute(\.name, "name")
    Attribute(\.countryID, "countryID")
    Relationship(country)
  }
}

/// The country of an author.
struct LibraryCountry: Entity {
  var id: Int64?
  var name = ""

  static let schema = EntitySchema<LibraryCountry>("Country", identity: \.id) {
    Attribute(\.name, "name")
  }
}

/// A tag of books.
struct LibraryTag: Entity {
  var id: Int64?
  var name = ""

  static let schema = EntitySchema<LibraryTag>("Tag", identity: \.id) {
    Attribute(\.name, "name")
  }
}

// MARK: - File

/// The file of one size of the library.
///
/// The first tenth of the books is by author 1; a hundred books each are by the following authors, and the last authors have none. A
/// hundred books each have a tag. Books of an author are far apart in the table.
struct LibraryFile {
  let path: String
  /// The number of books.
  let books: Int

  /// The entities of the library.
  static let entities = [
    LibraryBook.entity, LibraryAuthor.entity, LibraryCountry.entity, LibraryTag.entity,
  ]
  /// The number of countries.
  static let countries = 100

  /// The number of books by the first author.
  var mostBooks: Int { books / 10 }
  /// The number of authors with a hundred books.
  var busyAuthors: Int { (books - mostBooks) / 100 }
  /// The number of authors; the last of them have no book.
  var authors: Int { max(books / 100, busyAuthors + 2) }
  /// The number of tags.
  var tags: Int { books / 100 }

  /// Creates the file, or copies the one that an earlier run kept.
  init(books: Int, in folder: BenchmarkFolder) throws {
    (self.books, path) = (books, folder.path(of: "library-\(books).sqlite"))
    let library = self
    _ = try folder.database(
      "library-\(books).sqlite",
      isComplete: { try library.isComplete($0) },
      create: { try library.create($0) }
    )
  }

  /// Opens the store of the file, without a timer that polls for other writers.
  func open() throws -> SQLiteStore { try Self.open(path) }

  private static func open(_ path: String) throws -> SQLiteStore {
    try SQLiteStore(
      at: path,
      entities: Self.entities,
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  /// The author of a book.
  func author(of book: Int) -> Int {
    book <= mostBooks ? 1 : 2 + (book - mostBooks - 1) % busyAuthors
  }

  private func isComplete(_ path: String) throws -> Bool {
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    // The links are written last.
    return (try? plain.integer("SELECT count(*) FROM BookTag")) == Int64(books)
  }

  private func create(_ path: String) throws {
    // The store creates the tables, their foreign keys and the indexes over those.
    try Self.open(path).close()
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    // No list has seen the file yet, so its log need not record the rows.
    plain.setTriggers(false)
    var names = GeneratedBooks(rows: books)
    try plain.run("BEGIN")
    for country in 1...Self.countries {
      try plain.each("INSERT INTO Country (name) VALUES (?)", [.text("Country \(country)")])
    }
    for author in 1...authors {
      let parameters: [PlainDatabase.Parameter] = [
        .text("\(names.title())"), .integer(Int64(author % Self.countries + 1)),
      ]
      try plain.each("INSERT INTO Author (name, countryID) VALUES (?, ?)", parameters)
    }
    for tag in 1...tags {
      try plain.each("INSERT INTO Tag (name) VALUES (?)", [.text("tag \(tag)")])
    }
    for book in 1...books {
      try plain.each(
        "INSERT INTO Book (title, year, authorID) VALUES (?, ?, ?)",
        [
          .text(names.title()), .integer(Int64(1900 + book % 120)),
          .integer(Int64(author(of: book))),
        ]
      )
    }
    for book in 1...books {
      try plain.each(
        "INSERT INTO BookTag (bookID, tagID) VALUES (?, ?)",
        [.integer(Int64(book)), .integer(Int64(1 + book % tags))]
      )
    }
    try plain.run("COMMIT; CREATE INDEX byTitle ON Book (title); PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

// MARK: - Lists

/// The lists of the library.
enum LibraryList {
  /// Books by the name of their author, then by title.
  static func byAuthor<Object: FetchedObject>(of kind: Object.Type) -> FetchRequest<Object> {
    FetchRequest<LibraryBook>(sortedBy: [.ascending(\.author.name), .ascending(\.title)])
      .returning(kind)
  }

  /// Books by title, which an index orders, with the names of their author and of the author's country.
  static var byTitle: FetchRequest<FetchedDictionary> {
    FetchRequest<LibraryBook>(sortedBy: [.ascending(\.title)])
      .returning([
        .attribute(\.title), .attribute(\.author.name), .attribute(\.author.country.name),
      ])
  }

  /// Books by title that have a tag whose name begins with a word.
  static func tagged(_ word: String) -> FetchRequest<LibraryBook> {
    FetchRequest<LibraryBook>(
      where: LibraryBook.tags.any(\.name == word),
      sortedBy: [.ascending(\.title)]
    )
  }
}

/// One size of the library: its store, and plain connections to the same file.
final class Library {
  let file: LibraryFile
  let runs: Int
  /// Whether this is the largest size of the run; limits without a size of their own apply to it.
  let isLargest: Bool
  let store: SQLiteStore
  /// The connection of the references.
  let plain: PlainLibrary
  var numbers = GeneratedBooks(rows: 1)

  /// The number of books.
  var rows: Int { file.books }

  init(_ file: LibraryFile, runs: Int, isLargest: Bool) throws {
    self.file = file
    self.runs = runs
    self.isLargest = isLargest
    store = try file.open()
    plain = try PlainLibrary(file)
  }

  func close() throws {
    try store.close()
    plain.close()
  }

  /// Returns an author with a hundred books.
  func anyAuthor() -> Int64 { Int64(2 + numbers.draw(below: file.busyAuthors)) }

  /// Renames an author.
  /// - Returns: The instant when the closure of the transaction returned and the commit began.
  @discardableResult
  func rename(_ author: Int64) throws -> ContinuousClock.Instant {
    try rename(author, of: LibraryAuthor.entity)
  }

  /// Renames an object of an entity whose first attribute is its name.
  @discardableResult
  func rename(
    _ key: Int64,
    of entity: EntityDescription,
    to name: String? = nil
  ) throws -> ContinuousClock.Instant {
    let name = name ?? numbers.title()
    return try store.commit(origin: .unnamed) { transaction in
      guard let row = try transaction.rows([.integer(key)], of: entity).first ?? nil else {
        throw BenchmarkError.wrongResult("a lookup in \(entity.name)")
      }
      var values = row.values
      // A reused file may hold this name from the same draw of an earlier run.
      values[0] = .text(values[0] == .text(name) ? name + " again" : name)
      try transaction.update(row.id, to: values, of: entity, ifUnchangedFrom: nil)
      return ContinuousClock.now
    }.result
  }

  /// Returns a limit if this is the largest size.
  func atLargest(_ limit: Double) -> Double? { isLargest ? limit : nil }

  /// Returns a limit if there are a million books, where a constant cost is compared with one that grows.
  func atMillion(_ limit: Double) -> Double? { rows == 1_000_000 ? limit : nil }
}
