@testable import SQLitePersistence
import Dispatch
import Foundation
import GRDB
import ResultsDomain
import Testing

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
