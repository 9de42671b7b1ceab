import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

@testable import ProgramFrontEnd

/// R121: what a command changed can be taken back, and nothing of others is overwritten.
@Suite("Undoing commands")
struct UndoTests {
  private func context(_ store: any Store, _ ids: [ObjectID] = []) -> CommandContext {
    CommandContext(
      store: store,
      definition: Club.definition(for: .machine),
      ids: ids,
      settings: .machine,
      now: Instant(microseconds: 0)
    )
  }

  @Test func `a command runs under a name of its own, and its changes are found (R121)`() throws {
    let (store, ids) = try Club.store(Club.values("Ann", age: 1), Club.values("Bob", age: 2))
    let runner = CommandRunner(store, of: "club", by: "browse")
    let before = try store.members(ids)
    let performed = try runner.perform(Club.commands[0], in: context(store, ids))
    #expect(performed.result.message == "2 had a birthday")
    #expect(performed.name.origin.name.hasPrefix("browse-\(performed.name.id).1 club "))
    let changes = try #require(performed.changes)
    #expect(changes.map(\.id) == ids)
    try runner.undo(UndoStep("birthday", changes))
    #expect(try store.members(ids) == before)
    try runner.undo(UndoStep("birthday", changes).inverse)
    #expect(try store.members(ids).map { $0?.values[1] } == [2, 3])
  }

  @Test func `commits of others meanwhile are none of the command's (R121)`() throws {
    let (store, ids) = try Club.store(Club.values("Ann"), Club.values("Bob"))
    let runner = CommandRunner(store, of: "club", by: "browse")
    let others = store
    let performed = try runner.perform("renamed") { store, origin in
      try others.commit(origin: .unnamed) { try $0.delete(ids[1], of: Member.entity) }
      try store.commit(origin: origin) { transaction in
        try transaction.update(ids[0], to: Club.values("Anna"), of: Member.entity)
      }
      try store.commit(origin: origin) { transaction in
        try transaction.update(ids[0], to: Club.values("Anne"), of: Member.entity)
      }
    }
    let change = try #require(performed.changes?.first)
    #expect(performed.changes?.count == 1)
    #expect(change.before?.values[0] == "Ann" && change.after?.values[0] == "Anne")
    // If others change the same row in between, no single step takes back only one's own.
    let mixed = try runner.perform("renamed") { _, origin in
      for (name, origin) in [("x", origin), ("y", .unnamed), ("z", origin)] {
        try others.commit(origin: origin) { transaction in
          try transaction.update(ids[0], to: Club.values(name), of: Member.entity)
        }
      }
    }
    #expect(mixed.changes == nil)
  }

