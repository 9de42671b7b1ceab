#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// Writes rows of one entity in a transaction.
///
/// A statement that the database may refuse runs in a savepoint, so that a refused row does not end the transaction. For a table without
/// constraints, triggers and references beside its key none is needed: a key that is taken is no error of `INSERT … ON CONFLICT`.
final class RowWriter {
  let table: EntityTable
  private let connection: Connection
  private let context: StoreContext
  private let number: TransactionNumber
  private let texts: WriterTexts
  /// Whether something in the database may refuse a row.
  private let canBeRefused: Bool
  /// Whether a unique index beside the key may refuse an update.
  private let hasUniqueIndex: Bool

  init(
    _ table: EntityTable,
    on connection: Connection,
    in context: StoreContext,
    _ number: TransactionNumber
  ) throws(StoreError) {
    self.table = table
    self.connection = connection
    self.context = context
    self.number = number
    texts = WriterTexts(table)
    let result = try context.translating { () throws(PostgreSQLFailure) in
      try connection.run(
        """
        SELECT EXISTS (SELECT FROM pg_constraint c WHERE (c.conrelid = $1::oid OR c.confrelid = $1::oid) AND c.contype IN ('c', 'f', 'x', 't')) \
        OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = $1::oid AND NOT t.tgisinternal AND t.tgname NOT LIKE '!results%') \
        OR EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = $1::oid), \
        EXISTS (SELECT FROM pg_index i WHERE i.indrelid = $1::oid AND i.indisunique AND NOT i.indisprimary)
        """,
        [.object(table.shape.number)]
      )
    }
    canBeRefused = result.boolean(0, 0) ?? true
    hasUniqueIndex = result.boolean(0, 1) ?? true
  }

  // MARK: - Insert

  func insert(_ values: [Value], key: ObjectKey?) throws(StoreError) -> ObjectID {
    let values = table.entity.completed(values)
    try validate(values)
    let given = try table.entity.key(for: values, given: key)
    guard let given else { return try insertUnkeyed(values) }
    let id = table.id(given)
    let inserted = try insert(values, given)
    guard inserted.count == 1 else {
      if try isStored(given) { throw .alreadyExists(id) }
      throw .aborted(
        by: PostgreSQLConstraintError(
          id: id,
          constraint: "",
          message: "a unique index has its values already"
        )
      )
    }
    return id
  }

  /// Inserts a row with its key.
  /// - Returns: The key of the row, or no row if some unique index has its values already.
  private func insert(_ values: [Value], _ key: ObjectKey) throws(StoreError) -> QueryResult {
    let parameters = try (table.isCompound ? [] : keyParameters(key)) + parameters(values)
    return try run(
      Statement(texts.insert, parameters),
      id: table.id(key),
      checking: values
    )
  }

  private func insertUnkeyed(_ values: [Value]) throws(StoreError) -> ObjectID {
    switch context.options.keyAssignment {
    case .largest: return try insertBehindLargest(values)
    case .sequence:
      guard let sequence = sequence else { return try insertBehindLargest(values) }
      let parameters = try parameters(values)
      for _ in 0..<2 {
        let result = try run(
          Statement(texts.insertUnkeyed, parameters),
          id: nil,
          checking: values
        )
        if result.count == 1, let key = table.key(result, 0, from: 0) { return table.id(key) }
        // A row was inserted with a key of its own that the sequence has reached now.
        _ = try context.translating { () throws(PostgreSQLFailure) in
          try connection.run(
            """
            SELECT setval(\(sequence), greatest(coalesce((SELECT max(\(keySQL)) FROM \(table.quotedName)), 0), 1))
            """
          )
        }
      }
      throw .aborted(
        by: PostgreSQLConstraintError(
          id: nil,
          constraint: "",
          message: "a unique index has its values already"
        )
      )
    }
  }

  /// Inserts a row under one more than the largest key.
  private func insertBehindLargest(_ values: [Value]) throws(StoreError) -> ObjectID {
    guard case .integer = table.entity.identity else {
      throw .invalid([.invalidKey(entity: table.entity.name)])
    }
    let result = try context.translating { () throws(PostgreSQLFailure) in
      try connection.run("SELECT max(\(keySQL))::bigint FROM \(table.quotedName)")
    }
    let (next, overflow) = (result.integer(0, 0) ?? 0).addingReportingOverflow(1)
    guard !overflow else { throw .invalid([.invalidKey(entity: table.entity.name)]) }
    let key = ObjectKey.integer(next)
    guard try insert(values, key).count == 1 else {
      throw .aborted(
        by: PostgreSQLConstraintError(
          id: table.id(key),
          constraint: "",
          message: "a unique index has its values already"
        )
      )
    }
    return table.id(key)
  }

