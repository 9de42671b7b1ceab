// snippet: store-imports, declaration
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization
// end

// snippet: store-content, declaration
/// The whole content of a store as one value; a version is a copy of it.
struct DictionaryContent: Sendable {
  let entities: [EntityDescription]
  var version: StoreVersion
  var rows: [ObjectID: Row] = [:]
  var commits: [CommitRecord] = []
}
// end

// snippet: store-version, declaration
/// One version of a store, to read and, in a transaction, to change.
final class DictionaryVersion: StoreTransaction {
  fileprivate(set) var content: DictionaryContent
  init(_ content: DictionaryContent) { self.content = content }

  var version: StoreVersion { content.version }

  fileprivate func check(_ entity: EntityDescription) throws(StoreError) {
    guard content.entities.contains(entity.stored) else {
      throw .unknownEntity(entity.name, known: content.entities.map(\.name))
    }
  }

  fileprivate func matches(
    _ entity: EntityDescription,
    _ predicate: FetchPredicate
  ) throws(StoreError) -> [Row] {
    try check(entity)
    do throws(RequestError) {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    let compiled = CompiledPredicate(predicate, in: entity)
    return content.rows.values.filter { $0.id.belongs(to: entity) && compiled.holds(for: $0) }
  }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try check(entity)
    return keys.map { content.rows[ObjectID(entity: entity.name, key: $0)] }
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try matches(entity, predicate).count
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    guard version.epoch == self.version.epoch else { return .gap(.otherEpoch) }
    let later = content.commits.filter { $0.version.sequence > version.sequence }
    return .commits(
      later.map { commit in
        let changes = commit.changes.filter { $0.id.belongs(to: entity) }
        return CommitRecord(version: commit.version, origin: commit.origin, changes: changes)
      }
    )
  }
}

extension ObjectID {
  fileprivate func belongs(to entity: EntityDescription) -> Bool {
    self == ObjectID(entity: entity.name, key: key)
  }
}
// end

// snippet: store-entries, declaration
extension DictionaryVersion {
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var keys: [[UInt8]] = []
    for row in try matches(definition.entity, definition.predicate) {
      keys.append(try definition.key(of: row))
    }
    try deliver(keys, body)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var keys: [[UInt8]] = []
    for row in try matches(definition.entity, definition.predicate) {
      guard let identity = definition.layout.identityBytes(of: row.id.key) else { continue }
      var digest = RowDigest()
      for index in attributes.indexes { digest.add(row.values[index]) }
      keys.append(identity + withUnsafeBytes(of: digest.value.bigEndian, Array.init))
    }
    try deliver(keys, body)
  }

  private func deliver(
    _ keys: [[UInt8]],
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var batch = EntryBatch()
    for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      batch.append { $0.bytes.append(contentsOf: key) }
    }
    _ = try body(batch)
  }
}
// end

// snippet: store-writing, declaration
extension DictionaryVersion {
  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    try check(entity)
    try entity.validate(values)
    let given = try entity.key(for: values, given: key)
    let key = if let given { given } else { try nextKey(of: entity) }
    let id = ObjectID(entity: entity.name, key: key)
    guard content.rows[id] == nil else { throw .alreadyExists(id) }
    content.rows[id] = Row(entity: entity, id: id, values: values)
    return id
  }

  /// One more than the largest integer key.
  private func nextKey(of entity: EntityDescription) throws(StoreError) -> ObjectKey {
    let numbers = try matches(entity, .all).compactMap { row in
      if case .integer(let number) = row.id.key { number } else { nil }
    }
    let (next, overflows) = (numbers.max() ?? 0).addingReportingOverflow(1)
    guard !overflows else { throw .invalid([.invalidKey(entity: entity.name)]) }
    return .integer(next)
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    guard let stored = content.rows[id] else { throw .notFound(id) }
    try entity.validate(values)
    if let expected, expected != stored {
      throw .conflict(id, expected: expected, stored: stored)
    }
    var new = id
    if case .compound = id.key, let key = try entity.key(for: values, given: nil) {
      new = ObjectID(entity: entity.name, key: key)
    }
    guard new == id || content.rows[new] == nil else { throw .alreadyExists(new) }
    content.rows[id] = nil
    content.rows[new] = Row(entity: entity, id: new, values: values)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) -> Bool {
    content.rows.removeValue(forKey: id) != nil
  }

  /// Makes the version that follows another one, unless nothing differs.
  func commit(after old: DictionaryContent, origin: CommitOrigin) {
    let changes = Set(old.rows.keys).union(content.rows.keys).compactMap { id in
      let (before, after) = (old.rows[id], content.rows[id])
      return before == after ? nil : CommittedChange(id: id, before: before, after: after)
    }
    guard !changes.isEmpty else { return }
    content.version = StoreVersion(epoch: version.epoch, sequence: version.sequence + 1)
    content.commits.append(CommitRecord(version: version, origin: origin, changes: changes))
  }
}
// end

