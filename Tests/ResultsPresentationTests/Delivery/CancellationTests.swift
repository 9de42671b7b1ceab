import InMemoryPersistence
import ResultsDomain
import Testing

@testable import ResultsPresentation

/// R70: waiting for a change ends at once when the waiting task, or the controller, is cancelled.
///
/// Nothing is committed meanwhile, so nothing else could wake it.
@Suite(.timeLimit(.minutes(1))) struct `Waiting for a change` {
  private func list(of store: WatchedStore) async throws -> FetchedResultsController<Volume> {
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    try await list.performFetch()
    return list
  }

  /// Starts tasks that wait for changes, and returns when each has taken the present state.
  private func waiting(
    _ count: Int,
    for list: FetchedResultsController<Volume>
  ) async -> [Task<Int, Never>] {
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let tasks = (0..<count).map { _ in
      Task {
        var taken = 0
        for await _ in list.changes {
          taken += 1
          start.yield()
        }
        return taken
      }
    }
    var begun = started.makeAsyncIterator()
    for _ in tasks { await begun.next() }
    return tasks
  }

  @Test func `R70: ends when its task is cancelled`() async throws {
    let store = try Volume.store(("A", "x"))
    let list = try await list(of: store)
    let tasks = await waiting(100, for: list)
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value == 1) }
    // The list itself is not affected.
    try store.add([("A", "y")])
    try await list.refresh()
    #expect(try list.results.count == 2)
  }

  @Test func `R70: ends when the controller is cancelled`() async throws {
    let list = try await list(of: try Volume.store(("A", "x")))
    let tasks = await waiting(100, for: list)
    list.cancel()
    for task in tasks { #expect(await task.value == 1) }
  }

  @Test func `R70: ends with the group that a server cancels`() async throws {
    let list = try await list(of: try Volume.store(("A", "x")))
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask { for await _ in list.changes { start.yield() } }
      }
      var begun = started.makeAsyncIterator()
      for _ in 0..<20 { await begun.next() }
      group.cancelAll()
    }
    #expect(try list.results.count == 1)
  }

  @Test func `R70: does not begin in a task that is cancelled already`() async throws {
    let list = try await list(of: try Volume.store(("A", "x")))
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in gate {}
      var taken = 0
      for await _ in list.changes { taken += 1 }
      return taken
    }
    task.cancel()
    open.finish()
    #expect(await task.value == 0)
  }
}
