import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads aggregates of a list's rows, group by group, through one connection.
///
/// SQLite computes them where it does so exactly; sums of reals, which it rounds, are computed row by row.
struct AggregateReader {
  private let aggregates: CompiledAggregates
  private let definition: OrderDefinition
  private let table: EntityTable
  private let tables: StoreTables
  private let database: Database

  init(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    in table: EntityTable,
    _ tables: StoreTables,
    on database: Database
  ) {
    self.tables = tables
    self.aggregates = aggregates
    self.definition = definition
    self.table = table
    self.database = database
  }

  /// Calls a closure for each group of the order's first columns, in the list's order.
  func groups(byFirst columns: Int, _ body: (AggregateGroup) throws -> Bool) throws {
    let hasRealSums = aggregates.emptyStates.contains {
      if case .realSum = $0 { true } else { false }
    }
    if !hasRealSums, try computeInSQL(byFirst: columns, body) { return }
    try computeByRows(byFirst: columns, body)
  }

  /// Lets SQLite compute the groups.
  /// - Returns: Whether it could; a value of another storage class ends it before a wrong group is passed on.
  private func computeInSQL(
    byFirst columns: Int,
    _ body: (AggregateGroup) throws -> Bool
  ) throws -> Bool {
    var sql = SQLText(reading: tables)
    let table = try joining(columns, in: &sql)
    sql.append("SELECT count(*)")
    for (aggregate, storage) in zip(aggregates.aggregates, aggregates.storage) {
      sql.append(aggregate, storage, in: table)
    }
    for term in definition.terms.prefix(columns) {
      sql.append(", ")
      sql.append(term.expression, in: table)
    }
    sql.append(" FROM ")
    sql.append(from: table)
    sql.append(where: definition.predicate, in: table)
    let first = 2 + aggregates.aggregates.count * SQLText.columnsOfAggregate
    for (clause, isOrder) in [(" GROUP BY ", false), (" ORDER BY ", true)] where columns > 0 {
      sql.append(clause)
      for index in 0..<columns {
        let column = definition.layout.order[index]
        if index > 0 { sql.append(", ") }
        sql.append("\(first + index)")
        if isOrder {
          sql.append(table.direction(of: definition.terms[index], column: column))
        } else if column.storage.hasTexts {
          sql.append(" COLLATE BINARY")
        }
      }
    }
    return try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      var groups = EntryBatch()
      while try statement.step() {
        groups.removeAll()
        let failed = groups.appendColumns(
          Array(definition.layout.order.prefix(columns)),
          from: first - 1,
          of: statement.pointer
        )
        guard failed < 0, let states = states(in: statement.pointer) else { return false }
        let group = AggregateGroup(
          prefix: groups.bytes,
          count: Int(sqlite3_column_int64(statement.pointer, 0)),
          states: states
        )
        guard try body(group) else { return true }
      }
      return true
    }
  }

  /// The table with those joined that the groups, the aggregates and the predicate read.
  private func joining(_ columns: Int, in sql: inout SQLText) throws(StoreError) -> EntityTable {
    let terms = definition.terms.prefix(columns).map(\.expression)
    return try sql.joining(
      table,
      for: terms + aggregates.aggregates.map(\.expression),
      where: .and([definition.predicate] + aggregates.aggregates.map(\.predicate))
    )
  }

  /// The states in the columns after the first, or `nil` if a value of another storage class is among the aggregated ones.
  private func states(in statement: OpaquePointer) -> [AggregateState]? {
    var states: [AggregateState] = []
    var column: Int32 = 1
    for (empty, storage) in zip(aggregates.emptyStates, aggregates.storage) {
      guard sqlite3_column_int64(statement, column) == 0 else { return nil }
      var state = empty
      let count = Int(sqlite3_column_int64(statement, column + 1))
      switch empty {
      case .count: state = .count(count)
      case .integerSum, .realSum:
        let high = Int128(sqlite3_column_int64(statement, column + 2))
        let low = Int128(sqlite3_column_int64(statement, column + 3))
        state = .integerSum(high << 32 + low, of: count)
      case .minimum, .maximum:
        state.add(Value(statement, column: column + 2, storage: storage))
      }
      states.append(state)
      column += Int32(SQLText.columnsOfAggregate)
    }
    return states
  }

  /// Reads the values row by row, in the order of the groups.
  private func computeByRows(
    byFirst columns: Int,
    _ body: (AggregateGroup) throws -> Bool
  ) throws {
    var sql = SQLText(reading: tables)
    let table = try joining(columns, in: &sql)
    sql.append("SELECT \(table.keyColumns.joined(separator: ", "))")
    for term in definition.terms.prefix(columns) {
      sql.append(", ")
      sql.append(term.expression, in: table)
    }
    for aggregate in aggregates.aggregates {
      sql.append(", ")
      sql.append(inputOf: aggregate, in: table)
    }
    sql.append(" FROM ")
    sql.append(from: table)
    sql.append(where: definition.predicate, in: table)
    let first = table.keyColumns.count
    for index in 0..<columns {
      let direction = table.direction(
        of: definition.terms[index],
        column: definition.layout.order[index]
      )
      sql.append("\(index == 0 ? " ORDER BY " : ", ")\(first + 1 + index)\(direction)")
    }
    let order = Array(definition.layout.order.prefix(columns))
    var gathering = AggregateGrouper(aggregates, byFirst: columns, definition.layout)
    let wasStopped = try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      var groups = EntryBatch()
      while try statement.step() {
        groups.removeAll()
        let failed = groups.appendColumns(order, from: first, of: statement.pointer)
        guard failed < 0 else {
          throw StoreError.unexpectedValue(
            table.id(table.key(in: statement.pointer, from: 0)),
            what: definition.terms[failed - first].expression.description
          )
        }
        let inputs = try inputs(in: statement.pointer, from: first + columns)
        let finished = groups.bytes.withUnsafeBytes { gathering.add(inputs, of: $0) }
        if let finished, !(try body(finished)) { return true }
      }
      return false
    }
    if !wasStopped, let last = gathering.finish() { _ = try body(last) }
  }

  private func inputs(in statement: OpaquePointer, from first: Int) throws -> [Value] {
    var inputs: [Value] = []
    for (index, storage) in aggregates.storage.enumerated() {
      let value = Value(statement, column: Int32(first + index), storage: storage)
      guard value.isNull || value.storage == storage else {
        throw aggregates.unexpectedValue(table.key(in: statement, from: 0), index)
      }
      inputs.append(value)
    }
    return inputs
  }
}

