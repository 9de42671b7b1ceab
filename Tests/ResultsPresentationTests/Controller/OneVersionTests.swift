import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

/// A whole list read in one version while others write (R48).
@Suite struct OneVersionTests {
  private func controller(_ store: WatchedStore) async throws -> FetchedResultsController<Volume> {
    let controller = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await controller.performFetch()
    return controller
  }

  @Test func `values, positions and deleted rows are those of one version (R48)`() async throws {
    let store = try Volume.store(("A", "x"), ("A", "y"), ("B", "z"))
    let controller = try await controller(store)
    try controller.read { reading in
      try store.change("z") { $0.pages = 7 }
      try store.change("x") { $0.series = "C" }
      try store.remove("y")
      let read = try reading.objects(at: 0..<3)
      #expect(read.map(\.title) == ["x", "y", "z"])
      #expect(read.map(\.series) == ["A", "A", "B"])
      #expect(read.map(\.pages) == [0, 0, 0])
      let (first, outside) = (try reading.objects(at: -4..<1), try reading.objects(at: 3..<9))
      #expect(first.map(\.title) == ["x"])
      #expect(outside.isEmpty)
    }
  }

  @Test func `commits before the reading are part of it, delivered or not (R48, R56)`() async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = try await controller(store)
    store.report(.otherWriter)
    try store.add([("A", "w")])
    try store.change("x") { $0.pages = 7 }
    try controller.read { reading in
      #expect(reading.results.generation == 2)
      let (shown, read) = (try controller.results, try reading.objects(at: 0..<2))
      #expect(shown.generation == 2)
      #expect(read.map(\.title) == ["w", "x"])
      #expect(read.map(\.pages) == [0, 7])
    }
  }

  @Test func `a subscription made in the reading begins with the first change after it (R18)`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = try await controller(store)
    try store.add([("A", "y")])
    let generation: Int
    var events: ResultsChanges<Volume>.AsyncIterator
    (generation, events) = try controller.read { reading in
      (reading.results.generation, reading.subscribe())
    }
    #expect(generation == 2)
    try store.add([("A", "z")])
    try await controller.refresh()
    guard case .change(let change) = await events.next() else {
      Issue.record("the first event is no change")
      return
    }
    #expect(change.before.generation == generation)
    #expect(change.delta.picture == "+[0,2]")
  }

  @Test func `no version is held afterwards, and errors of the closure come out as they are`()
    async throws
  {
    struct Refusal: Error {}
    let store = try Volume.store(("A", "x"))
    let controller = try await controller(store)
    #expect(throws: Refusal.self) {
      try controller.read { _ in
        #expect(store.openReads == 1)
        throw Refusal()
      }
    }
    #expect(store.openReads == 0)
  }

  @Test func `a reading without a list, of an ended one or of a failing store is an error (R71)`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let idle = FetchedResultsController(Volume.bySeries(), in: store)
    #expect(throws: ResultsError.self) { try idle.read { _ in } }

    let controller = try await controller(store)
    store.fail(with: .damaged(path: "s", detail: "d"))
    let failure = #expect(throws: ResultsError.self) { try controller.read { _ in } }
    guard case .store(.damaged) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    guard case .failed = controller.state else {
      Issue.record("the controller has not failed")
      return
    }
    store.fail(with: nil)
    #expect(try controller.read { $0.results.count } == 1)

    controller.cancel()
    let ended = #expect(throws: ResultsError.self) { try controller.read { _ in } }
    guard case .ended = ended else {
      Issue.record("\(String(describing: ended))")
      return
    }
  }
}
