import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R122: where a row would land is where it is after it is stored.
@Suite("The landing path of a row")
struct LandingPathTests {
  static let steps = 40

  @Test(arguments: UInt64(1)...24)
  func `is its path after a commit of nothing but that row (R122)`(seed: UInt64) throws {
    var world = try ListWorld(seed: seed)
    let store = IndexingStore(world.store)
    try world.commit(rows: 25)
    var nextKey: Int64 = 10_000
    var (landed, left) = (0, 0)
    for round in 0..<9 {
      let isArranged = round > 4
      var definition = isArranged ? world.arrangedDefinition() : world.definition()
      // Sections that a row would tear apart are refused, so that there is no list after the commit.
      if definition.sectionKey?.contiguity == .error, round == 4 { definition.sectionKey = nil }
      let plan = try ListPlan(definition)
      var indexing = IndexingPolicy(store, inMemoryKeyLimit: -1)
      indexing?.stride = 1 + world.generator.below(6)
      var held = try ListEngine(plan, in: store, indexing: nil)
      var indexed = try ListEngine(plan, in: store, indexing: indexing)
      for step in 0..<LandingPathTests.steps {
        let context: Comment = "seed \(seed), round \(round), step \(step)"
        if world.generator.below(4) == 0 {
          // The list may be some commits behind its store.
          try world.commit(rows: 1 + world.generator.below(3))
          let (behind, alsoBehind) = (held.shown, indexed.shown)
          let row = try draw(&world, &nextKey)
          let paths = try store.read { (snapshot) throws(StoreError) in
            (
              try behind.landingPath(of: row, in: snapshot),
              try alsoBehind.landingPath(of: row, in: snapshot)
            )
          }
          #expect(paths.0 == paths.1, context)
          try advance(&held, &indexed, in: store)
        }
        let row = try draw(&world, &nextKey)
        let (path, same) = try store.read { (snapshot) throws(StoreError) in
          (
            try held.shown.landingPath(of: row, in: snapshot),
            try indexed.shown.landingPath(of: row, in: snapshot)
          )
        }
        #expect(path == same, context)
        try store.write { transaction in
          if case .some(.some) = try transaction.rows([row.id.key], of: row.entity).first {
            try transaction.update(row.id, to: row.values, of: row.entity)
          } else {
            try transaction.insert(row.values, key: row.id.key, into: row.entity)
          }
        }
        try advance(&held, &indexed, in: store)
        #expect(held.shown.path(of: row.id) == path, context)
        // Limits and hidden sections let few rows land.
        guard !isArranged else { continue }
        if path == nil { left += 1 } else { landed += 1 }
      }
    }
    #expect(landed > 20 && left > 5, "the draws of seed \(seed) show little")
  }

  /// Returns a row with random values: a new one, or one of the store with other values.
  private func draw(_ world: inout ListWorld, _ nextKey: inout Int64) throws -> Row {
    let rows = try world.store.fetch(world.everything)
    let values: [Value] = [
      world.generator.below(6) == 0 ? .null : .text(ListWorld.series[world.generator.below(7)]),
      world.generator.below(7) == 0 ? .null : .integer(Int64(world.generator.below(12))),
      .text(["x", "y", "z"][world.generator.below(3)]),
    ]
    guard !rows.isEmpty, world.generator.below(3) > 0 else {
      nextKey += 1
      let id = ObjectID(entity: world.entity.name, key: .integer(nextKey))
      return Row(entity: world.entity, id: id, values: values)
    }
    var row = rows[world.generator.below(rows.count)]
    switch world.generator.below(4) {
    case 0: row.values = values
    case 1: break
    default:
      let attribute = world.generator.below(3)
      row.values[attribute] = values[attribute]
    }
    return row
  }

  private func advance(
    _ held: inout ListEngine,
    _ indexed: inout ListEngine,
    in store: any Store
  ) throws {
    (held, indexed) = try store.read { [held, indexed] (snapshot) throws(StoreError) in
      var (held, indexed) = (held, indexed)
      let history = SnapshotHistory(snapshot)
      _ = try held.advance(in: history, folding: true)
      _ = try indexed.advance(in: history, folding: true)
      return (held, indexed)
    }
  }

