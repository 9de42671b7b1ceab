import Dispatch
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

@Suite("The first fetch and commits", .timeLimit(.minutes(15)))
struct FirstFetchTests {
  @Test(arguments: [1, 2])
  func `R18: a commit that falls into a read of the first fetch is neither lost nor doubled`(
    read: Int
  ) async throws {
    let store = try Volume.store(("A", "x"))
    let reads = Mutex(0)
    store.watch.withLock { watch in
      watch.onRead = {
        let number = reads.withLock { count in
          count += 1
          return count
        }
        if number == read { try? store.add([("A", "y")]) }
      }
    }
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    var events = controller.changes.makeAsyncIterator()
    try await controller.performFetch()
    var list = try await Replica(&events)
    while list.rows.count < 2 { try await list.follow(&events) }
    #expect(list.rows == ["x", "y"])
  }

  /// Writers commit on other threads while lists are fetched for the first time; the seed is the number of the start.
  @Test func `R18: a thousand starts under fire end with the store's content`() async throws {
    let store = try Volume.store()
    try store.add((0..<10).map { ("A", "t\($0)") })
    for start in 0..<1000 {
      let writer = onThread { try FirstFetchTests.write(store, seed: UInt64(start)) }
      let controller = FetchedResultsController(Volume.bySeries(), in: store)
      var events = controller.changes.makeAsyncIterator()
      try await controller.performFetch()
      var list = try await Replica(&events)
      try await writer.value
      let wanted = try store.fetch(Volume.bySeries().request).map { "\($0.title) \($0.pages)" }
      // Without a refresh: a missed notification would never be made up for.
      while list.content.sorted() != wanted.sorted() { try await list.follow(&events) }
      #expect(list.content.count == wanted.count, "start \(start)")
    }
  }

  private static func write(_ store: WatchedStore, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in 0..<6 {
      let number = generator.number(in: 0...9)
      switch generator.number(in: 0...2) {
      case 0: try store.change("t\(number)") { $0.pages += 1 }
      case 1: try store.change("t\(number)") { $0.series = $0.series == "A" ? "B" : "A" }
      default:
        try store.add([("A", "new \(seed) \(step)")])
        try store.remove("new \(seed) \(step)")
      }
    }
    try store.change("t\(generator.number(in: 0...9))") { $0.pages += 1 }
  }
}

/// The content that a subscriber builds from snapshots and deltas alone.
private struct Replica {
  private(set) var generation: Int
  private var lists: ResultsContent
  private var titles: [ObjectID: String] = [:]

  init(_ events: inout ResultsChanges<Volume>.AsyncIterator) async throws {
    guard case .snapshot(let results) = await events.next() else {
      throw ResultsError.notFetched
    }
    generation = results.generation
    lists = try results.snapshot.content
    for row in results.rows { if let id = row.objectID { titles[id] = try? row.object.text } }
  }

  mutating func follow(_ events: inout ResultsChanges<Volume>.AsyncIterator) async throws {
    guard case .change(let change) = await events.next() else { throw ResultsError.ended }
    #expect(change.delta.from == generation)
    generation = change.delta.to
    lists = try lists.applying(change.delta)
    #expect(try lists == change.after.snapshot.content)
    let rows = change.delta.rows
    for row in rows.inserts { titles[row.id] = row.new.flatMap { try? Volume(row: $0).text } }
    for row in rows.moves + rows.updates {
      titles[row.id] = row.new.flatMap { try? Volume(row: $0).text }
    }
  }

  var content: [String] {
    lists.sections.flatMap(\.rows).map { titles[$0] ?? "?" }
  }

  var rows: [String] { content.compactMap { $0.split(separator: " ").first.map(String.init) } }
}

extension Volume {
  fileprivate var text: String { "\(title) \(pages)" }
}

/// Runs a closure on a thread of its own, so that it takes none of those that tasks run on.
func onThread(_ body: @escaping @Sendable () throws -> Void) -> Task<Void, any Error> {
  Task {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue(label: "writer").async { continuation.resume(with: Result { try body() }) }
    }
  }
}
