import GRDB
import ResultsDomain
import SQLitePersistence
import Testing

/// R55: passes over an ordered source can be stopped, and may query it while they run.
@Suite struct `Passes over an ordered source` {
  private let store: SQLiteStore
  private let definition: OrderDefinition

  init() throws {
    store = try SQLiteStore.inMemory(entities: [Sample.book])
    definition = try OrderDefinition(
      entity: Sample.book,
      predicate: .all,
      sortDescriptors: [.ascending("publisher"), .ascending("year")]
    )
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?
        .withDatabase { database in
          try database.execute(
            sql: """
              CREATE INDEX i ON Book(publisher, year);
              WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
              INSERT INTO Book(publisher, title, year)
              SELECT 'P' || (i % 7), 'T', nullif(i % 11, 3) FROM n
              """
          )
        }
    }
  }

  /// Runs a closure with the source.
  private func read(_ body: (any OrderedSource) throws -> Void) throws {
    try store.read { (snapshot) throws(StoreError) in
      do {
        try body(try #require(try snapshot.orderedSource(of: definition)))
      } catch {
        throw .aborted(by: error)
      }
    }
  }

  @Test func `deliver batches until they are stopped (R55)`() throws {
    try read { source in
      var counts: [Int] = []
      let stopped = try source.sample(every: 2) { (batch) throws(StoreError) in
        counts.append(batch.count)
        return counts.count < 2
      }
      #expect(stopped == nil)
      #expect(counts == [1024, 1024])
      var groups = 0
      try source.groups(byFirstColumns: 1) { (_, count) throws(StoreError) in
        groups += 1
        return groups < 3
      }
      #expect(groups == 3)
    }
  }

  @Test func `are not needed for an estimate of the length (R17)`() throws {
    try read { source in
      let estimate = try source.estimatedCount()
      #expect(estimate == 5000)
    }
  }

  @Test func `may be nested and query the source (R55)`() throws {
    try read { source in
      var pivots: [[UInt8]] = []
      let total = try source.sample(every: 3) { (batch) throws(StoreError) in
        pivots += batch.split
        let inner = try source.sample(every: 5) { (_) throws(StoreError) in true }
        #expect(inner == 5000)
        #expect(try source.count(from: nil, to: nil) == 5000)
        return true
      }
      #expect(total == 5000)
      #expect(pivots.count == 1667)
      for (first, second) in zip(pivots, pivots.dropFirst()) {
        let count = try source.count(from: .before(first), to: .before(second))
        try #require(count == 3)
      }
    }
  }

  @Test func `a value of another storage class is an error with its object (R85)`() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE Tag(name TEXT PRIMARY KEY NOT NULL, rank INTEGER) WITHOUT ROWID;
          CREATE INDEX i ON Tag(rank); INSERT INTO Tag VALUES ('a', 1), ('b', 'two');
          """
      )
    }
    let store = try SQLiteStore(writer: queue, entities: [Sample.tag], options: .making)
    let definition = try OrderDefinition(
      entity: Sample.tag,
      predicate: .all,
      sortDescriptors: [.ascending("rank")]
    )
    try store.read { (snapshot) throws(StoreError) in
      let found = try snapshot.orderedSource(of: definition)
      #expect(found != nil)
      guard let source = found else { return }
      expectForeign { () throws(StoreError) in
        _ = try source.keys(from: nil, to: nil, skipping: 1, limit: 1)
      }
      expectForeign { () throws(StoreError) in
        _ = try source.sample(every: 1) { (_) throws(StoreError) in true }
      }
      expectForeign { () throws(StoreError) in
        var last = EntryBatch()
        last.append { $0.append(9 as Int64, KeyColumn(.integer)) }
        _ = try source.ranks(of: last)
      }
      expectForeign { () throws(StoreError) in
        try source.groups(byFirstColumns: 1) { (_, _) throws(StoreError) in true }
      }
    }
  }

  private func expectForeign(_ body: () throws(StoreError) -> Void) {
    do {
      try body()
      Issue.record("no error")
    } catch {
      guard case .unexpectedValue(let id, "rank") = error else {
        Issue.record(error)
        return
      }
      #expect(id == ObjectID(entity: "Tag", key: .text("b")))
    }
  }

  @Test func `a source that is used after its snapshot fails (R55)`() throws {
    final class Escaped { var source: (any OrderedSource)? }
    let escaped = Escaped()
    try read { escaped.source = $0 }
    let source = try #require(escaped.source)
    #expect(throws: StoreError.self) { _ = try source.count(from: nil, to: nil) }
    #expect(throws: StoreError.self) {
      _ = try source.keys(from: nil, to: nil, skipping: 0, limit: 1)
    }
  }
}
