import FetchedResults
import GRDB

/// A book of the benchmark's catalog.
struct CatalogBook: Entity {
  var id: Int64?
  var publisher = ""
  var title = ""
  var author: String?
  var year: Int16?
  var language: String?
  var identifier: String?

  static let schema = EntitySchema<CatalogBook>("Book", identity: \.id) {
    Attribute(\.publisher, "publisher")
    Attribute(\.title, "title")
    Attribute(\.author, "author")
    Attribute(\.year, "year")
    Attribute(\.language, "language")
    Attribute(\.identifier, "identifier")
  }
}

extension CatalogBook {
  /// The statement that creates the table in a database without a store.
  static let table = """
    CREATE TABLE "Book" (
      "id" INTEGER PRIMARY KEY, "publisher" TEXT NOT NULL, "title" TEXT NOT NULL, "author" TEXT,
      "year" INTEGER, "language" TEXT, "identifier" TEXT
    ) STRICT
    """
}

/// The same book as GRDB fetches it.
struct PeerBook: FetchableRecord, Equatable, Sendable {
  let id: Int64
  let publisher: String
  let title: String
  let author: String?
  let year: Int?
  let language: String?
  let identifier: String?

  init(row: GRDB.Row) {
    id = row[0]
    publisher = row[1]
    title = row[2]
    author = row[3]
    year = row[4]
    language = row[5]
    identifier = row[6]
  }
}

// MARK: - Generated books

/// Random books and numbers, the same on every machine.
struct GeneratedBooks {
  private static let words = [
    "harbour", "winter", "garden", "letters", "river", "engine", "silence", "atlas", "morning",
    "glass", "history", "mountain", "shadow", "island", "measure", "stars",
  ]

  private var state: UInt64 = 7
  private let publishers: Int

  /// Creates a source of books with about 250 books per publisher and at least ten publishers.
  init(rows: Int) { publishers = max(10, rows / 250) }

  /// A new title of a book, and two publishers.
  struct Change {
    let publisher: String
    let other: String
    let title: String
  }

  /// Returns a change that is unlikely to repeat.
  mutating func change() -> Change {
    let number = draw(below: publishers)
    return Change(
      publisher: publisher(number),
      other: publisher((number + 1) % publishers),
      title: title()
    )
  }

  private func publisher(_ number: Int) -> String {
    "Publisher \(String(number, radix: 36)) & Sons"
  }

  /// Returns the next book as parameters of an insertion: publisher, title, author, year, language, identifier.
  mutating func next() -> [PlainDatabase.Parameter] {
    let number = draw(below: publishers)
    return [
      .text(publisher(number)), .text(title()),
      .text("Author \(draw(below: 5000))"), .integer(Int64(1900 + draw(below: 120))), .text("eng"),
      .null,
    ]
  }

  /// Returns a title that is unlikely to repeat.
  mutating func title() -> String {
    let (first, second) = (draw(below: 16), draw(below: 16))
    return "The \(Self.words[first]) of \(Self.words[second]) \(draw(below: 1_000_000))"
  }

  /// Returns a number from 0 to below a limit (SplitMix64; Steele, Lea and Flood 2014).
  mutating func draw(below limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    mixed ^= mixed >> 31
    return Int(mixed >> 1) % limit
  }
}
