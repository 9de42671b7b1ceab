import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Testing

/// A film beside the books.
private struct Film: Entity {
  var code = ""
  var name = ""
  var year: Int?
  var minutes = 0

  init() {}

  init(_ code: String, _ name: String, _ year: Int?, _ minutes: Int) {
    (self.code, self.name, self.year, self.minutes) = (code, name, year, minutes)
  }

  static let schema = EntitySchema<Film>("Film", textIdentity: \.code) {
    Attribute(\.name, "name")
    Attribute(\.year, "year")
    Attribute(\.minutes, "minutes")
  }
}

/// A row of several kinds as an enumeration of their types.
private enum Work: FetchedObject {
  case book(Book)
  case film(Film)

  init(row: Row) throws(RowError) {
    if let book = try row.object(ofBranch: "book", as: Book.self) {
      self = .book(book)
    } else if let film = try row.object(ofBranch: "film", as: Film.self) {
      self = .film(film)
    } else {
      throw RowError(id: row.id, attribute: "kind", value: row["kind"])
    }
  }

  var text: String {
    switch self {
    case .book(let book): "book \(book.title)"
    case .film(let film): "film \(film.name), \(film.minutes) min"
    }
  }
}

@Suite struct `A store of unions` {
  private let base: InMemoryStore
  private let works: UnionDescription
  private let store: UnionStore

  init() throws {
    base = try InMemoryStore(entities: [Book.entity, Film.entity])
    works = try UnionDescription(
      "Work",
      branches: [
        UnionBranch(
          "book",
          of: Book.self,
          attributes: [.attribute(\.title, as: "title"), .attribute(\.year, as: "year")]
        ),
        UnionBranch(
          "film",
          of: Film.self,
          where: \.minutes >= 60,
          attributes: [.attribute(\.name, as: "title"), .attribute(\.year, as: "year")]
        ),
      ],
      includesObjects: true
    )
    store = try UnionStore(over: base, unions: [works])
    try store.write { transaction in
      try transaction.insert(Book(id: 1, title: "Emma", year: 1815))
      try transaction.insert(Book(id: 2, title: "Solaris", year: 1961))
      try transaction.insert(Film("s", "Solaris", 1972, 167))
      try transaction.insert(Film("e", "Emma", 1996, 121))
      try transaction.insert(Film("t", "Trailer", 1996, 2))
    }
  }

  private func list(
    _ predicate: FetchPredicate = .all,
    sectionedBy section: SectionKey? = nil
  ) async throws -> FetchedResultsController<Work> {
    let list = FetchedResultsController(
      ResultsDefinition(
        FetchRequest<Work>(
          entity: works.entity,
          where: predicate,
          sortedBy: [.ascending("title"), .ascending("year")]
        ),
        sectionedBy: section
      ),
      in: store
    )
    try await list.performFetch()
    return list
  }

  private func texts(_ list: FetchedResultsController<Work>) throws -> [String] {
    try list.results.rows.map { try $0.object.text }
  }

