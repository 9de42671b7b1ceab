import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import TerminalFrontEnd

@testable import ListBrowser

/// A small list in memory with a browser over it, without a terminal, a thread or a clock.
struct World {
  static let entity = try? EntityDescription(
    name: "Book",
    attributes: [
      AttributeDescription("publisher", .text),
      AttributeDescription("title", .text),
      AttributeDescription("year", .integer64, isOptional: true),
    ]
  )

  let entity: EntityDescription
  let store: InMemoryStore
  let controller: FetchedResultsController<Row>
  var changes: ResultsChanges<Row>.AsyncIterator
  var model: BrowserModel
  var now = Duration.zero
  /// What the model asked for besides pages and searches.
  var effects: [BrowserEffect] = []
  /// Whether searches are answered only when the test does it.
  var searchesLate = false

  init(
    _ rows: [(String, String, Int?)] = [],
    columns: Int = 60,
    lines: Int = 14,
    isSectioned: Bool = true,
    sortedBy sort: String = "title"
  ) async throws {
    guard let entity = World.entity else { throw ResultsError.notFetched }
    self.entity = entity
    store = try InMemoryStore(entities: [entity])
    if !rows.isEmpty {
      _ = try store.commit(origin: .unnamed) { transaction in
        for row in rows {
          _ = try transaction.insert(World.values(row), key: nil, into: entity)
        }
      }
    }
    let request = FetchRequest<Row>(entity: entity, sortedBy: [.ascending(sort)])
    controller = FetchedResultsController(
      ResultsDefinition(request, sectionedBy: isSectioned ? .attribute("publisher") : nil),
      in: store
    )
    try await controller.performFetch()
    changes = controller.changes.makeAsyncIterator()
    let titles = ["publisher", "title", "year"]
    let all = titles.enumerated().map { index, title in
      BrowserSetup.Column(
        title,
        alignment: index == 2 ? .trailing : .leading,
        attribute: index
      ) { row in
        switch row.values[index] {
        case .text(let text): text
        case .integer(let number): String(number)
        default: ""
        }
      }
    }
    let setup = BrowserSetup(
      program: "book-catalog",
      file: "books.sqlite",
      nouns: ("book", "books"),
      columns: Array(all.dropFirst()),
      details: all,
      order: "by publisher ▸ title",
      sortNames: titles,
      sectionNames: titles
    )
    model = BrowserModel(setup, size: TerminalSize(columns: columns, rows: lines))
    try await follow()
  }

  static func values(_ row: (String, String, Int?)) -> [Value] {
    [.text(row.0), .text(row.1), row.2.map { .integer(Int64($0)) } ?? .null]
  }

  /// Takes the next event of the list.
  mutating func follow() async throws {
    guard let event = await changes.next(isolation: nil) else { return }
    try send(.list(pane: 0, event))
  }

  /// Sends an event, and answers the requests for pages at once.
  mutating func send(_ event: BrowserEvent) throws {
    var waiting = model.update(event, at: now)
    while !waiting.isEmpty {
      switch waiting.removeFirst() {
      case .readPage(let pane, let list, let positions):
        let rows: [Row?] = try list.objects(at: positions)
        waiting += model.update(.page(pane: pane, from: positions.lowerBound, rows: rows), at: now)
      case .find(let search, _, let list, let ids) where !searchesLate:
        let paths = ids.map { list.path(of: $0) }
        waiting += model.update(.found(search: search, paths), at: now)
      case let other: effects.append(other)
      }
    }
  }

  /// Presses keys, given as the bytes that a terminal sends.
  mutating func press(_ text: String) throws {
    var parser = KeyParser()
    for input in parser.feed(Array(text.utf8)) + parser.flush() {
      switch input {
      case .key(let key): try send(.key(key))
      case .paste(let text): try send(.paste(text))
      case .mouse(let mouse): try send(.mouse(mouse))
      }
    }
  }

  /// Commits, and shows the change.
  mutating func write(
    origin: CommitOrigin = .unnamed,
    _ body: (any StoreTransaction, World) throws -> Void
  ) async throws {
    let world = self
    _ = try store.commit(origin: origin) { try body($0, world) }
    try await follow()
  }

  /// The lines of the screen.
  var screen: [String] { BrowserView.surface(of: model).lines }

  /// The row with a title.
  func row(_ title: String) throws -> Row? {
    try controller.results.objects().first { $0.values[1] == .text(title) }
  }
}

extension StoreTransaction {
  func add(_ publisher: String, _ title: String, _ year: Int? = nil, in world: World) throws {
    _ = try insert(World.values((publisher, title, year)), key: nil, into: world.entity)
  }

  func change(
    _ title: String,
    in world: World,
    _ body: (inout [Value]) -> Void
  ) throws {
    guard let row = try world.row(title) else { return }
    var values = row.values
    body(&values)
    try update(row.id, to: values, of: world.entity, ifUnchangedFrom: nil)
  }

  func remove(_ title: String, in world: World) throws {
    guard let row = try world.row(title) else { return }
    try delete(row.id, of: world.entity)
  }
}
