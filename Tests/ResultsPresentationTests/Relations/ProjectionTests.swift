import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// Typed rows with related values, and objects read beside the rows.
@Suite("Projections and prefetched objects", .timeLimit(.minutes(5)))
struct ProjectionTests {
  struct Book: Entity {
    var id: Int64?
    var title = ""
    var authorID: Int64?

    static let author = ToOne<Book, Author>("author", \.authorID)
    static let tags = ToMany<Book, Tag>("tags", through: Link("BookTag", "bookID", "tagID"))

    static let schema = EntitySchema<Book>("Book", identity: \.id) {
      Attribute(\.title, "title")
      Attribute(\.authorID, "authorID")
      Relationship(author)
      Relationship(tags)
    }
  }

  struct Author: Entity, Equatable {
    var id: Int64?
    var name = ""
    var born: Instant?
    var fee: ExactDecimal = ExactDecimal(units: 0, scale: 2)
    var countryCode: String?

    static let country = ToOne<Author, Country>("country", \.countryCode)
    static let books = ToMany<Author, Book>("books", inverse: Book.author)

    static let schema = EntitySchema<Author>("Author", identity: \.id) {
      Attribute(\.name, "name")
      Attribute(\.born, "born", as: .dateText(digits: 3))
      Attribute(\.fee, "fee", scale: 2)
      Attribute(\.countryCode, "countryCode")
      Relationship(country)
      Relationship(books)
    }
  }

  struct Country: Entity, Equatable {
    var code = ""
    var name = ""

    static let schema = EntitySchema<Country>("Country", textIdentity: \.code) {
      Attribute(\.name, "name")
    }
  }

  struct Tag: Entity, Equatable {
    var id: Int64?
    var name: String?

    static let schema = EntitySchema<Tag>("Tag", identity: \.id) {
      Attribute(\.name, "name")
    }
  }

  struct BookRow: FetchedProjection, Equatable {
    var id: Int64?
    var title = ""
    var author: String?
    var born: Instant?
    var fee: ExactDecimal?
    var country: String?
    var tags: [String] = []
    var tagCount = 0

    static let fields = ProjectionFields<BookRow, Book> {
      Field(\.id, \.id)
      Field(\.title, \.title)
      Field(\.author, \.author.name)
      Field(\.born, \.author.born)
      Field(\.fee, \.author.fee)
      Field(\.country, \.author.country.name)
      Field(\.tags, \.tags.name)
      Field(\.tagCount, \.tags.count)
    }
  }

  private let store: InMemoryStore
  private static let byTitle = FetchRequest<Book>(sortedBy: [.ascending(\.title)])

  init() throws {
    let link = try #require(Book.tags.link)
    store = try InMemoryStore(
      entities: [Book.entity, Author.entity, Country.entity, Tag.entity, link]
    )
    try store.write { transaction in
      try transaction.insert(Country(code: "it", name: "Italy"))
      let born = Instant(microseconds: -1_000_000_000_000)
      let fee = ExactDecimal(units: 250, scale: 2)
      try transaction.insert(Author(id: 1, name: "Eco", born: born, fee: fee, countryCode: "it"))
      try transaction.insert(Author(id: 2, name: "Lem", countryCode: "xx"))
      try transaction.insert(Book(id: 1, title: "a", authorID: 1))
      try transaction.insert(Book(id: 2, title: "b", authorID: 2))
      try transaction.insert(Book(id: 3, title: "c", authorID: 9))
      try transaction.insert(Book(id: 4, title: "d"))
      for (id, name) in [(1, "sea"), (2, "war"), (3, "sea"), (4, nil)] as [(Int64, String?)] {
        try transaction.insert(Tag(id: id, name: name))
      }
      for (book, tag) in [(1, 2), (1, 1), (1, 3), (1, 4), (2, 2), (3, 7)] as [(Value, Value)] {
        try Self.tag(transaction, book, tag)
      }
    }
  }

  private static func tag(
    _ transaction: any StoreTransaction,
    _ book: Value,
    _ tag: Value
  ) throws {
    let link = try #require(Book.tags.link)
    try transaction.insert([book, tag], key: nil, into: link)
  }

  private func write(_ body: (any StoreTransaction) throws -> Void) throws {
    try store.commit(origin: .unnamed, body)
  }

  private func live<Object: FetchedObject>(
    _ request: FetchRequest<Object>
  ) async throws -> FetchedResultsController<Object> {
    let list = FetchedResultsController(ResultsDefinition(request), in: store)
    try await list.performFetch()
    return list
  }

