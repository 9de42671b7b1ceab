public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation

/// A catalog of books, in sections by publisher, sorted by title: its commands and live queries.
public struct BookCatalog: Sendable {
  /// The store with the books.
  public let store: any Store

  /// The entities of a catalog's store: books, their authors and tags, and the links of books to both.
  public static let entities = [
    Book.entity, Author.entity, BookAuthor.entity, Tag.entity, BookTag.entity,
  ]

  /// A catalog over a store that has its entities.
  public init(_ store: any Store) { self.store = store }

  /// The request for the catalog: by publisher, then by title, read twenty books at a time.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Book.entity,
      sortedBy: [.ascending("publisher"), .ascending("title")],
      fetchBatchSize: 20
    )
  }

  /// The default section key of the catalog: the publisher.
  public static let sectionKey = SectionKey.attribute("publisher")

  /// The order in which a library files titles; no index gives it.
  public static let filing = FetchExpression.transformed(
    .filing,
    .ifNull(.attribute("filedAs"), .attribute("title"))
  )

  /// The whole catalog in sections, cached under the name `Demo`.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(request(kind), sectionedBy: sectionKey, cacheName: "Demo")
  }

  /// The live list of all books.
  public func books(
    options: ResultsOptions = ResultsOptions()
  ) -> FetchedResultsController<Book> {
    FetchedResultsController(Self.definition(Book.self), in: store, options: options)
  }

  /// Adds one book.
  /// - Parameters:
  ///   - book: The book.
  ///   - origin: The name of the commit.
  /// - Returns: The book's id.
  /// - Throws: `StoreError`.
  @discardableResult
  public func add(
    _ book: Book,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> ObjectID {
    try store.commit(origin: origin) { transaction in try transaction.insert(book) }.result
  }

  /// Adds the demo books if the catalog is empty.
  /// - Parameter origin: The name of the commit.
  /// - Returns: The number of added books: 14 or 0.
  /// - Throws: `StoreError`.
  @discardableResult
  public func addDemoBooks(
    origin: CommitOrigin = CommitOrigin("demo")
  ) throws(StoreError) -> Int {
    try store.commit(origin: origin) { transaction -> Int in
      guard try transaction.count(of: Book.entity, where: .all) == 0 else { return 0 }
      for book in DemoBooks.all { try transaction.insert(book) }
      return DemoBooks.all.count
    }.result
  }

  /// Passes every book to a closure as a line `publisher=… title=…`, in the order of the list.
  /// - Throws: `StoreError`, or what the closure throws.
  public func dump(_ print: (String) throws -> Void) throws {
    for book in try store.fetch(Self.request(Book.self)) {
      try print("publisher=\(book.publisher) title=\(book.title)")
    }
  }
}
