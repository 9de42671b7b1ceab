import Dispatch
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// R62: changes of the file itself are reported, and the new file is followed.
@Suite struct `A watch of a file that is replaced` {
  private func start(_ file: WatchedFile, interval: Duration = .seconds(3600)) -> StoreWatch {
    let watch = file.watch(interval: interval)
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    return watch
  }

  private func insert(_ path: String) throws {
    let queue = try WatchedFile.connect(path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
    try queue.close()
  }

  private func move(_ path: String, _ target: String) { #expect(rename(path, target) == 0) }

  #if os(Linux)
  @Test func `a file that is replaced by renaming is followed`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    file.onSign { [weak file] in
      guard $0 == .fileReplaced, let file else { return }
      // The log there is the old file's, which SQLite does not notice.
      for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + name) }
      file.open()
    }
    for round in 1...3 {
      let other = file.folder.file("other")
      try WatchedFile.make(other, rows: round * 10)
      move(other, file.path)
      #expect(file.receives(.fileReplaced))
      #expect(file.next() == .mayHaveChanged(mark: [Int64(round * 10)]))
      try insert(file.path)
      #expect(file.receives(row: Int64(round * 10) + 1))
    }
    watch.stop()
  }

  @Test func `a file that is deleted and created again is followed`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    file.onSign { [weak file] in if $0 == .fileBack { file?.open() } }
    for _ in 1...3 {
      for name in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + name)
      }
      #expect(file.receives(.fileMissing))
      let other = file.folder.file("other")
      try WatchedFile.make(other, rows: 5)
      move(other, file.path)
      #expect(file.receives(.fileBack))
      #expect(file.next() == .mayHaveChanged(mark: [5]))
      try insert(file.path)
      #expect(file.receives(row: 6))
    }
    watch.stop()
  }

  @Test func `a file that is moved away and back is still followed`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    for _ in 1...3 {
      move(file.path, file.path + ".away")
      #expect(file.next() == .fileMissing)
      move(file.path + ".away", file.path)
      #expect(file.next() == .fileBack)
    }
    try insert(file.path)
    #expect(file.receives(row: 1))
    watch.stop()
  }

  @Test func `an attempt to open a file does not cause the next one at once`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    let path = file.path
    // The store's attempt creates and removes side files, and fails.
    file.onSign { _ in try? WatchedFile.connect(path).close() }
    let other = file.folder.file("other")
    try WatchedFile.make(other)
    move(other, file.path)
    #expect(file.next() == .fileReplaced)
    for _ in 0..<3 {
      watch.checkNow()
      #expect(file.next() == .fileReplaced)
    }
    file.onSign { [weak file] _ in file?.open() }
    watch.checkNow()
    #expect(file.next() == .fileReplaced)
    #expect(file.next() == .mayHaveChanged(mark: nil))
    #expect(file.signs.count == 7)
    watch.stop()
  }
  #endif

  @Test func `a folder that is removed and created again is found by the poll`() throws {
    let file = try WatchedFile()
    let watch = start(file, interval: .milliseconds(5))
    file.onSign { [weak file] in if $0 == .fileBack { file?.open() } }
    let other = try TemporaryFolder()
    try WatchedFile.make(other.file(), rows: 3)
    try FileManager.default.removeItem(atPath: file.folder.path)
    #expect(file.receives(.fileMissing))
    try FileManager.default.moveItem(atPath: other.path, toPath: file.folder.path)
    #expect(file.receives(.fileBack))
    #expect(file.next() == .mayHaveChanged(mark: [3]))
    try insert(file.path)
    #expect(file.receives(row: 4))
    watch.stop()
  }

  @Test func `a file that was replaced before the watch began is reported`() throws {
    let file = try WatchedFile()
    let other = file.folder.file("other")
    try WatchedFile.make(other)
    let held = try WatchedFile.connect(file.path)
    move(other, file.path)
    let watch = file.watch()
    watch.start()
    #expect(file.next() == .fileReplaced)
    watch.stop()
    try held.close()
  }

  @Test func `a connection knows whether its file still has its name`() throws {
    let file = try WatchedFile()
    let queue = try WatchedFile.connect(file.path)
    func find() -> FileIdentity.Finding {
      queue.inDatabase { FileIdentity.find(openedBy: $0.sqliteConnection) }
    }
    let before = FileIdentity.find(file.path)
    #expect(find() == before && before.file != nil)
    move(file.path, file.path + ".away")
    #expect(find() == .missing && FileIdentity.find(file.path) == .missing)
    try WatchedFile.make(file.folder.file("other"))
    move(file.folder.file("other"), file.path)
    #expect(find() == .missing && FileIdentity.find(file.path) != before)
    move(file.path + ".away", file.path)
    #expect(find() == before)
    try queue.close()
  }
}

