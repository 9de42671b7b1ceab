import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

@Suite("FetchedResultsController", .timeLimit(.minutes(15)))
struct FetchedResultsControllerTests {
  @Test func `R03: the section of null stands where it is said`() async throws {
    let store = try Volume.store((nil, "x"), ("A", "y"))
    func titles(_ key: EntitySectionKey<Volume>) async throws -> [String] {
      let list = FetchedResultsController(
        FetchRequest<Volume>(sortedBy: [.ascending(\.title)]),
        sectionedBy: key,
        in: store
      )
      try await list.performFetch()
      return list.sections.map(\.title)
    }
    #expect(try await titles(.attribute(\.series)) == ["", "A"])
    #expect(try await titles(.attribute(\.series, nulls: .last)) == ["A", ""])
    #expect(try await titles(.attribute(\.series, .descending, nulls: .first)) == ["", "A"])
    let series = FetchExpression.attribute("series")
    #expect(try await titles(.expression(series, nulls: .last)) == ["A", ""])
    #expect(try await titles(EntitySectionKey(.attribute("series", nulls: .last))) == ["A", ""])
  }

  @Test func `R17: before the first fetch it is idle and says so`() async throws {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    guard case .idle = controller.state else {
      Issue.record("not idle")
      return
    }
    #expect(throws: ResultsError.self) { try controller.results }
    #expect(controller.sections.isEmpty)
    try await controller.performFetch()
    guard case .ready = controller.state else {
      Issue.record("not ready")
      return
    }
    controller.cancel()
    guard case .ended = controller.state else {
      Issue.record("not ended")
      return
    }
  }

  @Test
  func
    `R06 R22: sections by value keep null, empty and look-alike texts apart, and decode nothing`()
    async throws
  {
    let store = try Volume.store(
      (nil, "n"),
      ("", "e"),
      ("が", "composed"),
      ("か\u{3099}", "decomposed"),
      ("が", "again")
    )
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let results = try controller.results
    #expect(results.sections.map(\.count) == [1, 1, 1, 2])
    #expect(results.sections.map(\.id.value) == [.null, .text(""), .text("か\u{3099}"), .text("が")])
    #expect(store.rowsRead == 0)
    #expect(results.section(withID: SectionID(.text("")))?.index == 1)
    #expect(results.section(withID: SectionID(.text("absent"))) == nil)
  }

  @Test func `R25: reading the first rows reads one batch, and a walk each row once`() async throws
  {
    let store = try Volume.store()
    try store.add((0..<100).map { ("A", "t\(100 + $0)") })
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let results = try controller.results
    for row in results.rows.prefix(20) { _ = try row.object }
    #expect(store.rowsRead == 20)
    _ = try results.objects()
    #expect(store.rowsRead == 100)
  }