  /// The sequence that gives the keys, as a text constant for `setval`; `nil` if there is none.
  private var sequence: String? {
    guard case .integer(let column) = table.entity.identity else { return nil }
    return table.shape.column(named: column)?.sequence.map(Connection.literal)
  }

  private var keySQL: String { table.keyColumns[0].sql }

  // MARK: - Many rows

  /// The most rows that one statement inserts.
  private static let batchLimit = 2_000

  /// Inserts rows, whose values travel as one array for each column.
  ///
  /// If the database refuses a row of a batch, the batch is inserted row by row, so that the error is that of the row.
  /// - Returns: The identities, in the order of the rows.
  /// - Throws: As `insert(_:key:)`; no row is inserted then.
  func insert(
    _ rows: [[Value]],
    keys: [ObjectKey?]
  ) throws(StoreError) -> [ObjectID] {
    let rows = rows.map { table.entity.completed($0) }
    try run(only: Statement("SAVEPOINT results_batch"))
    var ids: [ObjectID] = []
    ids.reserveCapacity(rows.count)
    do throws(StoreError) {
      for start in stride(from: 0, to: rows.count, by: RowWriter.batchLimit) {
        let end = min(start + RowWriter.batchLimit, rows.count)
        let (rows, keys) = (Array(rows[start..<end]), Array(keys[start..<end]))
        if let inserted = try insert(batch: rows, keys) {
          ids += inserted
        } else {
          for (values, key) in zip(rows, keys) { ids.append(try insert(values, key: key)) }
        }
      }
    } catch {
      if connection.isUsable { try run(only: .rollback(to: "results_batch")) }
      throw error
    }
    try run(only: Statement("RELEASE results_batch"))
    return ids
  }

  private func run(only statement: Statement) throws(StoreError) {
    try context.translating { () throws(PostgreSQLFailure) in _ = try connection.run([statement]) }
  }

  /// Inserts a batch by one statement, or returns `nil`, and has inserted nothing, if that is not possible.
  private func insert(
    batch rows: [[Value]],
    _ keys: [ObjectKey?]
  ) throws(StoreError) -> [ObjectID]? {
    let columns = table.attributeColumns.filter { !$0.isGenerated }
    let all = (table.isCompound ? [] : table.keyColumns) + columns
    let arrays = all.compactMap { TypeNumber.array(of: $0.coding.type) }
    guard rows.count > 1, arrays.count == all.count, columns.count == table.attributeColumns.count
    else { return nil }
    var elements = [[[UInt8]?]](repeating: [], count: all.count)
    var ids: [ObjectID] = []
    let assigned = try assignedKeys(count: keys.count { $0 == nil })
    var next = 0
    for (values, given) in zip(rows, keys) {
      try validate(values)
      var key = try table.entity.key(for: values, given: given)
      if key == nil {
        guard assigned.indices.contains(next) else { return nil }
        key = .integer(assigned[next])
        next += 1
      }
      guard let key else { return nil }
      let parameters = try (table.isCompound ? [] : keyParameters(key)) + parameters(values)
      for (index, parameter) in parameters.enumerated() { elements[index].append(parameter.bytes) }
      ids.append(table.id(key))
    }
    var parameters: [Parameter] = []
    for (index, column) in all.enumerated() {
      parameters.append(.array(of: column.coding.type, arrays[index], elements[index]))
    }
    let names = all.map(\.name).joined(separator: ", ")
    let marks = all.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let insertion = Statement(
      """
      INSERT INTO \(table.quotedName) (\(names))\(table.overriding) SELECT * FROM unnest(\(marks)) \
      ON CONFLICT DO NOTHING RETURNING 1::bigint
      """,
      parameters
    )
    let inserted: Int
    do throws(PostgreSQLFailure) {
      let results = try connection.run(
        [Statement("SAVEPOINT results_rows"), insertion] + number.questions
      )
      number.note(results)
      inserted = results[1].count
    } catch {
      guard !error.isConnectionLost, !error.isOutrun else {
        throw error.storeError(path: context.path, waited: context.options.busyTimeout)
      }
      if error.endsWait {
        try undoBatch()
        throw error.storeError(path: context.path, waited: context.options.busyTimeout)
      }
      inserted = -1
    }
    guard inserted == rows.count else {
      try undoBatch()
      return nil
    }
    try run(only: Statement("RELEASE results_rows"))
    return ids
  }

  private func undoBatch() throws(StoreError) {
    try context.translating { () throws(PostgreSQLFailure) in
      _ = try connection.run([
        .rollback(to: "results_rows"), Statement("RELEASE results_rows"),
      ])
    }
  }

