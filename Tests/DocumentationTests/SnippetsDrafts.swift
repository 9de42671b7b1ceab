import FetchedResults
import InMemoryPersistence

@Sendable func draftEditing() async throws {
  // snippet: draft-editing
  let library = try InMemoryStore(entities: [Book.entity])
  try await library.write { books in
    try books.insert(Book(publisher: "Murray", title: "Emma"))
    try books.insert(Book(publisher: "Beach", title: "Ulysses"))
    try books.insert(Book(publisher: "Ticknor", title: "Walden"))
  }

  let draft = DraftStore(over: library)
  let list = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    in: draft
  )
  try await list.performFetch()

  let added = try await draft.write { books in
    try books.update(Book(id: 1, publisher: "Murray", title: "Persuasion"))
    try books.delete(ObjectID(entity: "Book", key: .integer(2)), of: Book.entity)
    return try books.insert(Book(publisher: "Egerton", title: "Mansfield Park"))
  }
  try await list.refresh()
  print("the draft shows", try list.results.objects().map(\.title))
  for edit in draft.edits { print(edit.id, "is", edit.state) }

  let committed = try await draft.commit(origin: CommitOrigin("editor"))
  print(added, "is", committed.result[added] ?? added)
  try await list.refresh()
  print("after the commit", try list.results.objects().map(\.title))
  // end
}

@Sendable func draftConflicts() async throws {
  let library = try InMemoryStore(entities: [Book.entity])
  try await library.write { books in
    _ = try books.insert(Book(publisher: "Murray", title: "Emma"))
  }
  let draft = DraftStore(over: library)
  // snippet: draft-conflicts
  try await draft.write { books in
    try books.update(Book(id: 1, publisher: "Murray", title: "Emma."))
  }
  // Meanwhile another view, process or machine commits, first one attribute and then the other.
  try await library.write { books in
    try books.update(Book(id: 1, publisher: "Penguin", title: "Emma"))
  }
  try draft.checkForExternalChanges()
  for edit in draft.edits { print("merged:", edit.row?["publisher"].text ?? "") }
  try await library.write { books in
    try books.update(Book(id: 1, publisher: "Penguin", title: "EMMA"))
  }
  do {
    try await draft.commit(origin: CommitOrigin("editor"))
  } catch {
    print(error)
  }
  for edit in draft.edits {
    guard case .conflict(let mine, let theirs) = edit.state else { continue }
    print("mine:", mine?["title"].text ?? "none", "theirs:", theirs?["title"].text ?? "none")
    draft.keepMine(edit.id)
  }
  try await draft.commit(origin: CommitOrigin("editor"))
  print(try library.fetch(FetchRequest<Book>(sortedBy: [.ascending(\.title)])).map(\.title))
  // end
}
