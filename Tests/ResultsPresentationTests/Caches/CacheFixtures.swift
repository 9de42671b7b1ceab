import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Synchronization

@testable import ResultsPresentation

/// A diary with sections titled in the user's language: the trap of a cache that knows only its name.
struct Diary {
  let entity: EntityDescription
  let store: KeyCountingStore
  let caches = RecordingCaches()

  init(historyCapacity: Int = 500_000, _ more: AttributeDescription...) throws {
    let entity = try EntityDescription(
      name: "Page",
      attributes: [
        AttributeDescription("hour", .integer64), AttributeDescription("text", .text),
      ] + more
    )
    self.entity = entity
    let base = try InMemoryStore(entities: [entity], historyCapacity: historyCapacity)
    store = KeyCountingStore(base)
    try write((1, "a"), (2, "b"), (25, "c"), (30, "a"), (49, "d"))
  }

  func write(_ pages: (Int64, String)...) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for (hour, text) in pages {
        var values = Array(repeating: Value.null, count: entity.attributes.count)
        values[0] = .integer(hour)
        values[1] = .text(text)
        try transaction.insert(values, key: nil, into: entity)
      }
    }
  }

  /// Pages newest first in sections by day, under a cache name.
  func definition(_ change: (inout Parts) -> Void = { _ in }) -> ResultsDefinition<Row> {
    var parts = Parts()
    change(&parts)
    var key = SectionKey.transient(source: "hour", grouping: parts.grouping)
    key.contiguity = parts.contiguity
    key.titleIdentity = parts.titleIdentity
    return ResultsDefinition(
      FetchRequest<Row>(
        entity: entity,
        where: parts.predicate,
        sortedBy: parts.sort,
        fetchLimit: parts.limit
      ),
      sectionedBy: parts.sectionKey ?? key,
      isFrozen: parts.isFrozen,
      cacheName: "pages"
    )
  }

  struct Parts {
    var predicate = FetchPredicate.comparison(.attribute("text"), .notEqual, .literal("z"))
    var sort: [FetchSortDescriptor] = [.descending("hour")]
    var limit: Int?
    var grouping = HourGrouping()
    var contiguity = SectionContiguity.error
    var titleIdentity = ""
    var sectionKey: SectionKey?
    var isFrozen = false
  }

  func controller(_ definition: ResultsDefinition<Row>) -> FetchedResultsController<Row> {
    FetchedResultsController(definition, in: store, options: ResultsOptions(caches: caches))
  }

  /// Opens a list through the caches, waits until it is saved, and cancels it.
  func open(
    _ definition: ResultsDefinition<Row>
  ) async throws -> (content: ResultsContent, outcome: CacheOutcome?) {
    let controller = controller(definition)
    try await controller.performFetch()
    _ = try? await controller.saveCache()
    defer { controller.cancel() }
    return (try controller.results.snapshot.content, controller.cacheOutcome)
  }
}

/// Days of hours, shifted by a time zone and titled in a language.
struct HourGrouping: SectionGrouping {
  var name = "day"
  var length: Int64 = 24
  var offset: Int64 = 0
  var calendar = "gregorian"
  var language = "en"

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let hour) = value else { return SectionGroup(id: .null) }
    let shifted = hour + offset
    let day = (shifted - ((shifted % length) + length) % length) / length
    return SectionGroup(
      id: .integer(day),
      first: .integer(day * length - offset),
      next: .integer((day + 1) * length - offset)
    )
  }

  func title(of id: Value) -> String { language == "de" ? "Tag \(id)" : "day \(id)" }
  var groupingIdentity: String { "\(name) \(length) \(offset)" }
  var titleIdentity: String { "\(language) \(calendar)" }
  var dependencies: GroupingDependencies {
    GroupingDependencies(locale: language, calendar: calendar, timeZone: "+\(offset)")
  }
}

/// Caches in memory, which tests can inspect, damage and cause to fail.
final class RecordingCaches: SectionCacheStorage {
  private struct State {
    var stored: [Value: [UInt8]] = [:]
    var saveCount = 0
    var fails = false
  }

