import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import StudentRoster

/// Writes with `student-roster simulate`, a separate process that prints its changes, and is killed now and then.
///
/// A simulation changes the rows that exist when it starts. If the pairs are guarded, it can be started repeatedly; otherwise it is
/// started once, before there are any pairs.
final class SimulationWriter {
  private(set) var lines = 0
  private(set) var kills = 0
  private let plan: TorturePlan
  private let session: ProgramSession
  private let view: TortureView
  private var generator: SeededGenerator
  private var program: RunningProgram?
  private var follower: ProgramFollower

  init(_ plan: TorturePlan, _ session: ProgramSession, number: UInt64, shows view: TortureView) {
    self.plan = plan
    self.session = session
    self.view = view
    generator = plan.generator(number)
    follower = ProgramFollower(view)
  }

  /// A summary for the report.
  var report: String {
    "simulate \(view.name): \(lines) lines, killed \(kills) times"
  }

  /// Starts a simulation, and waits for its first operation, so that it does not see rows that are inserted later.
  func begin() throws {
    let started = try session.start(
      "student-roster",
      [
        "simulate", "--seed", "\(generator.next())", "--operations", "100000000", "--store",
        "s.sqlite", "--busy-timeout", "120s", "--watch", "--format", "jsonl",
      ] + view.options
    )
    follower = ProgramFollower(view, startsQuietly: false)
    while !(try takeLine(of: started)).contains(#""cause":"own""#) {}
    program = started
  }

  /// Performs the writer's share, in several processes one after another if the pairs are guarded.
  func write() throws {
    let most = plan.isGuarded ? max(60, plan.share / 12) : plan.share
    while lines < plan.share {
      try session.check()
      guard let program else {
        try begin()
        continue
      }
      let wanted = min(generator.number(in: most / 2...most), plan.share - lines)
      while follower.lines < (plan.isGuarded ? wanted : plan.share) { try takeLine(of: program) }
      program.send(SIGKILL)
      let result = try program.finish()
      guard result.status == 137, result.errors.isEmpty else { throw Torn(what: "\(result)") }
      // Its remaining output consists of complete lines, except for the last.
      let rest = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      for line in rest { try follower.take(String(line)) }
      lines += follower.lines
      kills += 1
      self.program = nil
    }
  }

  @discardableResult
  private func takeLine(of program: RunningProgram) throws -> String {
    try session.check()
    guard let line = try program.line(within: 1200) else {
      throw Torn(what: "\(try program.finish())")
    }
    try follower.take(line)
    return line
  }
}

/// Writes with the plain SQLite shell, which is killed now and then.
struct ShellWriter {
  static let path = "/usr/bin/sqlite3"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

  private(set) var blocks = 0
  private(set) var kills = 0
  private let plan: TorturePlan
  private let session: ProgramSession
  private var generator: SeededGenerator
  private var book = PairBook(from: 1_000_000, of: "shell")
  private var shell: RunningProgram

  init(_ plan: TorturePlan, _ session: ProgramSession) throws {
    self.plan = plan
    self.session = session
    generator = plan.generator(4)
    shell = try ShellWriter.start(session)
  }

  /// Performs the writer's share.
  mutating func write() throws {
    while blocks < plan.share {
      try session.check()
      blocks += 1
      if generator.happens(percent: 2) {
        try kill()
      } else {
        try send(block())
        try shell.write("SELECT 'block \(blocks)';\n")
        try expect("block \(blocks)")
      }
    }
    let result = try shell.finish()
    guard result.status == 0, result.errors.isEmpty else { throw Torn(what: "\(result)") }
  }

  private static func start(_ session: ProgramSession) throws -> RunningProgram {
    let shell = try session.start(path, ["-batch", "s.sqlite"])
    try shell.write(".timeout 120000\n")
    return shell
  }

  /// Kills the shell in the middle of a transaction, or at a random point.
  private mutating func kill() throws {
    kills += 1
    if generator.happens(percent: 50) {
      try send(["BEGIN IMMEDIATE"] + poison() + ["DELETE FROM Student WHERE id > 0"])
      try shell.write("SELECT 'held';\n")
      try expect("held")
    } else {
      try send(transaction(insertPair()))
    }
    shell.send(SIGKILL)
    let result = try shell.finish()
    guard result.status == 137 else { throw Torn(what: "\(result)") }
    shell = try ShellWriter.start(session)
  }

