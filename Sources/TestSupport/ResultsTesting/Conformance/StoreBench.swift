import Dispatch
import ResultsDomain
import Synchronization

/// What a case works with: fresh stores, and expectations that throw.
final class StoreBench: Sendable {
  let caseName: String
  let provider: StoreProvider
  private let opened = Mutex<[any Store]>([])

  init(caseName: String, provider: StoreProvider) {
    self.caseName = caseName
    self.provider = provider
  }

  /// A new empty store.
  func open(_ entities: [EntityDescription] = Sample.entities) throws -> any Store {
    keep(try provider.open(entities))
  }

  /// Remembers a store, to close it in the end.
  func keep(_ store: any Store) -> any Store {
    opened.withLock { $0.append(store) }
    return store
  }

  func closeAll() {
    for store in opened.withLock({ $0 }) { try? store.close() }
  }

  /// What a provider gives for a need that has been checked already.
  func given<Thing>(_ thing: Thing?) throws -> Thing {
    guard let thing else { throw failure("what the case needs", "nothing") }
    return thing
  }

  func failure(_ expectation: String, _ seen: String) -> ConformanceFailure {
    ConformanceFailure(testCase: caseName, expectation: expectation, seen: seen)
  }
}

// MARK: - Expectations

extension StoreBench {
  func expect(
    _ isMet: Bool,
    _ expectation: @autoclosure () -> String,
    saw seen: @autoclosure () -> String = "otherwise"
  ) throws(ConformanceFailure) {
    guard isMet else { throw failure(expectation(), seen()) }
  }

  func expectEqual<Thing: Equatable>(
    _ seen: Thing,
    _ expected: Thing,
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard seen == expected else { throw failure("\(what()): \(expected)", "\(seen)") }
  }

  /// Expects a store's error of some kind.
  func expectError<Result>(
    _ expectation: String,
    _ isExpected: (StoreError) -> Bool,
    _ body: () throws -> Result
  ) throws(ConformanceFailure) {
    let result: Result
    do {
      result = try body()
    } catch let error as StoreError {
      guard isExpected(error) else { throw failure(expectation, "\(error)") }
      return
    } catch {
      throw failure(expectation, "an error that is not a StoreError: \(error)")
    }
    throw failure(expectation, "no error, but \(result)")
  }

  /// Expects two lists of rows to be the same, and shows the first place where they are not.
  func expectRows(
    _ seen: [Row],
    _ expected: [Row],
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard seen != expected else { return }
    let place = zip(seen, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let index = place ?? min(seen.count, expected.count)
    throw failure(
      "\(what()): \(expected.count) rows, at \(index) \(show(expected, index))",
      "\(seen.count) rows, at \(index) \(show(seen, index))"
    )
  }

  /// Expects two lists of changes to be the same, images included.
  func expectChanges(
    _ seen: [CommittedChange],
    _ expected: [CommittedChange],
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    let order: (CommittedChange, CommittedChange) -> Bool = { left, right in
      ModelStore.order(left.id.key, right.id.key) == .ascending
    }
    let (seen, expected) = (seen.sorted(by: order), expected.sorted(by: order))
    guard seen != expected else { return }
    throw failure("\(what()): \(show(expected))", show(seen))
  }

  func show(_ changes: [CommittedChange]) -> String {
    changes.isEmpty ? "no change" : changes.map(\.text).joined(separator: "; ")
  }

  private func show(_ rows: [Row], _ index: Int) -> String {
    index < rows.count ? rows[index].text : "no row"
  }
}

extension Row {
  /// The identity and the values, for messages.
  var text: String { "\(id) \(values)" }
}

extension CommittedChange {
  /// The identity and both images, for messages.
  var text: String { "\(id): \(before.map(\.text) ?? "none") -> \(after.map(\.text) ?? "none")" }
}

// MARK: - Reading

extension OrderDefinition {
  /// A list of all objects of an entity, or of some, ordered by key where no order is given.
  static func list(
    _ entity: EntityDescription,
    where predicate: FetchPredicate = .all,
    sortedBy terms: [FetchSortDescriptor] = []
  ) throws(RequestError) -> OrderDefinition {
    let first = entity.attributes.first?.name ?? ""
    return try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sortDescriptors: terms.isEmpty ? [.ascending(first)] : terms
    )
  }
}

extension EntryBatch {
  /// Each key by itself.
  var keys: [[UInt8]] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return Array(bytes[start..<end])
    }
  }
}

