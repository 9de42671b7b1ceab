import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R08, R09, R79, R80, R107: what an arrangement means, and which ones are refused.
@Suite("An arrangement of sections")
struct SectionArrangementTests {
  /// A board of tasks with three columns.
  private struct Board {
    let store: InMemoryStore
    let entity: EntityDescription
    var definition: ResultsDefinition<Row>

    init() throws {
      entity = try EntityDescription(
        name: "Task",
        attributes: [
          AttributeDescription("status", .text, isOptional: true),
          AttributeDescription("title", .text), AttributeDescription("points", .integer32),
        ]
      )
      store = try InMemoryStore(entities: [entity])
      definition = ResultsDefinition(
        FetchRequest<Row>(entity: entity, sortedBy: [.ascending("title")]),
        sectionedBy: .attribute("status")
      )
      definition.arrangement.fixed = [
        .init("todo", title: "To do"), .init("doing", title: "Doing"),
        .init("done", title: "Done", isShownWhenEmpty: false),
      ]
    }

    @discardableResult
    func add(_ title: String, _ status: String?, points: Int64 = 1) throws -> ObjectID {
      try store.write { transaction in
        let values: [Value] = [
          status.map { .text($0) } ?? .null, .text(title), .integer(points),
        ]
        return try transaction.insert(values, key: nil, into: entity)
      }
    }

    func set(_ id: ObjectID, _ values: [Value]) throws {
      try store.write { try $0.update(id, to: values, of: entity) }
    }

    func controller() async throws -> FetchedResultsController<Row> {
      let controller = FetchedResultsController(definition, in: store)
      try await controller.performFetch()
      return controller
    }
  }

  private func words(_ controller: FetchedResultsController<Row>) throws -> [String] {
    try controller.results.sections.map { section in
      let all = section.header.matchingCount.map { " of \($0)" } ?? ""
      return "\(section.title) \(section.count)\(all)"
    }
  }

  @Test func `R08: fixed sections stay in their order while they are empty, others follow`()
    async throws
  {
    let board = try Board()
    let controller = try await board.controller()
    #expect(try words(controller) == ["To do 0", "Doing 0"])
    try board.add("b", "doing")
    try board.add("a", "later")
    try board.add("n", nil)
    #expect(try words(controller) == ["To do 0", "Doing 1", " 1", "later 1"])
    try await controller.update { $0.arrangement.others = .before }
    #expect(try words(controller) == [" 1", "later 1", "To do 0", "Doing 1"])
    try await controller.update { $0.arrangement.others = .hidden }
    #expect(try words(controller) == ["To do 0", "Doing 1"])
    #expect(try controller.results.count == 1)
    #expect(try controller.results.matchingCount == 3)
  }

  @Test func `R09: a section that is not shown while it is empty comes and goes with its rows`()
    async throws
  {
    let board = try Board()
    let controller = try await board.controller()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    let id = try board.add("a", "done")
    guard case .change(let came) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(came.delta.sections.inserts.map(\.to) == [2])
    #expect(came.delta.sections.inserts.map(\.new.title) == ["Done"])
    #expect(came.delta.rows.inserts.map(\.to) == [NewPath(section: 2, row: 0)])
    try board.set(id, ["todo", "a", 1])
    guard case .change(let left) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(left.delta.sections.deletes.map(\.from) == [2])
    #expect(left.delta.sections.inserts.isEmpty && left.delta.sections.updates.isEmpty)
    #expect(left.delta.rows.moves.map(\.to) == [NewPath(section: 0, row: 0)])
  }

