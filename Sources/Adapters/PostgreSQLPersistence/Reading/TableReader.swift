#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads entities' rows through one connection, in its current transaction.
struct TableReader {
  let connection: Connection
  let tables: StoreTables
  /// The store's name for messages.
  let path: String

  /// The number of keys that one statement looks up.
  private static let lookupLimit = 20_000

  /// Creates a reader.
  init(_ connection: Connection, tables: StoreTables, path: String) {
    self.connection = connection
    self.tables = tables
    self.path = path
  }

  /// An empty text for a statement over the store's tables.
  func sqlText() -> SQLText {
    SQLText(
      reading: tables,
      TextEvaluator(connection: connection, tables: tables, path: path)
    )
  }

  /// Runs statements in one flight.
  /// - Throws: The store's error; `StoreError.aborted(by:)` with a `CancellationError` for a read that was not wanted any more.
  func run(_ statements: [Statement]) throws(StoreError) -> [QueryResult] {
    let start = ContinuousClock.now
    do {
      return try connection.run(statements)
    } catch {
      if error.state == "57014", let isWanted = ReadingInterest.isWanted, !isWanted() {
        throw .aborted(by: CancellationError())
      }
      // A lock of the store's own transaction is no lock for it.
      let waited = (ContinuousClock.now - start) / .milliseconds(100)
      throw error.storeError(path: path, waited: .milliseconds(100) * Int(waited.rounded(.up)))
    }
  }

