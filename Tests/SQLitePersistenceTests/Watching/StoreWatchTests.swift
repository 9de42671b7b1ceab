import Dispatch
import Foundation
import GRDB
@testable import SQLitePersistence
import Synchronization
import Testing

/// R60: every commit of every connection is reported, whatever is done to the files.
@Suite(.timeLimit(.minutes(15))) struct `A watch of a store's file` {
  private func insert(_ queue: DatabaseQueue) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
  }

  /// Opens the file, reads in it, and closes it.
  private func touch(_ path: String) throws {
    let queue = try WatchedFile.connect(path)
    _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    try queue.close()
  }

  /// The event of a commit arrives before the commit can be read: which of the later checks finds it is chance.
  @Test(arguments: 0...6)
  func `a commit is found by the checks that follow its event`(_ delay: Int) throws {
    let file = try WatchedFile()
    let queue = try WatchedFile.connect(file.path)
    var steps: [ScriptedEvents.Step] = [{ .changed }]
    for _ in 0..<delay { steps.append { .timePassed } }
    steps[delay] = {
      try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
      return delay == 0 ? .changed : .timePassed
    }
    let events = ScriptedEvents(steps)
    let watch = file.watch { _ in events }
    watch.start()
    #expect(events.waitForEnd())
    watch.stop()
    #expect(file.signs == [.mayHaveChanged(mark: nil), .mayHaveChanged(mark: [1])])
    let delays: [Duration] = [50, 200, 1000, 3000, 10_000, 30_000, 100_000, 300_000].map {
      .microseconds($0)
    }
    // It begins with such a check, too.
    let expected = delays.prefix(1) + delays + [.seconds(3600)]
    #expect(events.limits.withLock { $0 } == Array(expected.prefix(delay + 2)))
  }

  @Test func `a watch begins with frequent checks: a commit may precede its first events`() {
    var schedule = WatchSchedule(interval: .seconds(1))
    #expect(!schedule.isAtRest)
    for delay in WatchSchedule.delays {
      #expect(schedule.step == .wait(delay))
      schedule.timePassed()
    }
    #expect(schedule.isAtRest)
    #expect(schedule.step == .wait(.seconds(1)))
  }

  @Test func `after the checks that follow a change there is one check per interval`() {
    var schedule = WatchSchedule(interval: .seconds(1))
    for _ in WatchSchedule.delays { schedule.timePassed() }
    #expect(schedule.step == .wait(.seconds(1)))
    schedule.change()
    for delay in [50, 200, 1000, 3000, 10_000, 30_000, 100_000, 300_000] {
      #expect(schedule.step == .wait(.microseconds(delay)))
      schedule.timePassed()
    }
    for _ in 0..<3 {
      #expect(schedule.step == .wait(.seconds(1)))
      schedule.timePassed()
    }
    var short = WatchSchedule(interval: .milliseconds(2))
    for _ in 0..<3 { short.change() }
    for _ in 0..<3 { short.timePassed() }
    #expect(short.step == .wait(.milliseconds(2)))
  }

  @Test func `an interval without changes is reported`() throws {
    let file = try WatchedFile()
    let step: ScriptedEvents.Step = { .timePassed }
    let checks = Array(repeating: step, count: WatchSchedule.delays.count)
    let events = ScriptedEvents(checks + [step, step, { .changed }] + checks + [step])
    let watch = file.watch { _ in events }
    watch.start()
    #expect(events.waitForEnd())
    watch.stop()
    #expect(file.intervals.withLock { $0 } == 3)
  }

  @Test func `continuous changes are gathered`() {
    var schedule = WatchSchedule(interval: .seconds(1))
    for _ in 0..<3 {
      for _ in 0...WatchSchedule.burst {
        #expect(schedule.step != .gather(.milliseconds(1)))
        schedule.change()
      }
      #expect(schedule.step == .gather(.milliseconds(1)))
      schedule.timePassed()
      #expect(schedule.step == .wait(.microseconds(50)))
    }
    // After a moment without changes, the count begins again.
    for _ in 0..<100 {
      schedule.change()
      #expect(schedule.step == .wait(.microseconds(50)))
      schedule.timePassed()
    }
  }

  #if os(Linux)
  @Test(.enabled(if: SQLiteProcess.isThere), arguments: ["wal", "delete", "truncate", "persist"])
  func `every commit of another process is noticed on a busy machine`(_ journal: String) throws {
    let file = try WatchedFile(journal: journal)
    let isOver = Mutex(false)
    let spinners = DispatchGroup()
    for number in 0..<2 {
      DispatchQueue(label: "spinner \(number)").async(group: spinners) {
        while !isOver.withLock({ $0 }) {}
      }
    }
    let process = try SQLiteProcess(file.path)
    try process.run("PRAGMA journal_mode = \(journal)")
    // A writer that is not scheduled between writing a commit and showing it, for longer than the checks after an event take, is found by
    // the poll.
    let watch = file.watch(interval: .seconds(1))
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    var noticed = 0
    for row in 1...300 as ClosedRange<Int64> {
      try process.send("INSERT INTO t (id) VALUES (\(row))")
      guard file.receives(row: row) else { break }
      noticed += 1
    }
    #expect(noticed == 300)
    isOver.withLock { $0 = true }
    spinners.wait()
    try process.close()
    watch.stop()
  }

  @Test func `commits are noticed, whatever is done to the log`() throws {
    let file = try WatchedFile()
    let watch = file.watch()
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    var row: Int64 = 0
    let steps = [
      "SELECT 1", "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM",
      "PRAGMA wal_checkpoint(RESTART)", "ANALYZE", "CREATE TABLE u (x)", "DROP TABLE u",
    ]
    for step in steps {
      // Each time a connection is opened and closed; the watch keeps the log from being removed with the last one.
      let queue = try WatchedFile.connect(file.path)
      try queue.writeWithoutTransaction { try $0.execute(sql: step) }
      row += 1
      try insert(queue)
      #expect(file.receives(row: row), "\(step)")
      try queue.close()
    }
    watch.stop()
    // The next connection is the last one, and removes the log.
    try touch(file.path)
    #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    watch.start()
    #expect(file.receives(row: row))
    try insert(try WatchedFile.connect(file.path))
    #expect(file.receives(row: row + 1))
    watch.stop()
  }

  @Test func `commits are noticed before and after a database switches to a write-ahead log`()
    throws
  {
    let file = try WatchedFile(journal: "delete")
    let watch = file.watch()
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    let queue = try WatchedFile.connect(file.path)
    try insert(queue)
    #expect(file.receives(row: 1))
    let mode = try queue.writeWithoutTransaction {
      try String.fetchOne($0, sql: "PRAGMA journal_mode = wal")
    }
    #expect(mode == "wal")
    try insert(queue)
    #expect(file.receives(row: 2))
    watch.stop()
  }

  @Test func `changes without a commit are not reported`() throws {
    let file = try WatchedFile()
    let queue = try WatchedFile.connect(file.path)
    let watch = file.watch()
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    try insert(queue)
    #expect(file.receives(row: 1))
    let before = file.signs.count
    for _ in 0..<100 {
      watch.checkNow()
      try touch(file.path)
    }
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
      try database.execute(sql: "BEGIN IMMEDIATE; DELETE FROM t; ROLLBACK")
      try database.execute(sql: "UPDATE t SET x = x")
    }
    try insert(queue)
    #expect(file.receives(row: 2))
    // The first commit after a checkpoint begins the log again, which may be reported before the commit; the mark shows that nothing was
    // committed.
    let later = file.signs.dropFirst(before).filter { $0 != .mayHaveChanged(mark: [1]) }
    #expect(later == [.mayHaveChanged(mark: [2])])
    #expect(file.signs.count <= before + 2)
    watch.stop()
  }
  #endif

  @Test func `without system events, commits are found by the poll`() throws {
    let file = try WatchedFile()
    let watch = file.watch(interval: .milliseconds(2)) { _ in TimedFileEvents() }
    watch.start()
    let queue = try WatchedFile.connect(file.path)
    for row in 1...20 as ClosedRange<Int64> {
      try insert(queue)
      #expect(file.receives(row: row))
    }
    watch.stop()
  }

  @Test func `it works from start to stop, and after another start`() throws {
    let file = try WatchedFile()
    let watch = file.watch()
    for _ in 0..<3 {
      watch.start()
      watch.start()
      #expect(file.next() == .mayHaveChanged(mark: nil))
      watch.stop()
      watch.stop()
      // Its connection is closed, so the next one is the last and removes the log.
      try touch(file.path)
      #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    }
    #expect(file.signs.count == 3)
    file.onSign { [weak watch] _ in watch?.stop() }
    watch.start()
    #expect(file.next() != nil)
  }

  @Test func `a file that cannot be read is reported at every check`() throws {
    let file = try WatchedFile()
    try file.folder.write(Array(repeating: 7, count: 5000))
    file.open()
    let watch = file.watch()
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    watch.checkNow()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    watch.stop()
  }
}

