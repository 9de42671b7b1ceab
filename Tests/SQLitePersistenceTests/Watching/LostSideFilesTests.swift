@testable import SQLitePersistence
import Dispatch
import Foundation
import GRDB
import ResultsDomain
import Testing

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