  /// The rows of some keys, in the order of the keys.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    let table = try tables.table(of: entity)
    var found: [ObjectKey: Row] = [:]
    let columns = (table.keyColumns + table.attributeColumns).map(\.sql).joined(separator: ", ")
    for start in stride(from: 0, to: keys.count, by: TableReader.lookupLimit) {
      let batch = Array(keys[start..<min(start + TableReader.lookupLimit, keys.count)])
      var sql = sqlText()
      sql.append("SELECT \(columns) FROM \(table.quotedName) WHERE ")
      sql.append(keys: batch, in: table)
      var statement = sql.statement
      // Some keys are looked up in the key's index anyway.
      statement.planning = .either
      let result = try run([statement])[0]
      for row in 0..<result.count {
        let read = try self.row(row, of: result, in: table)
        found[read.id.key] = read
      }
    }
    return keys.map { found[$0] }
  }

  /// A row of a result whose columns, from a first one on, are the key's and then the attributes'.
  func row(
    _ index: Int,
    of result: QueryResult,
    in table: EntityTable,
    from column: Int = 0
  ) throws(StoreError) -> Row {
    let key = try key(index, of: result, in: table, from: column)
    let first = column + table.keyColumns.count
    do {
      return table.row(key, try table.values(result, index, from: first))
    } catch {
      let name = table.entity.attributes[error.attribute].name
      let coding = table.attributeColumns[error.attribute].coding
      try check(first + error.attribute, of: result, coding, name, in: table)
      throw .unexpectedValue(table.id(key), what: name)
    }
  }

  /// The key in a row of a result.
  /// - Throws: `StoreError.unexpectedValue` for a part of it that has no value in the domain.
  func key(
    _ index: Int,
    of result: QueryResult,
    in table: EntityTable,
    from column: Int = 0
  ) throws(StoreError) -> ObjectKey {
    guard let key = table.key(result, index, from: column) else {
      var parts: [Value] = []
      for (part, key) in table.keyColumns.enumerated() {
        try check(column + part, of: result, key.coding, "the key", in: table)
        parts.append(result.value(index, column + part, key.coding) ?? .null)
      }
      throw .unexpectedValue(table.id(.compound(parts)), what: "the key")
    }
    return key
  }

  /// Fails if a result's column has another type than it had when the store was opened.
  /// - Throws: `StoreError.cannotOpen` with `OpenFailure.tableChanged`.
  func check(
    _ column: Int,
    of result: QueryResult,
    _ coding: ColumnCoding,
    _ name: String,
    in table: EntityTable
  ) throws(StoreError) {
    guard !coding.canRead(type: result.type(ofColumn: column)) else { return }
    let detail = "the type of \(name) has changed"
    throw .cannotOpen(path: path, .tableChanged(entity: table.entity.name, detail: detail))
  }

  /// The number of rows that match a predicate.
  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    var sql = sqlText()
    let table = try sql.joining(try tables.table(of: entity), for: [], where: predicate)
    sql.append("SELECT count(*) FROM ")
    sql.append(from: table)
    try sql.append(where: predicate, in: table)
    return Int(try run([sql.statement])[0].integer(0, 0) ?? 0)
  }

  // MARK: - Lists

  /// Reads the encoded keys of a list, in batches.
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = try tables.table(of: definition.entity)
    guard !definition.terms.contains(where: { $0.expression.replacesWithZero(in: table.entity) })
    else { return try sortedEntries(of: definition, in: table, body) }
    var sql = sqlText()
    let codings = try sql.append(entriesOf: definition, in: table)
    // From the first infinite date on, the server's order may not be the list's.
    var isWanted = true
    var isOrdered: Bool?
    var later: [[UInt8]] = []
    try rows(of: sql) { (result) throws(StoreError) in
      var sorted = isOrdered == false ? 0 : result.count
      if isOrdered == nil, let row = firstInfiniteRow(of: result, codings) {
        isOrdered = try !hasLaterDates(definition, in: table)
        if isOrdered == false { sorted = row }
      }
      let batch = try batch(of: result, 0..<sorted, codings, of: definition, in: table)
      if batch.count > 0 { isWanted = try body(batch) }
      guard isWanted, sorted < result.count else { return isWanted }
      let rest = try self.batch(
        of: result,
        sorted..<result.count,
        codings,
        of: definition,
        in: table
      )
      for index in 0..<rest.count { later.append(Array(rest.key(at: index))) }
      return true
    }
    if isWanted { try deliver(sorting: later, body) }
  }

  /// Whether an order is by dates of which some are after the last one: the list has them as equals of infinity, and the server has not.
  func hasLaterDates(
    _ definition: OrderDefinition,
    in table: EntityTable
  ) throws(StoreError) -> Bool {
    // Whether an object's related one has such a date is not asked.
    if definition.terms.contains(where: \.expression.usesPaths) { return true }
    let questions = definition.terms.compactMap { term -> Statement? in
      guard let column = table.column(of: term.expression),
        let (_, first) = column.coding.later(.equal, .integer(Instant.infinity.microseconds))
      else { return nil }
      return Statement(
        """
        SELECT EXISTS (SELECT FROM \(table.source) WHERE \(column.sql) >= $1 AND \(column.sql) < 'infinity')
        """,
        [first],
        planning: .either
      )
    }
    guard !questions.isEmpty else { return false }
    return try run(questions).contains { $0.boolean(0, 0) != false }
  }

  /// The first row of a result with a date that is read as infinity.
  private func firstInfiniteRow(of result: QueryResult, _ codings: [ColumnCoding]) -> Int? {
    let columns = codings.indices.filter { codings[$0].isLenient && codings[$0].canBeLater }
    guard !columns.isEmpty else { return nil }
    return (0..<result.count).first { row in
      columns.contains { column in
        !result.isNull(row, column) && codings[column].canRead(type: result.type(ofColumn: column))
          && codings[column].value(result.bytes(row, column)) == .integer(.max)
      }
    }
  }

  /// Calls a closure with keys in their order, in batches.
  private func deliver(
    sorting keys: [[UInt8]],
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var batch = EntryBatch()
    for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      batch.append { $0.bytes += key }
      if batch.count == RowCursor.batchLimit {
        guard try body(batch) else { return }
        batch.removeAll()
      }
    }
    if batch.count > 0 { _ = try body(batch) }
  }

  /// Reads the first encoded keys of a list, in one flight.
  func firstEntries(of definition: OrderDefinition, limit: Int) throws(StoreError) -> EntryBatch {
    var batch = EntryBatch()
    guard limit > 0 else { return batch }
    let table = try tables.table(of: definition.entity)
    if !definition.terms.contains(where: { $0.expression.replacesWithZero(in: table.entity) }) {
      var sql = sqlText()
      let codings = try sql.append(entriesOf: definition, in: table)
      sql.append(" LIMIT \(limit)")
      let result = try run([sql.statement])[0]
      var isOrdered = firstInfiniteRow(of: result, codings) == nil
      if !isOrdered { isOrdered = try !hasLaterDates(definition, in: table) }
      if isOrdered {
        return try self.batch(of: result, 0..<result.count, codings, of: definition, in: table)
      }
    }
    // The first ones are known when all are sorted.
    try entries(of: definition) { (sorted) throws(StoreError) in
      for index in 0..<min(sorted.count, limit - batch.count) {
        batch.append { $0.bytes += sorted.key(at: index) }
      }
      return batch.count < limit
    }
    return batch
  }

  /// The keys in some rows of a result.
  private func batch(
    of result: QueryResult,
    _ rows: Range<Int>,
    _ codings: [ColumnCoding],
    of definition: OrderDefinition,
    in table: EntityTable
  ) throws(StoreError) -> EntryBatch {
    var batch = EntryBatch()
    batch.reserveCapacity(keys: rows.count, bytes: rows.count * 32)
    for row in rows {
      try append(row, of: result, to: &batch, codings, of: definition, in: table)
    }
    return batch
  }

  /// Appends the key in a row of a result: the order's columns, then the key's.
  func append(
    _ row: Int,
    of result: QueryResult,
    to batch: inout EntryBatch,
    _ codings: [ColumnCoding],
    of definition: OrderDefinition,
    in table: EntityTable
  ) throws(StoreError) {
    try batch.append { (writer: inout KeyWriter) throws(StoreError) -> Void in
      let order = definition.layout.order
      for (index, column) in (order + definition.layout.identity).enumerated() {
        // A key is not null, unless its table has lost that constraint (R188).
        let isMissing = index >= order.count && result.isNull(row, index)
        if !isMissing, writer.append(result, row, index, codings[index], column) { continue }
        let what =
          index < order.count ? definition.terms[index].expression.description : "the key"
        try check(index, of: result, codings[index], what, in: table)
        throw .unexpectedValue(
          table.id(try key(row, of: result, in: table, from: order.count)),
          what: what
        )
      }
    }
  }

  /// The keys of a list in an order that SQL cannot say, sorted here.
  private func sortedEntries(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var sql = sqlText()
    let replacements = definition.terms.map { $0.expression.hoisted(in: table.entity).replacement }
    let codings = try sql.append(
      entriesOf: definition,
      in: table,
      cores: definition.terms.map { $0.expression.hoisted(in: table.entity).core }
    )
    var keys: [[UInt8]] = []
    try rows(of: sql) { (result) throws(StoreError) in
      for row in 0..<result.count {
        var writer = KeyWriter()
        for (index, column) in (definition.layout.order + definition.layout.identity).enumerated() {
          if index < replacements.count, let replacement = replacements[index],
            result.isNull(row, index)
          {
            _ = writer.append(replacement, column)
          } else if index >= definition.terms.count && result.isNull(row, index)
            || !writer.append(result, row, index, codings[index], column)
          {
            let what =
              index < definition.terms.count
              ? definition.terms[index].expression.description : "the key"
            try check(index, of: result, codings[index], what, in: table)
            throw .unexpectedValue(
              table.id(try key(row, of: result, in: table, from: definition.terms.count)),
              what: what
            )
          }
        }
        keys.append(writer.bytes)
      }
      return true
    }
    try deliver(sorting: keys, body)
  }

  /// Reads the identity and the digest of each row of a list, in key order, in batches.
  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let plain = try tables.table(of: definition.entity)
    let indexes = attributes.indexes.filter(plain.entity.attributes.indices.contains)
    var sql = sqlText()
    let table = try sql.joining(plain, for: [], where: definition.predicate)
    let columns = table.keyColumns + indexes.map { table.attributeColumns[$0] }
    sql.append("SELECT \(columns.map(\.sql).joined(separator: ", ")) FROM ")
    sql.append(from: table)
    try sql.append(where: definition.predicate, in: table)
    sql.append(" ORDER BY \(table.keyOrder)")
    let identity = definition.layout.identity
    try rows(of: sql) { (result) throws(StoreError) in
      var batch = EntryBatch()
      for row in 0..<result.count {
        try batch.append { (writer: inout KeyWriter) throws(StoreError) -> Void in
          for (index, column) in identity.enumerated()
          where result.isNull(row, index)
            || !writer.append(result, row, index, columns[index].coding, column)
          {
            _ = try key(row, of: result, in: table)
          }
          var digest = RowDigest()
          for (offset, attribute) in indexes.enumerated() {
            let column = identity.count + offset
            guard !result.isNull(row, column) else {
              digest.addNull()
              continue
            }
            let coding = columns[column].coding
            guard let value = result.value(row, column, coding) else {
              let name = table.entity.attributes[attribute].name
              try check(column, of: result, coding, name, in: table)
              throw .unexpectedValue(table.id(try key(row, of: result, in: table)), what: name)
            }
            digest.add(value)
          }
          withUnsafeBytes(of: digest.value.bigEndian) { writer.bytes.append(contentsOf: $0) }
        }
      }
      return try body(batch)
    }
  }

  /// Calls a closure with the rows of a statement in batches, which may run other statements between.
  func rows(
    of sql: SQLText,
    _ body: (QueryResult) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try RowCursor(reader: self, statement: sql.statement).read(body)
  }

  // MARK: - References

  /// The keys of the objects whose columns hold one of some keys; `nil` if there are more than a limit.
  func referrers(
    to keys: [ObjectKey],
    through names: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    let table = try tables.table(of: entity)
    var columns: [EntityTable.Column] = []
    for name in names {
      guard let expression = entity.expression(ofColumn: name),
        let column = table.column(of: expression)
      else {
        throw .request(
          .unknownAttribute(name, entity: entity.name, known: entity.attributes.map(\.name))
        )
      }
      columns.append(column)
    }
    var found: [ObjectKey] = []
    var seen: Set<ObjectKey> = []
    let unique = keys.filter { seen.insert($0).inserted }
    for start in stride(from: 0, to: unique.count, by: TableReader.lookupLimit) {
      let batch = Array(unique[start..<min(start + TableReader.lookupLimit, unique.count)])
      var sql = sqlText()
      sql.append(
        "SELECT \(table.keyColumns.map(\.sql).joined(separator: ", ")) FROM \(table.quotedName) WHERE "
      )
      sql.append(columns, areIn: batch, of: columns.map(\.coding.storage))
      if let limit { sql.append(" LIMIT \(max(0, limit - found.count).addingOne)") }
      let result = try run([sql.statement])[0]
      for row in 0..<result.count { found.append(try key(row, of: result, in: table)) }
      if let limit, found.count > limit { return nil }
    }
    return found
  }
}