  private let state = Mutex(State())
  /// The names of the saved caches, in order.
  let saves: AsyncStream<String>
  private let saved: AsyncStream<String>.Continuation

  init() { (saves, saved) = AsyncStream.makeStream() }

  var saveCount: Int { state.withLock { $0.saveCount } }

  func fail(_ fails: Bool = true) { state.withLock { $0.fails = fails } }

  subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.stored[.text(name)] } }
    set { state.withLock { $0.stored[.text(name)] = newValue } }
  }

  func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]? {
    try check(.read, name)
    return self[name]
  }

  func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure) {
    try check(.write, name)
    self[name] = bytes
    state.withLock { $0.saveCount += 1 }
    saved.yield(name)
  }

  func remove(_ name: String) throws(SectionCacheFailure) -> Bool {
    try check(.remove, name)
    return state.withLock { $0.stored.removeValue(forKey: .text(name)) != nil }
  }

  func removeAll() throws(SectionCacheFailure) -> Int {
    try check(.remove, "all")
    return state.withLock { state in
      defer { state.stored = [:] }
      return state.stored.count
    }
  }

  func entries() throws(SectionCacheFailure) -> [SectionCacheEntry] {
    try check(.read, "all")
    return state.withLock { state in
      state.stored.map { name, bytes in
        SectionCacheEntry(name: name.text ?? "", byteCount: bytes.count, writtenAt: nil)
      }
    }
  }

  private func check(
    _ action: SectionCacheFailure.Action,
    _ name: String
  ) throws(SectionCacheFailure) {
    if state.withLock({ $0.fails }) { throw SectionCacheFailure(action, at: name, "no disk") }
  }
}

/// A store that counts the keys read from it, and can be without bookmarks.
final class KeyCountingStore: Store {
  struct Behaviour {
    var keysRead = 0
    var hasBookmarks = true
    var understandsOlderVersions = true
    var reportsWrongHistory = false
  }

  let base: InMemoryStore
  let behaviour = Mutex(Behaviour())

  init(_ base: InMemoryStore) { self.base = base }

  var keysRead: Int { behaviour.withLock { $0.keysRead } }

  var identity: StoreIdentity { base.identity }
  var capabilities: StoreCapabilities { base.capabilities }
  var entities: [EntityDescription] { base.entities }
  var executor: (any TaskExecutor)? { base.executor }
  func checkForExternalChanges() throws(StoreError) { try base.checkForExternalChanges() }
  func close() throws(StoreError) { try base.close() }
  func commitNotifications() -> AsyncStream<Void> { base.commitNotifications() }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try base.read { (snapshot) throws(StoreError) in
      try body(KeyCountingSnapshot(snapshot, self))
    }
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try base.commit(origin: origin, body)
  }
}

final class KeyCountingSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let store: KeyCountingStore
  private let behaviour: KeyCountingStore.Behaviour

  init(_ base: any StoreSnapshot, _ store: KeyCountingStore) {
    self.base = base
    self.store = store
    behaviour = store.behaviour.withLock { $0 }
  }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.entries(of: definition) { (batch) throws(StoreError) in
      store.behaviour.withLock { $0.keysRead += batch.count }
      return try body(batch)
    }
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError)
    -> Int
  {
    try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.digests(of: definition, attributes: attributes, body)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    let history = try base.history(since: version, of: entity)
    guard behaviour.reportsWrongHistory, case .commits(let records) = history else {
      return history
    }
    return .commits(
      records.map { record in
        let changes = record.changes.map {
          CommittedChange(id: $0.id, before: $0.after, after: $0.before)
        }
        return CommitRecord(version: record.version, origin: record.origin, changes: changes)
      }
    )
  }

  func bookmark() throws(StoreError) -> StoreBookmark? {
    behaviour.hasBookmarks ? try base.bookmark() : nil
  }

  func version(at bookmark: StoreBookmark) throws(StoreError) -> StoreVersion? {
    behaviour.understandsOlderVersions ? try base.version(at: bookmark) : nil
  }
}