  /// The entities of books and of their authors.
  private static func books() throws -> (author: EntityDescription, book: EntityDescription) {
    let author = try EntityDescription(
      name: "Author",
      attributes: [AttributeDescription("name", .text)]
    )
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription("title", .text),
        AttributeDescription("authorID", .integer64, isOptional: true),
      ],
      relationships: [
        RelationshipDescription("author", .toOne(foreignKey: ["authorID"])) { author }
      ]
    )
    return (author, book)
  }

  @Test func `of a row with related values counts those too (R122)`() async throws {
    let (author, book) = try Self.books()
    let store = try InMemoryStore(entities: [author, book])
    _ = try store.commit(origin: .unnamed) { transaction in
      for name in ["Eco", "Le Guin"] {
        try transaction.insert([.text(name)], key: nil, into: author)
      }
      for (title, key) in [("Baudolino", 1), ("The Word", 2)] {
        try transaction.insert([.text(title), .integer(Int64(key))], key: nil, into: book)
      }
    }
    let name = FetchExpression.related(["author"], .attribute("name"))
    let books = FetchedResultsController<Row>(
      ResultsDefinition(
        FetchRequest(entity: book, sortedBy: [.ascending("title")]),
        sectionedBy: .expression(name)
      ),
      in: store
    )
    try await books.performFetch()
    let id = ObjectID(entity: "Book", key: .integer(1))
    func path(_ title: String, _ author: Value) throws -> RowPath? {
      try books.results.landingPath(of: Row(entity: book, id: id, values: [.text(title), author]))
    }
    #expect(try path("Baudolino", 1) == RowPath(section: 0, row: 0))
    #expect(try path("Baudolino", 2) == RowPath(section: 0, row: 0))
    #expect(try path("Ziggurat", 2) == RowPath(section: 0, row: 1))
    let stored = try books.results.object(at: RowPath(section: 0, row: 0))
    #expect(try books.results.landingPath(of: stored) == RowPath(section: 0, row: 0))
  }

  @Test(arguments: UInt64(1)...24)
  func
    `of a row whose section is an object that only a draft has is its path after the commit (R122)`(
      seed: UInt64
    ) async throws
  {
    var generator = SeededGenerator(seed: seed)
    let (author, book) = try Self.books()
    let store = try InMemoryStore(entities: [author, book])
    let names = ["A", "B", "C", "D", "E"]
    var kept: [ObjectID] = []
    let authors = generator.number(in: 0...4)
    _ = try store.commit(origin: .unnamed) { transaction in
      for _ in 0..<authors {
        let name = names[generator.number(in: 0...4)]
        try transaction.insert([.text(name)], key: nil, into: author)
      }
      for _ in 0..<generator.number(in: 1...6) {
        // Some name no author, and some one that will never exist.
        let key = generator.happens(percent: 20) ? 1000 : generator.number(in: 0...authors)
        kept.append(
          try transaction.insert(
            [.text(names[generator.number(in: 0...4)]), key == 0 ? .null : .integer(Int64(key))],
            key: nil,
            into: book
          )
        )
      }
    }
    let sections = SectionKey.relationship(
      "author",
      where: generator.happens(percent: 30)
        ? .comparison(.attribute("name"), .greater, .literal("B")) : .all,
      sortedBy: [
        FetchSortDescriptor(.attribute("name"), generator.choice(.ascending, .descending))
      ],
      titled: .attribute("name"),
      empty: generator.choice(.hidden, .shown),
      without: generator.choice(.first("none"), .last("none"), .hidden)
    )
    let books = FetchedResultsController<Row>(
      ResultsDefinition(
        FetchRequest(entity: book, sortedBy: [.ascending("title")]),
        sectionedBy: sections
      ),
      in: store
    )
    try await books.performFetch()
    let draft = DraftStore(over: store)
    let name = names[generator.number(in: 0...4)]
    let old = generator.happens(percent: 50) ? kept[0] : nil
    let (row, id) = try draft.commit(origin: .unnamed) { transaction in
      let key = try transaction.insert([.text(name)], key: nil, into: author).key.parts[0]
      let values: [Value] = [.text(names[generator.number(in: 0...4)]), key]
      if let old { try transaction.update(old, to: values, of: book) }
      let id = try old ?? transaction.insert(values, key: nil, into: book)
      return (Row(entity: book, id: id, values: values), id)
    }.result
    let landed = old ?? ObjectID(entity: "Book", key: .integer(.max))
    let landing = try books.results.landing(of: row, as: landed, in: draft)
    let identities = try await draft.commit().result
    try await books.refresh()
    let path = try books.results.path(of: identities[id] ?? id)
    #expect(landing?.path == path, "seed \(seed)")
    if let path {
      #expect(landing?.title == name)
      #expect(try books.results.section(at: path.section)?.title == name)
    }
  }

  @Test func `of a row that a frozen list does not have is none, and else its own (R122)`()
    async throws
  {
    var world = try ListWorld(seed: 3)
    try world.commit(rows: 10)
    let request = FetchRequest<Row>(entity: world.entity, sortedBy: [.ascending("note")])
    let list = FetchedResultsController(
      ResultsDefinition(request, isFrozen: true),
      in: world.store
    )
    try await list.performFetch()
    var row = try list.results.object(at: RowPath(section: 0, row: 2))
    row.values[2] = "zzz"
    #expect(try list.results.landingPath(of: row) == RowPath(section: 0, row: 2))
    let other = Row(
      entity: row.entity,
      id: ObjectID(entity: row.entity.name, key: .integer(999)),
      values: row.values
    )
    #expect(try list.results.landingPath(of: other) == nil)
  }
}
