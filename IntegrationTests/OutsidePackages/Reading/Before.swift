import Foundation
import GRDB

let pool = try Library.open(CommandLine.arguments[1])
try await pool.write { try Library.fill($0) }

@MainActor func show() async throws {
  let books = try await pool.read { try Book.shown.fetchAll($0) }
  print(books.map(\.title).joined(separator: ", "))
}

try await show()
try await pool.write { try Author(id: 2, name: "Ulrich").update($0) }
try await show()
try await pool.write { database in
  for var book in try Book.fetchAll(database) where book.title == "Baudolino" {
    book.deletedAt = Date()
    try book.update(database)
  }
}
try await show()
