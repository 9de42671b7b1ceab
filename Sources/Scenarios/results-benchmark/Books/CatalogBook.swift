import GRDB
import ResultsDomain

/// A book as this benchmark lists it: the entity that the store makes a table of.
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

/// The same book as the peer fetches it.
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

/// Books made from a seed: the same for the same number, on every machine.
struct GeneratedBooks {
  private static let words = [
    "harbour", "winter", "garden", "letters", "river", "engine", "silence", "atlas", "morning",
    "glass", "history", "mountain", "shadow", "island", "measure", "stars",
  ]

  private var state: UInt64 = 7
  private let publishers: Int

  /// About 250 books a publisher, at least 10 publishers.
  init(rows: Int) { publishers = max(10, rows / 250) }

  /// Where a book may go: a title under one of two publishers.
  struct Place {
    let publisher: String
    let other: String
    let title: String
  }

  /// A place that is likely to be new.
  mutating func place() -> Place {
    let number = draw(below: publishers)
    return Place(
      publisher: publisher(number),
      other: publisher((number + 1) % publishers),
      title: title()
    )
  }

  private func publisher(_ number: Int) -> String {
    "Publisher \(String(number, radix: 36)) & Sons"
  }

  /// The next book, as parameters of an insertion: publisher, title, author, year, language, identifier.
  mutating func next() -> [PlainDatabase.Parameter] {
    let number = draw(below: publishers)
    return [
      .text(publisher(number)), .text(title()),
      .text("Author \(draw(below: 5000))"), .integer(Int64(1900 + draw(below: 120))), .text("eng"),
      .null,
    ]
  }

  /// A title that is likely to be new.
  mutating func title() -> String {
    let (first, second) = (draw(below: 16), draw(below: 16))
    return "The \(Self.words[first]) of \(Self.words[second]) \(draw(below: 1_000_000))"
  }

  /// A number from 0 up, below a limit (SplitMix64; Steele, Lea and Flood 2014).
  mutating func draw(below limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    mixed ^= mixed >> 31
    return Int(mixed >> 1) % limit
  }
}