  @Test func `a command that fails throws its own error and changes nothing`() throws {
    let (store, _) = try Club.store()
    let runner = CommandRunner(store, of: "club", by: "browse")
    let failure = try #require(throws: CommandFailure.self) {
      try runner.perform(Club.commands[1], in: context(store))
    }
    #expect(failure.message == "It failed.")
    #expect(try store.count(of: FetchRequest<Row>(entity: Member.entity, sortedBy: [])) == 0)
  }

  @Test func `a command is offered where it makes sense`() throws {
    let (store, ids) = try Club.store(Club.values("Ann"))
    var context = context(store)
    #expect(!Club.commands[0].isOffered(in: context))
    #expect(!Club.commands[2].isOffered(in: context))
    context.ids = ids
    context.matchingCount = 1
    #expect(Club.commands[0].isOffered(in: context))
    #expect(Club.commands[2].isOffered(in: context))
    let section = ListCommand("s", title: "s", scope: .section) { _ in CommandOutcome("") }
    #expect(!section.isOffered(in: context))
    context.section = SectionID(.null)
    #expect(section.isOffered(in: context))
  }

  /// The delta of the undo has the sections and rows of the inverse delta: the proof that a list shows the same as before.
  @Test(arguments: UInt64(1)...40)
  func `the store is as it was, and the list's change is the inverse (R29, R121)`(seed: UInt64)
    async throws
  {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let store = try InMemoryStore(entities: [entity])
    func rows() throws -> [Row] {
      let columns = entity.identity.columns.map { FetchExpression.attribute($0) }
      let isCompound = if case .compound = entity.identity { true } else { false }
      let order = isCompound ? columns : [.objectKey]
      return try store.fetch(
        FetchRequest<Row>(entity: entity, sortedBy: order.map { FetchSortDescriptor($0) })
      )
    }
    func change(_ origin: CommitOrigin, count: Int) throws {
      let operations = workload.transaction(on: entity, rows: try rows(), count: count)
      _ = try store.commit(origin: origin) { transaction in
        for operation in operations { _ = try transaction.perform(operation, on: entity) }
      }
    }
    for _ in 0..<4 { try change(.unnamed, count: 12) }
    let list = FetchedResultsController<Row>(
      FetchRequest(entity: entity, sortedBy: workload.sortDescriptors(for: entity)),
      in: store,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await list.performFetch()
    var events = list.changes(from: try list.results).makeAsyncIterator()
    let runner = CommandRunner(store, of: "club", by: "browse")
    var proved = 0
    for step in 0..<12 {
      let context: Comment = "seed \(seed), step \(step)"
      let before = try rows()
      let performed = try runner.perform("random") { _, origin in try change(origin, count: 6) }
      let after = try rows()
      let changes = try #require(performed.changes)
      #expect(changes.isEmpty == (before == after), context)
      guard !changes.isEmpty else { continue }
      try await list.refresh()
      guard case .change(let done)? = await events.next() else {
        Issue.record(context)
        return
      }
      let undo = UndoStep("random", changes)
      try runner.undo(undo)
      #expect(try rows() == before, context)
      try await list.refresh()
      guard case .change(let undone)? = await events.next() else {
        Issue.record(context)
        return
      }
      let inverse = done.delta.inverse
      #expect(undone.delta.sections == inverse.sections, context)
      #expect(undone.delta.rows == inverse.rows, context)
      proved += 1
      try runner.undo(undo.inverse)
      #expect(try rows() == after, context)
      try await list.refresh()
      _ = await events.next()
      // A row that others have changed since is refused by name.
      let last = try #require(changes.last)
      if let now = last.after {
        _ = try store.commit(origin: .unnamed) { try $0.delete(now.id, of: entity) }
        let refusal = #expect(throws: StoreError.self) { try runner.undo(undo) }
        if case .notFound(let id)? = refusal { #expect(id == now.id) }
        _ = try store.commit(origin: .unnamed) { transaction in
          let isCompound = if case .compound = entity.identity { true } else { false }
          try transaction.insert(now.values, key: isCompound ? nil : now.id.key, into: entity)
        }
        try await list.refresh()
      }
    }
    #expect(proved > 0, "seed \(seed) changed nothing")
  }

  @Test(arguments: [DeleteRule.cascade, .nullify, .deny])
  func `an added object that others name by now stays, and so do they (R121)`(
    rule: DeleteRule
  ) throws {
    let author = try EntityDescription(
      name: "Author",
      attributes: [AttributeDescription("name", .text)]
    )
    let book = try EntityDescription(
      name: "Book",
      attributes: [AttributeDescription("authorID", .integer64, isOptional: true)],
      relationships: [
        RelationshipDescription("author", .toOne(foreignKey: ["authorID"]), onDelete: rule) {
          author
        }
      ]
    )
    let store = try InMemoryStore(entities: [author, book])
    let runner = CommandRunner(store, of: "club", by: "browse")
    let added = try runner.perform("added") { store, origin in
      try store.commit(origin: origin) { try $0.insert(["Eco"], key: nil, into: author) }.result
    }
    let step = UndoStep("added", try #require(added.changes))
    let id = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert([.integer(1)], key: nil, into: book)
    }.result
    let refusal = #expect(throws: StoreError.self) { try runner.undo(step) }
    guard case .referenced(added.result, by: [id], relationship: "author")? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    let books = try store.fetch(
      FetchRequest<Row>(entity: book, sortedBy: [FetchSortDescriptor(.objectKey)])
    )
    #expect(books.map { $0["authorID"] } == [1])
    // Without the other object it is undone.
    _ = try store.commit(origin: .unnamed) { try $0.delete(id, of: book) }
    try runner.undo(step)
    #expect(try store.count(of: FetchRequest<ObjectID>(entity: author, sortedBy: [])) == 0)
  }

  @Test func `the newest steps are kept, and a new one ends what could be done again`() throws {
    let id = ObjectID(entity: "Member", key: .integer(1))
    let row = Row(entity: Member.entity, id: id, values: Club.values("x"))
    let change = CommittedChange(id: id, before: nil, after: row)
    var stack = UndoStack()
    #expect(stack.undoable == nil && stack.redoable == nil)
    for number in 1...120 { stack.push(UndoStep("\(number)", [change])) }
    for number in (21...120).reversed() {
      #expect(stack.undoable?.title == "\(number)")
      stack.noteUndo()
    }
    #expect(stack.undoable == nil && stack.redoable?.title == "21")
    stack.noteRedo()
    #expect(stack.undoable?.title == "21" && stack.redoable?.title == "22")
    stack.push(UndoStep("new", []))
    #expect(stack.redoable == nil)
    stack.dropNewest()
    #expect(stack.undoable?.title == "21")
    let many = Array(repeating: change, count: 60_000)
    stack.push(UndoStep("many", many))
    stack.push(UndoStep("more", many))
    stack.noteUndo()
    #expect(stack.undoable == nil)
    #expect(UndoStep("a", [change]).inverse.changes == [change.inverse])
  }
}