extension Int {
  /// The next number, or the largest one.
  fileprivate var addingOne: Int { self == .max ? self : self + 1 }
}

/// Reads the rows of a statement in batches, between which its connection runs other statements.
struct RowCursor {
  let reader: TableReader
  let statement: Statement

  /// The number of rows in a batch.
  static let batchLimit = 10_000

  /// Calls a closure with each batch until it returns false.
  func read(_ body: (QueryResult) throws(StoreError) -> Bool) throws(StoreError) {
    let name = reader.connection.newCursorName()
    let fetch = Statement("FETCH \(RowCursor.batchLimit) FROM \(name)", isPrepared: false)
    var result = try reader.run([
      // All rows are read, so the first ones must not be preferred.
      Statement("SELECT set_config('cursor_tuple_fraction', '1', true)", planning: .either),
      Statement(
        "DECLARE \(name) NO SCROLL CURSOR FOR \(statement.text)",
        statement.parameters,
        isPrepared: false,
        planning: statement.planning
      ), fetch,
    ])[2]
    // An error of the connection shows in the next statement. After one of the body, the transaction may go on.
    defer { try? reader.connection.post([Statement("CLOSE \(name)", isPrepared: false)]) }
    while result.count > 0 {
      guard try body(result), result.count == RowCursor.batchLimit else { return }
      result = try reader.run([fetch])[0]
    }
  }
}

