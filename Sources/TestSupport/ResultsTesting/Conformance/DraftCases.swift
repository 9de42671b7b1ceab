import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

extension StoreConformance {
  static let draftCases: [Case] = [
    Case("a draft's list is the base under its edits", ["R49", "R109"]) { fixture in
      let (store, draft, list) = try await fixture.openDraft()
      let (one, two, three) = (Sample.itemID(1), Sample.itemID(2), Sample.itemID(3))
      try fixture.write(draft) { transaction in
        try transaction.update(one, to: Sample.item("x"), of: Sample.item)
        try transaction.delete(two, of: Sample.item)
        try transaction.insert(Sample.item("b"), key: .integer(7), into: Sample.item)
      }
      try await list.refresh()
      try fixture.expectTitles(list, ["b", "c", "x"], "the draft's list")
      try fixture.expectTitles(store, ["a", "b", "c"], "the base")
      try fixture.expectEqual(list.results.generation, 2, "the generation after one edit")
      try fixture.expectEqual(
        draft.edits.map(\.state),
        [.edited(["title"]), .deleted, .inserted],
        "the states"
      )
      try fixture.expectEqual(
        draft.edits.map(\.id),
        [one, two, Sample.itemID(7)],
        "the edited rows"
      )
      try fixture.expectEqual(draft.state(of: three), nil, "the state of a row without edits")
      let committed = try await draft.commit(origin: CommitOrigin("me"))
      try fixture.expectEqual(committed.result, [:], "the new identities")
      let version = try fixture.version(store)
      try fixture.expectEqual(committed.version, version, "the version of the base")
      try await list.refresh()
      try fixture.expectTitles(store, ["b", "c", "x"], "the base after the commit")
      try fixture.expectTitles(list, ["b", "c", "x"], "the draft's list after the commit")
      try fixture.expectEqual(list.results.generation, 2, "the generation after the commit")
      try fixture.expect(draft.edits.isEmpty, "no edits after the commit")
    },

    Case("a discarded draft shows its base after one change", ["R109"]) { fixture in
      let (store, draft, list) = try await fixture.openDraft()
      var events = list.changes.makeAsyncIterator()
      _ = await events.next()
      try fixture.write(draft) { transaction in
        try transaction.update(Sample.itemID(1), to: Sample.item("x"), of: Sample.item)
        try transaction.delete(Sample.itemID(2), of: Sample.item)
        try transaction.insert(Sample.item("d"), key: nil, into: Sample.item)
      }
      try await list.refresh()
      guard case .change(let edit)? = await events.next() else {
        throw fixture.failure("a change by the edits", "another event")
      }
      draft.discard()
      try await list.refresh()
      guard case .change(let undone)? = await events.next() else {
        throw fixture.failure("a change by discarding", "another event")
      }
      let shown = try edit.before.snapshot.content
      let after = try edit.after.snapshot.content.applying(undone.delta)
      try fixture.expectEqual(after, shown, "the list after the change")
      try fixture.expectTitles(list, ["a", "b", "c"], "the list")
      try fixture.expectEqual(list.results.generation, 3, "the generation")
      try fixture.expect(draft.edits.isEmpty, "no edits")
      draft.discard()
      try await list.refresh()
      try fixture.expectEqual(list.results.generation, 3, "the generation without edits")
      try fixture.expectTitles(store, ["a", "b", "c"], "the base")
    },

    Case("new rows get their keys when a draft is committed, and foreign keys follow", ["R109"]) {
      fixture in
      let store = try fixture.openLibrary()
      let draft = DraftStore(over: store)
      let books = FetchedResultsController(
        FetchRequest<Row>(entity: Library.bookEntity, sortedBy: [.ascending("title")]),
        in: draft
      )
      try await books.performFetch()
      var events = books.changes.makeAsyncIterator()
      _ = await events.next()
      let before = try books.results.count
      let (author, book) = try fixture.write(draft) { transaction in
        // The book is written first, so the order in which they are committed has to change.
        let book = try transaction.insert(["ZZ", 2001, .null], key: nil, into: Library.bookEntity)
        let author = try transaction.insert(["New", .null], key: nil, into: Library.authors)
        try transaction.update(
          book,
          to: ["ZZ", 2001, author.key.parts[0]],
          of: Library.bookEntity
        )
        try transaction.insert([book.key.parts[0], 1], key: nil, into: Library.links)
        return (author, book)
      }
      try await books.refresh()
      _ = await events.next()
      let generation = try books.results.generation
      for id in [author, book] {
        guard case .integer(let key) = id.key, key < 0 else {
          throw fixture.failure("a negative key", "\(id)")
        }
        try fixture.expectEqual(draft.state(of: id), .inserted, "the state of \(id)")
      }
      let identities = try await draft.commit().result
      guard let newAuthor = identities[author], let newBook = identities[book],
        case .integer(let key) = newAuthor.key, key > 0
      else { throw fixture.failure("the new identities", "\(identities)") }
      let row = try fixture.row(store, newBook, Library.bookEntity)
      try fixture.expectEqual(row?["authorID"], .integer(key), "the foreign key in the base")
      let link = ObjectID(entity: "BookTag", key: .compound([newBook.key.parts[0], 1]))
      try fixture.expect(try fixture.row(store, link, Library.links) != nil, "a link in the base")
      try await books.refresh()
      try fixture.expectEqual(try books.results.generation, generation + 1, "one change")
      try fixture.expectEqual(try books.results.count, before + 1, "the number of books")
      try fixture.expectEqual(books.results.path(of: book), nil, "the path by the temporary key")
      try fixture.expect(books.results.path(of: newBook) != nil, "a path by the final key")
      guard case .change(let change)? = await events.next() else {
        throw fixture.failure("a change by the commit", "another event")
      }
      try fixture.expectEqual(
        change.delta.rows.formerIDs,
        [newBook: book],
        "the former identities of the inserted rows"
      )
      try fixture.expect(draft.edits.isEmpty, "no edits after the commit")
    },

    Case("what only the base changed is merged into a draft's row", ["R110"]) { fixture in
      let (store, draft, list) = try await fixture.openDraft()
      let one = Sample.itemID(1)
      try fixture.write(draft) {
        try $0.update(one, to: Sample.item("x"), of: Sample.item)
      }
      try fixture.write(store) {
        try $0.update(one, to: Sample.item("a", note: "theirs"), of: Sample.item)
      }
      try await list.refresh()
      try fixture.expectTitles(list, ["b", "c", "x"], "the list")
      try fixture.expectEqual(draft.state(of: one), .edited(["title"]), "the state")
      let row = try fixture.row(draft, one, Sample.item)
      try fixture.expectEqual(row?["note"], "theirs", "what the base changed")
      // A commit that nobody has read yet is merged by the commit of the draft.
      try fixture.write(store) {
        try $0.update(one, to: Sample.item("a", note: "later"), of: Sample.item)
      }
      try await draft.commit()
      let stored = try fixture.row(store, one, Sample.item)
      try fixture.expectEqual(stored?.values, Sample.item("x", note: "later"), "the stored row")
      // Both sides want the same.
      try fixture.write(draft) {
        try $0.update(one, to: Sample.item("y"), of: Sample.item)
      }
      try fixture.write(store) {
        try $0.update(one, to: Sample.item("y"), of: Sample.item)
      }
      try draft.checkForExternalChanges()
      try fixture.expect(draft.edits.isEmpty, "no edit that the base has made too")
    },

    Case("an overlap is a conflict, shown, never lost and never overwritten", ["R110"]) { fixture in
      let (store, draft, list) = try await fixture.openDraft()
      let (one, two, three) = (Sample.itemID(1), Sample.itemID(2), Sample.itemID(3))
      try fixture.write(draft) { transaction in
        try transaction.update(one, to: Sample.item("x", note: "mine"), of: Sample.item)
        try transaction.update(two, to: Sample.item("y"), of: Sample.item)
        try transaction.delete(three, of: Sample.item)
      }
      try fixture.write(store) { transaction in
        try transaction.update(one, to: Sample.item("t"), of: Sample.item)
        try transaction.delete(two, of: Sample.item)
        try transaction.update(three, to: Sample.item("u"), of: Sample.item)
      }
      try fixture.expectConflicts([one, two, three], of: draft)
      try await list.refresh()
      try fixture.expectTitles(list, ["x", "y"], "the list shows mine")
      try fixture.expectTitles(store, ["t", "u"], "the base")
      let mine = Sample.row(one, Sample.item("x", note: "mine"))
      try fixture.expectEqual(
        draft.state(of: one),
        .conflict(mine: mine, theirs: Sample.row(one, Sample.item("t"))),
        "the state of an edited row"
      )
      try fixture.expectEqual(
        draft.state(of: two),
        .conflict(mine: Sample.row(two, Sample.item("y")), theirs: nil),
        "the state of a row that was deleted"
      )
      try fixture.expect(draft.takeTheirs(one), "a conflict to decide")
      try fixture.expect(!draft.takeTheirs(one), "no conflict after the decision")
      try fixture.expectConflicts([two, three], of: draft)
      try fixture.expect(draft.keepMine(two), "a conflict to decide")
      try fixture.expect(draft.keepMine(three), "a conflict to decide")
      try fixture.expectEqual(
        draft.edits.map(\.state),
        [.edited(["note"]), .inserted, .deleted],
        "the states after the decisions"
      )
      try await list.refresh()
      try fixture.expectTitles(list, ["t", "y"], "the list after the decisions")
      let generation = try list.results.generation
      try await draft.commit()
      try await list.refresh()
      try fixture.expectEqual(try list.results.generation, generation, "the generation")
      try fixture.expectTitles(store, ["t", "y"], "the base after the commit")
      let stored = try fixture.row(store, one, Sample.item)
      try fixture.expectEqual(stored?["note"], "mine", "the attribute that only the draft changed")
    },

    Case("an edit is based on the row that was read before", ["R269"]) { fixture in
      let (store, draft, _) = try await fixture.openDraft()
      let (one, two) = (Sample.itemID(1), Sample.itemID(2))
      let read = try [one, two].compactMap { try fixture.row(store, $0, Sample.item) }
      try fixture.write(store) { transaction in
        try transaction.update(one, to: Sample.item("t"), of: Sample.item)
        try transaction.update(two, to: Sample.item("b", note: "theirs"), of: Sample.item)
      }
      try fixture.write(draft) { transaction in
        try transaction.update(one, to: Sample.item("x"), of: Sample.item)
        try transaction.update(two, to: Sample.item("y", note: "theirs"), of: Sample.item)
      }
      try fixture.expectEqual(draft.edits.map(\.state.isConflict), [false, false], "no conflict")
      draft.setAncestors(read)
      try fixture.expectConflicts([one], of: draft)
      try fixture.expectEqual(draft.edits.map(\.ancestor?["title"]), ["a", "b"], "the ancestors")
      try fixture.expectEqual(draft.state(of: two), .edited(["title"]), "the other state")
      try fixture.expect(draft.keepMine(one), "a conflict to decide")
      try await draft.commit()
      try fixture.expectTitles(store, ["c", "x", "y"], "the base after the commit")
      // What is not edited cannot be based on anything.
      draft.setAncestors(read)
      try fixture.expect(draft.edits.isEmpty, "no edits")
    },

    Case("a rule is checked against the base in the transaction that commits a draft", ["R270"]) {
      fixture in
      let (store, draft, _) = try await fixture.openDraft()
      let id = try fixture.write(draft) {
        try $0.insert(Sample.item("d"), key: nil, into: Sample.item)
      }
      func commit() throws {
        try draft.commit { (base) throws(StoreError) in
          guard try base.count(of: Sample.item, where: .all) < 4 else { throw .alreadyExists(id) }
        }
      }
      let four = try fixture.write(store) {
        try $0.insert(Sample.item("d"), key: nil, into: Sample.item)
      }
      do {
        try commit()
        throw fixture.failure("the commit to be refused", "no error")
      } catch DraftError.store(.alreadyExists(id)) {}
      try fixture.expectEqual(draft.state(of: id), .inserted, "the edit after the refusal")
      try fixture.expectTitles(store, ["a", "b", "c", "d"], "the base after the refusal")
      try fixture.write(store) { _ = try $0.delete(four, of: Sample.item) }
      try commit()
      try fixture.expectTitles(store, ["a", "b", "c", "d"], "the base after the commit")
    },

    Case("a draft is committed on the executor of its base", ["R109", "R270"]) { fixture in
      let (store, draft, _) = try await fixture.openDraft()
      try fixture.write(draft) { _ = try $0.delete(Sample.itemID(1), of: Sample.item) }
      let expected = store.executor.map { $0.asUnownedTaskExecutor() }
      let failure = StoreError.readOnly(path: "a rule")
      do {
        try await draft.commit { (base) throws(StoreError) in
          guard withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) == expected else { return }
          guard try base.count(of: Sample.item, where: .all) == 3 else { return }
          throw failure
        }
        throw fixture.failure("the refusal of a rule on the executor", "a commit")
      } catch DraftError.store(.readOnly) {}
      try fixture.expectTitles(store, ["a", "b", "c"], "the base after the refusal")
      try await draft.commit(origin: CommitOrigin("me"))
      try fixture.expectTitles(store, ["b", "c"], "the base after the commit")
    },

