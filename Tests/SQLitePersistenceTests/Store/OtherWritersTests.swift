import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
@testable import SQLitePersistence
import Synchronization
import Testing

/// R60, R61: commits of other writers are noticed and listed row by row, whatever connection made them.
@Suite struct `Other writers of an SQLite store` {
  private func open(
    _ folder: TemporaryFolder,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions(pollInterval: nil)
  ) throws -> SQLiteStore {
    try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
  }

  private func addBook(_ store: SQLiteStore, _ title: String) throws {
    try store.write { try $0.insert(Sample.values("P", title), key: nil, into: Sample.book) }
  }

  @Test func `two stores on one file notice each other's commits`() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (try open(folder), try open(folder))
    let start = try second.currentVersion()
    try addBook(first, "a")
    try second.checkForExternalChanges()
    let changes = try second.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["a"]])
    #expect(try second.currentVersion().sequence == start.sequence + 1)
    try second.checkForExternalChanges()
    #expect(try second.currentVersion().sequence == start.sequence + 1)
    // The store's commits do not count as another writer's.
    let own = try first.currentVersion()
    try first.checkForExternalChanges()
    #expect(try first.currentVersion() == own)
    try first.close()
    try second.close()
  }

  @Test func `a write notices earlier commits of others`() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (try open(folder), try open(folder))
    let start = try second.currentVersion()
    try addBook(first, "a")
    try addBook(second, "b")
    let version = try second.currentVersion()
    #expect(version.sequence == start.sequence + 2)
    let changes = try second.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["a"], ["b"]])
    let between = StoreVersion(epoch: start.epoch, sequence: start.sequence + 1)
    let later = try second.history(since: between, of: Sample.book).changes
    #expect(later?.map { $0.map { $0.after?["title"] } } == [["b"]])
    try first.close()
    try second.close()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
  func `commits of another process are noticed, and it can read and write the file`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try addBook(store, "a")
    let start = try store.currentVersion()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [
      folder.file(), "INSERT INTO Book (publisher, title) SELECT publisher, title || 'z' FROM Book",
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    try store.checkForExternalChanges()
    let changes = try store.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["az"]])
    #expect(try store.allRows(of: Sample.book).map { $0["title"] } == ["a", "az"])
    try store.close()
  }

  @Test(.timeLimit(.minutes(15)))
  func `the poll notices others' commits by itself`() async throws {
    let folder = try TemporaryFolder()
    let first = try open(folder)
    let second = try open(folder, SQLiteStoreOptions(pollInterval: .milliseconds(5)))
    var hints = second.commitNotifications().makeAsyncIterator()
    let start = try second.currentVersion()
    try addBook(first, "a")
    while try second.currentVersion() == start { await hints.next() }
    let changes = try second.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["a"]])
    try first.close()
    try second.close()
  }

  @Test func `a writer that stays in its transaction makes a write busy, and polling continues`()
    throws
  {
    let folder = try TemporaryFolder()
    let options = SQLiteStoreOptions(busyTimeout: .milliseconds(30), pollInterval: nil)
    let store = try open(folder, options)
    let other = try DatabaseQueue(path: folder.file())
    try other.inDatabase { database in
      try database.beginTransaction(.immediate)
      let error = #expect(throws: StoreError.self) { try addBook(store, "a") }
      guard case .busy(folder.file(), .milliseconds(30), _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try store.checkForExternalChanges()
      #expect(try store.allRows(of: Sample.book).isEmpty)
      try database.rollback()
    }
    try addBook(store, "a")
    try store.close()
  }

  @Test(arguments: [Database.BusyMode.immediateError, .timeout(0.01)])
  func `a write over a borrowed writer waits as long as the store is asked to`(
    _ mode: Database.BusyMode
  ) throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.busyMode = mode
    let pool = try DatabasePool(path: folder.file(), configuration: configuration)
    var options = SQLiteStoreOptions(busyTimeout: .milliseconds(300), pollInterval: nil)
    options.createsTables = true
    let other = try DatabaseQueue(path: folder.file())
    try other.inDatabase { database in
      try database.beginTransaction(.immediate)
      let start = ContinuousClock.now
      let error = #expect(throws: StoreError.self) {
        try SQLiteStore(writer: pool, entities: [Sample.book], options: options)
      }
      #expect(ContinuousClock.now - start >= .milliseconds(300))
      guard case .busy(folder.file(), .milliseconds(300), _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try database.rollback()
    }
    let store = try SQLiteStore(writer: pool, entities: [Sample.book], options: options)
    try other.inDatabase { database in
      try database.beginTransaction(.immediate)
      let start = ContinuousClock.now
      let error = #expect(throws: StoreError.self) { try addBook(store, "a") }
      #expect(ContinuousClock.now - start >= .milliseconds(300))
      guard case .busy(folder.file(), .milliseconds(300), _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      // The application's own writes wait as long as it has chosen.
      let own = ContinuousClock.now
      #expect(throws: DatabaseError.self) {
        try pool.write { try $0.execute(sql: "DELETE FROM book") }
      }
      #expect(ContinuousClock.now - own < .milliseconds(300))
      try database.rollback()
    }
    try addBook(store, "a")
    try store.close()
  }

  @Test func `a borrowed writer's own callback decides how long a write waits`() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    let attempts = Atomic(0)
    configuration.busyMode = .callback { _ in
      attempts.add(1, ordering: .relaxed).newValue < 3
    }
    let pool = try DatabasePool(path: folder.file(), configuration: configuration)
    var options = SQLiteStoreOptions(busyTimeout: .seconds(30), pollInterval: nil)
    options.createsTables = true
    let store = try SQLiteStore(writer: pool, entities: [Sample.book], options: options)
    let other = try DatabaseQueue(path: folder.file())
    try other.inDatabase { database in
      try database.beginTransaction(.immediate)
      let start = ContinuousClock.now
      let error = #expect(throws: StoreError.self) { try addBook(store, "a") }
      guard case .busy(folder.file(), let waited, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(waited <= ContinuousClock.now - start)
      #expect(attempts.load(ordering: .relaxed) == 3)
      try database.rollback()
    }
    try store.close()
  }

  @Test func `R208: a write that waits can be given up, and has changed nothing`() throws {
    let folder = try TemporaryFolder()
    let options = SQLiteStoreOptions(busyTimeout: .seconds(30), pollInterval: nil)
    let store = try open(folder, options)
    let other = try DatabaseQueue(path: folder.file())
    try other.inDatabase { database in
      try database.beginTransaction(.immediate)
      let wait = WriterWait()
      Thread.detachNewThread { wait.giveUp() }
      let start = ContinuousClock.now
      let error = #expect(throws: StoreError.self) {
        try WriterWait.$current.withValue(wait) { try addBook(store, "a") }
      }
      let span = ContinuousClock.now - start
      guard case .busy(folder.file(), let waited, let holder) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(span < .seconds(15))
      #expect(waited <= max(span, .milliseconds(1)) && waited > .zero)
      #if os(Linux)
      #expect(holder?.isThisProcess == true)
      #expect(store.presentWriter == holder)
      #endif
      try database.rollback()
    }
    #expect(store.presentWriter == nil)
    #expect(try store.allRows(of: Sample.book).isEmpty)
    // A later write waits again, and a wait that is over ends nothing.
    let wait = WriterWait()
    wait.giveUp()
    try WriterWait.$current.withValue(wait) { try addBook(store, "a") }
    #expect(try store.allRows(of: Sample.book).count == 1)
    try store.close()
  }

  @Test func `a database of an application has no log, so others' commits are a gap`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    let store = try SQLiteStore(writer: pool, entities: Sample.entities, options: .making)
    #expect(store.capabilities.historyCoverage == .thisStore)
    let start = try store.currentVersion()
    let other = try DatabaseQueue(path: folder.file())
    try other.write { try $0.execute(sql: "INSERT INTO Tag (name) VALUES ('x')") }
    try store.checkForExternalChanges()
    #expect(try store.history(since: start, of: Sample.tag).gap == .otherWriter)
    #expect(try store.currentVersion().sequence == start.sequence + 1)
    try store.close()
  }

  @Test func `R64: without a log a list is resumed with what others committed in the pause`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try open(folder, SQLiteStoreOptions(pollInterval: nil, maintainsChangeLog: false))
    #expect(store.capabilities.historyCoverage == .thisStore)
    for title in ["a", "b"] { try addBook(store, title) }
    let list = FetchedResultsController(
      FetchRequest<ResultsDomain.Row>(entity: Sample.book, sortedBy: [.ascending("title")]),
      in: store
    )
    try await list.performFetch()
    list.pause()
    let other = try DatabaseQueue(path: folder.file())
    try await other.write { try $0.execute(sql: "DELETE FROM Book WHERE title = 'a'") }
    try await list.resume()
    #expect(try list.results.objects().map { $0["title"] } == ["b"])
    list.cancel()
    try other.close()
    try store.close()
  }

  @Test func `the application's commits on a borrowed pool are listed exactly`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    let store = try SQLiteStore(writer: pool, entities: Sample.entities, options: .making)
    let start = try store.currentVersion()
    try pool.write { database in
      try database.execute(sql: "INSERT INTO Book (publisher, title) VALUES ('P', 'a'), ('P', 'b')")
      try database.execute(sql: "DELETE FROM Book WHERE title = 'a'")
    }
    #expect(try store.currentVersion().sequence == start.sequence + 1)
    let changes = try store.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["b"]])
    try pool.write { _ = try Int.fetchOne($0, sql: "SELECT 1") }
    #expect(try store.currentVersion().sequence == start.sequence + 1)
    try store.close()
    #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Book") } == 1)
  }

  @Test func `a transaction that the application rolls back is not listed`() throws {
    let queue = try DatabaseQueue()
    let store = try SQLiteStore(writer: queue, entities: Sample.entities, options: .making)
    let start = try store.currentVersion()
    try queue.inDatabase { database in
      try database.inTransaction {
        try database.execute(sql: "INSERT INTO Book (publisher, title) VALUES ('P', 'a')")
        return .rollback
      }
    }
    try addBook(store, "b")
    let changes = try store.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["b"]])
  }

  @Test(arguments: ["read", "check", "write"])
  func `a commit that bypasses GRDB is noticed`(_ occasion: String) throws {
    let queue = try DatabaseQueue()
    let store = try SQLiteStore(writer: queue, entities: Sample.entities, options: .making)
    let start = try store.currentVersion()
    queue.inDatabase { database in
      let sql = "INSERT INTO Book (publisher, title) VALUES ('P', 'a')"
      #expect(sqlite3_exec(database.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
    }
    switch occasion {
    case "read": #expect(try store.currentVersion().sequence == start.sequence + 1)
    case "check":
      try store.checkForExternalChanges()
      #expect(store.database.session.version.sequence == start.sequence + 1)
    default: break
    }
    try addBook(store, "b")
    let changes = try store.history(since: start, of: Sample.book).changes
    #expect(changes?.map { $0.map { $0.after?["title"] } } == [["a"], ["b"]])
  }

  @Test func `a second store on the same connection causes gaps, but misses no commit`() throws {
    let queue = try DatabaseQueue()
    let first = try SQLiteStore(writer: queue, entities: Sample.entities, options: .making)
    let second = try SQLiteStore(writer: queue, entities: Sample.entities, options: .making)
    let (start, later) = (try first.currentVersion(), try second.currentVersion())
    try queue.write { try $0.execute(sql: "INSERT INTO Tag (name) VALUES ('x')") }
    #expect(try first.history(since: start, of: Sample.tag).gap == .otherWriter)
    #expect(try second.history(since: later, of: Sample.tag).changes?.count == 1)
  }

  @Test func `an observation of the application sees the store's commits`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    let store = try SQLiteStore(writer: pool, entities: Sample.entities, options: .making)
    let counter = CommitCounter()
    pool.add(transactionObserver: counter)
    try addBook(store, "a")
    #expect(counter.tables == ["Book"])
    try store.close()
  }
}

/// Records what GRDB reports to an observer.
private final class CommitCounter: TransactionObserver {
  var tables: [String] = []

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    eventKind.tableName == "Book"
  }

  func databaseDidChange() { tables = ["Book"] }
  func databaseDidChange(with event: DatabaseEvent) { tables.append(event.tableName) }
  func databaseDidCommit(_ database: Database) {}
  func databaseDidRollback(_ database: Database) {}
}
