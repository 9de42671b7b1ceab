import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite struct `In-memory store` {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Item",
      attributes: [AttributeDescription("n", .integer64)]
    )
  }

  @Test func `two entities with the same name are refused`() throws {
    let error = #expect(throws: StoreError.self) {
      try InMemoryStore(entities: [entity, entity], name: "twice")
    }
    guard case .cannotOpen(path: "twice", .schemaMismatch(entity: "Item", _)) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
  }

  @Test func `a store uses a given epoch, or else a random one`() throws {
    let store = try InMemoryStore(entities: [entity], epoch: 7)
    let version = try store.read { (snapshot) throws(StoreError) in snapshot.version }
    #expect(version == StoreVersion(epoch: 7, sequence: 0))
    let others = try (0..<2).map { _ in try InMemoryStore(entities: [entity]).identity.uniqueName }
    #expect(others[0] != others[1])
  }

  /// A commit larger than the whole history is a gap, and the next small one is in the history again.
  @Test func `a commit too large for the history is a gap`() throws {
    let store = try InMemoryStore(entities: [entity], historyCapacity: 2)
    let first = try store.commit(origin: .unnamed) { transaction in
      for number: Int64 in 0..<3 {
        try transaction.insert([.integer(number)], key: nil, into: entity)
      }
    }
    let beginning = StoreVersion(epoch: first.version.epoch, sequence: 0)
    #expect(try kind(store, since: beginning) == "gap(trimmed)")
    #expect(try kind(store, since: first.version) == "0 commits")
    try store.write { try $0.insert([9], key: nil, into: entity) }
    #expect(try kind(store, since: first.version) == "1 commits")
    let future = StoreVersion(epoch: first.version.epoch, sequence: 99)
    #expect(try kind(store, since: future) == "gap(otherEpoch)")
  }

  @Test func `a snapshot or a transaction that has ended throws`() throws {
    let store = try InMemoryStore(entities: [entity])
    var escaped: [any StoreSnapshot] = []
    try store.read { (snapshot) throws(StoreError) in escaped.append(snapshot) }
    try store.write { escaped.append($0) }
    for snapshot in escaped {
      #expect(throws: StoreError.self) { try snapshot.count(of: entity, where: .all) }
    }
    let transaction = try #require(escaped.last as? any StoreTransaction)
    #expect(throws: StoreError.self) { try transaction.insert([1], key: nil, into: entity) }
    #expect(
      try store.read { (new) throws(StoreError) in try new.count(of: entity, where: .all) } == 0
    )
  }

  @Test func `closing inside a transaction rolls it back`() throws {
    let store = try InMemoryStore(entities: [entity])
    let error = #expect(throws: StoreError.self) {
      try store.write { transaction in
        try transaction.insert([1], key: nil, into: entity)
        try store.close()
      }
    }
    guard case .closed = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
  }

  /// R48: the inner transaction is refused even if a transaction of another store is between the two.
  @Test func `a transaction can be inside one of another store, but not of its own store`() throws {
    let (left, right) = (
      try InMemoryStore(entities: [entity]), try InMemoryStore(entities: [entity])
    )
    try left.write { _ in
      try right.write { transaction in
        try transaction.insert([1], key: nil, into: entity)
        #expect(throws: StoreError.self) {
          try left.write { try $0.insert([2], key: nil, into: entity) }
        }
      }
    }
    try left.write { try $0.insert([3], key: nil, into: entity) }
    #expect(
      try left.read { (new) throws(StoreError) in try new.count(of: entity, where: .all) } == 1
    )
    #expect(
      try right.read { (new) throws(StoreError) in try new.count(of: entity, where: .all) } == 1
    )
  }

  /// A task inherits the task-local values of the closure that starts it, but is not inside that closure.
  @Test func `a task started in a transaction can write later`() async throws {
    let store = try InMemoryStore(entities: [entity])
    let entity = entity
    let task = try store.commit(origin: .unnamed) { _ in
      Task { try await store.write { try $0.insert([1], key: nil, into: entity) } }
    }
    let id = try await task.result.value
    #expect(id.key == .integer(1))
  }

  @Test func `a read-only view sees the commits of its store`() throws {
    let store = try InMemoryStore(entities: [entity])
    let view = InMemoryStore(readingFrom: store)
    try store.write { try $0.insert([1], key: nil, into: entity) }
    #expect(
      try view.read { (new) throws(StoreError) in try new.count(of: entity, where: .all) } == 1
    )
    #expect(throws: StoreError.self) {
      try view.write { try $0.insert([2], key: nil, into: entity) }
    }
  }

  private func kind(_ store: InMemoryStore, since version: StoreVersion) throws -> String {
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: version, of: entity)
    }
    return switch history {
    case .commits(let commits): "\(commits.count) commits"
    case .gap(let reason): "gap(\(reason))"
    }
  }
}