  private func send(_ statements: [String]) throws {
    try shell.write(statements.map { "\($0);\n" }.joined())
  }

  private func expect(_ answer: String) throws {
    while true {
      guard let line = try shell.line(within: 1200) else {
        throw Torn(what: "the shell did not print \(answer): \(try shell.finish())")
      }
      if line == answer { return }
    }
  }

  // MARK: - Statements

  private mutating func block() -> [String] {
    let number = generator.number(in: 0...32_766)
    let age = generator.number(in: 10...19)
    let id = generator.number(in: 1...300)
    // The number of pairs is limited, so that a long run does not get slower.
    if book.pairs.count > 150 { return transaction(removePairs(5)) }
    let values = "\(number), 'shell-\(blocks)', \(age)"
    switch generator.number(in: 0...17) {
    case 0:
      return ["INSERT INTO Student(studentId, studentName, studentAge) VALUES(\(values))"]
    case 1: return ["INSERT OR REPLACE INTO Student VALUES(\(id), \(values))"]
    case 2:
      return [
        "INSERT INTO Student VALUES(\(id), \(values)) ON CONFLICT(id) DO UPDATE SET"
          + " studentAge = excluded.studentAge"
      ]
    case 3:
      return [
        "UPDATE Student SET studentAge = 10 + (studentAge + 1) % 10"
          + " WHERE id > 0 AND id % 7 = \(id % 7)"
      ]
    case 4:
      return ["UPDATE OR REPLACE Student SET id = id + 1 WHERE id > 0 AND id % 10 = \(id % 10)"]
    case 5: return ["DELETE FROM Student WHERE id > 0 AND id % 13 = \(id % 13)"]
    case 6:
      guard generator.happens(percent: plan.operations > 10_000 ? 2 : 10) else { return [] }
      let anchor = "INSERT OR IGNORE INTO Student VALUES(0, 0, 'anchor', 10)"
      return ["BEGIN IMMEDIATE", "DELETE FROM Student", anchor, "COMMIT"]
    case 7: return transaction(["UPDATE Student SET studentAge = 10 + (studentAge + 3) % 10"])
    case 8: return ["PRAGMA wal_checkpoint(PASSIVE)"]
    case 9: return ["BEGIN", "DELETE FROM Student"] + poison() + ["ROLLBACK"]
    case 10:
      let pair = insertPair()
      return transaction(
        [pair[0], "SAVEPOINT here"] + poison()
          + ["UPDATE Student SET studentName = 'poison'", "DELETE FROM Student"]
          + ["ROLLBACK TO here", "RELEASE here", pair[1]]
      )
    case 11: return transaction((0..<5).flatMap { _ in insertPair() })
    case 12, 13: return transaction(insertPair())
    default: return transaction(changePair(age))
    }
  }

  private mutating func insertPair() -> [String] {
    let pair = book.add()
    let name = book.newName()
    let age = generator.number(in: 10...19)
    return PairBook.keys(pair).map { key in
      "INSERT OR REPLACE INTO Student VALUES(\(key), \(generator.number(in: 0...32_766)),"
        + " '\(name)', \(age))"
    }
  }

  private mutating func removePairs(_ count: Int) -> [String] {
    let pairs = book.pairs.prefix(count)
    for pair in pairs { book.remove(pair) }
    return pairs.flatMap { PairBook.keys($0) }.map { "DELETE FROM Student WHERE id = \($0)" }
  }

  private mutating func changePair(_ age: Int) -> [String] {
    guard let pair = book.any(&generator) else { return insertPair() }
    let keys = PairBook.keys(pair)
    let both = "id IN (\(keys[0]), \(keys[1]))"
    switch generator.number(in: 0...3) {
    case 0:
      book.remove(pair)
      return keys.map { "DELETE FROM Student WHERE id = \($0)" }
    case 1:
      book.remove(pair)
      let shift = 2 * (book.add() - pair)
      return ["UPDATE Student SET id = id - \(shift) WHERE \(both)"]
    case 2:
      let name = book.newName()
      return keys.map { "UPDATE Student SET studentName = '\(name)' WHERE id = \($0)" }
    default: return ["UPDATE Student SET studentAge = \(age) WHERE \(both)"]
    }
  }

