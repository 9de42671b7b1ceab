import BookCatalog
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import Testing

@Suite struct BookCatalogTests {
  private static let shown = [
    "岩波書店": ["こわれた腕環", "さいはての島へ", "ホビットの冒険 上", "帰還", "影との戦い"],
    "文藝春秋": ["11/22/63(上)", "ミスター・メルセデス 上"],
    "早川書房": ["エターナル・フレイム", "クロックワーク・ロケット", "ロックイン-統合捜査-", "神の水"],
    "東京創元社": ["ラドチ戦史", "叛逆航路", "帰還兵の戦場1"],
  ]

  @Test func `the demo adds fourteen books, once`() async throws {
    let catalog = BookCatalog(try InMemoryStore(entities: BookCatalog.entities))
    #expect(try catalog.addDemoBooks() == 14)
    #expect(try catalog.addDemoBooks() == 0)
    let books = catalog.books()
    try await books.performFetch()
    #expect(books.sections.map(\.title) == ["岩波書店", "文藝春秋", "早川書房", "東京創元社"])
    for section in books.sections {
      let titles = try section.map { try $0.object.title }
      #expect(titles == Self.shown[section.title])
      #expect(section.count == titles.count)
    }
  }

  @Test func `a catalog with one book gets no demo, and opening or listing adds nothing`()
    async throws
  {
    let catalog = BookCatalog(try InMemoryStore(entities: BookCatalog.entities))
    let books = catalog.books()
    try await books.performFetch()
    #expect(books.sections.isEmpty)
    try catalog.add(Book(publisher: "", title: ""))
    #expect(try catalog.addDemoBooks() == 0)
    try await books.refresh()
    #expect(books.sections.map(\.title) == [""])
  }

  @Test func `the dump has every book and needs no controller`() throws {
    let catalog = BookCatalog(try InMemoryStore(entities: BookCatalog.entities))
    try catalog.addDemoBooks()
    var lines: [String] = []
    try catalog.dump { lines.append($0) }
    #expect(lines.count == 14)
    #expect(lines.first == "publisher=岩波書店 title=こわれた腕環")
    #expect(lines.last == "publisher=東京創元社 title=帰還兵の戦場1")
  }

  @Test func `reading the first twenty rows decodes at most twenty (R19, R22, R25, N26)`()
    async throws
  {
    let inner = try InMemoryStore(entities: BookCatalog.entities)
    try await inner.write { transaction in
      for number in 0..<100 {
        try transaction.insert(Book(publisher: "p\(number % 7)", title: "t\(number)"))
      }
    }
    let store = CountingStore(inner)
    let books = BookCatalog(store).books()
    try await books.performFetch()
    #expect(books.sections.map(\.count).reduce(0, +) == 100)
    #expect(store.rowsRead == 0)
    let results = try books.results
    for position in 0..<20 { _ = try results.rows[position].object }
    #expect(store.rowsRead == 20)
  }

  @Test func `the controller alone answers the questions of a table (R20, R21)`() async throws {
    let catalog = BookCatalog(try InMemoryStore(entities: BookCatalog.entities))
    try catalog.addDemoBooks()
    let books = catalog.books()
    try await books.performFetch()
    let path = RowPath(section: 2, row: 3)
    let book = try books.object(at: path)
    #expect(book.title == "神の水")
    #expect(books.path(of: try #require(book.objectID)) == path)
    #expect(books.rows?.count == 14)
    #expect(throws: ResultsError.self) { try books.object(at: RowPath(section: 9, row: 0)) }
  }

  @Test func `publisher and title are required, and may be empty`() throws {
    let catalog = BookCatalog(try InMemoryStore(entities: BookCatalog.entities))
    try catalog.add(Book(publisher: "", title: ""))
    var values = Book(publisher: "p", title: "t").attributeValues
    values[1] = .null
    #expect(throws: StoreError.self) {
      try catalog.store.write { try $0.insert(values, key: nil, into: Book.entity) }
    }
    #expect(try catalog.store.count(of: BookCatalog.request(Book.self)) == 1)
  }
}

/// A store that counts the rows that are read through it.
private final class CountingStore: Store {
  private let store: any Store
  private let count = Mutex(0)

  init(_ store: any Store) { self.store = store }

  var rowsRead: Int { count.withLock { $0 } }

  var identity: StoreIdentity { store.identity }
  var capabilities: StoreCapabilities { store.capabilities }
  var entities: [EntityDescription] { store.entities }
  var executor: (any TaskExecutor)? { store.executor }
  func checkForExternalChanges() throws(StoreError) { try store.checkForExternalChanges() }
  func close() throws(StoreError) { try store.close() }
  func commitNotifications() -> AsyncStream<Void> { store.commitNotifications() }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try store.commit(origin: origin, body)
  }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try store.read { (snapshot) throws(StoreError) in
      let counting = CountingSnapshot(snapshot)
      defer { count.withLock { $0 += counting.rowsRead } }
      return try body(counting)
    }
  }
}

/// A snapshot that counts the rows that are read from it.
private final class CountingSnapshot: StoreSnapshot {
  private let snapshot: any StoreSnapshot
  private(set) var rowsRead = 0

  init(_ snapshot: any StoreSnapshot) { self.snapshot = snapshot }

  var version: StoreVersion { snapshot.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    rowsRead += keys.count
    return try snapshot.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try snapshot.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try snapshot.digests(of: definition, attributes: attributes, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    try snapshot.history(since: version, of: entity)
  }
}