  /// New integer keys, in ascending order.
  private func assignedKeys(count: Int) throws(StoreError) -> [Int64] {
    guard count > 0, case .integer = table.entity.identity else { return [] }
    let result = try context.translating { () throws(PostgreSQLFailure) in
      if case .sequence = context.options.keyAssignment, let sequence {
        return try connection.run(
          "SELECT nextval(\(sequence)) FROM generate_series(1, $1::bigint)",
          [.integer(Int64(count))]
        )
      }
      return try connection.run(
        """
        SELECT largest.number + n FROM (SELECT coalesce(max(\(keySQL)), 0)::bigint AS number \
        FROM \(table.quotedName)) AS largest, generate_series(1, $1::bigint) AS n
        """,
        [.integer(Int64(count))]
      )
    }
    return (0..<result.count).compactMap { result.integer($0, 0) }.sorted()
  }

  // MARK: - Update and delete

  func update(
    _ id: ObjectID,
    to values: [Value],
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    guard let stored = try row(id) else { throw .notFound(id) }
    var values = table.entity.completed(values, from: stored)
    try validate(values)
    if let expected, table.entity.completed(expected, from: stored) != stored {
      throw .conflict(id, expected: expected, stored: stored)
    }
    for (index, column) in table.attributeColumns.enumerated()
    where column.isGenerated && values[index].isNull {
      values[index] = stored.values[index]
    }
    guard values != stored.values else { return }
    guard texts.update != nil else { return }
    let key =
      table.isCompound
      ? ObjectKey.compound(table.entity.keyAttributeIndexes.map { values[$0] }) : id.key
    if key != id.key, try isStored(key) { throw .alreadyExists(table.id(key)) }
    let parameters = try parameters(values) + keyParameters(id.key)
    _ = try run(
      Statement(texts.update ?? "", parameters),
      id: table.id(key),
      checking: values,
      like: stored,
      isGuarded: hasUniqueIndex || key != id.key
    )
  }

  func delete(_ id: ObjectID) throws(StoreError) -> Bool {
    guard id == table.id(id.key), try row(id) != nil else { return false }
    return try run(Statement(texts.delete, keyParameters(id.key)), id: id).count > 0
  }

  // MARK: - Parts

  /// Checks the values of a whole row before anything is sent; those that the database calculates may be missing.
  private func validate(_ values: [Value]) throws(StoreError) {
    do {
      try table.entity.validate(values)
    } catch {
      let generated = zip(table.entity.attributes, table.attributeColumns)
        .filter { $1.isGenerated }.map(\.0.name)
      guard !generated.isEmpty, case .invalid(let failures) = error else { throw error }
      let others = failures.filter { failure in
        guard case .missing(_, let attribute) = failure else { return true }
        return !generated.contains(attribute)
      }
      guard others.isEmpty else { throw .invalid(others) }
    }
    var failures: [ValidationFailure] = []
    for (index, column) in table.attributeColumns.enumerated()
    where column.coding.parameter(values[index]) == nil {
      failures.append(notStorable(values[index], table.entity.attributes[index].name))
    }
    guard failures.isEmpty else { throw .invalid(failures) }
  }

  private func notStorable(_ value: Value, _ attribute: String) -> ValidationFailure {
    let detail =
      switch value {
      case .text(let text) where text.utf8.contains(0):
        "PostgreSQL's texts cannot contain the character NUL"
      default: "a column of its type cannot hold it"
      }
    return .notStorable(entity: table.entity.name, attribute: attribute, detail: detail)
  }

  /// The parameters of the attributes that a statement may write, in their order.
  private func parameters(_ values: [Value]) throws(StoreError) -> [Parameter] {
    var parameters: [Parameter] = []
    for (index, column) in table.attributeColumns.enumerated() where !column.isGenerated {
      guard let parameter = column.coding.parameter(values[index]) else {
        throw .invalid([notStorable(values[index], table.entity.attributes[index].name)])
      }
      parameters.append(parameter)
    }
    return parameters
  }

  /// The parameters of a key.
  /// - Throws: `StoreError.invalid` for a key that the columns cannot hold.
  private func keyParameters(_ key: ObjectKey) throws(StoreError) -> [Parameter] {
    var parameters: [Parameter] = []
    let parts = zip(key.parts, table.keyColumns)
    for (name, (part, column)) in zip(table.entity.identity.columns, parts) {
      guard let parameter = column.coding.parameter(part) else {
        throw .invalid([notStorable(part, name)])
      }
      parameters.append(parameter)
    }
    return parameters
  }

  private func row(_ id: ObjectID) throws(StoreError) -> Row? {
    // An id of another entity may have the same key.
    guard id == table.id(id.key) else { return nil }
    return try TableReader(connection, tables: context.tables, path: context.path)
      .rows([id.key], of: table.entity)[0]
  }

  private func isStored(_ key: ObjectKey) throws(StoreError) -> Bool {
    try row(table.id(key)) != nil
  }