#if os(Linux)
/// R62: a store can be closed at any time, also by a closure that delays the exchange of its file.
@Suite(.timeLimit(.minutes(5))) struct `A store that is closed while its file is replaced` {
  private let options = SQLiteStoreOptions(busyTimeout: .seconds(20), pollInterval: .seconds(1))

  private func make(_ path: String) throws -> SQLiteStore {
    let store = try SQLiteStore(at: path, entities: Sample.entities, options: options)
    try store.write { transaction in
      try transaction.insert(Sample.values("P", "a"), key: nil, into: Sample.book)
    }
    return store
  }

  /// Waits for an event on another thread, for as long as a busy machine may need.
  private func waits(for happened: () -> Bool) -> Bool {
    let limit = ContinuousClock.now + .seconds(30)
    while !happened() {
      guard ContinuousClock.now < limit else { return false }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
    }
    return true
  }

  @Test(arguments: ["read", "commit"])
  func `does not wait for the closure that closes it`(_ kind: String) throws {
    let folder = try TemporaryFolder()
    try make(folder.file("other")).close()
    let store = try make(folder.file())
    let hints = store.commitNotifications()
    // Only the closure delays the exchange: the lease that observing takes is written, and the log is empty. A check of
    // the watch can prevent a complete checkpoint, so that is repeated.
    store.database.writer.writeWithoutTransaction { _ in }
    let isEmptied = waits {
      try? LogFixture.execute(folder.file(), "PRAGMA wal_checkpoint(TRUNCATE)")
      let log = try? FileManager.default.attributesOfItem(atPath: folder.file() + "-wal")
      return (log?[.size] as? NSNumber)?.intValue == 0
    }
    #expect(isEmptied)
    let replace: @Sendable () -> Void = {
      #expect(rename(folder.file("other"), folder.file()) == 0)
      #expect(waits { kind == "read" ? store.database.isClosed : store.follower.isExchanging })
      #expect(throws: Never.self) { try store.close() }
    }
    let end = DispatchSemaphore(value: 0)
    let thread = DispatchQueue(label: "closing")
    thread.async {
      if kind == "read" {
        let count = try? store.read { (snapshot) throws(StoreError) -> Int in
          replace()
          return try snapshot.count(of: Sample.book, where: .all)
        }
        #expect(count == 1)
      } else {
        #expect(throws: StoreError.self) { try store.write { _ in replace() } }
      }
      end.signal()
    }
    #expect(end.wait(timeout: .now() + 60) == .success)
    #expect(throws: StoreError.self) { try store.currentVersion() }
    // The file that has the path now is unchanged, and has no side files.
    let other = try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
    #expect(try other.allRows(of: Sample.book).count == 1)
    try other.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    withExtendedLifetime(hints) {}
  }
}
#endif