  @Test func `R80: of a collapsed section only the header changes, and no row is read`()
    async throws
  {
    var board = try Board()
    board.definition.aggregates = [SectionAggregate("points", .sum("points"))]
    board.definition.arrangement.limits.collapse(SectionID(.text("todo")))
    for number in 0..<20 { try board.add("t\(number)", "todo") }
    let controller = try await board.controller()
    #expect(try words(controller) == ["To do 0 of 20", "Doing 0"])
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try board.add("x", "todo", points: 5)
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.isEmpty)
    let header = try #require(change.delta.sections.updates.first?.new)
    #expect(header.matchingCount == 21)
    #expect(header.aggregates["points"]?.value == .integer(25))
    let generation = try controller.results.generation
    // What is not shown of a row that is not shown changes nothing.
    let first = try #require(try board.store.fetch(board.definition.request).first)
    try board.set(first.id, ["todo", "other", 1])
    #expect(try controller.results.generation == generation)
    let explanation = try #require(try await controller.explain())
    #expect(explanation.last.work.rows == 0)
    #expect(
      explanation.lines.contains("sections   3 fixed, others after; limits of 1 by themselves")
    )
  }

  @Test func `R79: a row beyond the limit takes the position of one that left`() async throws {
    var board = try Board()
    board.definition.arrangement.limits.all = 2
    var ids: [ObjectID] = []
    for title in ["a", "b", "c", "d"] { ids.append(try board.add(title, "todo")) }
    let controller = try await board.controller()
    #expect(try words(controller) == ["To do 2 of 4", "Doing 0 of 0"])
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try board.set(ids[0], ["doing", "a", 1])
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.moves.map(\.id) == [ids[0]])
    #expect(change.delta.rows.inserts.map(\.id) == [ids[2]])
    #expect(change.delta.rows.inserts.map(\.to) == [NewPath(section: 0, row: 1)])
    #expect(change.delta.rows.inserts.first?.new?.values[1] == "c")
    // With all rows shown, the header has no total; without limits, no header has one.
    try await controller.update { $0.arrangement.limits[SectionID(.text("todo"))] = nil as Int? }
    #expect(try words(controller) == ["To do 3", "Doing 1 of 1"])
    try await controller.update { $0.arrangement.limits = SectionLimits() }
    #expect(try words(controller) == ["To do 3", "Doing 1"])
  }

  @Test func `R08: another title of the same letters is an update too`() async throws {
    var board = try Board()
    board.definition.arrangement.fixed[0].title = "\u{E9}"
    for status in ["todo", "doing"] { try board.add("a", status) }
    let controller = try await board.controller()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try await controller.update { definition in
      definition.arrangement.fixed[0].title = "e\u{301}"
      definition.arrangement.limits.collapse(SectionID(.text("doing")))
    }
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.sections.updates.map(\.to) == [0, 1])
    try change.delta.verify(from: change.before.snapshot.content, to: change.after.snapshot.content)
  }

  @Test func `R84: the opposite order reverses fixed sections too`() async throws {
    let board = try Board()
    for (title, status) in [("a", "todo"), ("b", "todo"), ("c", "later"), ("d", "never")] {
      try board.add(title, status)
    }
    let controller = try await board.controller()
    let before = try controller.results.snapshot.content
    #expect(try words(controller) == ["To do 2", "Doing 0", "later 1", "never 1"])
    try await controller.update { $0 = $0.reversed() }
    #expect(try words(controller) == ["never 1", "later 1", "Doing 0", "To do 2"])
    try await controller.update { $0 = $0.reversed() }
    #expect(try controller.results.snapshot.content == before)
  }

  @Test func `R08: an arrangement that cannot be is refused, and says why`() throws {
    let board = try Board()
    func refusal(_ change: (inout ResultsDefinition<Row>) -> Void) -> RequestError? {
      var definition = board.definition
      change(&definition)
      do {
        _ = try ListPlan(definition)
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal { _ in } == nil)
    #expect(
      refusal { $0.arrangement.fixed.append(.init("todo")) } == .duplicateFixedSection("todo")
    )
    #expect(refusal { $0.arrangement.limits.all = -1 } == .negativeSectionLimit(-1, section: nil))
    let negative = refusal { $0.arrangement.limits[SectionID(.text("todo"))] = -2 }
    #expect(negative == .negativeSectionLimit(-2, section: "'todo'"))
    #expect(
      refusal { $0.arrangement.fixed = [.init(.integer(1))] }
        == .mismatchedFixedSection(.integer(1))
    )
    #expect(refusal { $0.sectionKey = nil } == .fixedSectionsWithoutKey)
    #expect(
      refusal { $0.sectionKey = .expression(.attribute("status"), orderedBy: .attribute("points")) }
        == .fixedSectionsWithoutKey
    )
    // Limits need no section key of a kind, nor any.
    #expect(
      refusal {
        $0.sectionKey = nil
        $0.arrangement = SectionArrangement(limits: SectionLimits(all: 2))
      } == nil
    )
    for error in [
      RequestError.duplicateFixedSection("todo"), .negativeSectionLimit(-1, section: nil),
      .negativeSectionLimit(-1, section: "x"), .fixedSectionsWithoutKey,
      .mismatchedFixedSection(.integer(1)),
    ] {
      #expect(error.description.hasSuffix("."))
    }
  }
}
