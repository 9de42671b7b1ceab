import GRDB
import ResultsDomain
import ResultsTesting
import SQLitePersistence
import StudentRoster

/// Writes through the library, in the test's own process.
struct LibraryWriter {
  private struct Undone: Error {}

  private(set) var commits = 0
  private let plan: TorturePlan
  private let place: ProgramPlace
  private let store: SQLiteStore
  private var generator: SeededGenerator
  private var book = PairBook(from: 1000, of: "library")
  private var beat = 0

  init(_ plan: TorturePlan, _ place: ProgramPlace, _ store: SQLiteStore) {
    self.plan = plan
    self.place = place
    self.store = store
    generator = plan.generator(3)
  }

  /// Keeps everybody off the pairs who does not ask for the permit first.
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

  /// Makes an index for each order that a list may leave its keys to.
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

  /// Inserts a row that always stays, so that the keys that SQLite assigns are positive.
  func insertAnchor() throws {
    let student = Student(studentId: 0, studentName: "anchor", studentAge: 10)
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert(student.attributeValues, key: .integer(0), into: Student.entity)
    }
  }

  /// Does the writer's share.
  mutating func write() throws {
    while commits < plan.share {
      try place.check()
      commits += 1
      if generator.happens(percent: 10) { try undone() } else { try commit() }
    }
  }

  /// The last commit of all: three rows that every view shows.
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
