// snippet: store-imports, declaration
import ResultsDomain
import ResultsPresentation
import Synchronization
// end

// snippet: store-content, declaration
/// Everything a shelf holds, as one value: a version is a copy of it.
struct ShelfContent: Sendable {
  var rows: [ObjectID: Row] = [:]
  var sequence: UInt64 = 0
}
// end

// snippet: store-version, declaration
/// One version of a shelf, for reading it and, in a transaction, for changing it.
final class ShelfVersion: StoreTransaction {
  var content: ShelfContent
  init(_ content: ShelfContent) { self.content = content }

  var version: StoreVersion { StoreVersion(epoch: 1, sequence: content.sequence) }

  private func matches(_ entity: EntityDescription, _ predicate: FetchPredicate) -> [Row] {
    content.rows.values.filter { $0.entity == entity && predicate.holds(for: $0) }
  }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) -> [Row?] {
    keys.map { content.rows[ObjectID(entity: entity.name, key: $0)] }
  }

  func count(of entity: EntityDescription, where predicate: FetchPredicate) -> Int {
    matches(entity, predicate).count
  }

  func history(since version: StoreVersion, of entity: EntityDescription) -> StoreHistory {
    version == self.version ? .commits([]) : .gap(.otherWriter)
  }
}
// end

// snippet: store-entries, declaration
extension ShelfVersion {
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var keys: [[UInt8]] = []
    for row in matches(definition.entity, definition.predicate) {
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
    for row in matches(definition.entity, definition.predicate) {
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
extension ShelfVersion {
  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    try entity.validate(values)
    let next = ObjectKey.integer(Int64(content.rows.count) + 1)
    let id = ObjectID(entity: entity.name, key: try entity.key(for: values, given: key) ?? next)
    guard content.rows[id] == nil else { throw .alreadyExists(id) }
    content.rows[id] = Row(entity: entity, id: id, values: values)
    return id
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
    content.rows[id] = Row(entity: entity, id: id, values: values)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) -> Bool {
    content.rows.removeValue(forKey: id) != nil
  }
}
// end

// snippet: store-itself, declaration
/// A store over a dictionary: as small as the ports allow.
final class Shelf: Store {
  let identity = StoreIdentity(name: "shelf", uniqueName: "shelf")
  let capabilities = StoreCapabilities(historyCoverage: .thisStore, isDurable: false)
  let entities: [EntityDescription]
  let executor: (any TaskExecutor)? = nil
  private let content = Mutex(ShelfContent())
  private let writing = Mutex(())
  private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

  init(entities: [EntityDescription]) { self.entities = entities }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try body(ShelfVersion(content.withLock { $0 }))
  }

  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    let committed = try writing.withLock { (_) throws(StoreError) in
      let transaction = ShelfVersion(content.withLock { $0 })
      let result: Result
      do {
        result = try body(transaction)
      } catch let error as StoreError {
        throw error
      } catch {
        throw .aborted(by: error)
      }
      transaction.content.sequence += 1
      let made = (transaction.content, transaction.version)
      content.withLock { $0 = made.0 }
      return Committed(result: result, version: made.1)
    }
    for listener in listeners.withLock({ $0 }) { listener.yield() }
    return committed
  }

  func hints() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
      listeners.withLock { $0.append(listener) }
    }
  }

  func lookForOtherWriters() {}

  func close() {
    for listener in listeners.withLock({ $0 }) { listener.finish() }
  }
}
// end

@Sendable func ownStore() async throws {
  // snippet: own-store
  let store = Shelf(entities: [Book.entity])
  let results = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .attribute(\.publisher),
    in: store
  )
  try await results.performFetch()
  var events = results.changes.makeAsyncIterator()
  _ = await events.next()

  try await store.write { books in
    try books.insert(Book(publisher: "岩波書店", title: "帰還"))
  }
  if case .change(let change) = await events.next() {
    for section in change.delta.sections.inserts { print("section", section.new.title) }
    for row in change.delta.rows.inserts { print("row", row.id, "at", row.to.path) }
  }
  // end
}
