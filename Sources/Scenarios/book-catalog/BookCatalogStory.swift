import BookCatalog
import CommandLineFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// A story: a catalog fills and changes step by step, and prints each change.
enum BookCatalogStory {
  /// Plays the story on a store without books.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError` if a delta does not produce the next list, or what the closure throws.
  static func play(in store: any Store, _ print: @escaping (String) throws -> Void)
    async throws
  {
    let catalog = BookCatalog(store)
    let books = catalog.books()
    try await books.performFetch()
    var narrator = await ResultsNarrator(books, text: \.title, print: print)
    try await change(catalog, books, &narrator, print)
    books.cancel()
  }

  private static func change(
    _ catalog: BookCatalog,
    _ books: FetchedResultsController<Book>,
    _ narrator: inout ResultsNarrator<Book>,
    _ print: (String) throws -> Void
  ) async throws {
    let store = catalog.store

    try print(
      "A catalog of books: sections by publisher, sorted by title. Every change is reported exactly.\n"
    )
    try print("1. The catalog is empty. A sectioned list without rows has no sections.")
    try narrator.printList()

    try print(
      "2. The demo adds fourteen books in one commit. One commit is one change, however many rows it inserts."
    )
    try catalog.addDemoBooks()
    try await narrator.printChanges()
    try narrator.printList()

    try print(
      "3. The demo runs again. The catalog has books already, so nothing is added and no change is reported."
    )
    try catalog.addDemoBooks()
    try await narrator.printChanges()

    try print(
      "4. A book is inserted in the middle of a section. The rows after it shift; shifts are not reported."
    )
    let newcomer = try catalog.add(Book(publisher: "岩波書店", title: "ゲド戦記外伝"))
    try await narrator.printChanges()

    try print(
      "5. Its title changes, and with it its position: one move, which also reports that the content changed."
    )
    try edit(newcomer, in: store) { $0.title = "風の吹く島" }
    try await narrator.printChanges()

    try print(
      "6. It gets a publisher that has no section yet: the section is inserted, and the row moves into it."
    )
    try edit(newcomer, in: store) { $0.publisher = "新潮社" }
    try await narrator.printChanges()

    try print("7. It gets a year, which is not part of the sort order: an update in place.")
    try edit(newcomer, in: store) { $0.year = 2001 }
    try await narrator.printChanges()

    try print("8. The same year is written again. Nothing changed, so nothing is reported.")
    try edit(newcomer, in: store) { $0.year = 2001 }
    try await narrator.printChanges()

    try print(
      "9. The book is removed. It was the last row of its section, so the section is deleted too."
    )
    _ = try store.commit(origin: .unnamed) { try $0.delete(newcomer, of: Book.entity) }
    try await narrator.printChanges()

    try print(
      "10. The list gets a predicate: only titles that contain 帰. On a live list this is an ordinary change."
    )
    try await books.update {
      $0.request.predicate = .text(.attribute("title"), .contains, "帰", caseInsensitive: false)
    }
    try await narrator.printChanges()
    try narrator.printList()
    try print(
      "Every change above was checked: applied to the list before it, it gives the list after it."
    )
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