    Case("a draft of a closed store keeps what was typed", ["R110"]) { fixture in
      let (store, draft, _) = try await fixture.openDraft()
      try fixture.write(draft) {
        try $0.update(Sample.itemID(1), to: Sample.item("x"), of: Sample.item)
      }
      try store.close()
      try fixture.expectError("writing to fail", \.isClosed) {
        try draft.write { try $0.delete(Sample.itemID(2), of: Sample.item) }
      }
      do {
        try await draft.commit()
        throw fixture.failure("a commit into a closed store to fail", "none")
      } catch DraftError.store(.closed) {}
      try fixture.expectEqual(draft.edits.map { $0.row?["title"] }, ["x"], "the edits")
      try fixture.expectEqual(
        draft.state(of: Sample.itemID(1)),
        .edited(["title"]),
        "the state of the edited row"
      )
    },

    Case("a commit that the base refuses leaves the draft as it is", ["R109"]) { fixture in
      let store = try fixture.openLibrary()
      let draft = DraftStore(over: store)
      let author = Library.id("Author", 1)
      try fixture.write(draft) { transaction in
        try transaction.insert(["Q", 1, .integer(1)], key: nil, into: Library.bookEntity)
        try transaction.insert(["R", .null], key: nil, into: Library.authors)
      }
      let edits = draft.edits
      do {
        try draft.commit(origin: .unnamed) { _ in throw CancellationError() }
        throw fixture.failure("an error", "none")
      } catch StoreError.aborted {}
      try fixture.expectEqual(draft.edits, edits, "the edits after a failed transaction")
      let version = try fixture.version(store)
      try fixture.write(draft) { transaction in
        // The same draft inside one of its transactions.
        do {
          try draft.commit()
          throw fixture.failure("a nested commit to be refused", "none")
        } catch DraftError.store(.busy) {}
        try transaction.update(author, to: ["Renamed", .null], of: Library.authors)
      }
      try fixture.expectEqual(try fixture.version(store), version, "the base's version")
      do {
        try fixture.write(draft) { transaction in
          try transaction.update(author, to: ["Again", .null], of: Library.authors)
          draft.discard()
        }
        throw fixture.failure("a transaction over discarded edits to be refused", "none")
      } catch StoreError.writeConflict {}
      try fixture.expect(draft.edits.isEmpty, "no edits after they were discarded")
      let row = try fixture.row(draft, author, Library.authors)
      let stored = try fixture.row(store, author, Library.authors)
      try fixture.expectEqual(row, stored, "the author")
    },