// snippet: store-itself, declaration
/// A store over a dictionary: as small as the ports allow.
final class DictionaryStore: Store {
  let identity: StoreIdentity
  let capabilities = StoreCapabilities(historyCoverage: .everyWriter, isDurable: false)
  let entities: [EntityDescription]
  let executor: (any TaskExecutor)? = nil
  private let content: Mutex<DictionaryContent?>
  private let writing = Mutex(())
  private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])
  @TaskLocal private static var writers: [ObjectIdentifier] = []

  init(entities: [EntityDescription]) {
    // Versions of another store must not be mistaken for ours.
    let epoch = UInt64.random(in: 1...UInt64.max)
    identity = StoreIdentity(name: "dictionary", uniqueName: "dictionary-\(epoch)")
    self.entities = entities.map(\.stored)
    let version = StoreVersion(epoch: epoch, sequence: 0)
    content = Mutex(DictionaryContent(entities: self.entities, version: version))
  }

  private func now() throws(StoreError) -> DictionaryContent {
    guard let now = content.withLock({ $0 }) else { throw .closed(path: identity.name) }
    return now
  }

  func read<Output: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    try body(DictionaryVersion(now()))
  }

  func commit<Output: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Output
  ) throws(StoreError) -> Committed<Output> {
    let writers = DictionaryStore.writers + [ObjectIdentifier(self)]
    guard writers.count == Set(writers).count else {
      throw .unexpected(path: identity.name, detail: "a transaction inside a transaction")
    }
    let committed = try writing.withLock { (_) throws(StoreError) in
      let old = try now()
      let transaction = DictionaryVersion(old)
      let result = DictionaryStore.$writers.withValue(writers) { Result { try body(transaction) } }
      do {
        let output = try result.get()
        transaction.commit(after: old, origin: origin)
        let new = transaction.content
        content.withLock { if $0 != nil { $0 = new } }
        return Committed(result: output, version: new.version)
      } catch let error as StoreError {
        throw error
      } catch {
        throw .aborted(by: error)
      }
    }
    for listener in listeners.withLock({ $0 }) { listener.yield() }
    return committed
  }

  func commitNotifications() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
      listeners.withLock { $0.append(listener) }
      if content.withLock({ $0 == nil }) { listener.finish() }
    }
  }

  func checkForExternalChanges() throws(StoreError) { _ = try now() }

  func close() {
    content.withLock { $0 = nil }
    for listener in listeners.withLock({ $0 }) { listener.finish() }
  }
}
// end

@Sendable func ownStore() async throws {
  // snippet: own-store
  let store = DictionaryStore(entities: [Book.entity])
  let results = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .attribute(\.publisher),
    in: store
  )
  try await results.performFetch()
  for await event in results.changes {
    switch event {
    case .snapshot:  // the current state comes first
      try await store.write { books in
        try books.insert(Book(publisher: "岩波書店", title: "帰還"))
      }
    case .change(let change):
      for section in change.delta.sections.inserts { print("section", section.new.title) }
      for row in change.delta.rows.inserts { print("row", row.id, "at", row.to.path) }
      results.cancel()  // ends the loop
    case .reset, .failure: break
    }
  }
  // end
}
