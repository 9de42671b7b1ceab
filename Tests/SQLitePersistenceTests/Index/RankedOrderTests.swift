import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R112: over an index a move reads and writes a few rows, a unique index holds meanwhile, and other programs may write ranks.
@Suite struct `Ranked orders over SQLite` {
  private struct Task: Entity {
    var id: Int64?
    var list: Int64 = 0
    var position: Int64?

    static let schema = EntitySchema<Task>("Task", identity: \.id) {
      Attribute(\.list, "list")
      Attribute(\.position, "position")
    }
    static let order = RankedOrder(\Task.position, within: \.list)
  }

  private func store(_ sql: String) throws -> SQLiteStore {
    let store = try SQLiteStore.inMemory(entities: [Task.entity])
    try run(sql, in: store)
    return store
  }

  private func run(_ sql: String, in store: SQLiteStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { try $0.execute(sql: sql) }
    }
  }

  private func ids(_ store: SQLiteStore) throws -> [Int64] {
    let request = FetchRequest<Task>(
      where: \.list == 1,
      sortedBy: [Task.order.sortDescriptor]
    )
    return try store.fetch(request).compactMap(\.id)
  }

  private func id(_ number: Int64) -> ObjectID {
    ObjectID(entity: "Task", key: .integer(number))
  }

  @Test func `R112: a move among many rows is answered by the index, without sorting`() throws {
    let store = try store(
      """
      CREATE INDEX byRank ON Task(list, position);
      WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO Task(list, position) SELECT 1 + i % 2, i FROM n
      """
    )
    final class Statements { var texts: [String] = [] }
    let statements = Statements()
    let positions: [RankedPosition] = [.start, .end, .after(id(10_001)), .before(id(15_001))]
    for position in positions {
      let written = try store.commit(origin: .unnamed) { transaction in
        let database = try #require(transaction as? SQLiteTransaction)
        try database.withDatabase { database in
          database.trace { statements.texts.append($0.expandedDescription) }
        }
        defer { _ = try? database.withDatabase { $0.trace(nil) } }
        return try transaction.move(id(19_999), to: position, in: Task.order.description)
      }.result
      #expect(written <= 3)
    }
    let searches = statements.texts.filter { $0.contains("ORDER BY") }
    #expect(searches.count >= 4)
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?
        .withDatabase { database in
          for search in searches {
            #expect(search.contains(" LIMIT "))
            let plan = try GRDB.Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(search)")
              .compactMap { $0["detail"] as String? }.joined(separator: "\n")
            #expect(plan.contains("byRank (list=?") && !plan.contains("TEMP B-TREE"), "\(plan)")
          }
        }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `R112: no two rows have one rank at any time, as a unique index demands`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let store = try store("CREATE UNIQUE INDEX byRank ON Task(list, position)")
    // As tight as can be without changing two rows at once: one rank more than rows.
    let order = RankedOrderDescription(
      entity: Task.entity,
      rank: "position",
      within: ["list"],
      ranks: 1...13
    )
    var model: [Int64] = []
    for number in 1...12 as ClosedRange<Int64> {
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.insert([1, .null], key: .integer(number), at: .end, in: order)
      }
      model.append(number)
    }
    for step in 0..<200 {
      let number = model.remove(at: generator.number(in: 0...11))
      let target = generator.number(in: 0...11)
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.move(
          id(number),
          to: target == 0 ? .start : .after(id(model[target - 1])),
          in: order
        )
      }
      model.insert(number, at: target)
      try #require(try ids(store) == model, "seed \(seed), step \(step)")
    }
  }

  @Test func `R112: ranks that another program writes meanwhile are those that count`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file()
    let store = try SQLiteStore(at: path, entities: [Task.entity])
    defer { try? store.close() }
    try run(
      "INSERT INTO Task(id, list, position) VALUES (1, 1, 10), (2, 1, 20), (3, 1, 30)",
      in: store
    )
    let shown = try store.fetch(FetchRequest<Task>(sortedBy: [.ascending(\.id)]))
    let other = try DatabaseQueue(path: path)
    try other.write { database in
      try database.execute(sql: "UPDATE Task SET position = 40 WHERE id = 1")
    }
    _ = try store.commit(origin: .unnamed) {
      try $0.move(shown[2], after: shown[0], in: Task.order)
    }
    #expect(try ids(store) == [2, 1, 3])
    let error = try #require(throws: StoreError.self) {
      try store.commit(origin: .unnamed) { transaction in
        try transaction.move(
          shown[0],
          before: shown[1],
          in: Task.order,
          ifUnchangedFrom: shown[0]
        )
      }
    }
    guard case .conflict(let conflicting, _, let stored) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(conflicting == id(1) && stored["position"] == 40)
    #expect(try ids(store) == [2, 1, 3])
  }

  @Test func `R112: a text among the ranks is named, unless it is what is moved`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file()
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE task (id INTEGER PRIMARY KEY, list INTEGER, position INTEGER);
          INSERT INTO task VALUES (1, 1, 10), (2, 1, 'soon'), (3, 1, 30), (4, 1, 40);
          """
      )
    }
    let found = try DatabaseDescription(at: path)
    let entity = try #require(found.tables.first).entity.get()
    let store = try SQLiteStore(writer: queue, entities: [entity])
    defer { try? store.close() }
    let order = RankedOrderDescription(entity: entity, rank: "position", within: ["list"])
    let (text, last) = (
      ObjectID(entity: "task", key: .integer(2)), ObjectID(entity: "task", key: .integer(4))
    )
    let error = try #require(throws: StoreError.self) {
      try store.commit(origin: .unnamed) { try $0.move(last, to: .end, in: order) }
    }
    guard case .unexpectedValue(text, "position") = error else {
      Issue.record("\(error)")
      return
    }
    _ = try store.commit(origin: .unnamed) { try $0.move(text, to: .start, in: order) }
    let request = FetchRequest<ObjectID>(entity: entity, sortedBy: [.ascending("position")])
    #expect(try store.fetch(request).map(\.key) == [2, 1, 3, 4].map { .integer($0) })
  }
}