    Case("observers of a draft's edits are notified", ["R110"]) { fixture in
      let (store, draft, _) = try await fixture.openDraft()
      var notifications = draft.editNotifications().makeAsyncIterator()
      let one = Sample.itemID(1)
      try fixture.write(draft) {
        try $0.update(one, to: Sample.item("x"), of: Sample.item)
      }
      _ = await notifications.next()
      try fixture.write(store) {
        try $0.update(one, to: Sample.item("t"), of: Sample.item)
      }
      // The draft observes its base by itself.
      while case .edited = draft.state(of: one) { _ = await notifications.next() }
      guard case .conflict = draft.state(of: one) else {
        throw fixture.failure("a conflict", "\(String(describing: draft.state(of: one)))")
      }
    },
  ]
}

extension DraftState {
  fileprivate var isConflict: Bool { if case .conflict = self { true } else { false } }
}

extension ConformanceFixture {
  /// A store with three items, a draft over it, and a list of the draft by title.
  fileprivate func openDraft() async throws -> (
    any Store, DraftStore, FetchedResultsController<Row>
  ) {
    let store = try open()
    try write(store) { transaction in
      for (key, title) in [(1, "a"), (2, "b"), (3, "c")] as [(Int64, Value)] {
        try transaction.insert(Sample.item(title), key: .integer(key), into: Sample.item)
      }
    }
    let draft = DraftStore(over: store)
    let list = FetchedResultsController(
      FetchRequest<Row>(entity: Sample.item, sortedBy: [.ascending("title")]),
      in: draft
    )
    try await list.performFetch()
    return (store, draft, list)
  }

  fileprivate func expectTitles(
    _ list: FetchedResultsController<Row>,
    _ titles: [Value],
    _ what: @autoclosure () -> String
  ) throws {
    let shown = try list.results.rows.map { try $0.object["title"] }
    try expectEqual(shown, titles, what())
  }

  fileprivate func expectTitles(
    _ store: any Store,
    _ titles: [Value],
    _ what: @autoclosure () -> String
  ) throws {
    let list = try OrderDefinition.list(Sample.item)
    try expectEqual(try rows(store, list).map { $0["title"] }, titles, what())
  }

  fileprivate func expectConflicts(_ ids: [ObjectID], of draft: DraftStore) throws {
    do {
      try draft.commit()
    } catch DraftError.conflicts(let found) {
      try expectEqual(found, ids, "the rows in conflict")
      let description = DraftError.conflicts(found).description
      try expect(description.contains("\(ids[0])"), "a message with the rows", found: description)
      return
    }
    throw failure("the commit to be refused", "no error")
  }
}
