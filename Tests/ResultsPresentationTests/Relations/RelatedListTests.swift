import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// Lists of notes in folders, where a folder can be in another one.
@Suite("Lists with related values", .timeLimit(.minutes(5)))
struct RelatedListTests {
  static let folders: EntityDescription = make(
    "Folder",
    [
      AttributeDescription("name", .text), AttributeDescription("color", .text),
      AttributeDescription("parentID", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("parent", .toOne(foreignKey: ["parentID"])) { folders },
      RelationshipDescription("notes", .toMany(foreignKey: ["folderID"])) { notes },
    ]
  )
  static let notes: EntityDescription = make(
    "Note",
    [
      AttributeDescription("title", .text),
      AttributeDescription("folderID", .integer64, isOptional: true),
    ],
    [RelationshipDescription("folder", .toOne(foreignKey: ["folderID"])) { folders }]
  )

  private static func make(
    _ name: String,
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription]
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private let store: InMemoryStore
  private static let folderName = FetchExpression.related(["folder"], .attribute("name"))

  init() throws {
    store = try InMemoryStore(entities: [RelatedListTests.notes, RelatedListTests.folders])
    try store.write { transaction in
      for (key, name) in [(1, "a"), (2, "b"), (3, "c")] as [(Int64, Value)] {
        try transaction.insert(
          [name, "red", .null],
          key: .integer(key),
          into: RelatedListTests.folders
        )
      }
      for (title, folder) in [("x", 1), ("y", 2), ("z", 1)] as [(Value, Value)] {
        try transaction.insert([title, folder], key: nil, into: RelatedListTests.notes)
      }
    }
  }

  private func byFolder(
    _ predicate: FetchPredicate = .all,
    properties: [String]? = nil
  ) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest<Row>(
        entity: RelatedListTests.notes,
        where: predicate,
        sortedBy: [FetchSortDescriptor(RelatedListTests.folderName), .ascending("title")],
        propertiesToFetch: properties
      )
    )
  }

  private func engine(_ definition: ResultsDefinition<Row>) throws -> ListEngine {
    let plan = try ListPlan(definition)
    return try store.read { (store) throws(StoreError) in
      try ListEngine(plan, from: store, generation: 1, maintainsDigests: false)
    }
  }

  private func write(_ body: (any StoreTransaction) throws -> Void) throws {
    try store.commit(origin: .unnamed, body)
  }

  private func advance(_ engine: inout ListEngine) throws -> (steps: [ListEngine.Step], ListWork) {
    var next = engine
    defer { engine = next }
    return try store.read { (store) throws(StoreError) in
      let history = SnapshotHistory(store)
      guard case .moved(let steps) = try next.advance(in: history, folding: false) else {
        return ([], history.snapshot.work)
      }
      return (steps, history.snapshot.work)
    }
  }

  private func set(
    _ transaction: any StoreTransaction,
    _ entity: EntityDescription,
    _ key: Int64,
    _ values: [Value]
  ) throws {
    try transaction.update(
      ObjectID(entity: entity.name, key: .integer(key)),
      to: values,
      of: entity
    )
  }

  @Test func `R202: the attributes of a line are those whose changes are reported`() throws {
    let isNamed = FetchPredicate.comparison(Self.folderName, .notEqual, .literal("q"))
    let request = FetchRequest<Row>(
      entity: RelatedListTests.notes,
      where: isNamed,
      sortedBy: [.ascending("title")]
    )
    let engine = try engine(ResultsDefinition(request))
    // The rows have the folder's name, but a commit that changes it reports nothing.
    #expect(engine.plan.entity.attributes.map(\.name) == ["title", "folderID", "folder.name"])
    #expect(engine.snapshot.observedAttributes == ["title", "folderID"])
    // What the order reads is reported, unless properties are selected.
    #expect(
      try self.engine(byFolder(isNamed)).snapshot.observedAttributes == [
        "title", "folderID", "folder.name",
      ]
    )
    let selected = byFolder(isNamed, properties: ["title"])
    #expect(try self.engine(selected).snapshot.observedAttributes == ["title"])
  }

  private func titles(_ engine: ListEngine) throws -> [String] {
    let loader = RowLoader(engine.snapshot, store)
    return try (0..<engine.snapshot.rowCount).map { position in
      let row = try #require(try loader.row(at: position))
      return "\(row["folder.name"].text ?? "-")\(row["title"].text ?? "")"
    }
  }

  @Test
  func `R94 R95: a rename moves the rows that show the name, and says what changed`() throws {
    var engine = try engine(byFolder())
    #expect(try titles(engine) == ["ax", "az", "by"])
    try write { try set($0, RelatedListTests.folders, 1, ["d", "red", .null]) }
    let step = try #require(try advance(&engine).steps.first)
    #expect(try titles(engine) == ["by", "dx", "dz"])
    // One row moves over two, which stay where they are but show another name.
    let named = step.delta.rows.moves + step.delta.rows.updates
    let changed = named.map { $0.changed?.names(in: engine.plan.entity) ?? [] }
    #expect(changed.filter { !$0.isEmpty } == [["folder.name"], ["folder.name"]])
    #expect(step.delta.cause == .own)
  }

  @Test func `R94: a row whose key and whose targets change in one commit is named once`() throws {
    var engine = try engine(byFolder())
    try write { transaction in
      try set(transaction, RelatedListTests.notes, 1, ["x", 2])
      try set(transaction, RelatedListTests.folders, 1, ["n", "red", .null])
      try set(transaction, RelatedListTests.folders, 2, ["m", "red", .null])
    }
    let steps = try advance(&engine).steps
    #expect(steps.count == 1)
    #expect(try titles(engine) == ["mx", "my", "nz"])
    let rows = steps[0].delta.rows
    #expect((rows.moves + rows.updates).count { $0.id.key == .integer(1) } == 1)
  }

  @Test func `R92: a deleted target is null until its key is used again`() throws {
    var engine = try engine(byFolder())
    let folder = ObjectID(entity: "Folder", key: .integer(1))
    try write { try $0.delete(folder, of: RelatedListTests.folders) }
    _ = try advance(&engine)
    #expect(try titles(engine) == ["-x", "-z", "by"])
    try write { transaction in
      try transaction.insert(
        ["e", "red", .null],
        key: folder.key,
        into: RelatedListTests.folders
      )
    }
    _ = try advance(&engine)
    #expect(try titles(engine) == ["by", "ex", "ez"])
  }

  @Test func `R94: an object that is its own parent is read along the path and no further`() throws
  {
    let path = FetchExpression.related(["folder", "parent", "parent"], .attribute("name"))
    var definition = byFolder()
    definition.request.sortDescriptors = [FetchSortDescriptor(path), .ascending("title")]
    var engine = try engine(definition)
    try write { try set($0, RelatedListTests.folders, 1, ["a", "red", 1]) }
    _ = try advance(&engine)
    #expect(engine.snapshot.rowCount == 3)
    try write { try set($0, RelatedListTests.folders, 1, ["0", "red", 1]) }
    let steps = try advance(&engine).steps
    #expect(steps.first?.delta.rows.updates.count == 2)
  }

  @Test func `R96: what the list does not read costs no query, and a stranger one search`() throws {
    var engine = try engine(byFolder())
    try write { try set($0, RelatedListTests.folders, 1, ["a", "blue", .null]) }
    var advanced = try advance(&engine)
    #expect(advanced.steps.isEmpty)
    #expect(advanced.1 == ListWork())
    try write { try set($0, RelatedListTests.folders, 3, ["zz", "blue", .null]) }
    advanced = try advance(&engine)
    #expect(advanced.steps.isEmpty)
    #expect(advanced.1.queries == 1)
    #expect(advanced.1.rows == 0)
  }

  @Test func `R95: a value that only the predicate reads is not observed`() throws {
    let predicate = FetchPredicate.comparison(
      .related(["folder"], .attribute("color")),
      .equal,
      .literal("red")
    )
    let request = FetchRequest<Row>(
      entity: RelatedListTests.notes,
      where: .not(.comparison(.related(["folder"], .attribute("color")), .equal, .literal("blue"))),
      sortedBy: [.ascending("title")]
    )
    var engine = try engine(ResultsDefinition(request))
    try write { try set($0, RelatedListTests.folders, 1, ["a", "green", .null]) }
    #expect(try advance(&engine).steps.isEmpty)
    var red = try self.engine(byFolder(predicate))
    #expect(red.snapshot.rowCount == 1)
    try write { try set($0, RelatedListTests.folders, 1, ["a", "red", .null]) }
    #expect(try advance(&red).steps.first?.delta.rows.inserts.count == 2)
  }

  @Test func `R99: a page with related values is one reading a step`() throws {
    var definition = byFolder()
    let parent = FetchExpression.related(["folder", "parent"], .attribute("name"))
    definition.request.sortDescriptors = [FetchSortDescriptor(parent), .ascending("title")]
    definition.request.propertiesToFetch = ["title", "folder.name", "folder.parent.name"]
    try write { try set($0, RelatedListTests.folders, 1, ["a", "red", 2]) }
    let engine = try engine(definition)
    let work = try store.read { (store) throws(StoreError) in
      let counting = CountingSnapshot(store)
      _ = try engine.snapshot.page(at: 0..<3, in: counting)
      return counting.work
    }
    #expect(work.queries == 3)
  }

  @Test func `R100: a list that only shows related values stays over its index`() async throws {
    let request = FetchRequest<FetchedDictionary>(
      entity: RelatedListTests.notes,
      sortedBy: [.ascending("title")],
      propertiesToFetch: ["title", "folder.name"]
    )
    var options = ResultsOptions()
    options.inMemoryKeyLimit = 0
    let list = FetchedResultsController(ResultsDefinition(request), in: store, options: options)
    try await list.performFetch()
    let explanation = try #require(try await list.explain())
    guard case .indexed = explanation.keys else {
      Issue.record("the keys are held: \(explanation.keys)")
      return
    }
    try write { try set($0, RelatedListTests.folders, 1, ["q", "red", .null]) }
    try await list.refresh()
    let shown = try list.results.objects(at: 0..<3)
    #expect(shown.map { $0["folder.name"] } == ["q", "b", "q"])
  }

  @Test func `R94: a commit that concerns many rows is followed all the same`() async throws {
    try write { transaction in
      for number in 0..<200 {
        try transaction.insert(
          [.text("n\(number)"), 3],
          key: nil,
          into: RelatedListTests.notes
        )
      }
    }
    let list = FetchedResultsController(byFolder(), in: store)
    try await list.performFetch()
    try write { try set($0, RelatedListTests.folders, 3, ["0", "red", .null]) }
    try await list.refresh()
    #expect(try list.results.objects(at: 0..<1).map { $0["folder.name"] } == ["0"])
    #expect(list.sections.first?.count == 203)
  }

  @Test func `R92: an entity that the store does not have is refused by name`() async throws {
    let store = try InMemoryStore(entities: [RelatedListTests.notes])
    let list = FetchedResultsController(byFolder(), in: store)
    await #expect {
      try await list.performFetch()
    } throws: { error in
      "\(error)".contains("no entity named Folder")
    }
  }
}
