import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@Suite("Delete rules")
struct DeleteRuleTests {
  static let nodes: EntityDescription = make("Node", .cascade)

  private static func make(_ name: String, _ rule: DeleteRule) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: [AttributeDescription("nextID", .integer64, isOptional: true)],
        relationships: [
          RelationshipDescription("next", .toOne(foreignKey: ["nextID"]), onDelete: rule) { nodes }
        ]
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func insert(
    _ store: InMemoryStore,
    _ entity: EntityDescription,
    _ values: [Int64: Int64?]
  ) throws {
    try store.write { transaction in
      for (key, next) in values {
        try transaction.insert(
          [next.map { Value.integer($0) } ?? .null],
          key: .integer(key),
          into: entity
        )
      }
    }
  }

  @Test func `R101: a cycle of cascades is deleted once, as changes of one commit`() throws {
    let store = try InMemoryStore(entities: [DeleteRuleTests.nodes])
    try insert(store, DeleteRuleTests.nodes, [1: 2, 2: 3, 3: 1, 4: 4, 5: nil])
    let version = try store.read { $0.version }
    try store.write { transaction in
      try transaction.delete(
        ObjectID(entity: "Node", key: .integer(2)),
        of: DeleteRuleTests.nodes
      )
    }
    let history = try store.read { (store) throws(StoreError) in
      try store.history(since: version, of: DeleteRuleTests.nodes)
    }
    guard case .commits(let commits) = history else {
      Issue.record("a gap")
      return
    }
    #expect(commits.map { Set($0.changes.map(\.id.key.description)) } == [["1", "2", "3"]])
  }

  @Test func `R101: a denied delete names the referrers and changes nothing`() throws {
    let guarded = DeleteRuleTests.make("Guard", .deny)
    let store = try InMemoryStore(entities: [DeleteRuleTests.nodes, guarded])
    try insert(store, DeleteRuleTests.nodes, [1: nil, 2: 1])
    try insert(store, guarded, [7: 2])
    let version = try store.read { $0.version }
    let error = #expect(throws: StoreError.self) {
      try store.write { transaction in
        try transaction.delete(
          ObjectID(entity: "Node", key: .integer(1)),
          of: DeleteRuleTests.nodes
        )
      }
    }
    #expect("\(try #require(error))".contains("Guard 7"))
    #expect(try store.read { $0.version } == version)
  }

  @Test func `R101: objects that are deleted together do not deny each other's deletes`() throws {
    // A chapter goes with its book, a note with its chapter; a chapter holds its first note.
    let book = DeleteRuleTests.books
    let store = try InMemoryStore(entities: [book, DeleteRuleTests.chapters, DeleteRuleTests.notes])
    try store.write { transaction in
      try transaction.insert([], key: .integer(1), into: book)
      try transaction.insert([1, 5], key: .integer(2), into: DeleteRuleTests.chapters)
      try transaction.insert([2], key: .integer(5), into: DeleteRuleTests.notes)
    }
    try store.write { transaction in
      try transaction.delete(
        ObjectID(entity: "Book", key: .integer(1)),
        of: book,
        applyingRulesOf: store.entities
      )
    }
    for entity in store.entities {
      let count = try store.read { (snapshot) throws(StoreError) in
        try snapshot.count(of: entity, where: .all)
      }
      #expect(count == 0)
    }
  }

  private static let chapters: EntityDescription = related(
    "Chapter",
    ["bookID", "noteID"],
    [
      RelationshipDescription("book", .toOne(foreignKey: ["bookID"]), onDelete: .cascade) { books },
      RelationshipDescription("first", .toOne(foreignKey: ["noteID"]), onDelete: .deny) { notes },
    ]
  )
  private static let notes: EntityDescription = related(
    "Note",
    ["chapterID"],
    [
      RelationshipDescription("chapter", .toOne(foreignKey: ["chapterID"]), onDelete: .cascade) {
        chapters
      }
    ]
  )
  private static let books: EntityDescription = related("Book", [], [])

  private static func related(
    _ name: String,
    _ columns: [String],
    _ relationships: [RelationshipDescription]
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: columns.map { AttributeDescription($0, .integer64, isOptional: true) },
        relationships: relationships
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  @Test func `R91: the links of a relationship are opened with its entity`() throws {
    let tag = try EntityDescription(name: "Tag", attributes: [AttributeDescription("name", .text)])
    let link = try EntityDescription(
      name: "BookTag",
      identity: .compound(["bookID", "tagID"]),
      attributes: [
        AttributeDescription("bookID", .integer64), AttributeDescription("tagID", .integer64),
      ]
    )
    let book = try EntityDescription(
      name: "Book",
      attributes: [AttributeDescription("title", .text)],
      relationships: [
        RelationshipDescription(
          "tags",
          .manyToMany(link: EntityReference { link }, from: ["bookID"], to: ["tagID"])
        ) { tag }
      ]
    )
    let store = try InMemoryStore(entities: [book, tag])
    #expect(store.entities.map(\.name) == ["Book", "Tag", "BookTag"])
    try store.write { transaction in
      try transaction.insert(["b"], key: .integer(1), into: book)
      try transaction.insert(["t"], key: .integer(2), into: tag)
      try transaction.insert([1, 2], key: nil, into: link)
    }
    let request = FetchRequest<ObjectID>(
      entity: book,
      where: .quantified(.any, ["tags"], .comparison(.attribute("name"), .equal, .literal("t"))),
      sortedBy: [.ascending("title")]
    )
    #expect(try store.fetch(request).count == 1)
  }
}
