import InMemoryPersistence
import ResultsDomain
import Synchronization
import Testing

@testable import ResultsPresentation

/// R65: a small commit of the store's own is followed by the call that made it.
@Suite("Commits that are followed at once", .timeLimit(.minutes(5)))
struct PromptDeliveryTests {
  private let store: InMemoryStore

  init() throws { store = try InMemoryStore(entities: [Volume.entity]) }

  private func add(_ count: Int, from first: Int = 0) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for number in first..<first + count {
        try transaction.insert(Volume(series: "s\(number % 3)", title: "t\(number)"))
      }
    }
  }

  @Test(arguments: [4096, -1])
  func `R65: what a small commit changed is shown when its call returns`(limit: Int) async throws {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(heldKeysLimit: limit)
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    for number in 0..<40 {
      let before = try list.results
      try add(1, from: number)
      let after = try list.results
      #expect(after.count == number + 1)
      guard case .change(let change) = await events.next() else {
        Issue.record("no change for commit \(number)")
        return
      }
      #expect(change.before.generation == before.generation)
      #expect(change.after.generation == after.generation)
      #expect(change.delta.rows.inserts.count == 1)
    }
  }

  @Test func `R65: a span of time, a pause and a list on demand are kept to`() async throws {
    let kinds: [ResultsDelivery] = [.every(.seconds(3600)), .onDemand, .immediate]
    let lists = kinds.map {
      FetchedResultsController(
        Volume.bySeries(),
        in: store,
        options: ResultsOptions(delivery: $0)
      )
    }
    for list in lists { try await list.performFetch() }
    lists[2].pause()
    try add(1)
    for list in lists { #expect(try list.results.count == 0) }
    try await lists[2].resume()
    #expect(try lists[2].results.count == 1)
    lists.forEach { $0.cancel() }
  }

  @Test
  func `R65: the caller of a large commit does not wait, and its list is led on all the same`()
    async throws
  {
    let calls = Mutex(0)
    let hints = store.commitNotifications { _ in
      calls.withLock { $0 += 1 }
      return true
    }
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try add(1000)
    #expect(calls.withLock { $0 } == 0)
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.inserts.count == 1000)
    withExtendedLifetime(hints) {}
  }

  @Test func `R65, R66: writers in many threads lead lists that are fetched meanwhile`()
    async throws
  {
    let list = FetchedResultsController(
      Volume.bySeries(),
      in: store,
      options: ResultsOptions(journalCapacity: 100_000)
    )
    try await list.performFetch()
    let first = try list.results
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<100 {
            let count = number.isMultiple(of: 25) ? 50 : 1
            _ = try store.commit(origin: .unnamed) { transaction in
              for place in 0..<count {
                let title = "w\(writer) \(number) \(place)"
                try transaction.insert(Volume(series: "s\(number % 5)", title: title))
              }
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<50 {
          let other = FetchedResultsController(Volume.bySeries(), in: store)
          try await other.performFetch()
        }
      }
      try await group.waitForAll()
    }
    try await list.refresh()
    let last = try list.results
    #expect(last.count == 4 * (96 + 4 * 50))
    guard case .change(let delta, _) = try list.catchUp(from: first.position) else {
      Issue.record("the journal does not lead from the first generation")
      return
    }
    try delta.verify(from: first.snapshot.content, to: last.snapshot.content)
  }
}