  @Test func `R12: rows of several kinds are interleaved and are objects of their types`()
    async throws
  {
    let list = try await list()
    #expect(
      try texts(list) == [
        "book Emma", "film Emma, 121 min", "book Solaris", "film Solaris, 167 min",
      ]
    )
  }

  @Test func `R12: a commit that touches two branches is one change of the list`() async throws {
    let list = try await list(sectionedBy: .attribute("kind"))
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    let generation = try list.results.generation
    try await base.write { transaction in
      try transaction.update(Book(id: 1, title: "Zadig", year: 1747))
      // The trailer becomes a film that the branch shows, and another one leaves it.
      try transaction.update(Film("t", "Alien", 1979, 117))
      try transaction.update(Film("s", "Solaris", 1972, 5))
    }
    try await list.refresh()
    guard case .change(let change)? = await events.next() else {
      Issue.record("another event")
      return
    }
    #expect(try list.results.generation == generation + 1)
    try change.delta.verify(
      from: change.before.snapshot.content,
      to: change.after.snapshot.content
    )
    #expect(change.delta.rows.inserts.map { "\($0.id)" } == ["Work film,t"])
    #expect(change.delta.rows.deletes.map { "\($0.id)" } == ["Work film,s"])
    #expect(change.delta.rows.moves.map { "\($0.id)" } == ["Work book,1"])
    #expect(
      try texts(list) == [
        "book Solaris", "book Zadig", "film Alien, 117 min", "film Emma, 121 min",
      ]
    )
  }

  @Test
  func
    `R12: a value that only the object has changes its row, and what no row shows changes nothing`()
    async throws
  {
    let list = try await list()
    let generation = try list.results.generation
    try await base.write { try $0.update(Film("e", "Emma", 1996, 124)) }
    try await list.refresh()
    #expect(try list.results.generation == generation + 1)
    #expect(try texts(list)[1] == "film Emma, 124 min")
    try await base.write { try $0.update(Film("t", "Teaser", 1996, 3)) }
    try await list.refresh()
    #expect(try list.results.generation == generation + 1)
  }

  @Test(
    arguments: [
      ("kind == 'film'", ["film Emma, 121 min", "film Solaris, 167 min"]),
      ("NOT kind == 'film' AND year > 1900", ["book Solaris"]),
      ("kind BEGINSWITH 'b' AND title CONTAINS[c] 'EM'", ["book Emma"]),
      ("key IN {'s', 't'} OR year < 1900", ["book Emma", "film Solaris, 167 min"]),
    ] as [(String, [String])]
  )
  func `R12: a condition on the union reaches each branch as what it means there`(
    text: String,
    shown: [String]
  ) async throws {
    try await expect(try FetchPredicate(parsing: text, entity: works.entity), shows: shown)
  }

  @Test(
    arguments: [
      (.comparison(key, .equal, .literal(2)), ["book Solaris"]),
      (
        .comparison(key, .greater, .literal(5)),
        ["film Emma, 121 min", "film Solaris, 167 min"]
      ),
      (.comparison(.literal("a"), .greater, key), ["book Emma", "book Solaris"]),
      (
        .not(.membership(key, [1, "s"])),
        ["film Emma, 121 min", "book Solaris"]
      ),
      (.membership(key, [.null]), []),
      (.between(key, 2, "f"), ["film Emma, 121 min", "book Solaris"]),
      (.not(.between(key, 2, "f")), ["book Emma", "film Solaris, 167 min"]),
      (.text(key, .beginsWith, "s", caseInsensitive: false), ["film Solaris, 167 min"]),
      (
        .not(.text(key, .beginsWith, "s", caseInsensitive: false)),
        ["film Emma, 121 min"]
      ),
      (
        .comparison(.length(key), .equal, .literal(1)),
        ["film Emma, 121 min", "film Solaris, 167 min"]
      ),
      (.isNull(.length(key)), ["book Emma", "book Solaris"]),
      (.comparison(key, .less, .attribute("title")), ["book Emma", "book Solaris"]),
    ] as [(FetchPredicate, [String])]
  )
  func
    `R12: keys of several classes compare by their classes first, and functions of another class are null`(
      predicate: FetchPredicate,
      shown: [String]
    ) async throws
  {
    try await expect(predicate, shows: shown)
  }

  @Test func `R12: a comparison that a branch cannot make is refused, and not answered wrongly`()
    throws
  {
    let days = try EntityDescription(
      name: "Day",
      identity: .compound(["day"]),
      attributes: [AttributeDescription("day", .date)]
    )
    let union = try UnionDescription(
      "Entry",
      branches: [
        UnionBranch("day", entity: days, attributes: []),
        UnionBranch("film", of: Film.self, attributes: []),
      ]
    )
    let store = try UnionStore(
      over: try InMemoryStore(entities: [days, Film.entity]),
      unions: [union]
    )
    let request = FetchRequest<ObjectID>(
      entity: union.entity,
      where: .comparison(Self.key, .less, .literal(2.5)),
      sortedBy: [.ascending("kind")]
    )
    #expect(throws: StoreError.self) { try store.fetch(request) }
    #expect(throws: StoreError.self) { try store.count(of: request) }
  }

  private static let key = FetchExpression.attribute("key")

  private func expect(_ predicate: FetchPredicate, shows shown: [String]) async throws {
    #expect(try texts(try await list(predicate)) == shown, "\(predicate)")
    let count = try store.read { (snapshot) throws(StoreError) in
      try snapshot.count(of: works.entity, where: predicate)
    }
    #expect(count == shown.count, "\(predicate)")
  }

  @Test func `R12: rows of a union are only read, and the message says what to write`() throws {
    let id = try #require(
      works.rowID(of: ObjectID(entity: "Film", key: .text("e")), inBranch: "film")
    )
    let message =
      "Work shows objects of Book, Film and cannot be written. Write those objects. Nothing was written."
    let entity = works.entity
    let values = entity.attributes.map { _ in Value.null }
    let attempts: [@Sendable (any StoreTransaction) throws -> Void] = [
      { try $0.insert(values, key: nil, into: entity) },
      { _ = try $0.insert([values], keys: [nil], into: entity) },
      { try $0.update(id, to: values, of: entity) },
      { try $0.delete(id, of: entity) },
    ]
    for attempt in attempts {
      let error = #expect(throws: StoreError.self) { try store.write { try attempt($0) } }
      #expect(error?.description == message)
    }
  }

  @Test func `R12: in a transaction rows of a union are those that it writes`() throws {
    let entity = works.entity
    let counts = try store.write { transaction -> [Int] in
      let before = try transaction.count(of: entity, where: .all)
      try transaction.insert(Film("n", "Nosferatu", 1922, 94))
      let id = try #require(
        works.rowID(of: ObjectID(entity: "Film", key: .text("n")), inBranch: "film")
      )
      let row = try transaction.rows([id.key], of: entity)[0]
      #expect(row?["title"] == "Nosferatu")
      return [before, try transaction.count(of: entity, where: .all)]
    }
    #expect(counts == [4, 5])
  }

  @Test func `R12: a store that cannot have a union says why`() throws {
    #expect(throws: UnionError.repeatedEntity(union: "Work")) {
      try UnionStore(over: store, unions: [works])
    }
    let error = #expect(throws: UnionError.self) {
      try UnionStore(over: try InMemoryStore(entities: [Book.entity]), unions: [works])
    }
    #expect(
      error?.description
        == "The branch film of Work is over Film, which the store does not have. It has Book."
    )
  }

  @Test func `R12: what is cached of a list belongs to the branches of its union`() throws {
    let other = try UnionDescription(
      "Work",
      branches: [UnionBranch("book", of: Book.self, where: \.year > 1900, attributes: [])]
    )
    let bookmarks = try [[works], [other], []].map { unions in
      try UnionStore(over: base, unions: unions).read { (snapshot) throws(StoreError) in
        try snapshot.bookmark()
      }
    }
    guard bookmarks.allSatisfy({ $0 != nil }) else { return }
    #expect(Set(bookmarks).count == 3)
  }

  @Test func `R12, R77: a long list over indexes of all branches counts them`() async throws {
    let list = FetchedResultsController(
      FetchRequest<Row>(entity: works.entity, sortedBy: [.ascending("title")]),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: 0)
    )
    try await list.performFetch()
    guard case .indexed? = try await list.explain()?.keys else {
      Issue.record("held keys")
      return
    }
    try await base.write { try $0.update(Book(id: 1, title: "Zadig", year: 1747)) }
    try await list.refresh()
    #expect(
      try list.results.rows.map { try $0.object["title"].text } == [
        "Emma", "Solaris", "Solaris", "Zadig",
      ]
    )
  }
}
