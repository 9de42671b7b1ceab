public import ResultsDomain
public import ResultsPresentation

/// A catalog of books, in sections by publisher and by title within them: its commands and live queries.
public struct BookCatalog: Sendable {
  /// The store the books are in.
  public let store: any Store

  /// A catalog over a store that was opened with the entity Book.
  public init(_ store: any Store) { self.store = store }

  /// What the catalog lists: publisher, then title, both ascending, read twenty at a time.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Book.entity,
      sortedBy: [.ascending("publisher"), .ascending("title")],
      fetchBatchSize: 20
    )
  }

  /// What divides the catalog unless told otherwise.
  public static let sectionKey = SectionKey.attribute("publisher")

  /// The whole catalog in its sections, kept under the name `Demo` where there is a place for caches.
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
  /// - Returns: The identity it was given.
  /// - Throws: `StoreError`.
  @discardableResult
  public func add(_ book: Book) throws(StoreError) -> ObjectID {
    try store.commit(origin: .unnamed) { transaction in try transaction.insert(book) }.result
  }

  /// Adds the demo books, but only to a catalog without any book.
  /// - Returns: How many were added: fourteen, or none.
  /// - Throws: `StoreError`.
  @discardableResult
  public func addDemoBooks() throws(StoreError) -> Int {
    try store.commit(origin: CommitOrigin("demo")) { transaction -> Int in
      guard try transaction.count(of: Book.entity, where: .all) == 0 else { return 0 }
      for book in DemoBooks.all { try transaction.insert(book) }
      return DemoBooks.all.count
    }.result
  }

  /// Hands over every book as a line `publisher=… title=…`, in the order of the list.
  /// - Throws: `StoreError`, or what the closure throws.
  public func dump(_ print: (String) throws -> Void) throws {
    for book in try store.fetch(Self.request(Book.self)) {
      try print("publisher=\(book.publisher) title=\(book.title)")
    }
  }
}