  private mutating func poison() -> [String] {
    [
      "INSERT INTO Student(studentId, studentName, studentAge) VALUES(1, 'poison', 15)",
      "UPDATE Student SET studentName = 'poison' WHERE id % 5 = 0",
    ]
  }

  private func transaction(_ statements: [String]) -> [String] {
    let open = plan.isGuarded ? ["UPDATE Permit SET isOpen = 1"] : []
    let close = plan.isGuarded ? ["UPDATE Permit SET isOpen = 0"] : []
    return ["BEGIN IMMEDIATE"] + open + statements + close + ["COMMIT"]
  }
}

/// Writes through the library, in the test process.
struct LibraryWriter {
  private struct Undone: Error {}

  private(set) var commits = 0
  private let plan: TorturePlan
  private let session: ProgramSession
  private let store: SQLiteStore
  private var generator: SeededGenerator
  private var book = PairBook(from: 1000, of: "library")
  private var beat = 0

  init(_ plan: TorturePlan, _ session: ProgramSession, _ store: SQLiteStore) {
    self.plan = plan
    self.session = session
    self.store = store
    generator = plan.generator(3)
  }

  /// Creates triggers that ignore changes of pairs without a permit.
  static func guardPairs(in store: SQLiteStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { database in
        try database.execute(
          sql: """
            CREATE TABLE Permit (isOpen INTEGER NOT NULL);
            INSERT INTO Permit VALUES (0);
            CREATE TRIGGER keepPairs BEFORE DELETE ON Student
            WHEN OLD.id <= 0 AND NOT (SELECT isOpen FROM Permit)
            BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER leavePairs BEFORE UPDATE ON Student
            WHEN OLD.id <= 0 AND NOT (SELECT isOpen FROM Permit)
            BEGIN SELECT RAISE(IGNORE); END;
            """
        )
      }
    }
  }

