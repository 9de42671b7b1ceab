import CSQLite
import Foundation

/// The references of lists with related values, through the C functions of SQLite.
final class PlainLibrary {
  /// The time of a rename in C.
  struct Rename {
    /// From before its commit to the positions of all dependent books.
    var following: Double
    /// The number of dependent books.
    var books: Int
  }

  private let database: PlainDatabase
  private let file: LibraryFile
  private var names = GeneratedBooks(rows: 3)
  private var cachedPositions: PlainPositions?

  /// All books with the names of their authors, sorted by SQLite.
  ///
  /// The plus sign hides the key from SQLite, which would read the table through an index otherwise, row by row.
  static let joined = """
    SELECT a.name, b.title, b.id FROM Book b LEFT JOIN Author a ON a.id = b.authorID
    ORDER BY a.name, b.title, +b.id
    """

  init(_ file: LibraryFile) throws {
    self.file = file
    database = try PlainDatabase(path: file.path)
  }

  func close() { database.close() }

  /// Measures the joined query.
  func joinedQuery() throws -> Double {
    try time {
      let count = try database.scan(Self.joined, texts: 2, integers: 1)
      guard count == file.books else { throw BenchmarkError.wrongResult("the joined query") }
    }
  }

  /// Creates the index by which the books of an author are in the order of their titles.
  func createIndex() throws {
    try database.run("CREATE INDEX IF NOT EXISTS byAuthorAndTitle ON Book (authorID, title)")
  }

  /// Measures a nested scan: the authors by name, and the books of each by title, through the index.
  func nested() throws -> Double {
    var (authors, books) = ([Int64](), 0)
    let elapsed = try time {
      try database.each("SELECT id, name FROM Author ORDER BY name, id") { row in
        authors.append(sqlite3_column_int64(row, 0))
      }
      for author in authors {
        let sql = "SELECT id, title FROM Book WHERE authorID = ? ORDER BY title, id"
        try database.each(sql, [.integer(author)]) { row in
          if sqlite3_column_text(row, 1) != nil { books += 1 }
        }
      }
    }
    guard books == file.books else { throw BenchmarkError.wrongResult("the nested scan") }
    return elapsed
  }

  /// Renames an author, reads its books and finds the position of each, before and after; then undoes it.
  ///
  /// The triggers are disabled, so that no list observes it.
  func rename(_ author: Int64) throws -> Rename {
    let positions = try positions()
    database.setTriggers(false)
    defer { database.setTriggers(true) }
    let key = PlainDatabase.Parameter.integer(author)
    let name = names.title()
    var old = ""
    try database.each("BEGIN IMMEDIATE")
    try database.each("SELECT name FROM Author WHERE id = ?", [key]) { row in
      old = sqlite3_column_text(row, 0).map { String(cString: $0) } ?? ""
    }
    try set(name, key)
    var (count, sum) = (0, 0)
    let (oldName, newName) = (Array(old.utf8), Array(name.utf8))
    let elapsed = try time {
      try database.each("COMMIT")
      var search: [UInt8] = []
      try database.each("SELECT title, id FROM Book WHERE authorID = ?", [key]) { row in
        for name in [oldName, newName] {
          search.removeAll(keepingCapacity: true)
          PlainPositions.append(name, row, titleColumn: 0, to: &search)
          sum &+= positions.rank(of: search)
        }
        count += 1
      }
    }
    try set(old, key)
    guard sum >= 0 else { throw BenchmarkError.wrongResult("positions in C") }
    return Rename(following: elapsed, books: count)
  }

  /// Renames an author, and undoes it.
  /// - Returns: The time of the first commit.
  func renameOnly(_ author: Int64) throws -> Double {
    database.setTriggers(false)
    defer { database.setTriggers(true) }
    let key = PlainDatabase.Parameter.integer(author)
    var old = ""
    try database.each("BEGIN IMMEDIATE")
    try database.each("SELECT name FROM Author WHERE id = ?", [key]) { row in
      old = sqlite3_column_text(row, 0).map { String(cString: $0) } ?? ""
    }
    try set(names.title(), key)
    let elapsed = try time { try database.each("COMMIT") }
    try set(old, key)
    return elapsed
  }

