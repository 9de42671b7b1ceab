public import ResultsDomain

/// One book of a catalog.
public struct Book: Entity {
  /// The key, which the store assigns.
  public var id: Int64?
  /// Who published it; may be empty.
  public var publisher: String
  /// What it is called.
  public var title: String
  /// Who wrote it.
  public var author: String?
  /// The year it was published in.
  public var year: Int16?
  /// The language it is in, as a code.
  public var language: String?
  /// What tells it from other editions: an ISBN, a library's number.
  public var identifier: String?

  /// A book without a key yet.
  public init(
    publisher: String,
    title: String,
    author: String? = nil,
    year: Int16? = nil,
    language: String? = nil,
    identifier: String? = nil
  ) {
    self.publisher = publisher
    self.title = title
    self.author = author
    self.year = year
    self.language = language
    self.identifier = identifier
  }

  /// A book to be filled from a row.
  public init() { self.init(publisher: "", title: "") }

  /// The entity Book.
  public static let schema = EntitySchema<Book>("Book", identity: \.id) {
    Attribute(\.publisher, "publisher")
    Attribute(\.title, "title")
    Attribute(\.author, "author")
    Attribute(\.year, "year")
    Attribute(\.language, "language")
    Attribute(\.identifier, "identifier")
  }
}
