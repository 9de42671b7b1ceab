import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit

/// Writes rows of one entity in a transaction, with prepared statements.
final class RowWriter {
  let table: EntityTable
  private let session: CommitSession
  private let database: Database
  private let lookup: RowLookup
  private var insertStatement: PreparedStatement?
  private var insertUnkeyedStatement: PreparedStatement?
  /// The statements that write some attributes, by the indexes of the attributes.
  private var updateStatements: [[Int]: PreparedStatement] = [:]
  private var deleteStatement: PreparedStatement?
  /// Whether the largest possible key is taken; `nil` until it is looked up.
  private var hasLargestKey: Bool?

  init(_ table: EntityTable, on database: Database, in session: CommitSession) throws {
    self.table = table
    self.database = database
    self.session = session
    lookup = try RowLookup(table, on: database)
  }

  func insert(_ values: [Value], key: ObjectKey?) throws -> ObjectID {
    let values = table.entity.completed(values)
    try table.validate(values)
    let given = try table.entity.key(for: values, given: key)
    return try checkingCalculated(values, like: nil) { try insert(values, given) }
  }

  private func insert(_ values: [Value], _ given: ObjectKey?) throws -> ObjectID {
    if let given { hasLargestKey = given == .integer(.max) ? true : hasLargestKey }
    let statement =
      try given == nil ? unkeyedInsert() : prepared(table.sql.insert, &insertStatement)
    var parameter: Int32 = 1
    if let given, !table.isCompound { parameter = try statement.bind(given, from: parameter) }
    for index in table.writableIndexes {
      try statement.bind(values[index], at: parameter)
      parameter += 1
    }
    let change = ChangeCapture.Expected(
      operation: SQLITE_INSERT,
      table: table.index,
      key: given,
      before: nil,
      values: values,
      isCalculated: !table.generatedIndexes.isEmpty
    )
    try run(statement, change, id: given.map { table.id($0) })
    let number = sqlite3_last_insert_rowid(database.sqliteConnection)
    let assigned = given ?? .integer(number)
    session.capture.confirm(change, key: assigned)
    return table.id(assigned)
  }

  func update(_ id: ObjectID, to values: [Value], ifUnchangedFrom expected: Row?) throws {
    guard let stored = try row(id) else { throw StoreError.notFound(id) }
    var values = table.entity.completed(values, from: stored)
    try table.validate(values)
    if let expected, table.entity.completed(expected, from: stored) != stored {
      throw StoreError.conflict(id, expected: expected, stored: stored)
    }
    for index in table.generatedIndexes where values[index].isNull {
      values[index] = stored.values[index]
    }
    guard values != stored.values else { return }
    _ = try checkingCalculated(values, like: stored) { try update(stored, to: values) }
  }

  private func update(_ stored: Row, to values: [Value]) throws -> ObjectID {
    let id = stored.id
    let key =
      table.isCompound
      ? ObjectKey.compound(table.entity.keyAttributeIndexes.map { values[$0] }) : id.key
    // Only what changes is written: the database checks a foreign key that is written again, and one that another program has left without
    // its object must not keep the other attributes from being changed.
    let changed = table.writableIndexes.filter { values[$0] != stored.values[$0] }
    guard !changed.isEmpty else { return id }
    let statement = try update(of: changed)
    var parameter: Int32 = 1
    for index in changed {
      try statement.bind(values[index], at: parameter)
      parameter += 1
    }
    _ = try statement.bind(id.key, from: parameter)
    let change = ChangeCapture.Expected(
      operation: SQLITE_UPDATE,
      table: table.index,
      key: key,
      oldKey: id.key,
      before: stored.values,
      values: values,
      isCalculated: !table.generatedIndexes.isEmpty
    )
    try run(statement, change, id: table.id(key))
    session.capture.confirm(change, key: key)
    return table.id(key)
  }