  /// The changes of rows by a commit, as lines of a row's key and the changed names.
  private func changes(
    _ request: FetchRequest<some FetchedObject>,
    by write: (any StoreTransaction) throws -> Void
  ) throws -> [String] {
    let plan = try ListPlan(ResultsDefinition(request))
    var engine = try store.read { (store) throws(StoreError) in
      try ListEngine(plan, from: store, generation: 1, maintainsDigests: false)
    }
    try store.commit(origin: .unnamed, write)
    let steps = try store.read { (store) throws(StoreError) in try engine.advance(to: store) }
    return steps.flatMap { step in
      (step.delta.rows.updates + step.delta.rows.moves).map { survivor in
        let names = survivor.changed?.names(in: plan.entity) ?? ["?"]
        return "\(survivor.id.key): \(names.joined(separator: " "))"
      }
    }.sorted()
  }

  @Test func `R92: a projection has the values of related objects, and nil where there is none`()
    async throws
  {
    let list = try await live(Self.byTitle.projecting(BookRow.self))
    let rows = try list.results.objects(at: 0..<4)
    #expect(
      rows[0]
        == BookRow(
          id: 1,
          title: "a",
          author: "Eco",
          born: Instant(microseconds: -1_000_000_000_000),
          fee: ExactDecimal(units: 250, scale: 2),
          country: "Italy",
          tags: ["sea", "sea", "war"],
          tagCount: 4
        )
    )
    #expect(rows[1].author == "Lem" && rows[1].country == nil && rows[1].born == nil)
    #expect(rows[2] == BookRow(id: 3, title: "c"))
    #expect(rows[3] == BookRow(id: 4, title: "d"))
    #expect(try list.results.rows.map(\.author) == ["Eco", "Lem", .some(nil), .some(nil)])
    let fetched = try store.fetch(FetchRequest<BookRow>(sortedBy: [.ascending(\.title)]))
    #expect(fetched == rows)
  }

  @Test func `R95: a projected value that changes is an update that names its path`() throws {
    let request = Self.byTitle.projecting(BookRow.self)
    #expect(
      try changes(request) { transaction in
        try transaction.update(Author(id: 1, name: "Umberto", countryCode: "it"))
      } == ["1: author.name author.born author.fee"]
    )
    #expect(
      try changes(request) { try $0.update(Country(code: "it", name: "Italia")) }
        == ["1: author.country.name"]
    )
    // A deleted target, and a key that begins to name an object.
    #expect(
      try changes(request) { transaction in
        _ = try transaction.delete(Author(id: 2))
        try transaction.insert(Author(id: 9, name: "New"))
      } == ["2: author.name author.fee", "3: author.name author.fee"]
    )
    // What the projection does not have is not observed.
    let titles = Self.byTitle.returning([.attribute(\.title)])
    #expect(try changes(titles) { try $0.update(Author(id: 1, name: "E")) } == [])
  }

  @Test func `R95: a tag that is added, removed or renamed is an update of the list`() throws {
    struct Tags: FetchedProjection {
      var tags: [String] = []
      static let fields = ProjectionFields<Tags, Book> { Field(\.tags, \.tags.name) }
    }
    let request = Self.byTitle.projecting(Tags.self)
    #expect(try changes(request) { try Self.tag($0, 4, 2) } == ["4: tags.name"])
    #expect(try changes(request) { try $0.update(Tag(id: 2, name: "peace")) }.count == 3)
    #expect(try changes(request) { _ = try $0.delete(Tag(id: 3)) } == ["1: tags.name"])
    // A tag without a name is not in the list, and two of the same name may be exchanged.
    #expect(try changes(request) { try Self.tag($0, 2, 4) } == [])
    let read = try store.fetch(request).map(\.tags)
    #expect(read == [["peace", "sea"], ["peace"], [], ["peace"]])
  }

  @Test func `R99: prefetched objects are read with their rows`() async throws {
    let list = try await live(
      Self.byTitle.prefetching(\.author, \.author.country, \.tags, \.author.books)
    )
    let rows = try list.results.rows
    #expect(try rows[0].related(\.author)?.name == "Eco")
    #expect(try rows[0].related(\.author)?.fee == ExactDecimal(units: 250, scale: 2))
    #expect(try rows[0].related(\.author.country) == Country(code: "it", name: "Italy"))
    #expect(
      try rows[0].related(\.tags)
        == [
          Tag(id: 1, name: "sea"), Tag(id: 2, name: "war"), Tag(id: 3, name: "sea"),
          Tag(id: 4, name: nil),
        ]
    )
    #expect(try rows[0].related(\.author.books).map(\.title) == ["a"])
    #expect(try rows[1].related(\.author.country) == nil)
    #expect(try rows[2].related(\.author) == nil)
    #expect(try rows[2].related(\.tags) == [])
    #expect(try rows[3].related(\.author.books).isEmpty)
    #expect(try rows[0].object.title == "a")
    let plain = try await live(Self.byTitle.prefetching(\.tags))
    let row = try plain.results.rows[0]
    #expect {
      try row.related(\.author)
    } throws: { error in
      "\(error)".hasPrefix("The objects of author were not read with the rows of Book.")
    }
    let fetched = try store.fetch(Self.byTitle.prefetching(\.author).returning(Row.self))
    #expect(try fetched[0].related(Book.author)?.id == 1)
  }

  @Test func `R95: a prefetched object is observed, so that no row shows an older one`() throws {
    let request = Self.byTitle.prefetching(\.author, \.tags)
    #expect(
      try changes(request) { transaction in
        try transaction.update(Author(id: 2, name: "Stanisław", countryCode: "xx"))
      } == ["2: author.name"]
    )
    #expect(try changes(request) { try $0.update(Tag(id: 1, name: "lake")) } == ["1: tags.*"])
    #expect(
      try changes(request) { try $0.update(Country(code: "it", name: "I")) } == []
    )
  }

  @Test func `R99: a value of a related object that does not fit concerns its row only`()
    async throws
  {
    try write { transaction in
      let id = ObjectID(entity: "Author", key: .integer(2))
      try transaction.update(
        id,
        to: ["Lem", "no date", 0, .null],
        of: Author.entity
      )
    }
    let list = try await live(Self.byTitle.projecting(BookRow.self))
    #expect(throws: ResultsError.self) { try list.results.rows[1].object }
    #expect(try list.results.rows[0].object.author == "Eco")
    let prefetched = try await live(Self.byTitle.prefetching(\.author))
    #expect(throws: ResultsError.self) { try prefetched.results.rows[1].related(\.author) }
    #expect(try prefetched.results.rows[0].related(\.author)?.name == "Eco")
  }

  @Test func `R99: a page of 50 with two relationships is three readings`() throws {
    try store.write { transaction in
      for number in 0..<60 {
        try transaction.insert(Book(title: "x", authorID: Int64(number % 2 + 1)))
      }
    }
    #expect(try work(Self.byTitle.prefetching(\.author, \.author.country)) == [3, 50 + 3 + 2])
    let projected = Self.byTitle.projecting(BookRow.self)
    // Two to-one steps, the links and the tags.
    #expect(try work(projected)[0] == 5)
  }

  /// The readings and the rows read for a page of 50.
  private func work(_ request: FetchRequest<some FetchedObject>) throws -> [Int] {
    let plan = try ListPlan(ResultsDefinition(request))
    return try store.read { (store) throws(StoreError) in
      let engine = try ListEngine(plan, from: store, generation: 1, maintainsDigests: false)
      let counting = CountingSnapshot(store)
      _ = try engine.snapshot.page(at: 0..<50, in: counting)
      return [counting.work.queries, counting.work.rows]
    }
  }

  @Test func `R100: a list that only shows related values stays over its index`() async throws {
    var options = ResultsOptions()
    options.inMemoryKeyLimit = 0
    let request = Self.byTitle.projecting(BookRow.self)
    let list = FetchedResultsController(ResultsDefinition(request), in: store, options: options)
    try await list.performFetch()
    let explanation = try #require(try await list.explain())
    guard case .indexed = explanation.keys else {
      Issue.record("the keys are held: \(explanation.keys)")
      return
    }
    try write { try $0.update(Tag(id: 2, name: "peace")) }
    try await list.refresh()
    #expect(
      try list.results.objects(at: 0..<2).map(\.tags) == [["peace", "sea", "sea"], ["peace"]]
    )
  }

  @Test func `R95: a field that the entity does not have is refused by name`() throws {
    struct Typo: FetchedProjection {
      var rank: Int?
      static let fields = ProjectionFields<Typo, Book> { Field(\.rank, \.unknown) }
    }
    #expect {
      try ListPlan(ResultsDefinition(Self.byTitle.projecting(Typo.self)))
    } throws: { error in
      "\(error)".hasPrefix("Book has no stored attribute named")
    }
    var request = Self.byTitle.returning(Row.self)
    for name in ["tags.colour", "author.colour", "autor.name", "tags.SELF.name", "tags"] {
      request.propertiesToFetch = [name]
      #expect(throws: RequestError.self, "\(name)") { try ListPlan(ResultsDefinition(request)) }
    }
    request.propertiesToFetch = nil
    request.relationshipPathsForPrefetching = [["autor"]]
    #expect(throws: RequestError.self) { try ListPlan(ResultsDefinition(request)) }
    request.relationshipPathsForPrefetching = [[]]
    #expect(throws: RequestError.self) { try ListPlan(ResultsDefinition(request)) }
  }
}

extension ProjectionTests.Book {
  /// A property that the schema does not have.
  fileprivate var unknown: Int? { nil }
}