extension SQLText {
  /// The number of result columns of an aggregate.
  fileprivate static let columnsOfAggregate = 4

  /// Appends the value that a row has for an aggregate, which is null where the aggregate's condition is not true.
  fileprivate mutating func append(inputOf aggregate: FetchAggregate, in table: EntityTable) {
    let predicate = aggregate.predicate.normalized
    guard predicate != .all else { return append(aggregate.expression, in: table) }
    append("CASE WHEN ")
    append(predicate, in: table)
    append(" THEN ")
    append(aggregate.expression, in: table)
    append(" END")
  }

  /// Appends the columns of one aggregate: the number of values of another storage class, the number of values, and the aggregate.
  ///
  /// A sum consists of the sums of the upper and the lower 32 bits, neither of which can overflow; together they are exact.
  fileprivate mutating func append(
    _ aggregate: FetchAggregate,
    _ storage: StorageClass,
    in table: EntityTable
  ) {
    func write(_ before: String, _ after: String) {
      append(before)
      append(inputOf: aggregate, in: table)
      append(after)
    }
    let native = storage == .real ? "'real', 'integer'" : "'\(storage.rawValue)'"
    write(", sum(typeof(", ") NOT IN (\(native), 'null'))")
    write(", count(", ")")
    let collation = storage == .text ? " COLLATE BINARY" : ""
    switch aggregate.function {
    case .count: append(", 0, 0")
    case .sum:
      write(", sum((", ") >> 32)")
      write(", sum((", ") & 4294967295)")
    case .minimum: write(", min(", "\(collation)), 0")
    case .maximum: write(", max(", "\(collation)), 0")
    }
  }
}
