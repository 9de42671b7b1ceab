import Foundation
import GRDB

// The records of an application, which know nothing of fetched results.

struct Author: Codable, FetchableRecord, PersistableRecord {
  let id: Int64
  var name: String
}

struct Book: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
  enum Status: String, Codable { case planned, read }
  struct Metadata: Codable, Equatable { var pages: Int }

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

  init(_ title: String, by author: Int64?, price: Decimal) {
    self.title = title
    authorId = author
    self.price = price
    status = .planned
    metadata = Metadata(pages: 300)
    cover = UUID()
    publishedAt = Date(timeIntervalSince1970: 500_000_000)
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  /// Books that are not deleted, of authors whose names begin with U, by the name.
  static var shown: QueryInterfaceRequest<Book> {
    let author = Book.author.filter(Column("name").like("U%")).order(Column("name"))
    return Book.filter(Column("deletedAt") == nil).joining(required: author)
  }
}

enum Library {
  static func open(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("books") { database in
      try database.create(table: "author") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("name", .text).notNull()
      }
      try database.create(table: "book") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("title", .text).notNull()
        table.column("authorId", .integer).indexed().references("author", onDelete: .cascade)
        table.column("price", .numeric).notNull()
        table.column("status", .text).notNull()
        table.column("metadata", .jsonText).notNull()
        table.column("cover", .blob).notNull()
        table.column("publishedAt", .datetime).notNull()
        table.column("deletedAt", .datetime)
        table.column("letter", .text).generatedAs(sql: "upper(substr(title, 1, 1))", .virtual)
        table.column("cents", .integer).generatedAs(sql: "CAST(price * 100 AS INTEGER)", .stored)
      }
    }
    try migrator.migrate(pool)
    return pool
  }

  static func fill(_ database: Database) throws {
    for (index, name) in ["Ursula", "Stephen", "Umberto"].enumerated() {
      try Author(id: Int64(index + 1), name: name).insert(database)
    }
    for (title, author) in [("Always Coming Home", 1), ("It", 2), ("Baudolino", 3)] {
      var book = Book(title, by: Int64(author), price: 12)
      try book.insert(database)
    }
  }
}