  /// Writes a row, and rolls that back if a given value differs from the one that the database calculates.
  /// - Parameters:
  ///   - values: The row's values as they were given.
  ///   - stored: The row before; its calculated values may be given again.
  ///   - write: Writes the row, and returns its identity.
  /// - Returns: The row's identity.
  /// - Throws: `StoreError.invalid` for such a value, and what the closure throws.
  private func checkingCalculated(
    _ values: [Value],
    like stored: Row?,
    _ write: () throws -> ObjectID
  ) throws -> ObjectID {
    let given = table.generatedIndexes.filter { index in
      !values[index].isNull && values[index] != stored?.values[index]
    }
    guard !given.isEmpty else { return try write() }
    try database.run("SAVEPOINT \(Self.savepoint)")
    do {
      let id = try write()
      let written = try row(id)
      if let index = given.first(where: { written?.values[$0] != values[$0] }) {
        let name = table.entity.attributes[index].name
        throw StoreError.invalid([.calculated(entity: table.entity.name, attribute: name)])
      }
      try database.run("RELEASE \(Self.savepoint)")
      return id
    } catch {
      session.capture.forgetNewImages()
      if database.isInsideTransaction {
        try database.run("ROLLBACK TO \(Self.savepoint)")
        try database.run("RELEASE \(Self.savepoint)")
      }
      throw error
    }
  }

  private static let savepoint = "_results_row"

  func delete(_ id: ObjectID) throws -> Bool {
    guard let stored = try row(id) else { return false }
    let statement = try prepared(table.sql.delete, &deleteStatement)
    _ = try statement.bind(id.key, from: 1)
    let change = ChangeCapture.Expected(
      operation: SQLITE_DELETE,
      table: table.index,
      key: id.key,
      before: stored.values,
      values: nil
    )
    try run(statement, change, id: id)
    session.capture.confirm(change, key: id.key)
    return true
  }

  private func row(_ id: ObjectID) throws -> Row? {
    // An id of another entity may have the same key.
    id == table.id(id.key) ? try lookup.row(id.key) : nil
  }

  private func run(
    _ statement: PreparedStatement,
    _ change: ChangeCapture.Expected,
    id: ObjectID?
  ) throws {
    session.capture.expect(change)
    do {
      try statement.run()
    } catch {
      // A statement that fails is undone, with what its triggers did.
      session.capture.forgetNewImages()
      throw StoreError(
        writing: error,
        id: id,
        entity: table.entity,
        path: session.context.path,
        waited: session.context.busyTimeout
      )
    }
  }

  private func unkeyedInsert() throws -> PreparedStatement {
    // Beyond the largest key SQLite would choose a random one.
    let isFull = try hasLargestKey ?? (lookup.row(.integer(.max)) != nil)
    hasLargestKey = isFull
    guard !isFull else { throw StoreError.invalid([.invalidKey(entity: table.entity.name)]) }
    return try prepared(table.sql.insertUnkeyed, &insertUnkeyedStatement)
  }

  /// The statement that writes some attributes.
  ///
  /// The connection caches the statements of one attribute and of all; of the many others a writer keeps some.
  private func update(of indexes: [Int]) throws -> PreparedStatement {
    if let known = updateStatements[indexes] { return known }
    let sql = table.sql.update(indexes.map { table.attributeColumns[$0] })
    let isCached = indexes.count == 1 || indexes.count == table.writableIndexes.count
    let statement =
      try isCached || table.writableIndexes.count <= RowWriter.cachedWidth
      ? PreparedStatement(sql, on: database) : PreparedStatement(uncached: sql, on: database)
    if updateStatements.count >= RowWriter.statementLimit { updateStatements = [:] }
    updateStatements[indexes] = statement
    return statement
  }

  /// The number of attributes up to which the connection caches a statement for each choice of them.
  private static let cachedWidth = 5
  /// The number of statements that a writer keeps.
  private static let statementLimit = 64

  private func prepared(
    _ sql: String,
    _ known: inout PreparedStatement?
  ) throws -> PreparedStatement {
    if let known { return known }
    let statement = try PreparedStatement(sql, on: database)
    known = statement
    return statement
  }
}
