import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import TerminalFrontEnd

@testable import ListBrowser

/// A browser over a random list, driven by random keys and commits.
struct LawWorld {
  private static let entity = try? EntityDescription(
    name: "Thing",
    attributes: [
      AttributeDescription("series", .text, isOptional: true),
      AttributeDescription("rank", .integer64),
      AttributeDescription("note", .text),
    ]
  )
  private static let series = ["a", "b", "か", "か\u{3099}", "", "d", "e", "f"]
  private static let notes = ["x", "y", "影", "👩‍🚀", "\u{1B}]52;c;aGk=\u{7}", "a\u{202E}b"]

  let entity: EntityDescription
  let store: InMemoryStore
  let controller: FetchedResultsController<Row>
  var generator: SeededGenerator
  var model: BrowserModel
  var painter = Painter()
  var terminal: ReplayedScreen
  private var changes: ResultsChanges<Row>.AsyncIterator
  private var keys: [ObjectKey] = []
  /// The list at the last event.
  private var delivered: (content: ResultsContent, rows: [Row])?

  init(seed: UInt64) async throws {
    guard let entity = LawWorld.entity else { throw ResultsError.notFetched }
    self.entity = entity
    store = try InMemoryStore(entities: [entity])
    generator = SeededGenerator(seed: seed)
    var drawn = generator
    let sorts: [[FetchSortDescriptor]] = [
      [.ascending("rank")], [.descending("rank"), .ascending("note")], [.ascending("note")],
    ]
    let sections: [SectionKey?] = [
      nil, .attribute("series"), .attribute("series", .descending),
      .expression(.bucket(.attribute("rank"), width: 4)),
      SectionKey(
        .expression(
          .attribute("series"),
          orderedBy: .bucket(.attribute("rank"), width: 5),
          .ascending,
          nulls: nil
        ),
        contiguity: .merge
      ),
    ]
    controller = FetchedResultsController(
      ResultsDefinition(
        FetchRequest<Row>(
          entity: entity,
          sortedBy: drawn.element(of: sorts) ?? [],
          fetchLimit: drawn.happens(percent: 20) ? 12 : nil
        ),
        sectionedBy: drawn.element(of: sections) ?? nil
      ),
      in: store
    )
    let columns = ["series", "rank", "note"].enumerated().map { index, title in
      BrowserSetup.Column(title, attribute: index) { "\($0.values[index])" }
    }
    let setup = BrowserSetup(
      program: "things",
      file: "things.sqlite",
      nouns: ("thing", "things"),
      columns: columns,
      details: columns
    )
    let size = TerminalSize(columns: 70, rows: 16)
    // A third of the lists is observed in part, as those of more than 100,000 rows are.
    var shown = setup
    if drawn.happens(percent: 33) { shown.mostWholeRows = 0 }
    model = BrowserModel(shown, size: size)
    terminal = ReplayedScreen(size: size)
    changes = controller.changes.makeAsyncIterator()
    generator = drawn
    try commit(rows: 30)
    try await controller.performFetch()
    if let event = try await nextEvent() { try send(.list(pane: 0, event)) }
  }

  /// The next event of the list, or `nil` if the list is what it was at the last one.
  ///
  /// Commits that take each other back arrive as no change at all, for which nothing may wait.
  mutating func nextEvent() async throws -> ResultsEvent<Row>? {
    let list = try controller.results
    let (content, rows) = (try list.snapshot.content, try list.objects())
    if let delivered, delivered.content == content, delivered.rows == rows { return nil }
    delivered = (content, rows)
    return await changes.next(isolation: nil)
  }

  /// Sends an event, and reads the pages that the model asks for.
  mutating func send(_ event: BrowserEvent) throws {
    var waiting = model.update(event, at: .zero)
    while !waiting.isEmpty {
      switch waiting.removeFirst() {
      case .readPage(let pane, let list, let positions):
        let rows = positions.map { try? list.objects(at: $0..<$0 + 1).first }
        let page = BrowserEvent.page(pane: pane, from: positions.lowerBound, rows: rows)
        waiting += model.update(page, at: .zero)
      case .find(let search, _, let list, let ids):
        let paths = ids.map { list.path(of: $0) }
        waiting += model.update(.found(search: search, paths), at: .zero)
      case .observe(_, let rows): controller.observedRows = rows
      default: continue
      }
    }
  }

  /// Commits a random transaction.
  /// - Returns: Whether the list changed.
  @discardableResult
  mutating func commit(rows: Int, origin: CommitOrigin = .unnamed) throws -> Bool {
    var (drawn, known) = (generator, keys)
    let entity = entity
    let before = try? controller.results.position
    let outcome = try store.commit(origin: origin) { transaction -> [ObjectKey] in
      var keys = known
      for _ in 0..<rows {
        let values: [Value] = [
          drawn.happens(percent: 15) ? .null : .text(drawn.element(of: LawWorld.series) ?? ""),
          .integer(Int64(drawn.number(in: 0...12))), .text(drawn.element(of: LawWorld.notes) ?? ""),
        ]
        let isLong = keys.count > 45
        switch drawn.number(in: 0...(isLong ? 7 : 4)) {
        case 0, 1: keys.append(try transaction.insert(values, key: nil, into: entity).key)
        case 2, 3:
          guard let key = drawn.element(of: keys),
            case .some(.some(let row)) = try transaction.rows([key], of: entity).first
          else { continue }
          var changed = row.values
          let attribute = drawn.number(in: 0...2)
          changed[attribute] = values[attribute]
          try transaction.update(row.id, to: changed, of: entity, ifUnchangedFrom: nil)
        default:
          guard let key = drawn.element(of: keys) else { continue }
          keys.removeAll { $0 == key }
          try transaction.delete(ObjectID(entity: entity.name, key: key), of: entity)
        }
      }
      return keys
    }
    known = outcome.result
    (generator, keys) = (drawn, known)
    return before != (try? controller.results.position)
  }

  /// Whether an object is still in the store.
  func isAlive(_ id: ObjectID) -> Bool { keys.contains(id.key) }
}
