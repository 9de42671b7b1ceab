import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R224: a list that is opened over another one, and left again.
@Suite("Lists over other lists")
struct VisitTests {
  /// The books of two publishers: a list of names, each of which opens the list of its books.
  private final class Shop: Sendable {
    let store: InMemoryStore
    let entity: EntityDescription
    let closed = Mutex<[String]>([])
    /// Whether a row is added for each one that is drawn, so that no screen shows all of them.
    let isBusy = Atomic(false)

    init() throws {
      entity = try #require(World.entity)
      store = try InMemoryStore(entities: [entity])
      try add([("A", "a1", 1), ("A", "a2", 2), ("B", "b1", 3)])
    }

    func add(_ rows: [(String, String, Int?)]) throws {
      let entity = entity
      _ = try store.commit(origin: .unnamed) { transaction in
        for row in rows { _ = try transaction.insert(World.values(row), key: nil, into: entity) }
      }
    }

    /// A list of the books that have a text in one of their columns, sorted by title.
    func list(_ predicate: FetchPredicate, named file: String) -> (BrowserSetup, BrowserSource) {
      let column = BrowserSetup.Column("title") { row in
        if self.isBusy.load(ordering: .relaxed) { try? self.add([("A", "a3", 1)]) }
        return if case .text(let text) = row.values[1] { text } else { "" }
      }
      var setup = BrowserSetup(
        program: "shop",
        file: file,
        nouns: ("book", "books"),
        columns: [column],
        details: [column]
      )
      setup.hasLinks = true
      let (store, entity) = (store, entity)
      var source = BrowserSource { _ in
        let request = FetchRequest<Row>(
          entity: entity,
          where: predicate,
          sortedBy: [.ascending("title")]
        )
        let definition = ResultsDefinition(request)
        return BrowserSource.Definition(
          FetchedResultsController(definition, in: store),
          order: "by title"
        )
      }
      source.links = { id in
        try self.publishers(of: id).map { BrowserLink(name: $0, title: "books of \($0)") }
      }
      source.visit = { id, link in
        guard link.name != "B" else { throw BrowserSource.Refusal("B shows nothing.") }
        let visited = self.list(
          .comparison(.attribute("publisher"), .equal, .literal(.text(link.name))),
          named: link.name
        )
        return BrowserVisit(visited.0, source: visited.1, at: id) {
          self.closed.withLock { $0.append(link.name) }
        }
      }
      return (setup, source)
    }

    private func publishers(of id: ObjectID) throws -> [String] {
      let row = try store.read { (snapshot) throws(StoreError) in
        try snapshot.rows([id.key], of: self.entity).first ?? nil
      }
      guard case .text(let publisher)? = row?.values[0] else { return [] }
      return [publisher, "C"]
    }

    /// The screen after some keys.
    func screen(
      _ keys: String,
      opensRows: Bool = false,
      patience: Duration = .seconds(60)
    ) async throws -> [String] {
      var (setup, source) = list(.all, named: "all")
      setup.opensRows = opensRows
      if opensRows {
        source.links = { id in
          try self.publishers(of: id).prefix(1).map { BrowserLink(name: $0, title: $0) }
        }
      }
      var parser = KeyParser()
      let inputs = parser.feed(Array(keys.utf8)) + parser.flush()
      return try await BrowserLoop(setup, source: source)
        .screen(after: inputs, size: TerminalSize(columns: 60, rows: 10), patience: patience)
        .lines
    }
  }

  @Test func `R224: a row opens another list at its row, and q goes back to the row it came from`()
    async throws
  {
    let shop = try Shop()
    var lines = try await shop.screen("jf")
    #expect(lines.contains { $0.hasPrefix(">  books of A") }, "\(lines)")
    lines = try await shop.screen("jf\r")
    #expect(lines[0].hasPrefix(" shop  A ") && lines[0].contains("2 books"))
    #expect(lines.contains(">  a2"), "\(lines)")
    #expect(lines.last?.contains("q back") == true)
    #expect(shop.closed.withLock { $0 } == ["A"])
    for back in ["q", "\u{1B}", "\u{F}", "kf\rqq"] {
      lines = try await shop.screen("jf\r" + back)
      #expect(lines[0].hasPrefix(" shop  all ") && lines[0].contains("3 books"))
      #expect(lines.contains(">  a2"), "\(back): \(lines)")
    }
    // What is open within the list is closed first, and Q leaves from all lists.
    lines = try await shop.screen("jf\r \u{1B}")
    #expect(lines[0].hasPrefix(" shop  A"))
    lines = try await shop.screen("jf\rQq")
    #expect(lines[0].hasPrefix(" shop  A"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `R194: a screen is printed although others commit without a pause`() async throws {
    let shop = try Shop()
    shop.isBusy.store(true, ordering: .relaxed)
    let lines = try await shop.screen("j", patience: .milliseconds(200))
    #expect(lines[0].hasPrefix(" shop  all ") && lines.contains { $0.hasPrefix(">  a") })
    // What is committed is more than what is shown. How much of it a screen shows depends on the
    // machine: on a busy one it is the first fetch of three books.
    let shown = try #require(lines[0].firstMatch(of: /([0-9,]+) books/)?.1)
    let committed = try shop.store.read { (snapshot) throws(StoreError) in
      try snapshot.count(of: shop.entity, where: .all)
    }
    #expect(try #require(Int(shown.filter { $0 != "," })) < committed)
  }

  @Test func `R224: a row that names another list opens it by Enter, and o shows its values`()
    async throws
  {
    let shop = try Shop()
    let opened = try await shop.screen("\r", opensRows: true)
    #expect(opened[0].hasPrefix(" shop  A"))
    let values = try await shop.screen("o", opensRows: true)
    #expect(values[0].hasPrefix(" shop  all"))
    #expect(values.contains { $0.contains("── a1") }, "\(values)")
    #expect(values.last?.contains("Enter open") == true)
  }

  @Test func `R224: a list that cannot be opened says why, and the present one stays`() async throws
  {
    let shop = try Shop()
    let lines = try await shop.screen("Gf\r")
    #expect(lines[0].hasPrefix(" shop  all"))
    #expect(lines.contains { $0.contains("B shows nothing.") }, "\(lines)")
    #expect(lines.contains(">  b1"))
  }

  @Test func `R224: a list without others knows no such key`() async throws {
    var world = try await World([("A", "a", 1)])
    try world.press("f")
    #expect(world.model.message == "f is not a key here: ? shows all keys.")
    try world.press("?foreign")
    #expect(world.screen.contains { $0.contains("No key does “foreign”") })
  }

  @Test func `R224: keys wait while another list is being opened`() async throws {
    var world = try await World([("A", "a", 1), ("A", "b", 2)])
    world.model.setup.hasLinks = true
    try world.press("jjf")
    let id = try #require(world.model.pane.cursorID)
    let link = BrowserLink(name: "x", title: "x")
    try world.send(.performed(BrowserOutcome("", .links([link], of: id))))
    #expect(!world.model.isVisiting)
    try world.press("\r")
    #expect(world.model.isVisiting && !world.model.isSettled)
    guard case .visit(id, link)? = world.effects.last else {
      Issue.record("nothing is opened: \(world.effects)")
      return
    }
    try world.send(.performed(BrowserOutcome("Not there.")))
    #expect(!world.model.isVisiting && world.model.message == "Not there.")
  }
}
