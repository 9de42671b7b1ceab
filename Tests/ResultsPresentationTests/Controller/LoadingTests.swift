import Dispatch
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// Runs jobs on a queue of its own, and knows whether the calling thread is one of it.
private final class QueueExecutor: TaskExecutor {
  private static let mark = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "a store's queue")

  init() { queue.setSpecific(key: QueueExecutor.mark, value: true) }

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}

/// A store that records on which executor it is read.
private final class ExecutorStore: ForwardingStore {
  let target: any Store
  let executor: (any TaskExecutor)? = QueueExecutor()
  /// Whether each reading ran on the store's executor.
  let readings = Mutex<[Bool]>([])

  init(_ target: any Store) { self.target = target }

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot {
    readings.withLock { $0.append(QueueExecutor.isCurrent) }
    return snapshot
  }
}

/// R120: rows are loaded on the store's executor, also for a caller on the main actor.
@Suite("Loading rows of a list")
struct LoadingTests {
  @Test @MainActor
  func `happens on the store's executor, and gives what reading them gives (R120)`() async throws {
    let base = try InMemoryStore(entities: [Volume.entity])
    _ = try base.commit(origin: .unnamed) { transaction in
      for number in 0..<200 {
        try transaction.insert(Volume(series: "s\(number / 50)", title: "t\(1000 + number)"))
      }
    }
    let store = ExecutorStore(base)
    let volumes = FetchedResultsController(Volume.bySeries(), in: store)
    try await volumes.performFetch()
    let results = try volumes.results
    store.readings.withLock { $0 = [] }
    let page = try await results.loadObjects(at: 120..<150)
    #expect(store.readings.withLock { $0 } == [true])
    #expect(page.map(\.title) == (120..<150).map { "t\(1000 + $0)" })
    #expect(try await results.loadObjects(at: 195..<400).count == 5)
    #expect(try await results.loadObjects(at: 300..<400).isEmpty)
    store.readings.withLock { $0 = [] }
    #expect(try results.objects(at: 20..<50).count == 30)
    #expect(store.readings.withLock { $0 } == [false])
  }

  @Test func `reports a row that is gone like reading it (R120)`() async throws {
    let store = try Volume.store(("A", "x"), ("A", "y"))
    let volumes = FetchedResultsController(Volume.bySeries(), in: store)
    try await volumes.performFetch()
    let results = try volumes.results
    try store.base.close()
    await #expect(throws: ResultsError.self) { try await results.loadObjects(at: 0..<2) }
  }
}
