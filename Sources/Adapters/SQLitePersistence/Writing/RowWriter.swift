import CSQLiteHooks
import GRDB
import ResultsDomain

/// Writes rows of one entity within a transaction, with prepared statements.
final class RowWriter {
  let table: EntityTable
  private let core: StoreCore
  private let database: Database
  private let lookup: RowLookup
  private var statements: [String: PreparedStatement] = [:]
  private var insertStatement: PreparedStatement?
  private var insertUnkeyedStatement: PreparedStatement?
  /// Whether the largest key of all is taken, as far as looked for.
  private var hasLargestKey: Bool?

  init(_ table: EntityTable, on database: Database, core: StoreCore) throws {
    self.table = table
    self.database = database
    self.core = core
    lookup = try RowLookup(table, on: database)
  }

  func insert(_ values: [Value], key: ObjectKey?) throws -> ObjectID {
    let entity = table.entity
    try entity.validate(values)
    let given = try entity.key(for: values, given: key)
    if let given { hasLargestKey = given == .integer(.max) ? true : hasLargestKey }
    let statement = try given == nil ? unkeyedInsert() : keyedInsert()
    var place: Int32 = 1
    if let given, !table.isCompound {
      for part in given.parts {
        try statement.bind(part, at: place)
        place += 1
      }
    }
    for value in values {
      try statement.bind(value, at: place)
      place += 1
    }
    let change = ChangeCapture.Expected(
      operation: SQLITE_INSERT,
      table: table.index,
      key: given,
      before: nil,
      values: values
    )
    try run(statement, change, id: given.map { table.id($0) })
    let number = sqlite3_last_insert_rowid(database.sqliteConnection)
    let assigned = given ?? .integer(number)
    core.capture.done(change, key: assigned)
    return table.id(assigned)
  }

  func update(_ id: ObjectID, to values: [Value], ifUnchangedFrom expected: Row?) throws {
    guard let stored = try row(id) else { throw StoreError.notFound(id) }
    try table.entity.validate(values)
    if let expected, expected != stored {
      throw StoreError.conflict(id, expected: expected, stored: stored)
    }
    guard values != stored.values else { return }
    let key =
      table.isCompound
      ? ObjectKey.compound(table.entity.keyAttributeIndexes.map { values[$0] }) : id.key
    let statement = try prepared(table.updateSQL)
    for (index, value) in (values + id.key.parts).enumerated() {
      try statement.bind(value, at: Int32(index + 1))
    }
    let change = ChangeCapture.Expected(
      operation: SQLITE_UPDATE,
      table: table.index,
      key: key,
      oldKey: id.key,
      before: stored.values,
      values: values
    )
    try run(statement, change, id: table.id(key))
    core.capture.done(change, key: key)
  }

  func delete(_ id: ObjectID) throws -> Bool {
    guard let stored = try row(id) else { return false }
    let statement = try prepared(table.deleteSQL)
    for (index, part) in id.key.parts.enumerated() {
      try statement.bind(part, at: Int32(index + 1))
    }
    let change = ChangeCapture.Expected(
      operation: SQLITE_DELETE,
      table: table.index,
      key: id.key,
      before: stored.values,
      values: nil
    )
    try run(statement, change, id: id)
    core.capture.done(change, key: id.key)
    return true
  }

  private func row(_ id: ObjectID) throws -> Row? {
    // The row of another entity that happens to have the same key is not meant.
    id == table.id(id.key) ? try lookup.row(id.key) : nil
  }

  private func run(
    _ statement: PreparedStatement,
    _ change: ChangeCapture.Expected,
    id: ObjectID?
  ) throws {
    core.capture.expect(change)
    do {
      try statement.run()
    } catch {
      // A statement that fails undoes what it and its triggers did so far.
      core.capture.forgetNewImages()
      throw StoreError(
        writing: error,
        id: id,
        entity: table.entity,
        path: core.path,
        waited: core.busyTimeout
      )
    }
  }

  private func keyedInsert() throws -> PreparedStatement {
    if let insertStatement { return insertStatement }
    let statement = try PreparedStatement(table.insertSQL, on: database)
    insertStatement = statement
    return statement
  }

  private func unkeyedInsert() throws -> PreparedStatement {
    // Beyond the largest key SQLite would take one at random.
    let isFull = try hasLargestKey ?? (lookup.row(.integer(.max)) != nil)
    hasLargestKey = isFull
    guard !isFull else { throw StoreError.invalid([.invalidKey(entity: table.entity.name)]) }
    if let insertUnkeyedStatement { return insertUnkeyedStatement }
    let statement = try PreparedStatement(table.insertUnkeyedSQL, on: database)
    insertUnkeyedStatement = statement
    return statement
  }

  private func prepared(_ sql: String) throws -> PreparedStatement {
    if let statement = statements[sql] { return statement }
    let statement = try PreparedStatement(sql, on: database)
    statements[sql] = statement
    return statement
  }
}
