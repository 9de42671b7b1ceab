import FetchedResults
import Foundation
import GRDB
import GRDBRecords
import SQLitePersistence

let pool = try Library.open(CommandLine.arguments[1])
try await pool.write { try Library.fill($0) }
let store = try SQLiteStore(writer: pool, records: [Author.self, Book.self])
let condition = "author.name BEGINSWITH 'U' AND deletedAt == nil"
let request = RecordRequest<Book>(where: condition, sortedBy: ["author.name"])
let list = try FetchedResultsController(request, in: store)

@MainActor func show() async throws {
  try await list.performFetch()
  print(try list.results.objects().map(\.title).joined(separator: ", "))
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
