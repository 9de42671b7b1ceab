// After each write of the application, GRDB's observation of a join and the list show the same books.

import FetchedResults
import Foundation
import GRDB
import GRDBRecords
import SQLitePersistence

/// Books by a stored and a virtual generated column, with authors whose names begin with U.
let joined = Book.joining(required: Book.author.filter(Column("name").like("U%")))
  .order(Column("cents").desc, Column("letter"), Column("id"))

/// Changes a few rows; the first book always changes, so that every write is observed.
func write(_ step: Int, _ database: Database) throws {
  try database.execute(sql: "UPDATE book SET price = price + 1 WHERE id = 1")
  switch step % 5 {
  case 0:
    var book = Book("\(step % 7) books", by: Int64(step % 3 + 1), price: Decimal(step % 4))
    try book.insert(database)
  case 1: try Author(id: 2, name: step % 2 == 0 ? "Ulrich" : "Stephen").update(database)
  case 2:
    guard var book = try Book.order(Column("id").desc).fetchOne(database) else { return }
    book.title = "Z\(step)"
    book.authorId = Int64(step % 3 + 1)
    try book.update(database)
  case 3: try Book.filter(Column("id") == step / 2 && Column("id") > 1).deleteAll(database)
  default: try Author(id: 3, name: step % 2 == 0 ? "Eco" : "Umberto").update(database)
  }
}

for maintainsChangeLog in [false, true] {
  let pool = try Library.open(CommandLine.arguments[1] + "/\(maintainsChangeLog).sqlite")
  try await pool.write { try Library.fill($0) }
  let options = SQLiteStoreOptions(maintainsChangeLog: maintainsChangeLog)
  let store = try SQLiteStore(writer: pool, records: [Author.self, Book.self], options: options)
  let list = try FetchedResultsController(
    RecordRequest<Book>(
      where: "author.name BEGINSWITH 'U'",
      sortedBy: [.descending("cents"), .ascending("letter")]
    ),
    in: store
  )
  try await list.performFetch()
  var observed = ValueObservation.tracking { try joined.fetchAll($0) }.values(in: pool)
    .makeAsyncIterator()
  for step in 0..<200 {
    try await pool.write { try write(step, $0) }
    try await list.refresh()
    let books = try list.results.objects().map(\.record)
    guard try await pool.read({ try joined.fetchAll($0) }) == books else {
      fatalError("the lists differ after write \(step)")
    }
    // GRDB may repeat a value, and skips none that is the last one.
    while try await observed.next() != books {}
  }
  print("200 writes, \(try list.results.rows.count) books, log: \(maintainsChangeLog)")
  list.cancel()
  try store.close()
}
