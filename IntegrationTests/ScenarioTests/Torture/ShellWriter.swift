import Foundation
import ResultsTesting

/// Writes with the bare SQLite shell, which knows nothing of the store, and is killed now and then.
struct ShellWriter {
  static let path = "/usr/bin/sqlite3"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

  private(set) var blocks = 0
  private(set) var kills = 0
  private let plan: TorturePlan
  private let place: ProgramPlace
  private var generator: SeededGenerator
  private var book = PairBook(from: 1_000_000, of: "shell")
  private var shell: RunningProgram

  init(_ plan: TorturePlan, _ place: ProgramPlace) throws {
    self.plan = plan
    self.place = place
    generator = plan.generator(4)
    shell = try ShellWriter.start(place)
  }

  /// Does the writer's share.
  mutating func write() throws {
    while blocks < plan.share {
      try place.check()
      blocks += 1
      if generator.happens(percent: 2) {
        try kill()
      } else {
        try tell(block())
        try shell.write("SELECT 'block \(blocks)';\n")
        try expect("block \(blocks)")
      }
    }
    let result = try shell.finish()
    guard result.status == 0, result.errors.isEmpty else { throw Torn(what: "\(result)") }
  }

  private static func start(_ place: ProgramPlace) throws -> RunningProgram {
    let shell = try place.start(path, ["-batch", "s.sqlite"])
    try shell.write(".timeout 120000\n")
    return shell
  }

  /// Ends the shell in the middle of a transaction, or wherever it happens to be.
  private mutating func kill() throws {
    kills += 1
    if generator.happens(percent: 50) {
      try tell(["BEGIN IMMEDIATE"] + poison() + ["DELETE FROM Student WHERE id > 0"])
      try shell.write("SELECT 'held';\n")
      try expect("held")
    } else {
      try tell(transaction(insertPair()))
    }
    shell.send(SIGKILL)
    let result = try shell.finish()
    guard result.status == 137 else { throw Torn(what: "\(result)") }
    shell = try ShellWriter.start(place)
  }

  private func tell(_ statements: [String]) throws {
    try shell.write(statements.map { "\($0);\n" }.joined())
  }

  private func expect(_ answer: String) throws {
    while true {
      guard let line = try shell.line(within: 1200) else {
        throw Torn(what: "the shell did not say \(answer): \(try shell.finish())")
      }
      if line == answer { return }
    }
  }

  // MARK: - Statements

  private mutating func block() -> [String] {
    let number = generator.number(in: 0...32_766)
    let age = generator.number(in: 10...19)
    let id = generator.number(in: 1...300)
    // A long run takes no longer at its end than at its beginning.
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