  /// Measures a page of fifty books from a title on, with a lookup of the author and of the country of each.
  func page(from title: String) throws -> Double {
    var rows = 0
    var authors: [Int64] = []
    let elapsed = try time {
      let sql =
        "SELECT id, title, year, authorID FROM Book WHERE title >= ? ORDER BY title LIMIT 50"
      try database.each(sql, [.text(title)]) { row in
        for column in 1...2 as ClosedRange<Int32> where sqlite3_column_text(row, column) != nil {
          rows += 1
        }
        authors.append(sqlite3_column_int64(row, 3))
      }
      for author in authors {
        var country: Int64 = 0
        try database.each("SELECT name, countryID FROM Author WHERE id = ?", [.integer(author)]) {
          rows += sqlite3_column_text($0, 0) == nil ? 0 : 1
          country = sqlite3_column_int64($0, 1)
        }
        try database.each("SELECT name FROM Country WHERE id = ?", [.integer(country)]) {
          rows += sqlite3_column_text($0, 0) == nil ? 0 : 1
        }
      }
    }
    guard rows >= authors.count else { throw BenchmarkError.wrongResult("a page in C") }
    return elapsed
  }

  /// Returns the title of a book.
  func title(of book: Int64) throws -> String {
    var title = ""
    try database.each("SELECT title FROM Book WHERE id = ?", [.integer(book)]) { row in
      title = sqlite3_column_text(row, 0).map { String(cString: $0) } ?? ""
    }
    return title
  }

  private func set(_ name: String, _ author: PlainDatabase.Parameter) throws {
    try database.each("UPDATE Author SET name = ? WHERE id = ?", [.text(name), author])
  }

  private func positions() throws -> PlainPositions {
    if let cachedPositions { return cachedPositions }
    let positions = try PlainPositions(database, file.books)
    cachedPositions = positions
    return positions
  }
}

/// All keys of the joined query in one array, and the search for a position among them.
///
/// It measures costs and is not a list: its keys are those at the time of its creation.
final class PlainPositions {
  private var bytes: [UInt8] = []
  private var ends: [Int] = [0]

  init(_ database: PlainDatabase, _ count: Int) throws {
    ends.reserveCapacity(count + 1)
    try database.each(PlainLibrary.joined) { row in
      Self.append(Self.text(0, of: row), row, titleColumn: 1, to: &self.bytes)
      self.ends.append(self.bytes.count)
    }
  }

  /// Appends the key of a row: a name, then the title and the number that follows it in the row.
  static func append(
    _ name: some Collection<UInt8>,
    _ row: OpaquePointer,
    titleColumn: Int32,
    to key: inout [UInt8]
  ) {
    key += name
    key.append(0)
    key += text(titleColumn, of: row)
    key.append(0)
    let number = UInt64(bitPattern: sqlite3_column_int64(row, titleColumn + 1))
    withUnsafeBytes(of: number.bigEndian) { key += $0 }
  }

  /// Returns the number of keys before a key.
  func rank(of key: [UInt8]) -> Int {
    bytes.withUnsafeBytes { bytes in
      key.withUnsafeBytes { key in
        guard let first = bytes.baseAddress, let sought = key.baseAddress else { return 0 }
        var (low, high) = (0, ends.count - 1)
        while low < high {
          let middle = (low + high) / 2
          let (start, length) = (ends[middle], ends[middle + 1] - ends[middle])
          let order = memcmp(first + start, sought, min(length, key.count))
          if order < 0 || order == 0 && length < key.count {
            low = middle + 1
          } else {
            high = middle
          }
        }
        return low
      }
    }
  }

  private static func text(_ column: Int32, of row: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
    let text = sqlite3_column_text(row, column)
    return UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(row, column)))
  }
}
