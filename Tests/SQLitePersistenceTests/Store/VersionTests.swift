import Dispatch
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Synchronization
import Testing

/// R48: a snapshot has exactly the version that it reports, while others commit.
@Suite struct `Versions of an SQLite store` {
  /// Every commit writes its own number into one row, so a reader can compare.
  @Test(arguments: [false, true])
  func `a snapshot has the version it reports while any writer commits`(_ isLogged: Bool) throws {
    let folder = try TemporaryFolder()
    let owned = isLogged ? try SQLiteStore(at: folder.file(), entities: Sample.entities) : nil
    // With a log another connection may write too.
    let configuration = Configuration.waiting
    let pool = try DatabasePool(path: folder.file(), configuration: configuration)
    let store = try owned ?? SQLiteStore(writer: pool, entities: Sample.entities, options: .making)
    let start = try store.currentVersion().sequence
    let first = Value.integer(Int64(start + 1))
    try store.write { try $0.insert(Sample.values("P", "a", first), key: nil, into: Sample.book) }
    let wrong = Mutex<[String]>([])
    let reads = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 6) { worker in
      for round in 0..<200 {
        do {
          switch worker {
          case 0:
            try store.write { transaction in
              let next = Int64(transaction.version.sequence + 1)
              let values = Sample.values("P", "a", .integer(next))
              try transaction.update(
                Sample.id(1),
                to: values,
                of: Sample.book,
                ifUnchangedFrom: nil
              )
            }
          case 1 where round % 4 == 0:
            try pool.write { try $0.execute(sql: "UPDATE Book SET year = year + 1") }
          default:
            let (version, year) = try store.read { (snapshot) throws(StoreError) in
              let row = try snapshot.rows([.integer(1)], of: Sample.book)[0]
              return (snapshot.version.sequence, row?["year"].integer)
            }
            reads.add(1, ordering: .relaxed)
            if year != Int64(version) {
              wrong.withLock { $0.append("version \(version) has \(String(describing: year))") }
            }
          }
        } catch {
          wrong.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(reads.load(ordering: .relaxed) >= 800)
    #expect(try store.currentVersion().sequence == start + 251)
    try store.close()
  }

  @Test func `a read that begins between a commit and its notification waits for it`() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.file())
    let observer = CommitPause()
    // Observers are called in the order of registration: this one before the store.
    pool.add(transactionObserver: observer)
    let store = try SQLiteStore(writer: pool, entities: Sample.entities, options: .making)
    observer.read = {
      (try? store.read { (snapshot) throws(StoreError) in
        let count = try snapshot.count(of: Sample.book, where: .all)
        return UInt64(count) == snapshot.version.sequence
      }) ?? false
    }
    try store.write { try $0.insert(Sample.values("P", "a", 1), key: nil, into: Sample.book) }
    observer.done.wait()
    #expect(observer.outcome.withLock { $0 } == true)
    try store.close()
  }
}

/// Starts a read when a commit is in the database but not reported to the store yet, and gives it time to fail.
private final class CommitPause: TransactionObserver, Sendable {
  private let reading = Mutex<(@Sendable () -> Bool)?>(nil)
  let outcome = Mutex<Bool?>(nil)
  let done = DispatchSemaphore(value: 0)

  var read: (@Sendable () -> Bool)? {
    get { reading.withLock { $0 } }
    set { reading.withLock { $0 = newValue } }
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidRollback(_ database: Database) {}

  func databaseDidCommit(_ database: Database) {
    guard let read else { return }
    let early = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [self] in
      let isRight = read()
      outcome.withLock { $0 = isRight }
      early.signal()
      done.signal()
    }
    _ = early.wait(timeout: .now() + .milliseconds(300))
  }
}

extension Configuration {
  /// Waits for other writers.
  fileprivate static var waiting: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(20)
    return configuration
  }
}
