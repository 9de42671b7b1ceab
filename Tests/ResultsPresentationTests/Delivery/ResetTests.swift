import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing
import WireFormat

@testable import ResultsPresentation

@Suite("Resets and repairs", .timeLimit(.minutes(15)))
struct ResetTests {
  private typealias Events = ResultsChanges<Volume>.AsyncIterator

  private func list(
    of store: WatchedStore,
    detectsExternalChanges: Bool = true,
    resetThreshold: Int? = nil
  ) async throws -> (FetchedResultsController<Volume>, Events) {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      detectsExternalChanges: detectsExternalChanges,
      options: ResultsOptions(resetThreshold: resetThreshold)
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    return (list, events)
  }

  @Test func `R43: above the consumer's threshold the whole list is delivered, with the reason`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store, resetThreshold: 2)
    try store.add([("A", "a"), ("A", "b")])
    #expect(try await events.picture() == "+[0,0] +[0,1]")
    try store.add([("A", "c"), ("A", "d"), ("A", "e")])
    guard case .reset(.tooManyChanges(count: 3), let results) = await events.next() else {
      Issue.record("no reset")
      return
    }
    #expect(results.generation == 3)
    #expect(try results.picture() == "A: a b c d e x")
    try store.remove("c")
    #expect(try await events.picture() == "-[0,2]")
    list.cancel()
  }

  @Test func `R43: without a threshold no number of changes is a reset`() async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    try store.add((0..<5000).map { ("A", "t\($0)") })
    #expect(await events.change()?.delta.rows.count == 5000)
    list.cancel()
  }

  @Test func `R43: the changes that a slow subscriber missed are counted together`() async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store, resetThreshold: 2)
    for title in ["a", "b", "c"] {
      try store.add([("A", title)])
      try await list.refresh()
    }
    #expect(try await events.picture() == "tooManyChanges A: a b c x")
  }

  @Test(arguments: [(GapReason.otherEpoch, "storeReplaced"), (.schemaChanged, "schemaChanged")])
  func `R72: another store is a reset with its reason, even with the same content`(
    gap: GapReason,
    name: String
  ) async throws {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    store.report(gap)
    try store.add([("A", "y")])
    #expect(try await events.picture() == "\(name) A: x y")
    #expect(try list.results.generation == 2)
    store.report(nil)
    try store.add([("A", "z")])
    let change = try #require(await events.change())
    #expect((change.delta.from, change.delta.to) == (2, 3))
    #expect(change.delta.picture == "+[0,2]")
  }

  @Test func `R72: a frozen list retains its members when the store is another one`() async throws {
    let store = try Volume.store(("A", "x"), ("A", "y"))
    var definition = Volume.bySeries()
    definition.isFrozen = true
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    store.report(.otherEpoch)
    try store.add([("A", "new")])
    try store.remove("x")
    try await list.refresh()
    #expect(try list.results.picture() == "A: y")
    guard case .ready(let results) = list.state else {
      Issue.record("\(list.state)")
      return
    }
    #expect(results.generation > 1)
  }

  @Test(arguments: [GapReason.trimmed, .otherWriter])
  func `R61 R43: a repair is an ordinary change with its reason`(
    gap: GapReason
  ) async throws {
    let store = WatchedStore(try InMemoryStore(entities: [Volume.entity]), coverage: .thisStore)
    try store.add([("A", "x")])
    var (list, events) = try await list(of: store)
    store.report(gap)
    try store.add([("A", "y")])
    let change = try #require(await events.change())
    #expect(change.delta.picture == "+[0,1]")
    #expect(change.delta.repair == gap)
    #expect(change.delta.cause == .external)
    let line = WireEncoder(entity: Volume.entity).delta(change.delta)
    #expect(line.contains(#""cause":"external","repaired":"\#(gap.rawValue)","sections":"#))
    guard case .delta(let wire) = try WireDecoder().message(line) else {
      Issue.record("\(line)")
      return
    }
    #expect(wire.repaired == gap.rawValue)
    list.cancel()
  }

  @Test func `R27 R61: a repair without changes delivers nothing`() async throws {
    let store = WatchedStore(try InMemoryStore(entities: [Volume.entity]), coverage: .thisStore)
    try store.add([("A", "x")])
    var definition = Volume.bySeries(limit: 1)
    definition.sectionKey = nil
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    store.report(.otherWriter)
    try store.add([("A", "y")])
    try await list.refresh()
    #expect(try list.results.generation == 1)
    #expect(try list.results.matchingCount == 2)
  }

  @Test(arguments: [(GapReason.trimmed, 2), (.otherWriter, 1)])
  func
    `R59: a commit of its own that is lost from the history is delivered without checking for external changes`(
      gap: GapReason,
      generation: Int
    ) async throws
  {
    let store = WatchedStore(try InMemoryStore(entities: [Volume.entity]), coverage: .thisStore)
    try store.add([("A", "x")])
    let (list, _) = try await list(of: store, detectsExternalChanges: false)
    store.report(gap)
    try store.change("x") { $0.pages = 7 }
    try await list.refresh()
    #expect(try list.results.generation == generation)
    #expect(try list.results.objects().map(\.pages) == [7])
  }

  @Test func `R43 R28: a reset replaces the changes before it, and includes those after it`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    var (list, events) = try await list(of: store)
    var late = list.changes.makeAsyncIterator()
    func write(_ title: String, _ gap: GapReason?) async throws {
      store.report(gap)
      try store.add([("A", title)])
      try await list.refresh()
    }
    try await write("a", nil)
    try await write("b", .otherEpoch)
    #expect(try await events.picture() == "storeReplaced A: a b x")
    try await write("c", .schemaChanged)
    try await write("d", nil)
    #expect(try await events.picture() == "schemaChanged A: a b c d x")
    // A subscriber that has taken nothing yet needs no reason.
    #expect(try await late.picture() == "A: a b c d x")
    try await write("e", nil)
    #expect(try await events.picture() == "+[0,4]")
  }

  @Test @MainActor
  func `R72: a delegate receives a reset, or changed content if it has no callback for resets`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let (plain, keen) = (PlainDelegate(), KeenDelegate())
    let drawn = try controller.results
    let first = Task { await controller.deliver(to: plain, from: drawn) }
    let second = Task { await controller.deliver(to: keen, from: drawn) }
    while plain.last.isEmpty || keen.last.isEmpty {
      try store.change("x") { $0.pages += 1 }
      await Task.yield()
    }
    store.report(.otherEpoch)
    try store.add([("A", "z")])
    while plain.last != "A: x z" || keen.last != "storeReplaced A: x z" { await Task.yield() }
    controller.cancel()
    await first.value
    await second.value
  }

  @Test func `R72: a display without resets shows the new list`() throws {
    var display = ListingDisplay()
    let store = try Volume.store(("A", "x"))
    let plan = try ListPlan(Volume.bySeries())
    let snapshot = try store.read { (snapshot) throws(StoreError) in
      try ListEngine(plan, from: snapshot, generation: 4, maintainsDigests: false).snapshot
    }
    try display.take(.reset(.storeReplaced, ResultsList(snapshot, store)))
    #expect(display.shown == ["A: x"])
  }

  @Test func `R43 R46: a reset is one line of the wire form, with its reason`() throws {
    let line = WireEncoder(entity: Volume.entity)
      .reset(because: .tooManyChanges(count: 9), at: .unknown(3), sections: [])
    guard case .reset(let reason, let list) = try WireDecoder().message(line) else {
      Issue.record("\(line)")
      return
    }
    #expect(reason == "tooManyChanges")
    #expect(list.generation == 3)
  }
}

/// A delegate without the callback for resets.
@MainActor
private final class PlainDelegate: @MainActor FetchedResultsControllerDelegate {
  var last = ""

  func controllerDidChangeContent(_ results: ResultsList<Volume>) {
    last = (try? results.picture()) ?? "?"
  }
}

/// A delegate with it.
@MainActor
private final class KeenDelegate: @MainActor FetchedResultsControllerDelegate {
  var last = ""

  func controllerDidChangeContent(_ results: ResultsList<Volume>) {
    last = (try? results.picture()) ?? "?"
  }

  func controller(_ results: ResultsList<Volume>, didResetFor reason: ResultsResetReason) {
    last = "\(reason.wireName) \((try? results.picture()) ?? "?")"
  }
}

private struct ListingDisplay: ResultsDisplay {
  var shown: [String] = []

  mutating func show(_ results: ResultsList<Volume>) throws {
    shown.append(try results.picture())
  }

  mutating func apply(_ change: ResultsChange<Volume>) throws {}
  mutating func report(_ failure: StoreError) throws {}
}
