import InMemoryPersistence
// snippet: first-imports, declaration
import FetchedResults
import SQLitePersistence
// end

/// The snippets that are run, by name.
let runnableSnippets: [String: @Sendable () async throws -> Void] = [
  "first-screen": firstScreen,
  "delegate": delegateCallbacks,
  "definition": changingDefinition,
  "frozen": frozenResults,
  "own-store": ownStore,
  "own-front-end": ownFrontEnd,
  "wire-form": wireForm,
  "tour-writing": tourWriting,
  "tour-fetching": tourFetching,
  "tour-predicates": tourPredicates,
  "relations-request": relationsRequest, "relations-sections": relationsSections,
  "relations-linking": relationsLinking,
  "relations-keys": relationsKeys,
  "relations-projecting": relationsProjecting,
  "relations-prefetching": relationsPrefetching,
  "relations-columns": relationsColumns,
  "relations-text": relationsText,
  "relations-error": relationsError,
  "tour-sections": tourSections,
  "tour-rows": tourRows,
  "tour-deltas": tourDeltas,
  "tour-kinds": tourKinds,
  "tour-order": tourOrder,
  "draft-editing": draftEditing,
  "draft-conflicts": draftConflicts,
  "tour-delivery": tourDelivery,
  "tour-length": tourLength,
  "ui-any": drawingModel,
  "ui-unread": unreadCounts,
  "ui-days": messagesByDay,
  "grdb-list": adoptingGRDB,
  "grdb-changes": changesOfGRDB,
  "grdb-errors": errorsOfGRDB,
]

// snippet: book, declaration
struct Book: Entity {
  var id: Int64?
  var publisher = ""
  var title = ""

  static let schema = EntitySchema<Book>("Book", identity: \.id) {
    Attribute(\.publisher, "publisher")
    Attribute(\.title, "title")
  }
}
// end

@Sendable private func firstScreen() async throws {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let file = folder.path(of: "books.sqlite")
  // snippet: first-screen
  let store = try SQLiteStore(at: file, entities: [Book.entity])
  try await store.write { books in
    try books.insert(Book(publisher: "早川書房", title: "神の水"))
    try books.insert(Book(publisher: "岩波書店", title: "帰還"))
  }

  let results = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)], fetchBatchSize: 20),
    sectionedBy: .attribute(\.publisher),
    in: store
  )
  try await results.performFetch()
  for section in results.sections { print(section.title, section.count) }

  for await event in results.changes {
    switch event {
    case .snapshot:  // the current state comes first
      try await store.write { try $0.insert(Book(publisher: "岩波書店", title: "影との戦い")) }
    case .change(let change):
      for insert in change.delta.rows.inserts {
        print("inserted at", insert.to.path, try change.after.object(at: insert.to.path).title)
      }
      results.cancel()  // ends the loop
    case .reset, .failure: break
    }
  }
  // end
}

// snippet: delegate-class, declaration
final class RowReporter: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ results: ResultsList<Book>) {
    print("will change, rows:", results.count)
  }

  func controller(
    _ results: ResultsList<Book>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  ) {
    print(id, type, oldPath?.path.description ?? "-", newPath?.path.description ?? "-")
  }

  func controllerDidChangeContent(_ results: ResultsList<Book>) {
    print("did change, rows:", results.count)
  }
}
// end

@Sendable private func delegateCallbacks() async throws {
  let (store, controller) = try await bookList()
  // snippet: delegate
  let reporter = RowReporter()
  let drawn = try controller.results
  try await store.write { books in
    guard var book = try books.object(.integer(1), as: Book.self) else { return }
    book.title = "ロックイン"
    try books.update(book)
    try books.delete(ObjectID(entity: "Book", key: .integer(2)), of: Book.entity)
  }
  for await event in controller.changes(from: drawn) {
    if case .change(let change) = event { change.deliver(to: reporter) }
    break
  }
  // end
}

@Sendable private func changingDefinition() async throws {
  let (_, controller) = try await bookList()
  // snippet: definition
  let shown = try controller.results
  try await controller.update { definition in
    definition.request.fetchLimit = 2
    definition.sectionKey = nil
  }
  for await event in controller.changes(from: shown) {
    if case .change(let change) = event {
      print(change.delta.cause, change.before.count, "rows, then", change.after.count)
    }
    break
  }
  // end
}

@Sendable private func frozenResults() async throws {
  let (store, _) = try await bookList()
  // snippet: frozen
  let request = FetchRequest<Book>(sortedBy: [.ascending(\.title)])
  let identities = IdentitySet(try store.fetch(request.returning(ObjectID.self)))
  let unread = FetchedResultsController.frozen(identities, request, in: store)
  try await unread.performFetch()
  try await store.write { books in
    try books.insert(Book(publisher: "文藝春秋", title: "ミスター・メルセデス 上"))
  }
  try await unread.refresh()
  print(try unread.results.count, "rows, as first fetched")
  // end
}

/// A store with three books, and a live list of them by publisher.
private func bookList() async throws -> (InMemoryStore, FetchedResultsController<Book>) {
  let store = try InMemoryStore(entities: [Book.entity])
  try await store.write { books in
    try books.insert(Book(publisher: "早川書房", title: "神の水"))
    try books.insert(Book(publisher: "岩波書店", title: "帰還"))
    try books.insert(Book(publisher: "岩波書店", title: "影との戦い"))
  }
  let controller = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .attribute(\.publisher),
    in: store,
    options: ResultsOptions(journalCapacity: 100)
  )
  try await controller.performFetch()
  return (store, controller)
}