#if os(Linux)
@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import Testing

/// R60: the process that keeps a store from being written is named.
@Suite struct `The process that locks a store` {
  @Test(.enabled(if: SQLiteProcess.isThere), arguments: ["wal", "delete"])
  func `another process is named while it writes`(_ journal: String) throws {
    let file = try WatchedFile(journal: journal)
    let process = try SQLiteProcess(file.path)
    try process.run("SELECT count(*) FROM t")
    #expect(LockHolder.writing(file.path) == nil)
    try process.run("BEGIN IMMEDIATE")
    let holder = LockHolder(processID: process.processID, name: "sqlite3")
    #expect(LockHolder.writing(file.path) == holder)
    #expect(holder.description == "sqlite3 (process \(process.processID))")
    try process.run("INSERT INTO t DEFAULT VALUES; COMMIT")
    #expect(LockHolder.writing(file.path) == nil)
    try process.close()
  }

  @Test(arguments: ["wal", "delete"])
  func `a connection of this process is recognized`(_ journal: String) throws {
    let file = try WatchedFile(journal: journal)
    let queue = try DatabaseQueue(path: file.path)
    try queue.inDatabase { database in
      try database.beginTransaction(.immediate)
      let holder = LockHolder.writing(file.path)
      #expect(holder?.isThisProcess == true)
      #expect(holder?.description == "another connection of this process")
      // The query has not released the lock.
      #expect(throws: DatabaseError.self) {
        try DatabaseQueue(path: file.path).writeWithoutTransaction {
          try $0.beginTransaction(.immediate)
        }
      }
      try database.rollback()
    }
    #expect(LockHolder.writing(file.path) == nil)
  }

  @Test(.enabled(if: SQLiteProcess.isThere))
  func `a process's name cannot disturb a message`() throws {
    let file = try WatchedFile()
    let link = file.folder.file("a\u{1B}[31m\nb")
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: "/usr/bin/sqlite3"
    )
    let process = try SQLiteProcess(file.path, executable: link)
    try process.run("BEGIN IMMEDIATE")
    #expect(LockHolder.writing(file.path)?.name == "a[31mb")
    try process.close()
  }

  @Test(arguments: ["", ":memory:", "/no such folder/x", "\0"])
  func `a missing file has no lock holder`(_ path: String) {
    #expect(LockHolder.writing(path) == nil)
  }
}
#endif