  @Test func `R20 R21: paths map both ways, and a bad one is an error, never a trap`() async throws
  {
    let store = try Volume.store(("A", "x"), ("A", "y"), ("B", "z"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let results = try controller.results
    for (flat, row) in results.rows.enumerated() {
      let id = try #require(row.objectID)
      #expect(row.id == .object(id))
      let path = try #require(results.path(of: id))
      #expect(results.objectID(at: path) == id)
      #expect(results.snapshot.flatPosition(of: path) == flat)
      #expect(results.snapshot.path(ofFlatPosition: flat) == path)
    }
    for (section, row) in [(-1, 0), (0, -1), (0, 2), (2, 0), (.max, .max), (0, .min)] {
      let path = RowPath(section: section, row: row)
      #expect(throws: ResultsError.self) { try results.object(at: path) }
      #expect(results.objectID(at: path) == nil)
    }
    #expect(results.path(of: ObjectID(entity: "Volume", key: .integer(99))) == nil)
    #expect(results.path(of: ObjectID(entity: "Other", key: .integer(1))) == nil)
    #expect(results.section(at: 7) == nil)
  }

  @Test
  func `R26 R27 R31 R39 R40: commits arrive as exact deltas, and what changes nothing is silent`()
    async throws
  {
    let store = try Volume.store(("A", "x"), ("A", "y"), ("B", "z"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    #expect(try await events.picture() == "A: x y | B: z")
    try store.add([("C", "c")])
    #expect(try await events.picture() == "+s2 +[2,0]")
    try store.change("y") { $0.pages = 7 }
    let update = try #require(await events.change())
    #expect(update.delta.picture == "=[0,1]")
    #expect(update.delta.rows.updates.first?.changed?.names(in: Volume.entity) == ["pages"])
    #expect(update.delta.rows.updates.first?.old?["pages"] == .integer(0))
    try store.change("y") { $0.pages = 7 }
    try store.change("y") { $0.title = "a" }
    #expect(try await events.picture() == "~[0,1]>[0,0]*")
    try store.change("z") { $0.series = "A" }
    #expect(try await events.picture() == "-s1 ~[1,0]>[0,2]*")
    try store.remove("c")
    #expect(try await events.picture() == "-s1 -[1,0]")
    #expect(try controller.results.picture() == "A: a x z")
  }

  @Test func `R50 R51 R16: another predicate, order, section key or window is one ordinary delta`()
    async throws
  {
    let store = try Volume.store(("A", "x"), ("A", "y"), ("B", "z"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try await controller.update {
      $0.request.predicate = .comparison(.attribute("title"), .greater, .literal("x"))
    }
    #expect(try await events.picture() == "-[0,0]")
    try await controller.update { $0.sectionKey = nil }
    let flat = try #require(await events.change())
    #expect(flat.delta.cause == .definition)
    #expect(try flat.after.picture() == ": y z")
    try flat.delta.verify(from: flat.before.snapshot.content, to: flat.after.snapshot.content)
    try await controller.update { $0.request.sortDescriptors = [.descending("title")] }
    #expect(try await events.picture() == "~[0,1]>[0,0]")
    try await controller.update { $0.request.fetchLimit = 1 }
    #expect(try await events.picture() == "-[0,1]")
    await #expect(throws: StoreError.self) {
      try await controller.update { $0.request.sortDescriptors = [] }
    }
    #expect(try controller.results.picture() == ": z")
    // A refused change is forgotten, and later ones stand on what was shown.
    try await controller.update { $0.request.fetchLimit = nil }
    #expect(try controller.results.picture() == ": z y")
  }

  @Test func `R01 R03: a list without an order or with a foreign transient key is refused`()
    async throws
  {
    let store = try Volume.store()
    for definition in [
      ResultsDefinition(FetchRequest<Volume>(sortedBy: [])),
      ResultsDefinition(
        FetchRequest<Volume>(sortedBy: [.ascending(\.title)]),
        sectionedBy: .transient(source: "pages", grouping: TensGrouping())
      ),
    ] {
      let controller = FetchedResultsController(definition, in: store)
      await #expect(throws: StoreError.self) { try await controller.performFetch() }
      guard case .failed(.request, lastGood: nil) = controller.state else {
        Issue.record("not refused")
        continue
      }
    }
  }

  @Test func `R05: another language renames sections and moves no row`() async throws {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    try store.change("y") { $0.pages = 4 }
    let definition = ResultsDefinition(
      FetchRequest<Volume>(sortedBy: [.ascending(\.pages)]),
      sectionedBy: .transient(source: "pages", grouping: TensGrouping())
    )
    let controller = FetchedResultsController(definition, in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    #expect(try await events.picture() == "en 0: x | en 3: y")
    try await controller.update {
      $0.sectionKey = .transient(source: "pages", grouping: TensGrouping(language: "ja"))
    }
    let change = try #require(await events.change())
    #expect(change.delta.cause == .locale)
    #expect(change.delta.picture == "=s0 ja 0 =s1 ja 3")
  }

  @Test func `R75 C11: the limit stays true while live, and the count of all is known`()
    async throws
  {
    let store = try Volume.store(("A", "b"), ("A", "d"), ("B", "z"))
    let controller = FetchedResultsController(Volume.bySeries(limit: 2), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    #expect(try await events.picture() == "A: b d")
    try store.add([("A", "c")])
    #expect(try await events.picture() == "-[0,1] +[0,1]")
    #expect(try controller.results.matchingCount == 4)
    try store.remove("b")
    try store.remove("c")
    try await controller.refresh()
    #expect(try controller.results.picture() == "A: d | B: z")
  }
}

extension ResultsChanges<Volume>.AsyncIterator {
  /// The next event as text.
  mutating func picture() async throws -> String {
    switch await next() {
    case .snapshot(let results): try results.picture()
    case .change(let change): change.delta.picture
    case .reset(let reason, let results): "\(reason.wireName) \(try results.picture())"
    case .failure(let error): "failed: \(error)"
    case nil: "ended"
    }
  }

  /// The next change.
  mutating func change() async -> ResultsChange<Volume>? {
    while let event = await next() {
      if case .change(let change) = event { return change }
    }
    return nil
  }
}
