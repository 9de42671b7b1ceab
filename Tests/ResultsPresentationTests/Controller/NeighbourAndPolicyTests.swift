import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing
import WireFormat

@testable import ResultsPresentation

@Suite("Neighbours and policies", .timeLimit(.minutes(15)))
struct NeighbourAndPolicyTests {
  @Test func `R41: a row that depends on the one before is reported when that one changes`()
    async throws
  {
    let store = try Volume.store(("A", "b"), ("A", "d"), ("A", "f"), ("B", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    func updates() async throws -> [String] {
      let change = try #require(await events.change())
      let named = change.delta.rows.updates.map(\.id)
      let neighbours = change.neighbourUpdates(offsets: [-1])
      #expect(named.allSatisfy { id in !neighbours.contains { $0.id == id } })
      return neighbours.map { "\($0.from.path)>\($0.to.path)" }
    }
    try store.add([("A", "c")])
    #expect(try await updates() == ["[0,1]>[0,2]"])
    try store.change("c") { $0.pages = 1 }
    #expect(try await updates() == ["[0,2]>[0,2]"])
    try store.remove("b")
    #expect(try await updates() == ["[0,1]>[0,0]"])
    try store.change("c") { $0.title = "z" }
    #expect(try await updates() == ["[0,1]>[0,0]"])
  }

  /// Rows of one section that carry different order keys stand apart.
  @Test(arguments: [SectionContiguity.error, .merge, .split])
  func `R04: rows of a section that stand apart are refused, merged or split by choice`(
    contiguity: SectionContiguity
  ) async throws {
    let store = try Volume.store(("A", "x"), ("B", "y"), ("A", "z"))
    try store.change("y") { $0.pages = 1 }
    try store.change("z") { $0.pages = 2 }
    let definition = ResultsDefinition(
      FetchRequest<Volume>(sortedBy: [.ascending(\.title)]),
      sectionedBy: SectionKey(
        .expression(
          .attribute("series"),
          orderedBy: .attribute("pages"),
          .ascending,
          nulls: nil
        ),
        contiguity: contiguity
      )
    )
    let controller = FetchedResultsController(definition, in: store)
    guard contiguity != .error else {
      await #expect(throws: StoreError.self) { try await controller.performFetch() }
      guard
        case .failed(.request(.sectionNotContiguous(_, let first, let second)), _) = controller
          .state
      else {
        Issue.record("the two rows are not named")
        return
      }
      #expect(Set([first.key, second.key]) == [.integer(1), .integer(3)])
      return
    }
    try await controller.performFetch()
    let picture = try controller.results.picture()
    #expect(picture == (contiguity == .merge ? "A: x z | B: y" : "A: x | B: y | A: z"))
    let ids = try controller.results.sections.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test func `R07: an expression divides a list without reading a row`() async throws {
    let store = try Volume.store()
    try store.add((0..<2000).map { ("A", "t\($0)") })
    let definition = ResultsDefinition(
      FetchRequest<Volume>(sortedBy: [.ascending(\.title)]),
      sectionedBy: .expression(.prefix(.attribute("title"), length: 2))
    )
    let controller = FetchedResultsController(definition, in: store)
    try await controller.performFetch()
    #expect(controller.sections.count == 10)
    #expect(controller.sections.map(\.count).reduce(0, +) == 2000)
    #expect(store.rowsRead == 0)
  }

  // R34: old and new paths are different types, so that a wrong one does not compile.
  @Test func `R34: old paths count before the change and new paths after it`() async throws {
    let store = try Volume.store(("B", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert(Volume(series: "A", title: "new"))
      try transaction.delete(ObjectID(entity: "Volume", key: .integer(1)), of: Volume.entity)
    }
    let change = try #require(await events.change())
    let old: OldPath? = change.delta.rows.deletes.first?.from
    let new: NewPath? = change.delta.rows.inserts.first?.to
    #expect(old.flatMap { change.before.objectID(at: $0.path)?.key } == .integer(1))
    #expect(new.flatMap { change.after.objectID(at: $0.path)?.key } == .integer(2))
  }

  @Test func `R47: what is rolled back never shows`() async throws {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    struct Undo: Error {}
    #expect(throws: StoreError.self) {
      try store.commit(origin: .unnamed) { transaction in
        try transaction.insert(Volume(series: "A", title: "undone"))
        throw Undo()
      }
    }
    try await controller.refresh()
    #expect(try controller.results.generation == 1)
    #expect(try controller.results.picture() == "A: x")
  }

  @Test @MainActor func `R73: it serves any actor, and calls a delegate on the caller's`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let delegate = MainDelegate()
    let drawn = try controller.results
    let deliveries = Task { await controller.deliver(to: delegate, from: drawn) }
    try await Task.detached { try store.add([("A", "y")]) }.value
    for await event in controller.changes {
      guard case .snapshot(let results) = event, results.count < 2 else { break }
    }
    while delegate.changes == 0, !deliveries.isCancelled { await Task.yield() }
    #expect(delegate.changes == 1)
    deliveries.cancel()
    await deliveries.value
  }

  @Test
  func `R86: the same content gives the same delta, bytewise, whatever the locale of the machine`()
    async throws
  {
    let store = try Volume.store(("が", "x"), ("か\u{3099}", "y"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    #expect(try await events.picture() == "か\u{3099}: y | が: x")
    try store.change("y") { $0.series = "が" }
    let change = try #require(await events.change())
    let line = WireEncoder(entity: Volume.entity).delta(change.delta)
    let life = change.after.snapshot.life
    #expect(
      line == """
        {"v":1,"t":"delta","life":"\(life)","from":1,"to":2,"cause":"own","sections":[{"op":"delete","from":0,"id":"か\u{3099}"}],\
        "rows":[{"op":"move","id":2,"from":[0,0],"to":[0,1],"changed":["series"],\
        "row":{"id":2,"series":"が","title":"y","pages":0}}]}
        """
    )
  }
}

@MainActor
final class MainDelegate: @MainActor FetchedResultsControllerDelegate {
  var changes = 0

  func controllerDidChangeContent(_ results: ResultsList<Volume>) {
    MainActor.assertIsolated()
    changes += 1
  }
}
