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
