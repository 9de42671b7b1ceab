import BookCatalog
import FetchedResults
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// A store of `book-catalog` with generated books, whose ids follow the order of the program's list.
struct BookFile {
  /// The number of books.
  let rows: Int
  /// The path of the store.
  let path: String

  /// Creates the store, or copies the one that an earlier run kept.
  init(rows: Int, in folder: BenchmarkFolder) throws {
    self.rows = rows
    path = try folder.database(
      "books-\(rows).sqlite",
      isComplete: { _ in true },
      create: { try Self.create($0, rows) }
    )
  }

  private static func create(_ path: String, _ rows: Int) throws {
    let store = try SQLiteStore(at: path + "-new", entities: BookCatalog.entities)
    // The index is made before the rows, which come in its order.
    try store.createIndex(
      serving: try BookCatalog.definition(Row.self).order()
    )
    for start in stride(from: 1, through: rows, by: 100_000) {
      try store.commit(origin: .unnamed) { transaction in
        for number in start..<min(rows + 1, start + 100_000) {
          try transaction.insert(BookFile.book(number, of: rows))
        }
      }
    }
    try store.close()
    try FileManager.default.moveItem(atPath: path + "-new", toPath: path)
  }

  /// The book with a number, counted from 1: there are a thousand publishers, and every third title has the word River.
  private static func book(_ number: Int, of rows: Int) -> Book {
    let publisher = (number - 1) / max(1, rows / 1000)
    let word = number % 3 == 0 ? "River" : number % 3 == 1 ? "Stone" : "Wind"
    return Book(
      publisher: "Publisher " + padded(publisher, 4),
      title: padded(number, 8) + " " + word,
      year: Int16(1900 + number % 120)
    )
  }

  /// The title of a book, as it was generated.
  static func title(_ number: Int, of rows: Int) -> String { book(number, of: rows).title }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
