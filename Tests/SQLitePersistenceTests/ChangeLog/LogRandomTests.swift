import Foundation
import GRDB
import ResultsDomain
import ResultsTesting
import SQLitePersistence
import Testing

/// R58, R61: the history replayed from any earlier version gives the rows that are there, whoever wrote them.
@Suite struct `Random writers of an SQLite store` {
  /// The rows of all entities at a version.
  private struct Moment {
    let version: StoreVersion
    let content: [[ObjectID: ResultsDomain.Row]]
  }

  /// `RESULTS_TORTURE_OPERATIONS`, as `script/torture` sets it, doubles the number of histories.
  private static let seeds: Range<UInt64> =
    0..<(ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] == nil ? 6 : 12)

  @Test(arguments: seeds)
  func `are told exactly`(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: seed)
    // Half of the histories are too long for what a store remembers itself.
    let options = SQLiteStoreOptions(
      pollInterval: nil,
      historyCapacity: seed.isMultiple(of: 2) ? 65_536 : 7
    )
    let store = try LogFixture.open(folder, options)
    let second = try LogFixture.open(folder, isNew: false, options)
    let queue = try DatabaseQueue(path: folder.file())
    var moments: [Moment] = []
    for _ in 0..<40 {
      moments.append(try moment(store))
      for _ in 0..<generator.number(in: 1...3) {
        try step(&generator, store, second, queue, folder)
      }
      try store.checkForExternalChanges()
      let now = try moment(store)
      for past in moments {
        for (place, entity) in Sample.entities.enumerated() {
          let history = try store.history(since: past.version, of: entity)
          let records = try #require(history.records, "seed \(seed): \(history)")
          var content = past.content[place]
          for record in records {
            #expect(!record.changes.isEmpty && record.version.sequence > past.version.sequence)
            content = LogFixture.replay(record.changes, on: content)
          }
          try #require(content == now.content[place], "seed \(seed), \(entity.name)")
        }
      }
    }
    try queue.close()
    try second.close()
    try store.close()
  }

  private func moment(_ store: SQLiteStore) throws -> Moment {
    Moment(
      version: try store.currentVersion(),
      content: try Sample.entities.map { LogFixture.content(try store.allRows(of: $0)) }
    )
  }

  private func step(
    _ generator: inout SeededGenerator,
    _ store: SQLiteStore,
    _ second: SQLiteStore,
    _ queue: DatabaseQueue,
    _ folder: TemporaryFolder
  ) throws {
    let statements = (0..<generator.number(in: 1...4)).map { _ in statement(&generator) }
    switch generator.number(in: 0...5) {
    case 0: for sql in statements { try? LogFixture.run(sql, in: store) }
    case 1: for sql in statements { try? LogFixture.run(sql, in: second) }
    case 2: try transaction(&generator, store)
    case 3: try transaction(&generator, second)
    default:
      try queue.writeWithoutTransaction { database in
        let commits = generator.number(in: 0...3) > 0
        try database.execute(sql: "BEGIN IMMEDIATE")
        for sql in statements { try? database.execute(sql: sql) }
        if database.isInsideTransaction {
          try database.execute(sql: commits ? "COMMIT" : "ROLLBACK")
        }
      }
    }
  }

  /// A transaction through the port.
  private func transaction(_ generator: inout SeededGenerator, _ store: SQLiteStore) throws {
    let numbers = (0..<6).map { _ in Int64(generator.number(in: 1...9)) }
    _ = try? store.commit(origin: CommitOrigin("random")) { body in
      for (place, number) in numbers.enumerated() {
        let values = Sample.values("P", "t\(number)\(place)")
        switch place % 3 {
        case 0: _ = try? body.insert(values, key: .integer(number), into: Sample.book)
        case 1:
          try? body.update(Sample.id(number), to: values, of: Sample.book, ifUnchangedFrom: nil)
        default: _ = try body.delete(Sample.id(number), of: Sample.book)
        }
      }
    }
  }

  private func statement(_ generator: inout SeededGenerator) -> String {
    let (key, other) = (generator.number(in: -2...9), generator.number(in: 1...9))
    let title = "'t\(generator.number(in: 0...6))'"
    let or = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ROLLBACK"][generator.number(in: 0...4)]
    let choices = [
      "INSERT \(or) INTO Book (id, publisher, title, year) VALUES (\(key), 'P', \(title), \(other))",
      "INSERT \(or) INTO Book (publisher, title, rating) VALUES ('P', \(title), \(other))",
      "UPDATE \(or) Book SET title = \(title), rating = \(key) WHERE id >= \(other)",
      "UPDATE \(or) Book SET id = \(key) WHERE id = \(other)",
      "UPDATE \(or) Book SET id = id + 1 WHERE id > \(other)",
      "UPDATE \(or) Book SET year = \(other), extra = 1 WHERE id = \(key)",
      "UPDATE Book SET extra = \(key)",
      "DELETE FROM Book WHERE id > \(other)",
      "DELETE FROM Book",
      "INSERT INTO Book (id, publisher, title) VALUES (\(key), 'P', \(title))"
        + " ON CONFLICT (id) DO UPDATE SET publisher = 'Q'",
      "INSERT \(or) INTO Tag VALUES (\(title), \(key)), ('x', \(other))",
      "UPDATE \(or) Tag SET name = \(title) WHERE rank = \(other) OR name = 'x'",
      "DELETE FROM Tag WHERE rank < \(other)",
      "REPLACE INTO Score VALUES (\(key), 'Ann', \(other)), (\(other), 'Bob', 1)",
      "UPDATE \(or) Score SET subject = \(other), points = points + 1",
      "SAVEPOINT s; DELETE FROM Book; INSERT INTO Tag VALUES (\(title), 1); ROLLBACK TO s; RELEASE s",
    ]
    return choices[generator.number(in: 0...(choices.count - 1))]
  }
}
