@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import Testing

/// R60, R62: a store with listeners notices every commit at once, and follows its path to another file.
@Suite(.timeLimit(.minutes(15))) struct `A store whose file is followed` {
  /// The poll interval: long, so that commits are noticed by events; a writer that is not scheduled for long is found by the next poll.
  private static let options = SQLiteStoreOptions(
    busyTimeout: .seconds(10),
    pollInterval: .seconds(1)
  )

  private func open(
    _ folder: TemporaryFolder,
    _ name: String = "store.sqlite",
    _ options: SQLiteStoreOptions = options
  ) throws -> SQLiteStore {
    try SQLiteStore(at: folder.file(name), entities: Sample.entities, options: options)
  }

  private func add(_ titles: [String], to store: SQLiteStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for title in titles {
        try transaction.insert(Sample.values("P", title), key: nil, into: Sample.book)
      }
    }
  }

  private func titles(_ store: SQLiteStore) throws -> [Value] {
    try store.allRows(of: Sample.book).map { $0["title"] }
  }

  /// Creates a file with other content, and closes it.
  private func make(_ folder: TemporaryFolder, _ name: String, _ titles: [String]) throws {
    let store = try open(folder, name)
    try add(titles, to: store)
    try store.close()
  }

  private func move(_ folder: TemporaryFolder, _ name: String, _ target: String) {
    #expect(rename(folder.file(name), folder.file(target)) == 0)
  }

  private func isMissing(_ error: StoreError?) -> Bool {
    if case .cannotOpen(_, .missingFile) = error { true } else { false }
  }

  private func readError(_ store: SQLiteStore) -> StoreError? {
    do throws(StoreError) {
      _ = try store.currentVersion()
      return nil
    } catch {
      return error
    }
  }

  @Test func `R60: the write-ahead log stays short while every commit is followed`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    // Commits that nothing follows come first, so that the log is not transferred at its thousandth page by chance.
    for number in 0..<150 { try add(["first \(number)"], to: store) }
    let notifications = store.commitNotifications { _ in true }
    for number in 0..<1500 { try add(["\(number)"], to: store) }
    // SQLite transfers the log at its thousandth page; each commit writes at least two.
    let pages = try folder.bytes("store.sqlite-wal").count / 4120
    #expect(pages < 1200)
    withExtendedLifetime(notifications) {}
    try store.close()
  }

  #if os(Linux)
  @Test func `commits of others are noticed at once while the store has listeners`() async throws {
    let folder = try TemporaryFolder()
    let (first, second) = (try open(folder), try open(folder))
    var hints = second.commitNotifications().makeAsyncIterator()
    for number in 1...20 {
      let start = try second.currentVersion()
      _ = try first.commit(origin: .unnamed) {
        try $0.insert(Sample.values("P", "\(number)"), key: nil, into: Sample.book)
      }
      while try second.currentVersion() == start { await hints.next() }
    }
    try first.close()
    try second.close()
  }

  @Test func `commits into an adopted database without a log are noticed too`() async throws {
    let folder = try TemporaryFolder()
    // Without a write-ahead log every check blocks writers for a moment.
    let queue = try WatchedFile.connect(folder.file())
    var options = Self.options
    options.createsTables = true
    let store = try SQLiteStore(
      writer: WatchedFile.connect(folder.file()),
      entities: Sample.entities,
      options: options
    )
    var hints = store.commitNotifications().makeAsyncIterator()
    for number in 1...20 {
      let start = try store.currentVersion()
      try await queue.writeWithoutTransaction {
        try $0.execute(sql: "INSERT INTO Tag (name) VALUES ('\(number)')")
      }
      while try store.currentVersion() == start { await hints.next() }
    }
    try store.close()
  }

  @Test func `a new file is read after a replacement, and the old one is complete`() async throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    var hints = store.commitNotifications().makeAsyncIterator()
    try add(["old"], to: store)
    for round in 1...3 {
      let start = try store.currentVersion()
      // The commits are in the log, which renaming does not move.
      try add(["late \(round)"], to: store)
      let before = try titles(store)
      try make(folder, "other", ["new \(round)"])
      move(folder, "store.sqlite", "away \(round)")
      move(folder, "other", "store.sqlite")
      while (try? store.currentVersion().epoch) ?? start.epoch == start.epoch { await hints.next() }
      #expect(try titles(store) == [.text("new \(round)")])
      #expect(try store.history(since: start, of: Sample.book).gap == .otherEpoch)
      try add(["later"], to: store)
      let away = try open(folder, "away \(round)")
      #expect(try titles(away) == before)
      try away.close()
    }
    try store.close()
    let last = try open(folder)
    #expect(try titles(last) == ["new 3", "later"])
    try last.close()
  }

  @Test func `every call fails while the file is missing`() async throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try add(["a"], to: store)
    let start = try store.currentVersion()
    var hints = store.commitNotifications().makeAsyncIterator()
    for _ in 1...3 {
      move(folder, "store.sqlite", "away")
      while readError(store) == nil { await hints.next() }
      #expect(isMissing(readError(store)))
      let error = #expect(throws: StoreError.self) { try add(["b"], to: store) }
      #expect(isMissing(error))
      move(folder, "away", "store.sqlite")
      while readError(store) != nil { await hints.next() }
    }
    #expect(try store.currentVersion().epoch == start.epoch)
    try add(["c"], to: store)
    #expect(try titles(store) == ["a", "c"])
    #expect(try store.history(since: start, of: Sample.book).changes?.count == 1)
    try store.close()
  }

  @Test func `a file that is deleted and created again has a new history`() async throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try add(["a"], to: store)
    let start = try store.currentVersion()
    var hints = store.commitNotifications().makeAsyncIterator()
    for name in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder.file("store.sqlite" + name))
    }
    while readError(store) == nil { await hints.next() }
    try make(folder, "other", ["b"])
    move(folder, "other", "store.sqlite")
    while readError(store) != nil { await hints.next() }
    #expect(try titles(store) == ["b"])
    #expect(try store.history(since: start, of: Sample.book).gap == .otherEpoch)
    try store.close()
  }

  @Test func `a copy of the store counts as another file`() async throws {
    let folder = try TemporaryFolder()
    try make(folder, "store.sqlite", ["a"])
    try FileManager.default.copyItem(atPath: folder.file(), toPath: folder.file("copy"))
    let store = try open(folder)
    try add(["b"], to: store)
    let start = try store.currentVersion()
    let copy = try open(folder, "copy")
    for title in ["c", "d", "e"] { try add([title], to: copy) }
    try copy.close()
    var hints = store.commitNotifications().makeAsyncIterator()
    move(folder, "copy", "store.sqlite")
    while try store.currentVersion().epoch == start.epoch { await hints.next() }
    #expect(try store.history(since: start, of: Sample.book).gap == .otherEpoch)
    #expect(try titles(store) == ["a", "c", "d", "e"])
    try store.close()
  }

  @Test func `a file that is not a store is not changed, and the next one is opened`() async throws
  {
    let folder = try TemporaryFolder()
    var options = Self.options
    options.pollInterval = .milliseconds(5)
    let store = try open(folder, "store.sqlite", options)
    try add(["a"], to: store)
    var hints = store.commitNotifications().makeAsyncIterator()
    for bytes in [[], Array(repeating: UInt8(ascii: "x"), count: 5000)] {
      try folder.write(bytes, to: "junk")
      move(folder, "junk", "store.sqlite")
      while readError(store) == nil { await hints.next() }
      guard case .cannotOpen(_, .notADatabase) = readError(store) else {
        Issue.record("\(String(describing: readError(store)))")
        return
      }
      #expect(try Array(folder.bytes()) == bytes)
      try make(folder, "other", ["b"])
      move(folder, "other", "store.sqlite")
      while readError(store) != nil { await hints.next() }
      #expect(try titles(store) == ["b"])
    }
    try store.close()
  }

  @Test func `a running read keeps its version, and so do nested reads`() async throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try add(["a"], to: store)
    try make(folder, "other", ["b"])
    var hints = store.commitNotifications().makeAsyncIterator()
    let start = try store.currentVersion()
    try store.read { (snapshot) throws(StoreError) in
      move(folder, "other", "store.sqlite")
      // The exchange waits for this closure.
      for _ in 0..<100 {
        #expect(try store.currentVersion() == start)
        #expect(try snapshot.count(of: Sample.book, where: .all) == 1)
        #expect(try store.allRows(of: Sample.book).map { $0["title"] } == ["a"])
      }
    }
    while try store.currentVersion() == start { await hints.next() }
    #expect(try titles(store) == ["b"])
    try store.close()
  }

  @Test func `reads and writes continue while the file is replaced`() async throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try add(["0"], to: store)
    let hints = store.commitNotifications()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<300 {
            let rows = Result { () throws(StoreError) in try store.allRows(of: Sample.book) }
            #expect((try? rows.get())?.isEmpty != true, "a version is never of two files")
            // The path may have no file for a moment; the store is never closed.
            if case .failure(.closed) = rows { Issue.record("a read met the exchange") }
            // A file that has just lost its path refuses the write; nothing is written twice.
            _ = try? store.commit(origin: .unnamed) {
              try $0.insert([1], key: .text("k"), into: Sample.tag)
            }
          }
        }
      }
      for round in 1...20 {
        do {
          try make(folder, "other", ["\(round)"])
        } catch {
          Issue.record(error)
        }
        move(folder, "other", "store.sqlite")
      }
    }
    withExtendedLifetime(hints) {}
    try store.checkForExternalChanges()
    #expect(try titles(store) == ["20"])
    try store.close()
  }

  @Test(arguments: [nil, .seconds(3600)] as [Duration?])
  func `R62: no connection is opened to a file that has taken the path`(
    _ interval: Duration?
  ) throws {
    let folder = try TemporaryFolder()
    let store = try open(
      folder,
      "store.sqlite",
      SQLiteStoreOptions(busyTimeout: .seconds(10), pollInterval: interval)
    )
    try add(["a"], to: store)
    let index = try folder.bytes("store.sqlite-shm").count
    try make(folder, "other", ["b"])
    let database = store.follower.database
    move(folder, "other", "store.sqlite")
    // A connection to the new file would take the index of the old one for its own, and empty it.
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try database.read { _ in } }
      #expect(isMissing(error))
    }
    #expect(try folder.bytes("store.sqlite-shm").count == index)
    let identity = try #require(FileIdentity.find(folder.file("store.sqlite")).file)
    #expect(database.file.file != identity)
    #expect(try titles(store) == ["b"], "a read opens the new file itself")
    try add(["c"], to: store)
    #expect(try titles(store) == ["b", "c"])
    try store.close()
  }

  @Test func `R62: a file is not opened beside the log of another one that the process has open`()
    throws
  {
    let folder = try TemporaryFolder()
    // What is refused takes the whole timeout; what succeeds can be slow on a busy machine.
    let patient = SQLiteStoreOptions(busyTimeout: .seconds(10), pollInterval: nil)
    let store = try open(folder, "store.sqlite", patient)
    try add(["a"], to: store)
    let index = try folder.bytes("store.sqlite-shm").count
    try make(folder, "other", ["b"])
    move(folder, "other", "store.sqlite")
    for isReadOnly in [false, true] {
      var options = SQLiteStoreOptions(busyTimeout: .milliseconds(100), pollInterval: nil)
      options.isReadOnly = isReadOnly
      let error = #expect(throws: StoreError.self) {
        try open(folder, "store.sqlite", options).close()
      }
      #expect(
        error?.description.utf8.contains(Array("it has replaced a file".utf8)) == true,
        "\(String(describing: error))"
      )
    }
    #expect(throws: StoreError.self) { try DatabaseDescription(at: folder.file("store.sqlite")) }
    #expect(try folder.bytes("store.sqlite-shm").count == index)
    // Once the store has left the old file, the new one is opened beside it.
    try store.checkForExternalChanges()
    let second = try open(folder, "store.sqlite", patient)
    try add(["c"], to: second)
    #expect(try titles(store) == ["b", "c"])
    try second.close()
    try store.close()
  }

  @Test func `R62: a watch opens no other file than the one that it looked for`() throws {
    let folder = try TemporaryFolder()
    try make(folder, "store.sqlite", ["a"])
    try make(folder, "other", ["b"])
    let path = folder.file("store.sqlite")
    let file = try #require(FileIdentity.find(path).file)
    #expect(WatchConnection(path: path, file: file, markQuery: nil) != nil)
    move(folder, "store.sqlite", "away")
    move(folder, "other", "store.sqlite")
    #expect(WatchConnection(path: path, file: file, markQuery: nil) == nil)
  }

  @Test(arguments: [true, false])
  func `work that has begun is not repeated after an exchange`(_ begins: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    try make(folder, "other", ["b"])
    var count = 0
    let error = #expect(throws: StoreError.self) {
      try store.follower.withDatabase { (database, begin) throws(StoreError) in
        count += 1
        if begins { begin() }
        guard count < 3 else { throw .readOnly(path: "") }
        if count == 1 { move(folder, "other", "store.sqlite") }
        store.follower.checkFile()
        throw .closed(path: "")
      }
    }
    // The second time there is no exchange.
    #expect(count == (begins ? 1 : 2))
    guard case .closed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try store.close()
  }

  @Test(.enabled(if: SQLiteProcess.isThere))
  func `a write that times out names the process it waited for`() throws {
    let folder = try TemporaryFolder()
    let store = try open(
      folder,
      "store.sqlite",
      SQLiteStoreOptions(busyTimeout: .milliseconds(50), pollInterval: nil)
    )
    let process = try SQLiteProcess(folder.file())
    try process.run("BEGIN IMMEDIATE")
    let error = #expect(throws: StoreError.self) { try add(["a"], to: store) }
    let holder = LockHolder(processID: process.processID, name: "sqlite3")
    guard case .busy(_, _, holder) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      error?.description == "\(folder.file()) is being written by sqlite3"
        + " (process \(process.processID)); gave up after 0.05 s."
        + " Try again when it has finished, or raise the busy timeout."
    )
    try process.close()
    try store.close()
  }
  #endif

  @Test(arguments: [nil, .seconds(3600)] as [Duration?])
  func `nothing is committed into a file that lost its path`(_ interval: Duration?) throws {
    let folder = try TemporaryFolder()
    let store = try open(
      folder,
      "store.sqlite",
      SQLiteStoreOptions(busyTimeout: .seconds(10), pollInterval: interval)
    )
    try add(["a"], to: store)
    try make(folder, "other", ["b"])
    // Inside a transaction, so that it cannot have been noticed before.
    #expect(throws: StoreError.self) {
      _ = try store.commit(origin: .unnamed) {
        try $0.insert(Sample.values("P", "x"), key: nil, into: Sample.book)
        move(folder, "store.sqlite", "away")
        move(folder, "other", "store.sqlite")
      }
    }
    try store.checkForExternalChanges()
    try add(["c"], to: store)
    #expect(try titles(store) == ["b", "c"])
    try store.close()
    let away = try open(folder, "away")
    #expect(try titles(away) == ["a"])
    try away.close()
  }

  @Test func `a database of the application is not reopened`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    let store = try SQLiteStore(writer: pool, entities: Sample.entities, options: .making)
    try add(["a"], to: store)
    try make(folder, "other", ["b"])
    move(folder, "other", "store.sqlite")
    let error = #expect(throws: StoreError.self) { try store.checkForExternalChanges() }
    guard case .inputOutput = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: StoreError.self) { try add(["c"], to: store) }
    #expect(try pool.read { try $0.integer("SELECT count(*) FROM Book") } == 1)
    try store.close()
  }
}