  /// Creates an index for each order, so that lists can leave their keys to it.
  static func makeIndexes(in store: SQLiteStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { database in
        try database.execute(
          sql: """
            CREATE INDEX byAge ON Student (studentAge, studentId);
            CREATE INDEX byNumber ON Student (studentId DESC);
            CREATE INDEX youngByName ON Student (studentName) WHERE studentAge < 15;
            """
        )
      }
    }
  }

  /// Inserts a row that is never deleted, so that the keys that SQLite assigns are positive.
  func insertAnchor() throws {
    let student = Student(studentId: 0, studentName: "anchor", studentAge: 10)
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert(student.attributeValues, key: .integer(0), into: Student.entity)
    }
  }

  /// Performs the writer's share.
  mutating func write() throws {
    while commits < plan.share {
      try session.check()
      commits += 1
      if generator.happens(percent: 10) { try undone() } else { try commit() }
    }
  }

  /// Makes the last commit: three rows that every view shows.
  func end() throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      let student = Student(studentId: 32_767, studentName: "0007-end", studentAge: 9)
      for key in PairInvariant.end - 2...PairInvariant.end {
        try transaction.insert(
          student.attributeValues,
          key: .integer(Int64(key)),
          into: Student.entity
        )
      }
    }
  }

  private mutating func commit() throws {
    var writer = self
    defer { self = writer }
    _ = try store.commit(origin: CommitOrigin("library")) { transaction in
      try writer.permit(true, in: transaction)
      for _ in 0..<writer.generator.number(in: 1...3) { try writer.step(in: transaction) }
      if writer.generator.happens(percent: 50) { try writer.beat(in: transaction) }
      try writer.permit(false, in: transaction)
    }
  }

  private func undone() throws {
    do {
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.insert(
          Student(studentId: 1, studentName: PairInvariant.poison, studentAge: 15)
        )
        throw Undone()
      }
      throw Torn(what: "a transaction that threw was committed")
    } catch {
      guard case StoreError.aborted(let reason) = error, reason is Undone else { throw error }
    }
  }

  private mutating func step(in transaction: any StoreTransaction) throws {
    switch generator.number(in: book.pairs.count > 150 ? 5...5 : 0...5) {
    case 0: try transaction.insert(Student.random(using: &generator))
    case 1: try changeSolo(in: transaction)
    case 2: try insert(pair: book.add(), in: transaction)
    case 3, 4: try changePair(in: transaction)
    default: try removePair(in: transaction)
    }
  }

  private mutating func changeSolo(in transaction: any StoreTransaction) throws {
    let key = ObjectKey.integer(Int64(generator.number(in: 1...300)))
    guard var student = try transaction.object(key, as: Student.self) else { return }
    student.studentAge = Int16(generator.number(in: 10...19))
    try transaction.update(student)
    if generator.happens(percent: 30) { try transaction.delete(student) }
  }

  private mutating func insert(pair: Int, in transaction: any StoreTransaction) throws {
    var student = Student.random(using: &generator)
    student.studentName = book.newName()
    for key in PairBook.keys(pair) {
      student.studentId = Int16(generator.number(in: 0...32_766))
      try transaction.insert(
        student.attributeValues,
        key: .integer(Int64(key)),
        into: Student.entity
      )
    }
  }

  private mutating func changePair(in transaction: any StoreTransaction) throws {
    guard let pair = book.any(&generator) else { return }
    let (name, age) = (book.newName(), Int16(generator.number(in: 10...19)))
    for key in PairBook.keys(pair) {
      guard var student = try transaction.object(.integer(Int64(key)), as: Student.self) else {
        continue
      }
      (student.studentName, student.studentAge) = (name, age)
      try transaction.update(student)
    }
  }

  /// Deletes a pair, or gives it other keys.
  private mutating func removePair(in transaction: any StoreTransaction) throws {
    guard let pair = book.any(&generator) else { return }
    book.remove(pair)
    let keys = PairBook.keys(pair)
    guard generator.happens(percent: 50) else {
      for key in keys {
        let id = ObjectID(entity: Student.entity.name, key: .integer(Int64(key)))
        try transaction.delete(id, of: Student.entity)
      }
      return
    }
    let shift = 2 * (book.add() - pair)
    try (transaction as? SQLiteTransaction)?.withDatabase { database in
      try database.execute(
        sql: "UPDATE Student SET id = id - ? WHERE id IN (?, ?)",
        arguments: [shift, keys[0], keys[1]]
      )
    }
  }

  private mutating func beat(in transaction: any StoreTransaction) throws {
    beat += 1
    let digits = String(beat)
    let name = "beat-" + String(repeating: "0", count: 9 - digits.count) + digits
    let key = ObjectKey.integer(Int64(PairInvariant.beat))
    guard var student = try transaction.object(key, as: Student.self) else {
      let student = Student(studentId: 0, studentName: name, studentAge: 10)
      try transaction.insert(student.attributeValues, key: key, into: Student.entity)
      return
    }
    student.studentName = name
    try transaction.update(student)
  }

  private func permit(_ isOpen: Bool, in transaction: any StoreTransaction) throws {
    guard plan.isGuarded else { return }
    try (transaction as? SQLiteTransaction)?.withDatabase { database in
      try database.execute(sql: "UPDATE Permit SET isOpen = ?", arguments: [isOpen])
    }
  }
}

/// The pairs of one writer; no other writer touches single rows of them.
struct PairBook {
  private(set) var pairs: [Int] = []
  private var next: Int
  private let writer: String
  private var nameCount = 0

  /// Pairs with numbers above `first`.
  init(from first: Int, of writer: String) {
    next = first
    self.writer = writer
  }

  /// Adds a new pair.
  mutating func add() -> Int {
    next += 1
    pairs.append(next)
    return next
  }

  /// A random pair, which may be missing after the table was emptied; `nil` if there is none.
  func any(_ generator: inout SeededGenerator) -> Int? { generator.element(of: pairs) }

  /// Removes a pair.
  mutating func remove(_ pair: Int) { pairs.removeAll { $0 == pair } }

  /// The keys of a pair's two rows.
  static func keys(_ pair: Int) -> [Int] { [-2 * pair, -2 * pair - 1] }

  /// Returns a new name.
  mutating func newName() -> String {
    nameCount += 1
    return "pair-\(writer)-\(nameCount)"
  }
}
