import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

/// R44, R71: a delegate receives everything since what it has drawn, including failures.
@Suite("Delivery to a delegate", .timeLimit(.minutes(5)))
@MainActor
struct DelegateDeliveryTests {
  private func list(
    of store: WatchedStore,
    journal: Int
  ) async throws -> FetchedResultsController<Volume> {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: journal)
    )
    try await list.performFetch()
    return list
  }

  /// Lets the main actor work until the screen shows something.
  private func wait(for screen: Screen, _ isDone: (Screen) -> Bool) async {
    while !isDone(screen) { await Task.yield() }
  }

  @Test func `R44: a commit between the first drawing and the delivery's first step is delivered`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store, journal: 10)
    let drawn = try list.results
    let screen = Screen(drawn)
    let deliveries = Task { await list.deliver(to: screen, from: drawn) }
    // The task cannot have begun: it waits for this actor.
    try store.add([("A", "y")])
    try await list.refresh()
    await wait(for: screen) { $0.rows == 2 }
    #expect(screen.calls == ["will 1", "+[0,1]", "did 2"])
    try store.add([("A", "z")])
    await wait(for: screen) { $0.rows == 3 }
    #expect(screen.calls.suffix(3) == ["will 2", "+[0,2]", "did 3"])
    deliveries.cancel()
    await deliveries.value
  }

  @Test func `R44 R72: without a journal such a commit is delivered as a reset, not lost`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store, journal: 0)
    let drawn = try list.results
    let screen = Screen(drawn)
    try store.add([("A", "y")])
    try await list.refresh()
    let deliveries = Task { await list.deliver(to: screen, from: drawn) }
    await wait(for: screen) { $0.rows == 2 }
    #expect(screen.calls == ["reset beyondJournal 2"])
    try store.add([("A", "z")])
    await wait(for: screen) { $0.rows == 3 }
    #expect(screen.calls.suffix(3) == ["will 2", "+[0,2]", "did 3"])
    deliveries.cancel()
    await deliveries.value
  }

  @Test func `R71: a failure is reported with the results that stay`() async throws {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store, journal: 10)
    let drawn = try list.results
    let screen = Screen(drawn)
    let deliveries = Task { await list.deliver(to: screen, from: drawn) }
    store.fail(with: .inputOutput(path: "disk", detail: "missing"))
    await #expect(throws: StoreError.self) { try await list.refresh() }
    await wait(for: screen) { !$0.calls.isEmpty }
    #expect(screen.calls == ["failed 1"])
    store.fail(with: nil)
    try store.add([("A", "y")])
    await wait(for: screen) { $0.rows == 2 }
    #expect(screen.calls == ["failed 1", "will 1", "+[0,1]", "did 2"])
    list.cancel()
    await deliveries.value
  }

  @Test func `R77: changes of observed rows that were not taken in time are delivered as a reset`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store, journal: 10)
    list.observedRows = 0..<1
    let drawn = try list.results
    let screen = Screen(drawn)
    let deliveries = Task { await list.deliver(to: screen, from: drawn) }
    try store.add([("A", "w")])
    await wait(for: screen) { $0.rows == 2 }
    // This actor is busy until all of them are committed, so that the delegate takes at most one event in time: the first change, or
    // already the reset for the first two.
    for title in ["y", "z", "zz"] {
      try store.add([("A", title)])
      try list.bringUpToDateNow()
    }
    await wait(for: screen) { $0.rows == 5 }
    let resets = screen.calls.filter { $0.hasPrefix("reset") }
    let isLate = screen.calls.last == "did 5"
    #expect(resets == ["reset beyondJournal \(isLate ? 4 : 5)"], "\(screen.calls)")
    deliveries.cancel()
    await deliveries.value
  }
}

extension FetchedResultsController {
  /// Advances the list on the calling thread, without leaving its actor.
  fileprivate func bringUpToDateNow() throws(StoreError) { try list.bringUpToDate() }
}

/// A table view's memory: the number of rows according to its callbacks.
@MainActor
private final class Screen: @MainActor FetchedResultsControllerDelegate {
  var rows: Int
  var calls: [String] = []

  init(_ drawn: ResultsList<Volume>) { rows = drawn.count }

  func controllerWillChangeContent(_ results: ResultsList<Volume>) {
    #expect(results.count == rows)
    calls.append("will \(results.count)")
  }

  func controller(
    _ results: ResultsList<Volume>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  ) {
    calls.append("\(type == .insert ? "+" : "~")\(newPath.map { "\($0.path)" } ?? "")")
  }

  func controllerDidChangeContent(_ results: ResultsList<Volume>) {
    calls.append("did \(results.count)")
    rows = results.count
  }

  func controller(_ results: ResultsList<Volume>, didResetFor reason: ResultsResetReason) {
    calls.append("reset \(reason.wireName) \(results.count)")
    rows = results.count
  }

  func controller(_ results: ResultsList<Volume>, didFailWith error: StoreError) {
    calls.append("failed \(results.count)")
  }
}
