import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// R58: a table with columns that the database calculates is captured like any other.
@Suite struct `Columns that the database calculates` {
  /// One table for all tests: a column after a virtual one has another position than in the declaration.
  private static let table = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY, price INTEGER NOT NULL, count INTEGER NOT NULL,
      label TEXT AS ('n' || count) STORED, total INTEGER NOT NULL AS (price * count), note TEXT);
    CREATE UNIQUE INDEX byTotal ON Item (total);
    INSERT INTO Item (id, price, count, note) VALUES (1, 2, 3, 'a'), (2, 5, 5, 'b');
    """

  private static func entity(_ attributes: [AttributeDescription]) -> EntityDescription {
    Sample.entity("Item", .integer(), attributes)
  }

  private static let price = AttributeDescription("price", .integer64)
  private static let count = AttributeDescription("count", .integer64)
  private static let label = AttributeDescription("label", .text, isOptional: true)
  private static let total = AttributeDescription("total", .integer64)
  private static let note = AttributeDescription("note", .text, isOptional: true)

  /// The columns that are attributes of the entity.
  enum Choice: String, CaseIterable, Sendable {
    case before, after, stored, virtual

    var entity: EntityDescription {
      switch self {
      case .before: `Columns that the database calculates`.entity([price, count])
      case .after: `Columns that the database calculates`.entity([price, count, note])
      case .stored: `Columns that the database calculates`.entity([price, count, label])
      case .virtual: `Columns that the database calculates`.entity([price, count, total, note])
      }
    }
  }

  private func open(
    _ folder: TemporaryFolder,
    _ entity: EntityDescription,
    maintainsChangeLog: Bool = true
  ) throws -> SQLiteStore {
    try LogFixture.execute(folder.file(), Self.table)
    let options = SQLiteStoreOptions(
      adoptsTables: true,
      pollInterval: nil,
      maintainsChangeLog: maintainsChangeLog ? true : nil
    )
    return try SQLiteStore(at: folder.file(), entities: [entity], options: options)
  }

  /// Values with null for calculated columns.
  private func values(_ entity: EntityDescription, _ price: Value, _ count: Value) -> [Value] {
    entity.attributes.map { ["price": price, "count": count][$0.name] ?? .null }
  }

  /// Whether a row has a value, or its entity no such attribute.
  private func `is`(_ row: ResultsDomain.Row?, _ name: String, _ value: Value) -> Bool {
    guard let row, let index = row.entity.index(of: name) else { return row != nil }
    return row.values[index] == value
  }

  private func prices(_ history: StoreHistory) throws -> [String] {
    try #require(history.records, "\(history)").flatMap(\.changes).map { change in
      func text(_ row: ResultsDomain.Row?) -> String {
        row?["price"].integer.map { "\($0)" } ?? "-"
      }
      return "\(change.id.key) \(text(change.before)) \(text(change.after))"
    }
  }

  @Test(arguments: Choice.allCases, [true, false])
  func `do not prevent the store's writes`(_ choice: Choice, _ maintainsChangeLog: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let entity = choice.entity
    let store = try open(folder, entity, maintainsChangeLog: maintainsChangeLog)
    let start = try store.currentVersion()
    let id = try store.commit(origin: CommitOrigin("o")) { transaction in
      try transaction.insert(values(entity, 7, 8), key: nil, into: entity)
    }.result
    let stored = try #require(try store.allRows(of: entity).last)
    #expect(`is`(stored, "total", 56) && `is`(stored, "label", "n8"))
    try store.commit(origin: CommitOrigin("o")) { transaction in
      try transaction.update(id, to: values(entity, 9, 8), of: entity, ifUnchangedFrom: stored)
      try transaction.delete(ObjectID(entity: "Item", key: .integer(1)), of: entity)
    }
    let history = try store.history(since: start, of: entity)
    #expect(try prices(history) == ["3 - 7", "1 2 -", "3 7 9"])
    #expect(history.records?.map(\.origin.name) == ["o", "o"])
    let last = try #require(history.records?.last?.changes.last)
    #expect(`is`(last.before, "total", 56) && `is`(last.after, "total", 72))
    try store.close()
  }

  @Test(arguments: Choice.allCases, [true, false])
  func `are captured in all writers' statements`(_ choice: Choice, _ isOwn: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder, choice.entity)
    let start = try store.currentVersion()
    let statements = [
      "INSERT INTO Item (price, count) VALUES (7, 8)",
      "UPDATE Item SET price = 9 WHERE id = 3",
      "INSERT OR REPLACE INTO Item (id, price, count) VALUES (4, 25, 1)",
      "UPDATE OR REPLACE Item SET count = 12 WHERE id = 1; UPDATE Item SET count = 13 WHERE id = 1",
      "DELETE FROM Item WHERE id = 3",
    ]
    for statement in statements {
      if isOwn {
        try LogFixture.run(statement, in: store)
      } else {
        try LogFixture.execute(folder.file(), statement)
        try store.checkForExternalChanges()
      }
    }
    let history = try store.history(since: start, of: choice.entity)
    let all = try prices(history)
    let expected =
      isOwn
      ? ["3 - 7", "3 7 9", "2 5 -", "4 - 25", "1 2 2", "3 9 -"]
      : ["1 2 2", "2 5 -", "4 - 25"]
    #expect(all == expected)
    let after = LogFixture.content(try store.allRows(of: choice.entity))
    #expect(after.count == 2)
    try store.close()
  }

  @Test(arguments: [true, false])
  func `are followed if they are the only attributes`(_ isOwn: Bool) throws {
    let folder = try TemporaryFolder()
    let entity = Self.entity([Self.total, Self.label])
    let store = try open(folder, entity)
    let start = try store.currentVersion()
    let statement = "UPDATE Item SET price = 11 WHERE id = 1"
    if isOwn {
      try LogFixture.run(statement, in: store)
    } else {
      try LogFixture.execute(folder.file(), statement)
      try store.checkForExternalChanges()
    }
    let changes = try store.history(since: start, of: entity).changes?.flatMap(\.self)
    #expect(changes?.map { $0.before?["total"] } == [6])
    #expect(changes?.map { $0.after?["total"] } == [33])
    try store.close()
  }

  @Test func `accept only the calculated value`() throws {
    let folder = try TemporaryFolder()
    let entity = Choice.virtual.entity
    let store = try open(folder, entity)
    let write = { (values: [Value]) throws -> StoreError? in
      do {
        try store.write { try $0.insert(values, key: nil, into: entity) }
        return nil
      } catch let error as StoreError {
        return error
      }
    }
    #expect(try write([3, 4, 12, .null]) == nil)
    let refused = try #require(try write([3, 5, 16, .null]))
    #expect(refused.description.contains("total of Item is calculated by the database"))
    let id = ObjectID(entity: "Item", key: .integer(1))
    let error = #expect(throws: StoreError.self) {
      try store.write { transaction in
        try transaction.update(id, to: [2, 3, 7, "c"], of: entity, ifUnchangedFrom: nil)
      }
    }
    #expect("\(String(describing: error))".contains("calculated"))
    try store.write { transaction in
      // A row that was read and changed has the old value.
      try transaction.update(id, to: [2, 4, 6, "c"], of: entity, ifUnchangedFrom: nil)
      // A transaction that continues after the refusal has nothing of the refused row.
      _ = try? transaction.insert([3, 5, 16, .null], key: nil, into: entity)
    }
    #expect(try store.allRows(of: entity).map { $0["total"] } == [8, 12, 25])
    try store.close()
  }

  @Test func `are named as the reason for a slower capture`() throws {
    func capture(_ choice: Choice, maintainsChangeLog: Bool) throws -> String {
      let folder = try TemporaryFolder()
      let store = try open(folder, choice.entity, maintainsChangeLog: maintainsChangeLog)
      defer { try? store.close() }
      return "\(store.capture)"
    }
    #expect(try capture(.before, maintainsChangeLog: true) == "hook + log")
    #expect(try capture(.stored, maintainsChangeLog: true) == "hook + log")
    #expect(try capture(.virtual, maintainsChangeLog: true).contains("Item.total"))
    #expect(try capture(.after, maintainsChangeLog: true).contains("Item.note"))
    #expect(try capture(.virtual, maintainsChangeLog: false).contains("maintainsChangeLog"))
  }
}
