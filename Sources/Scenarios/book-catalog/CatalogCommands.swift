import BookCatalog
import ProgramFrontEnd
import ProgramStores

extension CatalogProgram {
  /// The demo books, as long as the catalog shows no book.
  static let commands = [
    ListCommand("demo", title: "add the demo books", key: "b", scope: .list, writes: true) {
      $0.matchingCount == 0
    } _: { context in
      let count = try BookCatalog(context.store).addDemoBooks(origin: context.origin)
      return CommandOutcome(
        count == 0 ? "added nothing: the catalog has books" : "added \(count) books"
      )
    }
  ]
}