// MARK: - Order

extension SQLText {
  /// Appends the statement that reads the keys of a list in their order: the terms' values, then the key's.
  /// - Parameters:
  ///   - definition: The list.
  ///   - plain: The entity's table.
  ///   - cores: The expressions that are read instead of the terms', which are not sorted then.
  /// - Returns: How the result's columns travel.
  /// - Throws: `StoreError.unknownEntity` for a path to an entity that the store was not opened with.
  mutating func append(
    entriesOf definition: OrderDefinition,
    in plain: EntityTable,
    cores: [FetchExpression]? = nil
  ) throws(StoreError) -> [ColumnCoding] {
    let expressions = cores ?? definition.terms.map(\.expression)
    let table = try joining(plain, for: expressions, where: definition.predicate)
    var codings: [ColumnCoding] = []
    append("SELECT ")
    for expression in expressions {
      codings.append(try append(result: expression, in: table))
      append(", ")
    }
    append(table.keyColumns.map(\.sql).joined(separator: ", "))
    append(" FROM ")
    append(from: table)
    try append(where: definition.predicate, in: table)
    codings += table.keyColumns.map(\.coding)
    guard cores == nil else { return codings }
    append(" ORDER BY ")
    for term in definition.terms {
      try append(order: term, in: table)
      append(", ")
    }
    append(table.keyOrder)
    return codings
  }

