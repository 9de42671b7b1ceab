#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization
import Testing

@testable import PostgreSQLPersistence

/// R168: transactions of several stores and programs over one database.
@Suite struct WritingTests {
  static let note = try? EntityDescription(
    name: "Note",
    attributes: [
      AttributeDescription("title", .text), AttributeDescription("count", .integer64),
    ]
  )

  private static let stores = Result { try TestStores() }
  private let stores: TestStores
  private let note: EntityDescription

  init() throws {
    stores = try Self.stores.get()
    note = try #require(Self.note)
  }

  private func values(_ title: String, _ count: Int64 = 0) -> [Value] {
    [.text(title), .integer(count)]
  }

  private func insert(_ values: [Value], _ number: Int64, _ store: PostgreSQLStore) throws {
    try store.write { try $0.insert(values, key: .integer(number), into: note) }
  }

  private func id(_ number: Int64) -> ObjectID { ObjectID(entity: "Note", key: .integer(number)) }

  private func row(_ store: PostgreSQLStore, _ number: Int64) throws -> [Value]? {
    try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([.integer(number)], of: note)[0]?.values
    }
  }

  @Test func `stores that take turns lose no update (R168)`() async throws {
    let first = try stores.open([note])
    let second = try stores.open(sameAs: first)
    try insert(values("a"), 1, first)
    await withTaskGroup(of: Void.self) { group in
      for store in [first, second] {
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<25 {
              do {
                try await store.write { transaction in
                  let row = try #require(try transaction.rows([.integer(1)], of: note)[0])
                  let count = try #require(row["count"].integer)
                  try transaction.update(row.id, to: values("a", count + 1), of: note)
                }
              } catch {
                Issue.record(error)
              }
            }
          }
        }
      }
    }
    #expect(try row(first, 1) == values("a", 100))
  }

  @Test func `a transaction that waits too long for its turn says who has it (R168)`() async throws
  {
    let first = try stores.open([note])
    let second = try stores.open(sameAs: first) { $0.busyTimeout = .milliseconds(100) }
    try first.commit(origin: .unnamed) { _ in
      #expect {
        try insert(values("x"), 2, second)
      } throws: { error in
        guard case .busy(_, .milliseconds(100), let holder?) = error as? StoreError else {
          return false
        }
        return holder.processID > 0 && holder.name == "fetched-results"
      }
    }
  }

  @Test func `R208: a transaction can give up the wait for its turn, and has changed nothing`()
    async throws
  {
    let first = try stores.open([note])
    let second = try stores.open(sameAs: first) { $0.busyTimeout = .seconds(30) }
    let wait = WriterWait()
    try first.commit(origin: .unnamed) { _ in
      Thread.detachNewThread { wait.giveUp() }
      #expect {
        try WriterWait.$current.withValue(wait) { try insert(values("x"), 2, second) }
      } throws: { error in
        guard case .busy(_, let waited, let holder?) = error as? StoreError else { return false }
        return waited > .zero && waited < .seconds(15) && holder.name == "fetched-results"
      }
    }
    #expect(try row(second, 2) == nil)
    // The connection is as it was.
    try insert(values("x"), 2, second)
    #expect(try row(first, 2) == values("x"))
  }

  /// A write that waits for a row or a key of another session.
  enum WaitingWrite: String, CaseIterable {
    case update, delete, insert, inserts, statement
    /// A closure that goes on after the error.
    case swallowing
  }

  @Test(arguments: WaitingWrite.allCases)
  func `R220: a transaction that waits for a row of another session can be given up`(
    _ write: WaitingWrite
  ) async throws {
    let store = try stores.open([note], PostgreSQLStoreOptions(busyTimeout: .seconds(30)))
    try insert(values("a"), 1, store)
    let table = store.context.tables.all[0].quotedName
    let other = try TestServer.connect(stores.url)
    try other.runOnce("SET application_name = 'importer'")
    try other.run([.begin(.readCommitted)])
    try other.runOnce("UPDATE \(table) SET title = 'b' WHERE id = 1")
    try other.runOnce("INSERT INTO \(table) (id, title, count) VALUES (2, 'b', 0)")
    let wait = WriterWait()
    let pid = try other.runOnce("SELECT pg_backend_pid()::bigint").integer(0, 0) ?? 0
    // On threads of their own, so that other tests go on.
    Thread.detachNewThread { [url = stores.url] in
      let watching = try? TestServer.connect(url)
      let blocked = "SELECT FROM pg_stat_activity WHERE \(pid) = ANY (pg_blocking_pids(pid))"
      while let watching, let waiting = try? watching.run(blocked), waiting.count == 0 {}
      wait.giveUp()
    }
    await #expect {
      try await WriterWait.$current.withValue(wait) {
        try await store.write { transaction in
          try transaction.insert(values("c"), key: .integer(9), into: note)
          switch write {
          case .update: try transaction.update(id(1), to: values("c"), of: note)
          case .delete: try transaction.delete(id(1), of: note)
          case .insert: try transaction.insert(values("c"), key: .integer(2), into: note)
          case .inserts:
            _ = try transaction.insert(
              [values("c"), values("c")],
              keys: [.integer(2), .integer(3)],
              into: note
            )
          case .statement:
            _ = try (transaction as? PostgreSQLTransaction)?.execute("DELETE FROM \(table)")
          case .swallowing: try? transaction.update(id(1), to: values("c"), of: note)
          }
        }
      }
    } throws: { error in
      guard case .busy(_, let waited, let holder?) = error as? StoreError else { return false }
      return waited > .zero && waited < .seconds(15) && holder.name == "importer"
        && holder.processID == pid
    }
    try other.run([.rollback])
    #expect(try row(store, 1) == values("a"))
    #expect(try row(store, 2) == nil)
    #expect(try row(store, 9) == nil)
    // The connection is as it was, and a wait that nobody gives up ends with the other session.
    try insert(values("c"), 9, store)
    #expect(try row(store, 9) == values("c"))
  }

  @Test func `R220: a transaction that waits for nobody is not ended`() throws {
    let store = try stores.open([note])
    let wait = WriterWait()
    try WriterWait.$current.withValue(wait) {
      try store.write { transaction in
        wait.giveUp()
        _ = try (transaction as? PostgreSQLTransaction)?.execute("SELECT pg_sleep(0.2)")
        try transaction.insert(values("c"), key: .integer(1), into: note)
      }
    }
    #expect(try row(store, 1) == values("c"))
  }

  @Test func `what another program changed meanwhile is not overwritten (R168)`() throws {
    let store = try stores.open([note])
    try store.write { try $0.insert(values("a"), key: .integer(1), into: note) }
    let table = store.context.tables.all[0].quotedName
    let other = try TestServer.connect(stores.url)
    #expect {
      try store.write { transaction in
        try other.run("UPDATE \(table) SET count = 5")
        try transaction.update(id(1), to: values("a", 1), of: note)
      }
    } throws: { error in
      guard case .writeConflict = error as? StoreError else { return false }
      return true
    }
    #expect(try row(store, 1) == values("a", 5))
  }

  @Test func `transactions side by side are repeated until they fit (R168)`() async throws {
    let options = PostgreSQLStoreOptions(writing: .concurrently(attempts: 50))
    let first = try stores.open([note], options)
    let second = try stores.open(sameAs: first)
    #expect(first.capabilities.mayRepeatTransactions)
    try insert(values("a"), 1, first)
    let runs = RunCount()
    await withTaskGroup(of: Void.self) { group in
      for store in [first, second] {
        group.addTask {
          for _ in 0..<25 {
            do {
              try await store.write { transaction in
                runs.value.withLock { $0 += 1 }
                let row = try #require(try transaction.rows([.integer(1)], of: note)[0])
                let count = try #require(row["count"].integer)
                try transaction.update(row.id, to: values("a", count + 1), of: note)
              }
            } catch {
              Issue.record(error)
            }
          }
        }
      }
    }
    #expect(try row(first, 1) == values("a", 50))
    #expect(runs.value.withLock { $0 } >= 50)
  }

  @Test func `rows that the database refuses leave the transaction usable (R168)`() throws {
    let store = try stores.open([note])
    let table = store.context.tables.all[0].quotedName
    let other = try TestServer.connect(stores.url)
    try other.runOnce("ALTER TABLE \(table) ADD CONSTRAINT few CHECK (count < 10)")
    try other.runOnce("CREATE UNIQUE INDEX ON \(table) (title)")
    try store.write { transaction in
      let first = try transaction.insert(values("a"), key: nil, into: note)
      #expect(throws: StoreError.self) {
        try transaction.insert(values("b", 11), key: nil, into: note)
      }
      #expect(throws: StoreError.self) { try transaction.insert(values("a"), key: nil, into: note) }
      let second = try transaction.insert(values("c"), key: nil, into: note)
      #expect(throws: StoreError.self) { try transaction.update(second, to: values("a"), of: note) }
      try transaction.update(first, to: values("d", 9), of: note)
    }
    let count = try store.read { (snapshot) throws(StoreError) in
      try snapshot.count(of: note, where: .all)
    }
    #expect(count == 2)
  }

  @Test func `many rows travel at once, and a refused one is named (R168)`() throws {
    let store = try stores.open([note])
    let ids = try store.write { transaction in
      try transaction.insert(
        (0..<5_000).map { values("n\($0)", Int64($0)) },
        keys: (0..<5_000).map { $0 == 7 ? .integer(100_000) : nil },
        into: note
      )
    }
    #expect(Set(ids).count == 5_000)
    #expect(ids[7] == id(100_000))
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows(ids.map(\.key), of: note)
    }
    #expect(rows.compactMap { $0?["count"].integer } == (0..<5_000).map(Int64.init))
    #expect {
      try store.write { transaction in
        try transaction.insert(
          [values("x"), values("y")],
          keys: [nil, .integer(100_000)],
          into: note
        )
      }
    } throws: { error in
      guard case .alreadyExists(let found) = error as? StoreError else { return false }
      return found == id(100_000)
    }
  }

  @Test func `the sequence passes keys that were given (R168)`() throws {
    let store = try stores.open([note])
    try store.write { transaction in
      for number in 1...3 {
        try transaction.insert(values("given"), key: .integer(Int64(number)), into: note)
      }
      #expect(try transaction.insert(values("assigned"), key: nil, into: note) == id(4))
    }
  }

  @Test func `a table whose keys are always generated takes given keys too (R168)`() throws {
    try TestServer.withDatabase { url in
      try TestServer.connect(url).runOnce(
        """
        CREATE TABLE public."Note" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
        title text COLLATE "C" NOT NULL, count bigint NOT NULL)
        """
      )
      let options = PostgreSQLStoreOptions(adoptsTables: true, maintainsChangeLog: true)
      let store = try PostgreSQLStore(url: url, entities: [note], options: options)
      try insert(values("given"), 7, store)
      try store.write { transaction in
        #expect(try transaction.insert(values("assigned"), key: nil, into: note) == id(1))
        _ = try transaction.insert(
          [values("b"), values("c")],
          keys: [.integer(8), nil],
          into: note
        )
      }
      #expect(try row(store, 7) == values("given"))
      #expect(try row(store, 8) == values("b"))
      try store.close()
    }
  }

  @Test func `a commit whose connection breaks is settled by its number (R169)`() throws {
    let store = try stores.open([note])
    let table = store.context.tables.all[0].quotedName
    let other = try TestServer.connect(stores.url)
    // The commit waits in a trigger that runs at its very end; there its connection is ended.
    try other.runOnce(
      """
      CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END'
      """
    )
    try other.runOnce(
      """
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED \
      FOR EACH ROW WHEN (NEW.title = 'end') EXECUTE FUNCTION public.slow()
      """
    )
    #expect {
      try store.write { try $0.insert(values("end"), key: .integer(1), into: note) }
    } throws: { error in
      guard case .unreachable = error as? StoreError else { return false }
      return true
    }
    #expect(try row(store, 1) == nil)
    try store.write { try $0.insert(values("next"), key: .integer(2), into: note) }
    #expect(try row(store, 2) == values("next"))
  }
}

private final class RunCount: Sendable {
  let value = Mutex(0)
}
#endif
