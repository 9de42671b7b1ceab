import GRDB
import ResultsDomain
import ResultsTesting
import SQLitePersistence

/// Random commits: by the store, by its transaction's own SQL, and by another program.
extension IndexedTable {
  /// Makes some commits of some rows each, by whom it falls to.
  func commit(
    _ generator: inout SeededGenerator,
    rows: Int,
    by writers: [Writer] = Writer.allCases
  ) throws {
    switch generator.element(of: writers) {
    case .store: try commitSteps(rows, &generator)
    case .statements:
      try store.write { body in
        guard let transaction = body as? SQLiteTransaction else { return }
        try transaction.withDatabase { try run(rows, on: $0, &generator) }
      }
    case .stranger, nil:
      try stranger.write { try run(rows, on: $0, &generator) }
    }
  }

  enum Writer: CaseIterable {
    case store
    case statements
    case stranger
  }

  private func commitSteps(_ count: Int, _ generator: inout SeededGenerator) throws {
    let order =
      keys.count > 1
      ? keys.map { FetchSortDescriptor.ascending($0) } : [FetchSortDescriptor(.objectKey)]
    let rows = try store.fetch(FetchRequest<ResultsDomain.Row>(entity: entity, sortedBy: order))
    try store.write { transaction in
      for _ in 0..<count {
        let step: StoreOperation
        if let row = generator.element(of: rows), !generator.happens(percent: 40) {
          var changed = row.values
          if let index = generator.element(of: changed.indices) {
            changed[index] = IndexedTable.value(IndexedTable.attributes[index], &generator)
          }
          step =
            generator.happens(percent: rows.count > crowd ? 60 : 30)
            ? .delete(row.id) : .update(row.id, to: changed)
        } else {
          step = .insert(values(&generator), key: key(&generator))
        }
        do {
          _ = try transaction.perform(step, on: entity)
        } catch {
          // A rule of the database itself; the transaction goes on.
          guard case StoreError.aborted = error else { throw error }
        }
      }
    }
  }

  private func run(_ count: Int, on database: Database, _ generator: inout SeededGenerator) throws {
    let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM T") ?? 0
    var left = count
    while left > 0 {
      left -= 1
      if generator.happens(percent: 8) {
        try database.execute(sql: "SAVEPOINT inner")
        for _ in 0..<3 { try runStatement(on: database, among: rows, &generator) }
        if generator.happens(percent: 60) { try database.execute(sql: "ROLLBACK TO inner") }
        try database.execute(sql: "RELEASE inner")
      } else {
        try runStatement(on: database, among: rows, &generator)
      }
    }
  }

  private func runStatement(
    on database: Database,
    among rows: Int,
    _ generator: inout SeededGenerator
  ) throws {
    let list = keys.joined(separator: ", ")
    let offset = generator.number(in: 0...max(0, rows - 1))
    let row = "(\(list)) = (SELECT \(list) FROM T LIMIT 1 OFFSET \(offset))"
    let attribute =
      generator.element(of: IndexedTable.attributes) ?? IndexedTable.attributes[0]
    let value = IndexedTable.value(attribute, &generator).databaseValue
    let policy = generator.choice("OR REPLACE", "OR IGNORE", "OR IGNORE", "OR FAIL")
    var arguments = [value]
    let sql: String
    switch generator.number(in: 0...(rows > crowd ? 12 : 9)) {
    case 0...4: (sql, arguments) = insertion(policy, attribute.name, &generator)
    case 5...6: sql = "UPDATE \(policy) T SET \(attribute.name) = ? WHERE \(row)"
    case 7:
      guard let key = key(&generator) else {
        sql = "UPDATE \(policy) T SET k1 = k1 || 'x' WHERE \(row)"
        arguments = []
        break
      }
      sql = "UPDATE \(policy) T SET id = ? WHERE \(row)"
      arguments = [key.databaseValue]
    case 8:
      sql = "UPDATE OR IGNORE T SET \(attribute.name) = ? WHERE n = \(generator.number(in: 0...5))"
    case 12:
      sql = "DELETE FROM T WHERE n = \(generator.number(in: -3...8))"
      arguments = []
    default:
      sql = "DELETE FROM T WHERE \(row)"
      arguments = []
    }
    do {
      try database.execute(sql: sql, arguments: StatementArguments(arguments))
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
  }

  private func insertion(
    _ policy: String,
    _ attribute: String,
    _ generator: inout SeededGenerator
  ) -> (String, [DatabaseValue]) {
    var names = IndexedTable.attributes.map(\.name)
    var arguments = values(&generator).map(\.databaseValue)
    if let key = key(&generator) {
      names.append("id")
      arguments.append(key.databaseValue)
    }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let columns = names.joined(separator: ", ")
    guard generator.happens(percent: 30) else {
      return ("INSERT \(policy) INTO T(\(columns)) VALUES (\(marks))", arguments)
    }
    let list = keys.joined(separator: ", ")
    return (
      """
      INSERT INTO T(\(columns)) VALUES (\(marks)) \
      ON CONFLICT (\(list)) DO UPDATE SET \(attribute) = excluded.\(attribute)
      """,
      arguments
    )
  }
}

extension ObjectKey {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .integer(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .compound: .null
    }
  }
}
