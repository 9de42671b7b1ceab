import Dispatch
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The environment of a case: new stores, and expectations that throw.
///
/// Its only mutable state is the list of open stores, which the fixture alone appends to and reads.
final class ConformanceFixture: Sendable {
  let caseName: String
  let provider: StoreProvider
  private let opened = Mutex<[any Store]>([])

  init(caseName: String, provider: StoreProvider) {
    self.caseName = caseName
    self.provider = provider
  }

  /// Opens a new, empty store.
  func open(_ entities: [EntityDescription] = Sample.entities) throws -> any Store {
    track(try provider.open(entities))
  }

  /// Records a store, so that it is closed when the case ends.
  func track(_ store: any Store) -> any Store {
    opened.withLock { $0.append(store) }
    return store
  }

  func closeAll() {
    for store in opened.withLock({ $0 }) { try? store.close() }
  }

  /// Unwraps an optional closure of the provider.
  func unwrap<Capability>(_ capability: Capability?) throws -> Capability {
    guard let capability else { throw failure("the capability that the case requires", "none") }
    return capability
  }

  func failure(_ expectation: String, _ actual: String) -> ConformanceFailure {
    ConformanceFailure(testCase: caseName, expectation: expectation, actual: actual)
  }
}

// MARK: - Models

extension ModelStore {
  /// The operation with the key that the model assigns, if the store assigns others.
  func keyed(_ operation: StoreOperation, for store: any Store) -> StoreOperation {
    guard !store.capabilities.assignsLargestKeyPlusOne, case .integer = entity.identity,
      case .insert(let values, nil) = operation
    else { return operation }
    var copy = self
    guard case .done(let id) = copy.perform(operation) else { return operation }
    return .insert(values, key: id.key)
  }
}

// MARK: - Expectations

extension ConformanceFixture {
  func expect(
    _ isMet: Bool,
    _ expectation: @autoclosure () -> String,
    found actual: @autoclosure () -> String = "otherwise"
  ) throws(ConformanceFailure) {
    guard isMet else { throw failure(expectation(), actual()) }
  }

  func expectEqual<Element: Equatable>(
    _ actual: Element,
    _ expected: Element,
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard actual == expected else { throw failure("\(what()): \(expected)", "\(actual)") }
  }

  /// Expects a closure to throw a `StoreError` that satisfies a condition.
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

  /// Expects two lists of rows to be equal; the failure shows the first rows that differ.
  func expectRows(
    _ actual: [Row],
    _ expected: [Row],
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard actual != expected else { return }
    let difference = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }
    let index = difference?.offset ?? min(actual.count, expected.count)
    throw failure(
      "\(what()): \(expected.count) rows, at \(index) \(show(expected, index))",
      "\(actual.count) rows, at \(index) \(show(actual, index))"
    )
  }

  /// Expects two lists of changes to be equal in any order, images included.
  func expectChanges(
    _ actual: [CommittedChange],
    _ expected: [CommittedChange],
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    let order: (CommittedChange, CommittedChange) -> Bool = { left, right in
      ModelStore.order(left.id.key, right.id.key) == .ascending
    }
    let (actual, expected) = (actual.sorted(by: order), expected.sorted(by: order))
    guard actual != expected else { return }
    throw failure("\(what()): \(show(expected))", show(actual))
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
  /// Creates a list of the objects of an entity that match a predicate, ordered by the first attribute if no order is given.
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
  /// The keys as separate arrays.
  var keys: [[UInt8]] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return Array(bytes[start..<end])
    }
  }
}

extension StoreSnapshot {
  /// Returns the encoded keys of a list.
  func keys(of definition: OrderDefinition) throws(StoreError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try entries(of: definition) { batch in
      keys += batch.keys
      return true
    }
    return keys
  }

  /// Returns the rows of a list, in its order.
  func list(_ definition: OrderDefinition) throws(StoreError) -> [Row] {
    let keys = try keys(of: definition).compactMap { key in
      key.withUnsafeBytes { definition.layout.objectKey(in: $0, of: definition.entity.identity) }
    }
    return try rows(keys, of: definition.entity).compactMap(\.self)
  }

  /// Returns each object's identity bytes with its digest.
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

extension ConformanceFixture {
  /// Returns the rows of a list, in its order.
  func rows(_ store: any Store, _ definition: OrderDefinition) throws -> [Row] {
    try store.read { (snapshot) throws(StoreError) in try snapshot.list(definition) }
  }

  /// Returns all rows of an entity, ascending by key.
  func allRows(_ store: any Store, _ entity: EntityDescription) throws -> [Row] {
    try rows(store, try .list(entity))
      .sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
  }

  /// Returns the row of an object, or `nil`.
  func row(_ store: any Store, _ id: ObjectID, _ entity: EntityDescription) throws -> Row? {
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([id.key], of: entity)
    }
    try expectEqual(rows.count, 1, "the number of results for one key")
    return rows[0]
  }

  func version(_ store: any Store) throws -> StoreVersion {
    try store.read { (snapshot) throws(StoreError) in snapshot.version }
  }

  /// Returns the commits since a version; a gap is a failure.
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

  /// Returns the changes since a version; more than one commit is a failure.
  func changes(
    _ store: any Store,
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws -> [CommittedChange] {
    let commits = try commits(store, since: version, of: entity).filter { !$0.changes.isEmpty }
    try expect(commits.count <= 1, "one commit at most", found: "\(commits.count) commits")
    return commits.first?.changes ?? []
  }

  /// Runs one transaction on the calling thread, also in asynchronous cases.
  @discardableResult
  func write<Result: Sendable>(
    _ store: any Store,
    _ body: (any StoreTransaction) throws -> Result
  ) throws -> Result {
    try store.commit(origin: .unnamed, body).result
  }
}

// MARK: - Threads

extension ConformanceFixture {
  /// Runs a closure that may block on a thread of its own; a closure that does not return in time fails the case.
  func onThread<Result: Sendable>(
    _ what: String,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let outcome = await withCheckedContinuation { continuation in
      let once = Once<Swift.Result<Result, any Error>?>(continuation)
      // A separate serial queue gets a thread even while others are blocked.
      DispatchQueue(label: what).async { once.resume(Swift.Result { try body() }) }
      let deadline = DispatchTime.now() + .milliseconds(timeoutInMilliseconds)
      DispatchQueue.global().asyncAfter(deadline: deadline) { once.resume(nil) }
    }
    guard let outcome else { throw failure("\(what) to return", "it blocked") }
    return try outcome.get()
  }

  /// Runs closures that may block concurrently, each on a thread of its own.
  func concurrently(_ bodies: [@Sendable () throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, body) in bodies.enumerated() {
        group.addTask { try await self.onThread("thread \(number)", body) }
      }
      try await group.waitForAll()
    }
  }

  /// Returns the result of an asynchronous closure, or `nil` if the timeout expires first.
  func withTimeout<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    let timeout = provider.timeout
    return await withTaskGroup(of: Result?.self) { group in
      group.addTask { await body() }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  var timeoutInMilliseconds: Int {
    let (seconds, attoseconds) = provider.timeout.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

/// A signal from one thread to another.
struct Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func send() { semaphore.signal() }

  /// Waits for the signal.
  /// - Returns: Whether the signal arrived before the timeout.
  func wait(milliseconds: Int) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}

/// Resumes a continuation on the first call, and ignores all later ones.
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