  /// Appends a term of an order.
  mutating func append(
    order term: FetchSortDescriptor,
    in table: EntityTable
  ) throws(StoreError) {
    let coding = try append(result: term.expression, in: table)
    append(table.direction(of: term, coding))
  }
}

extension EntityTable {
  /// The collation and the direction of a term in `ORDER BY`; nulls are mentioned only where something can be null.
  func direction(of term: FetchSortDescriptor, _ coding: ColumnCoding) -> String {
    let collation: String
    if let column = column(of: term.expression), column.coding.sortsInOwnType {
      collation = column.orderCollation
    } else {
      collation = coding.storage == .text ? " COLLATE \"C\"" : ""
    }
    let nulls =
      canBeNull(term.expression) ? (term.nulls == .first ? " NULLS FIRST" : " NULLS LAST") : ""
    return collation + (term.direction == .descending ? " DESC" : "") + nulls
  }

  /// The key's columns in `ORDER BY`.
  var keyOrder: String { keyColumns.map { $0.sql + $0.orderCollation }.joined(separator: ", ") }
}

extension FetchExpression {
  /// Whether null is replaced by a text with a NUL, which no text of the server can be.
  func replacesWithZero(in entity: EntityDescription) -> Bool {
    hoisted(in: entity).replacement?.text?.hasZero == true
  }
}

extension KeyWriter {
  /// Appends a value of a result.
  /// - Returns: Whether it has a value in the domain; nothing is appended otherwise.
  mutating func append(
    _ result: QueryResult,
    _ row: Int,
    _ column: Int,
    _ coding: ColumnCoding,
    _ key: KeyColumn
  ) -> Bool {
    guard !result.isNull(row, column) else {
      appendNull(key)
      return true
    }
    guard coding.canRead(type: result.type(ofColumn: column)) else { return false }
    let bytes = result.bytes(row, column)
    switch (coding.kind, key.storage) {
    case (.integer, .integer): append(BinaryForm.integer(bytes), key)
    case (.text, .text), (.blob, .blob): append(bytes.bindMemory(to: UInt8.self), key)
    default:
      guard let value = coding.value(bytes) else { return false }
      return append(value, key)
    }
    return true
  }
}
#endif
