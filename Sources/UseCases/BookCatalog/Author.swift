public import ResultsDomain

/// The author of any number of books.
public struct Author: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The name; several authors can have the same one.
  public var name: String

  /// An author without a key.
  public init(name: String) { self.name = name }

  /// An author without a name, to be filled from a row.
  public init() { self.init(name: "") }

  /// The books of which it is the first author.
  public static let books = ToMany<Author, Book>("books", inverse: Book.author)
  /// The books of which it is one of the other authors.
  public static let coauthored = ToMany<Author, Book>(
    "coauthored",
    through: BookAuthor.author,
    BookAuthor.book
  )

  /// The entity Author.
  public static let schema = EntitySchema<Author>("Author", identity: \.id) {
    Attribute(\.name, "name")
    Relationship(books)
    Relationship(coauthored)
  }
}

/// The link of a book and one of its authors besides the first, which is deleted with either.
public struct BookAuthor: Entity {
  /// The key of the book.
  public var bookID: Int64
  /// The key of the author.
  public var authorID: Int64

  /// A link.
  public init(bookID: Int64, authorID: Int64) { (self.bookID, self.authorID) = (bookID, authorID) }

  /// A link of no objects, to be filled from a row.
  public init() { self.init(bookID: 0, authorID: 0) }

  /// The book.
  public static let book = ToOne<BookAuthor, Book>("book", \.bookID, onDelete: .cascade)
  /// The author.
  public static let author = ToOne<BookAuthor, Author>("author", \.authorID, onDelete: .cascade)

  /// The entity BookAuthor.
  public static let schema = EntitySchema<BookAuthor>(
    "BookAuthor",
    compoundIdentity: ["bookID", "authorID"]
  ) {
    Attribute(\.bookID, "bookID")
    Attribute(\.authorID, "authorID")
    Relationship(book)
    Relationship(author)
  }
}

/// A word by which books are found.
public struct Tag: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The word.
  public var name: String

  /// A tag without a key.
  public init(name: String) { self.name = name }

  /// A tag without a word, to be filled from a row.
  public init() { self.init(name: "") }

  /// The books that have the tag.
  public static let books = ToMany<Tag, Book>("books", through: BookTag.tag, BookTag.book)

  /// The entity Tag.
  public static let schema = EntitySchema<Tag>("Tag", identity: \.id) {
    Attribute(\.name, "name")
    Relationship(books)
  }
}

/// The link of a book and a tag, which is deleted with either.
public struct BookTag: Entity {
  /// The key of the book.
  public var bookID: Int64
  /// The key of the tag.
  public var tagID: Int64

  /// A link.
  public init(bookID: Int64, tagID: Int64) { (self.bookID, self.tagID) = (bookID, tagID) }

  /// A link of no objects, to be filled from a row.
  public init() { self.init(bookID: 0, tagID: 0) }

  /// The book.
  public static let book = ToOne<BookTag, Book>("book", \.bookID, onDelete: .cascade)
  /// The tag.
  public static let tag = ToOne<BookTag, Tag>("tag", \.tagID, onDelete: .cascade)

  /// The entity BookTag.
  public static let schema = EntitySchema<BookTag>(
    "BookTag",
    compoundIdentity: ["bookID", "tagID"]
  ) {
    Attribute(\.bookID, "bookID")
    Attribute(\.tagID, "tagID")
    Relationship(book)
    Relationship(tag)
  }
}