#if os(Linux)
/// R62: the deletion of a log or its index beside an open database is noticed, and the files are not used any more.
@Suite(.timeLimit(.minutes(5))) struct `A store whose side files are deleted` {
  private func open(_ folder: TemporaryFolder, _ interval: Duration? = .seconds(1)) throws
    -> SQLiteStore
  {
    let options = SQLiteStoreOptions(busyTimeout: .seconds(10), pollInterval: interval)
    return try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
  }

  private func titles(_ store: SQLiteStore) -> [String] {
    (try? store.allRows(of: Sample.book))?.compactMap { $0.values[1].text } ?? []
  }

  private func insert(_ folder: TemporaryFolder, _ title: String) throws {
    let sql = "INSERT INTO Book (publisher, title) VALUES ('P', '\(title)');"
    try LogFixture.runShell(folder.file(), sql)
  }

  private func remove(_ folder: TemporaryFolder, _ suffixes: [String]) throws {
    for suffix in suffixes { try FileManager.default.removeItem(atPath: folder.file() + suffix) }
  }

  /// Waits for an event of another thread or process.
  private func waits(for happened: () -> Bool) -> Bool {
    let limit = ContinuousClock.now + .seconds(30)
    while !happened() {
      guard ContinuousClock.now < limit else { return false }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
    }
    return true
  }

  @Test(arguments: [1, 2])
  func `continues to notice commits, and loses none of others`(_ count: Int) throws {
    guard LogFixture.shell != nil else { return }
    let folder = try TemporaryFolder()
    let stores = try (0..<count).map { _ in try open(folder) }
    let hints = stores.map { $0.commitNotifications() }
    try insert(folder, "one")
    for store in stores { #expect(waits { titles(store) == ["one"] }) }
    try remove(folder, ["-shm"])
    try insert(folder, "two")
    for store in stores { #expect(waits { titles(store) == ["one", "two"] }) }
    try stores[0].write { transaction in
      try transaction.insert(Sample.values("P", "three"), key: nil, into: Sample.book)
    }
    try insert(folder, "four")
    for store in stores { #expect(waits { titles(store).count == 4 }) }
    for store in stores { try store.close() }
    let last = try open(folder)
    #expect(titles(last) == ["one", "two", "three", "four"])
    #expect(try last.check().problems.isEmpty)
    try last.close()
    withExtendedLifetime(hints) {}
  }

  @Test func `closes its files while another store of the process still waits to close its own`()
    throws
  {
    guard LogFixture.shell != nil else { return }
    let folder = try TemporaryFolder()
    let (first, second) = (try open(folder), try open(folder, nil))
    let hints = first.commitNotifications()
    try insert(folder, "one")
    for store in [first, second] { #expect(waits { titles(store) == ["one"] }) }
    let count = try first.read { (snapshot) throws(StoreError) -> Int in
      #expect(throws: Never.self) { try remove(folder, ["-shm"]) }
      #expect(throws: Never.self) { try insert(folder, "two") }
      // The first store has noticed, and waits for this closure.
      #expect(waits { first.database.isClosed })
      let isClosed = waits {
        // Without listeners the loss is noticed when a commit is refused.
        #expect(throws: StoreError.self) {
          try second.write { transaction in
            try transaction.insert(Sample.values("P", "lost"), key: nil, into: Sample.book)
          }
        }
        return second.database.isClosed
      }
      #expect(isClosed)
      return try snapshot.count(of: Sample.book, where: .all)
    }
    #expect(count == 1)
    for store in [second, first] { #expect(waits { titles(store) == ["one", "two"] }) }
    for store in [first, second] { try store.close() }
    withExtendedLifetime(hints) {}
  }

  @Test func `is not opened while another store of the process uses the lost files`() throws {
    guard LogFixture.shell != nil else { return }
    let folder = try TemporaryFolder()
    let store = try open(folder, nil)
    try insert(folder, "one")
    #expect(titles(store) == ["one"])
    try remove(folder, ["-shm"])
    try insert(folder, "two")
    let error = #expect(throws: StoreError.self) { try open(folder, nil) }
    guard case .inputOutput(_, let detail) = error, detail.contains("-shm") else {
      Issue.record("\(String(describing: error))")
      return
    }
    try store.close()
    let last = try open(folder, nil)
    #expect(titles(last) == ["one", "two"])
    try last.close()
  }

  @Test func `does not commit without the processes that created the files again`() throws {
    guard LogFixture.shell != nil else { return }
    let folder = try TemporaryFolder()
    let store = try open(folder, nil)
    try insert(folder, "one")
    #expect(titles(store) == ["one"])
    try remove(folder, ["-shm"])
    try insert(folder, "two")
    let error = #expect(throws: StoreError.self) {
      try store.write { transaction in
        try transaction.insert(Sample.values("P", "lost"), key: nil, into: Sample.book)
      }
    }
    guard case .inputOutput(_, let detail) = error, detail.contains("-shm") else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(waits { titles(store) == ["one", "two"] })
    try store.close()
  }

  @Test func `has the content of the database file when its log is deleted`() throws {
    guard LogFixture.shell != nil else { return }
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let hints = store.commitNotifications()
    try insert(folder, "one")
    #expect(waits { titles(store) == ["one"] })
    try LogFixture.runShell(folder.file(), "PRAGMA wal_checkpoint(TRUNCATE);")
    try remove(folder, ["-shm", "-wal"])
    try insert(folder, "two")
    #expect(waits { titles(store) == ["one", "two"] })
    try store.close()
    let last = try open(folder)
    #expect(titles(last) == ["one", "two"])
    #expect(try last.check().problems.isEmpty)
    try last.close()
    withExtendedLifetime(hints) {}
  }
}
#endif
