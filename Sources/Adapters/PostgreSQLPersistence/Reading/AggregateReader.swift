#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

extension TableReader {
  /// Reads aggregates of a list's rows, group by group, in the list's order.
  ///
  /// The server computes them where it does so exactly; sums of doubles, which it rounds, and values of types that hold more than the
  /// domain are read row by row.
  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let reader = AggregateReader(
      aggregates,
      of: definition,
      columns: columns,
      in: try tables.table(of: definition.entity),
      reader: self
    )
    if reader.canComputeInSQL {
      try reader.computeInSQL(body)
    } else {
      try reader.computeByRows(body)
    }
  }
}

/// Reads the aggregates of one list.
private struct AggregateReader {
  private let aggregates: CompiledAggregates
  private let definition: OrderDefinition
  private let columns: Int
  private let plain: EntityTable
  private let reader: TableReader

  init(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    columns: Int,
    in table: EntityTable,
    reader: TableReader
  ) {
    self.aggregates = aggregates
    self.definition = definition
    self.columns = columns
    plain = table
    self.reader = reader
  }

  private var terms: [FetchSortDescriptor] { Array(definition.terms.prefix(columns)) }

  /// Whether the server computes every aggregate exactly, and nothing it reads is without a value in the domain.
  var canComputeInSQL: Bool {
    let entity = plain.entity
    for (aggregate, empty) in zip(aggregates.aggregates, aggregates.emptyStates) {
      if case .realSum = empty { return false }
      if aggregate.expression.replacesWithZero(in: entity) { return false }
      switch plain.column(of: aggregate.expression)?.coding.kind {
      case .timestamp, .date, .numeric: return false
      // An application's doubles may be not-a-number.
      case .real where plain.shape.format == nil: return false
      case .blob where aggregate.function == .minimum || aggregate.function == .maximum:
        return false
      default: break
      }
      let storage = (try? aggregate.expression.storage(in: entity)) ?? nil
      if storage == .blob, aggregate.function != .count { return false }
    }
    return !terms.contains { $0.expression.replacesWithZero(in: entity) }
  }

  /// Appends the rows with the columns of the groups and the inputs of the aggregates, as `FROM`.
  private func append(rowsTo sql: inout SQLText) throws(StoreError) -> [ColumnCoding] {
    let inputs = aggregates.aggregates.map(\.expression)
    let conditions = aggregates.aggregates.map(\.predicate.normalized)
    let table = try sql.joining(
      plain,
      for: terms.map(\.expression) + inputs,
      where: .and([definition.predicate] + conditions)
    )
    var codings: [ColumnCoding] = []
    sql.append(" FROM (SELECT ")
    for (index, term) in terms.enumerated() {
      codings.append(try sql.append(result: term.expression, in: table))
      sql.append(" AS g\(index), ")
    }
    for (index, input) in inputs.enumerated() {
      if conditions[index] != .all {
        sql.append("CASE WHEN ")
        try sql.append(conditions[index], in: table)
        sql.append(" THEN ")
      }
      try sql.append(input, in: table)
      sql.append("\(conditions[index] != .all ? " END" : "") AS a\(index), ")
    }
    sql.append("1 FROM ")
    sql.append(from: table)
    try sql.append(where: definition.predicate, in: table)
    sql.append(") list")
    return codings
  }

  private func collation(_ index: Int, _ coding: ColumnCoding) -> String {
    definition.layout.order[index].storage == .text
      && (coding.isText || coding.kind == .text) ? " COLLATE \"C\"" : ""
  }

  /// Lets the server compute the groups.
  func computeInSQL(_ body: (AggregateGroup) throws(StoreError) -> Bool) throws(StoreError) {
    var rows = reader.sqlText()
    // The columns must be known before the text that names them.
    let codings = try append(rowsTo: &rows)
    var sql = reader.sqlText()
    sql.append("SELECT ")
    for (index, coding) in codings.enumerated() {
      sql.append("g\(index)\(collation(index, coding)) AS g\(index), ")
    }
    sql.append("count(*)")
    for (index, aggregate) in aggregates.aggregates.enumerated() {
      let input = "a\(index)"
      let collation = aggregates.storage[index] == .text ? " COLLATE \"C\"" : ""
      sql.append(", count(\(input)), ")
      switch aggregate.function {
      case .count: sql.append("NULL::bigint")
      case .sum: sql.append("sum(\(input)::numeric)::text")
      case .minimum: sql.append("min(\(input)\(collation))")
      case .maximum: sql.append("max(\(input)\(collation))")
      }
    }
    _ = try append(rowsTo: &sql)
    if columns > 0 {
      let groups = codings.enumerated().map { "list.g\($0)\(collation($0, $1))" }
      sql.append(" GROUP BY \(groups.joined(separator: ", ")) ORDER BY ")
      for (index, term) in terms.enumerated() {
        if index > 0 { sql.append(", ") }
        sql.append(groups[index] + (term.direction == .descending ? " DESC" : ""))
        sql.append(term.nulls == .first ? " NULLS FIRST" : " NULLS LAST")
      }
    }
    try reader.rows(of: sql) { (result) throws(StoreError) in
      for row in 0..<result.count {
        var writer = KeyWriter()
        for (index, coding) in codings.enumerated()
        where !writer.append(result, row, index, coding, definition.layout.order[index]) {
          throw try unreadableGroup(index)
        }
        let group = AggregateGroup(
          prefix: writer.bytes,
          count: Int(result.integer(row, columns) ?? 0),
          states: states(in: result, row)
        )
        guard try body(group) else { return false }
      }
      return true
    }
  }

