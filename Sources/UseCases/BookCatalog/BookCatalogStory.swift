public import ResultsDomain
import ResultsPresentation

/// The catalog filling and changing, step by step, told as it happens.
public enum BookCatalogStory {
  /// Plays the story on a store that holds no book yet.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError` if a change does not lead where it says, or what the closure throws.
  public static func tell(in store: any Store, _ print: @escaping (String) throws -> Void)
    async throws
  {
    let catalog = BookCatalog(store)
    let books = catalog.books()
    try await books.performFetch()
    var teller = await ResultsNarrator(books, text: \.title, print: print)
    try await play(catalog, books, &teller, print)
    books.cancel()
  }

  private static func play(
    _ catalog: BookCatalog,
    _ books: FetchedResultsController<Book>,
    _ teller: inout ResultsNarrator<Book>,
    _ print: (String) throws -> Void
  ) async throws {
    let store = catalog.store

    try print(
      "A catalog of books: sections by publisher, titles in order, and every change told exactly.\n"
    )
    try print("1. The catalog is empty. A sectioned list without rows has no sections.")
    try teller.list()

    try print(
      "2. The demo adds fourteen books in one commit. One commit is one change, however many rows it has."
    )
    try catalog.addDemoBooks()
    try await teller.change()
    try teller.list()

    try print(
      "3. The demo again: there are books already, so nothing is added, and nothing is told."
    )
    try catalog.addDemoBooks()
    try await teller.change()

    try print(
      "4. A book comes in the middle of a section. Rows behind it shift; shifts are not told."
    )
    let newcomer = try catalog.add(Book(publisher: "岩波書店", title: "ゲド戦記外伝"))
    try await teller.change()

    try print(
      "5. Its title changes so that its place does too: one move, which says that the content changed as well."
    )
    try edit(newcomer, in: store) { $0.title = "風の吹く島" }
    try await teller.change()

    try print(
      "6. Its publisher changes to one that was not there: the move brings its own section."
    )
    try edit(newcomer, in: store) { $0.publisher = "新潮社" }
    try await teller.change()

    try print("7. A year is added, which orders nothing: an update in place.")
    try edit(newcomer, in: store) { $0.year = 2001 }
    try await teller.change()

    try print("8. The same year is written again. Nothing changed, so nothing is told.")
    try edit(newcomer, in: store) { $0.year = 2001 }
    try await teller.change()

    try print("9. The book is removed, and with it the last row of its section.")
    _ = try store.commit(origin: .unnamed) { try $0.delete(newcomer, of: Book.entity) }
    try await teller.change()

    try print(
      "10. Only titles with 帰 are wanted: another predicate on the live list is an ordinary change."
    )
    try await books.update {
      $0.request.predicate = .text(.attribute("title"), .contains, "帰", caseInsensitive: false)
    }
    try await teller.change()
    try teller.list()
    try print("Every change above was applied to the list before it and gave the list after it.")
  }

  private static func edit(
    _ id: ObjectID,
    in store: any Store,
    _ change: (inout Book) -> Void
  ) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      guard var book = try transaction.object(id.key, as: Book.self) else {
        throw StoreError.notFound(id)
      }
      change(&book)
      try transaction.update(book)
    }
  }
}
