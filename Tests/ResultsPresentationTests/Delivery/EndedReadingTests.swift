import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// A store that delivers keys one by one, and says how its lists are read.
private final class SlowStore: ForwardingStore {
  let target: any Store
  let source: QueryPlan.Source
  /// The number of keys that were delivered.
  let delivered = Atomic<Int>(0)
  /// Called after some number of keys.
  let atKey = Mutex<(count: Int, action: @Sendable () -> Void)?>(nil)

  init(_ target: any Store, readBy source: QueryPlan.Source = .sorting) {
    self.target = target
    self.source = source
  }

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { SlowSnapshot(snapshot, self) }
}

private final class SlowSnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  private let store: SlowStore

  init(_ target: any StoreSnapshot, _ store: SlowStore) {
    self.store = store
    base = target
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.entries(of: definition) { (batch) throws(StoreError) in
      for index in 0..<batch.count {
        let count = store.delivered.add(1, ordering: .relaxed).newValue
        let action = store.atKey.withLock { $0?.count == count ? $0?.action : nil }
        action?()
        var one = EntryBatch()
        one.append { $0.bytes.append(contentsOf: batch.key(at: index)) }
        guard try body(one) else { return false }
      }
      return true
    }
  }

  func source(of definition: OrderDefinition) throws(StoreError) -> QueryPlan.Source {
    store.source
  }

  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? { nil }
}

/// R123: a list that holds its keys reads them only as long as they are wanted.
@Suite("Reading the keys of a list", .timeLimit(.minutes(5)))
struct EndedReadingTests {
  private static func store(
    _ count: Int,
    readBy source: QueryPlan.Source = .sorting
  ) throws -> SlowStore {
    let base = try InMemoryStore(entities: [Volume.entity])
    _ = try base.commit(origin: .unnamed) { transaction in
      for number in 0..<count {
        try transaction.insert(Volume(series: "s", title: "t\(100_000 + number)"))
      }
    }
    return SlowStore(base, readBy: source)
  }

  private func isCancellation(_ error: (any Error)?) -> Bool {
    if case .aborted(let inner)? = error as? StoreError {
      inner is CancellationError
    } else {
      false
    }
  }

  @Test func `ends when its task is cancelled (R123)`() async throws {
    let store = try Self.store(1000)
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    let task = Task { try await list.performFetch() }
    store.atKey.withLock { $0 = (300, { task.cancel() }) }
    let error = await #expect(throws: StoreError.self) { try await task.value }
    #expect(isCancellation(error))
    #expect(store.delivered.load(ordering: .relaxed) == 300)
    // The list itself is not affected.
    try await list.performFetch()
    #expect(try list.results.count == 1000)
  }

  @Test func `ends when the controller is cancelled (R123)`() async throws {
    let store = try Self.store(1000)
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    store.atKey.withLock { $0 = (300, { list.cancel() }) }
    _ = try? await list.performFetch()
    #expect(store.delivered.load(ordering: .relaxed) == 300)
  }

  @Test func `ends when a newer definition is requested, and that is shown (R123)`() async throws {
    let store = try Self.store(1000)
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    try await list.performFetch()
    let before = store.delivered.load(ordering: .relaxed)
    store.atKey.withLock { watch in
      watch = (before + 300, { _ = list.list.publisher.request { $0.request.fetchLimit = 7 } })
    }
    try await list.update { $0.request.sortDescriptors = [.descending("title")] }
    #expect(store.delivered.load(ordering: .relaxed) == before + 300)
    try await list.performFetch()
    #expect(try list.results.count == 7)
    #expect(store.delivered.load(ordering: .relaxed) == before + 300 + 1000)
  }

  @Test(arguments: [QueryPlan.Source.table, .index("byTitle")])
  func `shows the first rows of a long list that is read in its order (R17, R123)`(
    source: QueryPlan.Source
  ) async throws {
    let store = try Self.store(6000, readBy: source)
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    let pages = Mutex<[[String]]>([])
    let isOpening = Mutex(false)
    try await list.performFetch { page in
      let titles = (try? page.objects().map(\.title)) ?? []
      pages.withLock { $0.append(titles) }
      if case .opening = list.state { isOpening.withLock { $0 = true } }
    }
    #expect(pages.withLock { $0 } == [(0..<20).map { "t\(100_000 + $0)" }])
    #expect(isOpening.withLock { $0 })
    #expect(try list.results.count == 6000)
    #expect(store.delivered.load(ordering: .relaxed) == 6000 + IndexingPolicy.firstKeyCount + 1)
  }

  @Test(arguments: [(6000, QueryPlan.Source.sorting), (6000, .unknown), (4096, .table)])
  func `reads each key once where the first ones come no earlier, or the list is short (R123)`(
    count: Int,
    source: QueryPlan.Source
  ) async throws {
    let store = try Self.store(count, readBy: source)
    let list = FetchedResultsController(Volume.bySeries(), in: store)
    let pages = Mutex(0)
    try await list.performFetch { _ in pages.withLock { $0 += 1 } }
    #expect(pages.withLock { $0 } == 0)
    #expect(try list.results.count == count)
    #expect(store.delivered.load(ordering: .relaxed) == count)
  }

  @Test func `passes over an offset and keeps a limit in the first rows (R123)`() async throws {
    let store = try Self.store(6000, readBy: .table)
    func first(_ offset: Int, _ limit: Int?) async throws -> [String] {
      var definition = Volume.bySeries(limit: limit)
      definition.request.fetchOffset = offset
      let list = FetchedResultsController(definition, in: store)
      let titles = Mutex<[String]>([])
      try await list.performFetch { page in
        let found = (try? page.objects().map(\.title)) ?? []
        titles.withLock { $0 = found }
      }
      return titles.withLock { $0 }
    }
    #expect(try await first(5000, nil).first == "t105000")
    #expect(try await first(10, 3) == ["t100010", "t100011", "t100012"])
    #expect(try await first(.max, 3).isEmpty)
  }
}