  /// The error for a value of a group that has none in the domain.
  private func unreadableGroup(_ index: Int) throws(StoreError) -> StoreError {
    // Reading row by row names the object.
    try computeByRows { (_) throws(StoreError) in true }
    return .unexpected(
      path: reader.path,
      detail: "\(terms[index].expression) has a value that cannot be read"
    )
  }

  private func states(in result: QueryResult, _ row: Int) -> [AggregateState] {
    aggregates.emptyStates.enumerated().map { index, empty in
      let column = columns + 1 + index * 2
      let count = Int(result.integer(row, column) ?? 0)
      var state = empty
      switch empty {
      case .count: state = .count(count)
      case .integerSum, .realSum:
        state = .integerSum(result.text(row, column + 1).flatMap { Int128($0) } ?? 0, of: count)
      case .minimum, .maximum:
        let coding = ColumnCoding.computed(aggregates.storage[index])
        if !result.isNull(row, column + 1),
          let value = coding.value(result.bytes(row, column + 1))
        {
          state.add(value)
        }
      }
      return state
    }
  }

  /// Reads the values row by row, in the order of the groups.
  func computeByRows(_ body: (AggregateGroup) throws(StoreError) -> Bool) throws(StoreError) {
    let entity = plain.entity
    let expressions = terms.map(\.expression) + aggregates.aggregates.map(\.expression)
    let parts = expressions.map { $0.hoisted(in: entity) }
    let conditions = aggregates.aggregates.map(\.predicate.normalized)
    var sql = reader.sqlText()
    let table = try sql.joining(
      plain,
      for: parts.map(\.core) + expressions,
      where: .and([definition.predicate] + conditions)
    )
    sql.append("SELECT \(table.keyColumns.map(\.sql).joined(separator: ", "))")
    var codings: [ColumnCoding] = []
    for part in parts {
      sql.append(", ")
      codings.append(try sql.append(result: part.core, in: table))
    }
    // Where the condition of an aggregate is not true, its input does not count, whatever it is.
    var conditionColumns: [Int: Int] = [:]
    for (index, condition) in conditions.enumerated() where condition != .all {
      conditionColumns[columns + index] =
        table.keyColumns.count + parts.count + conditionColumns.count
      sql.append(", CASE WHEN ")
      try sql.append(condition, in: table)
      sql.append(" THEN 1 END")
    }
    sql.append(" FROM ")
    sql.append(from: table)
    try sql.append(where: definition.predicate, in: table)
    for (index, term) in terms.enumerated() {
      sql.append(index == 0 ? " ORDER BY " : ", ")
      try sql.append(order: term, in: table)
      // A text with a NUL sorts after the one that it begins with.
      if term.expression.replacesWithZero(in: entity) {
        sql.append(", (")
        try sql.append(parts[index].core, in: table)
        sql.append(") IS NOT NULL\(term.direction == .descending ? "" : " DESC")")
      }
    }
    let first = table.keyColumns.count
    let order = definition.layout.order
    var grouper = AggregateGrouper(aggregates, byFirst: columns, definition.layout)
    var continues = true
    try reader.rows(of: sql) { (result) throws(StoreError) in
      for row in 0..<result.count {
        var values: [Value] = []
        for (index, part) in parts.enumerated() {
          if let column = conditionColumns[index], result.isNull(row, column) {
            values.append(.null)
            continue
          }
          guard !result.isNull(row, first + index) else {
            values.append(part.replacement ?? .null)
            continue
          }
          guard let value = result.value(row, first + index, codings[index]) else {
            let what = expressions[index].description
            try reader.check(first + index, of: result, codings[index], what, in: table)
            throw .unexpectedValue(
              table.id(try reader.key(row, of: result, in: table)),
              what: what
            )
          }
          values.append(value)
        }
        var writer = KeyWriter()
        for index in 0..<columns { _ = writer.append(values[index], order[index]) }
        let finished = writer.bytes.withUnsafeBytes {
          grouper.add(Array(values[columns...]), of: $0)
        }
        if let finished { continues = try body(finished) }
        guard continues else { return false }
      }
      return true
    }
    if continues, let last = grouper.finish() { _ = try body(last) }
  }
}
#endif
