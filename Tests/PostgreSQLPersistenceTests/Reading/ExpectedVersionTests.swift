#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import PostgreSQLPersistence

/// R171: reads of the version that is probably still the present one.
@Suite struct ExpectedVersionTests {
  private func withStore(
    _ body: (PostgreSQLStore, EntityDescription, Connection) throws -> Void
  ) throws {
    try TestServer.withDatabase { url in
      let entity = try EntityDescription(
        name: "Book",
        attributes: [AttributeDescription("title", .text)]
      )
      let store = try PostgreSQLStore(url: url, entities: [entity])
      try store.write { try $0.insert([.text("a")], key: .integer(1), into: entity) }
      try body(store, entity, try TestServer.connect(url))
    }
  }

  private func title(
    _ store: any StoreSnapshot,
    _ entity: EntityDescription
  ) throws(StoreError) -> String? {
    try store.rows([.integer(1)], of: entity)[0]?.values[0].text
  }

  private func flights(_ store: PostgreSQLStore) throws(StoreError) -> Int {
    try store.pool.with(.reading) { (connection) throws(StoreError) in connection.flightCount }
  }

  @Test func `where nothing was committed, a read is one round trip (R171)`() throws {
    try withStore { store, entity, _ in
      _ = try store.read { (snapshot) throws(StoreError) in try title(snapshot, entity) }
      // Transactions of other databases of the server, such as those of other tests, are in its snapshots too.
      let deadline = ContinuousClock.now + .seconds(120)
      var least = Int.max
      while least > 1, ContinuousClock.now < deadline {
        let before = try flights(store)
        let found = try store.readOptimistically { (snapshot) throws(StoreError) in
          try title(snapshot, entity)
        }
        #expect(found == "a")
        least = min(least, try flights(store) - before)
      }
      #expect(least == 1)
    }
  }

  @Test func `a page and its rows are one round trip (R173)`() throws {
    try withStore { store, entity, other in
      try other.runOnce("CREATE INDEX i ON \"Book\" (title, id)")
      try other.runOnce("INSERT INTO \"Book\" SELECT n, 'b' || n FROM generate_series(2, 99) n")
      let definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [.ascending("title")]
      )
      func page() throws(StoreError) -> [String]? {
        try store.readOptimistically { (snapshot) throws(StoreError) in
          guard let source = try snapshot.orderedSource(of: definition) else { return nil }
          let keys = try source.page(from: nil, skipping: 1, limit: 2).split
          let objects = keys.compactMap { key in
            key.withUnsafeBytes { definition.layout.objectKey(in: $0, of: entity.identity) }
          }
          return try snapshot.rows(objects, of: entity).compactMap { $0?.values[0].text }
        }
      }
      _ = try store.read { (snapshot) throws(StoreError) in
        try snapshot.orderedSource(of: definition) != nil
      }
      // As above, other tests may commit meanwhile.
      let deadline = ContinuousClock.now + .seconds(120)
      var least = Int.max
      while least > 1, ContinuousClock.now < deadline {
        let before = try flights(store)
        #expect(try page() == ["b10", "b11"])
        least = min(least, try flights(store) - before)
      }
      #expect(least == 1)
      try other.runOnce("DROP INDEX i")
      #expect(try page() == ["b10", "b11"])
      #expect(try page() == nil)
    }
  }

  @Test func `a commit between two reads is seen (R171)`() throws {
    try withStore { store, entity, other in
      for round in 0..<20 {
        try other.runOnce("UPDATE \"Book\" SET title = 'b\(round)'")
        let (version, found) = try store.readOptimistically { (snapshot) throws(StoreError) in
          (snapshot.version, try title(snapshot, entity))
        }
        #expect(found == "b\(round)")
        let now = try store.read { (snapshot) throws(StoreError) in snapshot.version }
        #expect(version == now)
      }
    }
  }

  @Test func `a commit in the middle of a read makes it begin again (R171)`() throws {
    try withStore { store, entity, other in
      // Where another test commits before the first flight, there is a transaction from the beginning.
      let deadline = ContinuousClock.now + .seconds(120)
      var most = 0
      while most < 2, ContinuousClock.now < deadline {
        try other.runOnce("UPDATE \"Book\" SET title = 'a'")
        _ = try store.read { (snapshot) throws(StoreError) in snapshot.version }
        let calls = Mutex(0)
        let found = try store.readOptimistically { (snapshot) throws(StoreError) in
          let first = try title(snapshot, entity)
          let call = calls.withLock { count in
            count += 1
            return count
          }
          if call == 1 { _ = try? other.runOnce("UPDATE \"Book\" SET title = 'b'") }
          return [first, try title(snapshot, entity)]
        }
        most = calls.withLock { $0 }
        #expect(found == (most == 1 ? ["a", "a"] : ["b", "b"]))
      }
      #expect(most == 2)
    }
  }

  @Test func `what needs a transaction, and a table that is gone, are read as ever (R171)`() throws
  {
    try withStore { store, entity, other in
      let definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [.ascending("title")]
      )
      _ = try store.read { (snapshot) throws(StoreError) in snapshot.version }
      let count = try store.readOptimistically { (snapshot) throws(StoreError) in
        var count = 0
        try snapshot.entries(of: definition) { (batch) throws(StoreError) in
          count += batch.count
          return true
        }
        return count
      }
      #expect(count == 1)
      try other.runOnce("DROP TABLE \"Book\"")
      #expect(throws: StoreError.self) {
        _ = try store.readOptimistically { (snapshot) throws(StoreError) in
          try title(snapshot, entity)
        }
      }
    }
  }
}
#endif
