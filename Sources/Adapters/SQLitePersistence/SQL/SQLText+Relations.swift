import ResultsDomain

// A statement reads related objects so that no row occurs twice: each to-one step is a left join by the other table's primary key, and
// what is said of many objects is a subquery of its own. All of its tables have names of their own, since an entity may be related to
// itself.

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

  /// The table under a name of its own, with those at the end of some paths joined.
  private mutating func joining(_ table: EntityTable, _ paths: [[String]]) -> EntityTable {
    let named = EntityTable(table, as: nextName())
    var joins: [TableJoin] = []
    for path in paths {
      guard let last = path.last,
        let holder = path.count == 1
          ? named : joins.first(where: { $0.path.isSamePath(as: path.dropLast()) })?.table,
        let step = holder.entity.relationship(named: last), case .toOne(let columns) = step.kind,
        let destination = tables?.find(step.destination)
      else { continue }
      let other = EntityTable(destination, as: nextName())
      joins.append(
        TableJoin(path: path, table: other, condition: other.keyCondition(columns, of: holder))
      )
    }
    return EntityTable(named, joining: joins)
  }

  private mutating func nextName() -> String {
    defer { tableCount += 1 }
    return "_\(tableCount)"
  }

  /// Appends the objects of a to-many relationship for which a predicate is true, as the end of a subquery.
  /// - Parameters:
  ///   - steps: The path from the table, whose last step is to-many.
  ///   - expressions: The expressions that the subquery reads of the objects.
  ///   - condition: The predicate of the objects.
  ///   - isNegated: Whether the objects are meant for which it is false or unknown.
  ///   - table: The outer table.
  ///   - results: Appends the columns of the subquery.
  /// - Returns: Whether the path exists.
  private mutating func append(
    selecting steps: [String],
    _ expressions: [FetchExpression],
    where condition: FetchPredicate,
    isNegated: Bool = false,
    in table: EntityTable,
    results: (inout SQLText, EntityTable) -> Void
  ) -> Bool {
    guard let name = steps.last, let holder = table.related(along: Array(steps.dropLast())),
      let relationship = holder.entity.relationship(named: name),
      let destination = tables?.find(relationship.destination)
    else { return false }
    let condition = condition.normalized
    let elements = joining(destination, RelatedKeys.paths(expressions, condition))
    append("SELECT ")
    results(&self, elements)
    append(" FROM ")
    switch relationship.kind {
    case .toOne: return false
    case .toMany(let columns):
      append(from: elements)
      append(" WHERE \(holder.keyCondition(columns, of: elements))")
    case .manyToMany(let link, let from, let to):
      guard let link = tables?.find(link.entity) else { return false }
      let links = EntityTable(link, as: nextName())
      append(from: links)
      append(" JOIN ")
      append(from: elements, on: elements.keyCondition(to, of: links))
      append(" WHERE \(holder.keyCondition(from, of: links))")
    }
    if condition != .all || isNegated {
      append(" AND (")
      append(condition, in: elements)
      append(isNegated ? ") IS NOT TRUE" : ")")
    }
    return true
  }

  /// Appends a table as it is named in a `FROM` clause, with those that are joined to it.
  mutating func append(from table: EntityTable, on condition: String? = nil) {
    append(table.quotedName)
    if let name = table.statementName { append(" AS \(name)") }
    if let condition { append(" ON \(condition)") }
    for join in table.joins {
      append(" LEFT JOIN \(join.table.quotedName)")
      if let name = join.table.statementName { append(" AS \(name)") }
      append(" ON \(join.condition)")
    }
  }

  /// Appends a predicate over the objects of a to-many relationship, which is never null.
  mutating func append(
    _ quantifier: Quantifier,
    _ steps: [String],
    _ condition: FetchPredicate,
    in table: EntityTable
  ) {
    append(quantifier == .any ? "EXISTS (" : "NOT EXISTS (")
    let isKnown = append(
      selecting: steps,
      [],
      where: condition,
      isNegated: quantifier == .all,
      in: table
    ) { sql, _ in sql.append("1") }
    append(isKnown ? ")" : "SELECT 1 WHERE 0)")
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

/// A table that a statement joins to another one by its key.
struct TableJoin: Sendable {
  /// The to-one relationships from the other table.
  let path: [String]
  let table: EntityTable
  /// The condition by which at most one row is joined.
  let condition: String
}

extension EntityTable {
  /// The table at the end of a path, or `nil` if it is not joined.
  func related(along path: [String]) -> EntityTable? {
    path.isEmpty ? self : joins.first { $0.path.isSamePath(as: path) }?.table
  }

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

extension StoreTables {
  /// The table of an entity, or `nil` if the store was not opened with it.
  func find(_ entity: EntityDescription) -> EntityTable? {
    all.first { $0.entity === entity } ?? all.first { $0.entity == entity }
  }
}