extension StoreSnapshot {
  /// The encoded keys of a list.
  func keys(of definition: OrderDefinition) throws(StoreError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try entries(of: definition) { batch in
      keys += batch.keys
      return true
    }
    return keys
  }

  /// The rows of a list, in its order.
  func list(_ definition: OrderDefinition) throws(StoreError) -> [Row] {
    let keys = try keys(of: definition).compactMap { key in
      key.withUnsafeBytes { definition.layout.objectKey(in: $0, of: definition.entity.identity) }
    }
    return try rows(keys, of: definition.entity).compactMap(\.self)
  }

  /// Each object's identity bytes with its digest.
  func digests(
    of definition: OrderDefinition,
    _ attributes: AttributeSet
  ) throws(StoreError) -> [(identity: [UInt8], digest: [UInt8])] {
    var entries: [(identity: [UInt8], digest: [UInt8])] = []
    try digests(of: definition, attributes: attributes) { batch in
      entries += batch.keys.map { (Array($0.dropLast(8)), Array($0.suffix(8))) }
      return true
    }
    return entries
  }
}

extension StoreBench {
  /// The rows of a list, in its order.
  func rows(_ store: any Store, _ definition: OrderDefinition) throws -> [Row] {
    try store.read { (snapshot) throws(StoreError) in try snapshot.list(definition) }
  }

  /// All rows of an entity, ascending by key.
  func allRows(_ store: any Store, _ entity: EntityDescription) throws -> [Row] {
    try rows(store, try .list(entity))
      .sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
  }

  /// The row of an object, or `nil`.
  func row(_ store: any Store, _ id: ObjectID, _ entity: EntityDescription) throws -> Row? {
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([id.key], of: entity)
    }
    try expectEqual(rows.count, 1, "the number of answers for one key")
    return rows[0]
  }

  func version(_ store: any Store) throws -> StoreVersion {
    try store.read { (snapshot) throws(StoreError) in snapshot.version }
  }

  /// The commits since a version; a gap is not expected.
  func commits(
    _ store: any Store,
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws -> [CommitRecord] {
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: version, of: entity)
    }
    switch history {
    case .commits(let commits): return commits
    case .gap(let reason): throw failure("the commits since \(version)", "the gap \(reason)")
    }
  }

  /// The changes since a version, which one commit made at most.
  func changes(
    _ store: any Store,
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws -> [CommittedChange] {
    let commits = try commits(store, since: version, of: entity).filter { !$0.changes.isEmpty }
    try expect(commits.count <= 1, "one commit at most", saw: "\(commits.count) commits")
    return commits.first?.changes ?? []
  }

  /// One transaction on the calling thread, in asynchronous cases too.
  @discardableResult
  func write<Result: Sendable>(
    _ store: any Store,
    _ body: (any StoreTransaction) throws -> Result
  ) throws -> Result {
    try store.commit(origin: .unnamed, body).result
  }
}

// MARK: - Threads

extension StoreBench {
  /// Runs a closure that may block on a thread of its own; one that never ends is a failure, not a hanging test.
  func onThread<Result: Sendable>(
    _ what: String,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let outcome = await withCheckedContinuation { continuation in
      let once = Once<Swift.Result<Result, any Error>?>(continuation)
      // A serial queue of its own gets a thread even while others are blocked.
      DispatchQueue(label: what).async { once.resume(Swift.Result { try body() }) }
      let deadline = DispatchTime.now() + .milliseconds(patienceInMilliseconds)
      DispatchQueue.global().asyncAfter(deadline: deadline) { once.resume(nil) }
    }
    guard let outcome else { throw failure("\(what) to end", "it blocked") }
    return try outcome.get()
  }

  /// Runs closures that may block on threads of their own, all at the same time.
  func together(_ bodies: [@Sendable () throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, body) in bodies.enumerated() {
        group.addTask { try await self.onThread("thread \(number)", body) }
      }
      try await group.waitForAll()
    }
  }

  /// What an asynchronous closure gives, or `nil` if it takes too long.
  func inTime<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    let patience = provider.patience
    return await withTaskGroup(of: Result?.self) { group in
      group.addTask { await body() }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  var patienceInMilliseconds: Int {
    let (seconds, attoseconds) = provider.patience.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

/// A signal from one thread to another.
struct Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func send() { semaphore.signal() }

  /// Waits for the signal.
  /// - Returns: Whether it came in time.
  func wait(milliseconds: Int) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}

/// Resumes a continuation the first time it is asked to.
private final class Once<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume(_ value: Value) {
    let first = continuation.withLock { stored in
      defer { stored = nil }
      return stored
    }
    first?.resume(returning: value)
  }
}
