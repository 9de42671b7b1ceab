@testable import SQLitePersistence
import Dispatch
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

/// R186, R187: files of others with a rollback journal are followed and read without a lock, from copies that are of one commit.
@Suite(.timeLimit(.minutes(5))) struct `A file of others with a rollback journal` {
  private static let entity = Sample.entity(
    "t",
    .integer(),
    [AttributeDescription("x", .integer64), AttributeDescription("y", .text)]
  )
  private static let journals = ["delete", "truncate", "persist", "memory"]
  private static let options = SQLiteStoreOptions(
    isReadOnly: true,
    adoptsTables: true,
    busyTimeout: .seconds(20)
  )

  private let folder: TemporaryFolder
  private var path: String { folder.file("others.db") }

  init() throws { folder = try TemporaryFolder() }

  /// A connection that waits for no lock, whose small cache makes long transactions write before they are committed.
  private func writer(_ journal: String = "delete", rows: Int = 0) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.inDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = 5; PRAGMA synchronous = OFF")
      _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(journal)")
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x INTEGER NOT NULL, y TEXT NOT NULL);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
          INSERT INTO t SELECT i, 0, printf('%.200c', 'y') FROM n WHERE \(rows) > 0;
          """
      )
    }
    return queue
  }

  private func store(_ options: SQLiteStoreOptions = options) throws -> SQLiteStore {
    try SQLiteStore(
      at: path,
      entities: [`A file of others with a rollback journal`.entity],
      options: options
    )
  }

  /// The numbers of all rows.
  private func numbers(_ store: SQLiteStore) throws -> [Value] {
    try store.allRows(of: `A file of others with a rollback journal`.entity).map { $0["x"] }
  }

  private func connection() throws -> WatchConnection {
    let file = try #require(FileIdentity.find(path).file)
    return try #require(WatchConnection(path: path, file: file, markQuery: nil))
  }

  @Test(arguments: journals)
  func `R186: no commit of a program that does not wait fails beside a reader`(_ journal: String)
    throws
  {
    let queue = try writer(journal, rows: 3)
    let store = try store()
    let notifications = store.commitNotifications()
    let isOver = Mutex(false)
    let readers = DispatchGroup()
    let failures = Mutex<[String]>([])
    for _ in 0..<2 {
      DispatchQueue.global().async(group: readers) {
        do {
          while !isOver.withLock({ $0 }) {
            try store.checkForExternalChanges()
            _ = try numbers(store)
            _ = try connection().poll()
          }
        } catch {
          failures.withLock { $0.append("a reading: \(error)") }
        }
      }
    }
    for number in 1...300 {
      do {
        try queue.inDatabase { database in
          try database.execute(sql: "UPDATE t SET x = \(number) WHERE id = 1 + \(number) % 3")
        }
      } catch {
        failures.withLock { $0.append("commit \(number): \(error)") }
      }
    }
    isOver.withLock { $0 = true }
    readers.wait()
    #expect(failures.withLock { $0 } == [])
    try store.checkForExternalChanges()
    #expect(try numbers(store) == [.integer(298), .integer(299), .integer(300)])
    withExtendedLifetime(notifications) {}
    try store.close()
  }

  @Test func `R186: the locks of this process outlive the questions of a watch`() throws {
    let queue = try writer(rows: 1)
    try queue.inDatabase { database in
      try database.beginTransaction(.exclusive)
      try database.execute(sql: "UPDATE t SET x = 1")
      for _ in 0..<3 {
        #expect(try connection().poll() == .busy)
        let file = try #require(ForeignFile(path, options: .init(busyTimeout: .zero)))
        // It waits for no lock here.
        #expect(throws: SQLiteFailure.self) { try file.openCopy(Configuration()) }
        #expect(try FileIdentity.find(path).file == connection().identity)
      }
      #if os(Linux)
      #expect(LockHolder.writing(path)?.isThisProcess == true)
      #endif
      try database.commit()
    }
    guard case .version = try connection().poll() else {
      Issue.record("a file at rest has a version")
      return
    }
  }

  @Test(arguments: journals)
  func `R187: a state between two commits is never read`(_ journal: String) throws {
    let count = 1500
    let queue = try writer(journal, rows: count)
    let store = try store()
    let isOver = Mutex(false)
    let reader = DispatchGroup()
    let torn = Mutex<[String]>([])
    let seen = Mutex<Set<Value>>([])
    DispatchQueue.global().async(group: reader) {
      do {
        while !isOver.withLock({ $0 }) {
          try store.checkForExternalChanges()
          let numbers = try numbers(store)
          let found = Set(numbers)
          if found.count != 1 || numbers.count != count {
            torn.withLock { $0.append("\(found.count) numbers in \(numbers.count) rows") }
          }
          seen.withLock { $0.formUnion(found) }
        }
      } catch {
        torn.withLock { $0.append("\(error)") }
      }
    }
    for number in 1...60 {
      try queue.inDatabase { database in
        try database.beginTransaction()
        // The cache is too small for this, so pages are written before the transaction ends.
        try database.execute(sql: "UPDATE t SET x = \(number), y = printf('%.200c', 'z')")
        try database.execute(sql: number % 3 == 0 ? "ROLLBACK" : "COMMIT")
      }
    }
    isOver.withLock { $0 = true }
    reader.wait()
    #expect(torn.withLock { $0 } == [])
    let rolledBack = Set((1...20).map { Value.integer(Int64($0 * 3)) })
    #expect(seen.withLock { $0 }.isDisjoint(with: rolledBack))
    try store.checkForExternalChanges()
    #expect(try Set(numbers(store)) == [.integer(59)])
  }

  @Test(arguments: ["delete", "truncate", "persist"])
  func `R187: what a transaction has written into the file does not count before its end`(
    _ journal: String
  ) throws {
    let queue = try writer(journal, rows: 1500)
    var options = `A file of others with a rollback journal`.options
    options.busyTimeout = .milliseconds(300)
    let store = try store(options)
    let file = try #require(store.database.context.foreignFile)
    let state = { try #require(FileState(of: queue.inDatabase { $0.sqliteConnection })) }
    for isKept in [false, true] {
      let before = try state()
      try queue.inDatabase { try $0.execute(sql: "BEGIN; UPDATE t SET x = 7") }
      #expect(try !state().isCommitted)
      #expect(try connection().poll() == .busy)
      try store.checkForExternalChanges()
      #expect(try Set(numbers(store)) == [.integer(0)])
      try queue.inDatabase { try $0.execute(sql: isKept ? "COMMIT" : "ROLLBACK") }
      // A rollback restores the version, so the time of the file must show it.
      #expect(try (before.version == state().version) == !isKept)
      #expect(try !before.isSameContent(as: state()))
      try store.checkForExternalChanges()
      #expect(try Set(numbers(store)) == [.integer(isKept ? 7 : 0)])
    }
    #expect(!file.isReadDirectly && !file.mustReopen)
  }

  @Test func `R186: a transaction that has not written into the file keeps nobody from reading it`()
    throws
  {
    let queue = try writer(rows: 3)
    // Without it, SQLite writes no number of pages into the journal that could show it.
    try queue.inDatabase {
      try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = 100")
    }
    try queue.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE; UPDATE t SET x = 7 WHERE id = 1") }
    let start = ContinuousClock.now
    let store = try store()
    #expect(try Set(numbers(store)) == [.integer(0)])
    #expect(ContinuousClock.now - start < .seconds(10))
    try queue.inDatabase { try $0.execute(sql: "COMMIT") }
    try store.checkForExternalChanges()
    #expect(try numbers(store).contains(.integer(7)))
  }

  #if os(Linux)
  @Test(arguments: journals)
  func `R186: no lock is taken while a writer is about to commit`(_ journal: String) throws {
    let queue = try writer(journal, rows: 3)
    // With synchronous = OFF the journal counts from its beginning.
    try queue.inDatabase { try $0.execute(sql: "PRAGMA cache_size = 100; BEGIN IMMEDIATE") }
    let store = try store()
    for isWritten in [false, true] {
      if isWritten { try queue.inDatabase { try $0.execute(sql: "UPDATE t SET x = 7") } }
      let state = try #require(FileState(of: queue.inDatabase { $0.sqliteConnection }))
      #expect(state.isPreparing && state.isCommitted)
      // Beyond the time of stillness, after which a lock is taken.
      for _ in 1...3 {
        #expect(try connection().poll() != .busy)
        try store.checkForExternalChanges()
        #expect(try Set(numbers(store)) == [.integer(0)])
        usleep(60_000)
      }
    }
    try queue.inDatabase { try $0.execute(sql: "COMMIT") }
    try store.checkForExternalChanges()
    #expect(try Set(numbers(store)) == [.integer(7)])
  }
  #endif

  @Test func `R187: a commit that its program did not finish is named, and never shown`() throws {
    let queue = try writer(rows: 1500)
    try queue.inDatabase { try $0.execute(sql: "BEGIN; UPDATE t SET x = 7") }
    let left = folder.file("left.db")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
    }
    try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
    let open = {
      let entity = `A file of others with a rollback journal`.entity
      let options = `A file of others with a rollback journal`.options
      return try SQLiteStore(at: left, entities: [entity], options: options)
    }
    for attempt in [{ _ = try open() }, { _ = try DatabaseDescription(at: left) }] {
      let error = #expect(throws: StoreError.self) { try attempt() }
      guard case .cannotOpen(_, .noPermission(let detail)) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(detail.contains("ended in the middle of a commit"))
    }
    // A connection that may write undoes it.
    let other = try DatabaseQueue(path: left)
    _ = try other.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    #expect(try Set(numbers(open())) == [.integer(0)])
  }

  @Test func `R187: a file that is too large for a copy is read in place, a twentieth of the time`()
    async throws
  {
    let queue = try writer(rows: 3)
    var options = `A file of others with a rollback journal`.options
    options.copyLimit = 100
    let store = try store(options)
    let file = try #require(store.database.context.foreignFile)
    #expect(store.isReadDirectly && !store.readsCopies && file.isReadDirectly && file.hasRested)
    file.noteReading(since: .now - .seconds(100))
    #expect(!file.hasRested)
    var notifications = store.commitNotifications().makeAsyncIterator()
    try queue.inDatabase { try $0.execute(sql: "UPDATE t SET x = 1") }
    let retries = Mutex(0)
    store.database.checkSoon(mark: nil) { retries.withLock { $0 += 1 } }
    #expect(retries.withLock { $0 } == 1)
    // A caller who asks is answered.
    try store.checkForExternalChanges()
    #expect(try Set(numbers(store)) == [.integer(1)])
    #expect(await notifications.next() != nil)
    try store.close()

    let other = try #require(ForeignFile(path, options: options))
    let start = ContinuousClock.now
    other.noteReading(since: start - .milliseconds(10))
    while !other.hasRested { await Task.yield() }
    #expect(ContinuousClock.now - start >= .milliseconds(19 * 10))
  }

  @Test func `R187: a file that outgrows copying is read in place from then on`() async throws {
    let queue = try writer(rows: 3)
    var options = `A file of others with a rollback journal`.options
    options.copyLimit = 1 << 16
    let store = try store(options)
    var notifications = store.commitNotifications().makeAsyncIterator()
    #expect(store.readsCopies)
    try queue.inDatabase { database in
      try database.execute(sql: "INSERT INTO t VALUES (4, 4, printf('%.100000c', 'y'))")
    }
    while try numbers(store).count < 4 { _ = await notifications.next() }
    #expect(store.isReadDirectly && !store.readsCopies)
    try store.close()
  }

  @Test func `R187: a file that gets a write-ahead log is followed on`() async throws {
    let queue = try writer(rows: 3)
    let store = try store()
    var notifications = store.commitNotifications().makeAsyncIterator()
    #expect(store.readsCopies)
    try queue.inDatabase { database in
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = wal")
      #expect(mode == "wal")
      // The first reader of a new write-ahead log may make its index, for which SQLite locks it for a moment.
      try database.execute(sql: "PRAGMA busy_timeout = 5000; UPDATE t SET x = 5")
    }
    while try Set(numbers(store)) != [.integer(5)] { _ = await notifications.next() }
    #expect(!store.isReadDirectly && !store.readsCopies)
    try store.close()
  }

  /// A restored backup can meet the log of the file before it: SQLite uses that log, though the header names a journal.
  @Test func `R229: a file with a write-ahead log is followed as such, whatever its header says`()
    async throws
  {
    let log = try DatabasePool(path: folder.file("log.db"))
    try await log.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x, y)") }
    try await log.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try await log.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 1, 'y')") }
    for suffix in ["", "-wal"] {
      let original = folder.file("log.db\(suffix)")
      try FileManager.default.copyItem(atPath: original, toPath: path + suffix)
    }
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: 18)
    file.write(Data([1, 1]))
    try file.close()

    let store = try store()
    #expect(!store.readsCopies)
    #expect(try numbers(store) == [.integer(1)])
    let watch = try connection()
    let version = watch.poll()
    var notifications = store.commitNotifications().makeAsyncIterator()
    let other = try DatabaseQueue(path: path)
    try await other.write { try $0.execute(sql: "UPDATE t SET x = 2") }
    #expect(watch.poll() != version)
    while try numbers(store) != [.integer(2)] { _ = await notifications.next() }
    try store.close()
  }

  @Test func `R187: a file that another one replaces is left, through a link too`() async throws {
    let link = folder.file("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try writer(rows: 3).close()
    let store = try SQLiteStore(
      at: link,
      entities: [`A file of others with a rollback journal`.entity],
      options: `A file of others with a rollback journal`.options
    )
    var notifications = store.commitNotifications().makeAsyncIterator()
    #expect(store.readsCopies)
    try FileManager.default.moveItem(atPath: path, toPath: folder.file("old.db"))
    try writer(rows: 2).close()
    while (try? numbers(store).count) != 2 { _ = await notifications.next() }
    #expect(store.readsCopies)
    let queue = try writer()
    try queue.inDatabase { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
    while try numbers(store).count != 1 { _ = await notifications.next() }
    try store.close()
  }

  @Test func `R187: statements are prepared again over a copy with another schema`() throws {
    let queue = try writer(rows: 3)
    let store = try store()
    #expect(try numbers(store).count == 3)
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE u AS SELECT * FROM t; ALTER TABLE t ADD COLUMN z; DROP TABLE u; VACUUM;
          CREATE INDEX byX ON t(x); UPDATE t SET x = id;
          """
      )
    }
    try store.checkForExternalChanges()
    #expect(try numbers(store) == [.integer(1), .integer(2), .integer(3)])
  }
}
