import EventLog
import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import Synchronization
import Testing

/// R88: the caches of a manager's lists in one line.
@Suite struct StoreManagerCacheTests {
  @Test func `lists of two entities have caches of their own`() async throws {
    let store = try InMemoryStore(entities: [Event.entity, Memo.entity])
    let caches = Kept()
    let managers = StoreManagers(dataFolder: "", caches: { _, _ in caches }) { _, _ in store }
    let manager = try managers.manager(of: "Log")
    for expected in [CacheOutcome.miss(.none), .hit] {
      for (entity, key) in [("Event", "timeStamp"), ("Memo", "text")] {
        let list = try manager.controller(entity, sortedBy: key)
        try await list.performFetch()
        #expect(list.cacheOutcome == expected, "\(entity)")
        try await list.saveCache()
        list.cancel()
      }
    }
    #expect(try caches.entries().map(\.name).sorted() == ["Root Event", "Root Memo"])
  }
}

/// A second entity.
private struct Memo: Entity {
  var id: Int64?
  var text = ""

  static let schema = EntitySchema<Memo>("Memo", identity: \.id) { Attribute(\.text, "text") }
}

/// Caches kept in memory.
private final class Kept: SectionCacheStorage {
  private let kept = Mutex<[String: [UInt8]]>([:])

  func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]? { kept.withLock { $0[name] } }

  func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure) {
    kept.withLock { $0[name] = bytes }
  }

  func remove(_ name: String) throws(SectionCacheFailure) -> Bool {
    kept.withLock { $0.removeValue(forKey: name) != nil }
  }

  func removeAll() throws(SectionCacheFailure) -> Int {
    kept.withLock { kept in
      defer { kept = [:] }
      return kept.count
    }
  }

  func entries() throws(SectionCacheFailure) -> [SectionCacheEntry] {
    kept.withLock { kept in
      kept.map { SectionCacheEntry(name: $0, byteCount: $1.count, writtenAt: nil) }
    }
  }
}
