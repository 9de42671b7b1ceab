import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

extension SQLText {
  /// A text that may read the tables of a store.
  init(reading tables: StoreTables) {
    self.init()
    self.tables = tables
  }

  /// The table as a statement reads it that has some expressions and a predicate: with others joined if they have paths.
  /// - Throws: `StoreError.unknownEntity` for a path to an entity that the store was not opened with, `StoreError.request` for more paths
  ///   than SQLite joins tables.
  mutating func joining(
    _ table: EntityTable,
    for expressions: [FetchExpression],
    where predicate: FetchPredicate
  ) throws(StoreError) -> EntityTable {
    guard predicate.usesPaths || expressions.contains(where: \.usesPaths) else {
      return table
    }
    if let tables {
      var keys = RelatedKeys(tables)
      for expression in expressions { try keys.add(expression, of: table.entity) }
      try keys.add(predicate, of: table.entity)
    }
    let paths = try RelatedKeys.joined(expressions, predicate)
    return joining(table, paths)
  }

  /// Appends an aggregate over the objects of a to-many relationship.
  mutating func append(
    _ function: FetchAggregate.Function,
    _ expression: FetchExpression?,
    of steps: [String],
    where condition: FetchPredicate,
    in table: EntityTable
  ) {
    append("(")
    let isKnown = append(
      selecting: steps,
      expression.map { [$0] } ?? [],
      where: condition,
      in: table
    ) { sql, elements in
      guard let expression else {
        sql.append("count(*)")
        return
      }
      let storage = try? expression.storage(in: elements.entity)
      switch function {
      case .count: sql.append("count(")
      case .sum:
        // SQLite's sum is an error where it overflows, and rounds reals at every step.
        sql.needsFunctions = true
        sql.append(storage == .real ? "results_real_sum(" : "results_integer_sum(")
      case .minimum: sql.append("min(")
      case .maximum: sql.append("max(")
      }
      sql.append(comparable: expression, with: nil, in: elements)
      sql.append(")")
    }
    append(isKnown ? ")" : "SELECT NULL)")
  }
}

extension EntityTable: SQLTable {
  var source: String { statementName.map { "\(quotedName) AS \($0)" } ?? quotedName }

  /// The condition that columns of a table hold the key of this one.
  ///
  /// Values of other storage classes are no keys, although SQLite may convert them for a comparison.
  func keyCondition(_ columns: [String], of holder: EntityTable) -> String {
    var conditions: [String] = []
    let parts: [FetchExpression] =
      isCompound ? entity.identity.columns.map { .attribute($0) } : [.objectKey]
    for (index, (column, part)) in zip(columns, parts).enumerated() {
      let storage = keyStorage[index]
      let foreign = holder.entity.expression(ofColumn: column) ?? .literal(.null)
      var (left, right) = (SQLText(), SQLText())
      left.append(part, in: self)
      right.append(foreign, in: holder)
      let collation = storage == .text ? " COLLATE BINARY" : ""
      conditions.append("\(left.text)\(collation) = \(right.text)\(collation)")
      for (side, isExact) in [
        (left.text, holdsOnly(storage, part)), (right.text, holder.holdsOnly(storage, foreign)),
      ] where !isExact {
        let types = storage == .real ? "('real', 'integer')" : "('\(storage.rawValue)')"
        conditions.append("typeof(\(side)) IN \(types)")
      }
    }
    return conditions.joined(separator: " AND ")
  }
}