  /// Runs a statement that returns the keys of the rows it has written.
  /// - Parameters:
  ///   - statement: The statement.
  ///   - id: The object, for messages.
  ///   - values: The row's values as they were given, whose calculated ones are compared with those that the database calculates.
  ///   - stored: The row before; its calculated values may be given again.
  ///   - isGuarded: Whether the statement needs a savepoint for another reason.
  /// - Returns: The statement's result.
  /// - Throws: `StoreError`; the statement has no effect then.
  private func run(
    _ statement: Statement,
    id: ObjectID?,
    checking values: [Value]? = nil,
    like stored: Row? = nil,
    isGuarded: Bool = false
  ) throws(StoreError) -> QueryResult {
    let given = (values ?? []).enumerated().filter { index, value in
      table.attributeColumns[index].isGenerated && !value.isNull && value != stored?.values[index]
    }
    do {
      let results = try connection.inSavepoint(
        canBeRefused || isGuarded || !given.isEmpty,
        [statement] + number.questions
      )
      number.note(results)
      let result = results[0]
      guard !given.isEmpty, result.count == 1, let key = table.key(result, 0, from: 0)
      else { return result }
      let written = try row(table.id(key))
      if let wrong = given.first(where: { written?.values[$0.offset] != $0.element }) {
        throw StoreError.invalid([
          .calculated(
            entity: table.entity.name,
            attribute: table.entity.attributes[wrong.offset].name
          )
        ])
      }
      return result
    } catch let error as StoreError {
      throw error
    } catch let failure as PostgreSQLFailure {
      throw StoreError(
        writing: failure,
        id: id,
        entity: table.entity,
        path: context.path,
        waited: context.options.busyTimeout
      )
    } catch {
      throw .aborted(by: error)
    }
  }
}

/// The statements that write rows of a table.
private struct WriterTexts {
  let insert: String
  let insertUnkeyed: String
  /// `nil` if no attribute may be written.
  let update: String?
  let delete: String

  init(_ table: EntityTable) {
    let keys = table.keyColumns.map(\.sql)
    let writable = table.attributeColumns.filter { !$0.isGenerated }.map(\.name)
    func marks(_ count: Int, from first: Int = 1) -> [String] {
      (0..<count).map { "$\(first + $0)" }
    }
    let returned = keys.joined(separator: ", ")
    func insertion(_ columns: [String], keyed: Bool) -> String {
      let names = columns.joined(separator: ", ")
      let values = marks(columns.count).joined(separator: ", ")
      return columns.isEmpty
        ? "INSERT INTO \(table.quotedName) DEFAULT VALUES RETURNING \(returned)"
        : "INSERT INTO \(table.quotedName) (\(names))\(keyed ? table.overriding : "") VALUES (\(values)) ON CONFLICT DO NOTHING RETURNING \(returned)"
    }
    let condition = zip(keys, marks(keys.count)).map { "\($0) = \($1)" }
      .joined(separator: " AND ")
    let updateCondition = zip(keys, marks(keys.count, from: writable.count + 1))
      .map { "\($0) = \($1)" }.joined(separator: " AND ")
    let assignments = zip(writable, marks(writable.count)).map { "\($0) = \($1)" }
      .joined(separator: ", ")
    let keyNames = table.isCompound ? [] : table.keyColumns.map(\.name)
    insert = insertion(keyNames + writable, keyed: true)
    insertUnkeyed = insertion(writable, keyed: false)
    update =
      writable.isEmpty
      ? nil
      : "UPDATE \(table.quotedName) SET \(assignments) WHERE \(updateCondition) RETURNING \(returned)"
    delete = "DELETE FROM \(table.quotedName) WHERE \(condition) RETURNING \(returned)"
  }
}

extension EntityTable {
  /// What an insert with a key says where only the database assigns keys by default (`GENERATED ALWAYS AS IDENTITY`).
  fileprivate var overriding: String {
    let columns = entity.identity.columns.compactMap { shape.column(named: $0) }
    return columns.contains(where: \.isAlwaysIdentity) ? " OVERRIDING SYSTEM VALUE" : ""
  }
}

extension Connection {
  /// Runs statements in one round trip, on request in a savepoint: if one fails, none has an effect, and the transaction can go on.
  func inSavepoint(
    _ isNeeded: Bool,
    _ statements: [Statement]
  ) throws(PostgreSQLFailure) -> [QueryResult] {
    guard isNeeded else { return try run(statements) }
    do {
      let results = try run(
        [Statement("SAVEPOINT results_row")] + statements + [Statement("RELEASE results_row")]
      )
      return Array(results.dropFirst().dropLast())
    } catch {
      if !error.isConnectionLost {
        _ = try? run([.rollback(to: "results_row"), Statement("RELEASE results_row")])
      }
      throw error
    }
  }
}
#endif
