package import ResultsDomain
package import ResultsStoreKit

// A statement reads related objects so that no row occurs twice: each to-one step is a left join by the other table's primary key, and
// what is said of many objects is a subquery of its own. All of its tables have names of their own, since an entity may be related to
// itself.

extension SQLBuilder {
  /// The table under a name of its own, with those at the end of some paths joined.
  package mutating func joining(_ table: Table, _ paths: [[String]]) throws(Failure) -> Table {
    let named = Table(table, as: nextName())
    var joins: [TableJoin<Table>] = []
    for path in paths {
      guard let last = path.last,
        let holder = path.count == 1
          ? named : joins.first(where: { $0.path.isSamePath(as: path.dropLast()) })?.table,
        let step = holder.entity.relationship(named: last), case .toOne(let columns) = step.kind,
        let destination = try self.table(of: step.destination)
      else { continue }
      let other = Table(destination, as: nextName())
      joins.append(
        TableJoin(path: path, table: other, condition: other.keyCondition(columns, of: holder))
      )
    }
    return Table(named, joining: joins)
  }

  private mutating func nextName() -> String {
    defer { tableCount += 1 }
    return "_\(tableCount)"
  }

  /// Appends a table as it is named in a `FROM` clause, with those that are joined to it.
  package mutating func append(from table: Table, on condition: String? = nil) {
    append(table.source)
    if let condition { append(" ON \(condition)") }
    for join in table.joins {
      append(" LEFT JOIN \(join.table.source) ON \(join.condition)")
    }
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
  /// - Throws: Why the predicate or a result cannot be written.
  package mutating func append(
    selecting steps: [String],
    _ expressions: [FetchExpression],
    where condition: FetchPredicate,
    isNegated: Bool = false,
    in table: Table,
    results: (inout Self, Table) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard let name = steps.last, let holder = table.related(along: Array(steps.dropLast())),
      let relationship = holder.entity.relationship(named: name), !relationship.isToOne,
      let destination = try self.table(of: relationship.destination)
    else { return false }
    let condition = condition.normalized
    let elements = try joining(destination, TablePaths.of(expressions, condition))
    append("SELECT ")
    try results(&self, elements)
    append(" FROM ")
    switch relationship.kind {
    case .toOne: return false
    case .toMany(let columns):
      append(from: elements)
      append(" WHERE \(holder.keyCondition(columns, of: elements))")
    case .manyToMany(let link, let from, let to):
      guard let link = try self.table(of: link.entity) else { return false }
      let links = Table(link, as: nextName())
      append(from: links)
      append(" JOIN ")
      append(from: elements, on: elements.keyCondition(to, of: links))
      append(" WHERE \(holder.keyCondition(from, of: links))")
    }
    if condition != .all || isNegated {
      append(" AND (")
      try append(condition, in: elements)
      append(isNegated ? ") IS NOT TRUE" : ")")
    }
    return true
  }

  /// Appends a predicate over the objects of a to-many relationship, which is never null.
  mutating func append(
    _ quantifier: Quantifier,
    _ steps: [String],
    _ condition: FetchPredicate,
    in table: Table
  ) throws(Failure) {
    append(quantifier == .any ? "EXISTS (" : "NOT EXISTS (")
    let isKnown = try append(
      selecting: steps,
      [],
      where: condition,
      isNegated: quantifier == .all,
      in: table
    ) { (sql, _) throws(Failure) in sql.append("1") }
    append(isKnown ? ")" : "SELECT 1 WHERE \(Dialect.truth(false)))")
  }
}

extension TablePaths {
  /// The to-one paths of expressions and of a predicate, each of which is a table that is joined.
  package static func of(
    _ expressions: [FetchExpression],
    _ predicate: FetchPredicate
  ) -> [[String]] {
    var paths = TablePaths()
    for expression in expressions { paths.add(expression) }
    paths.add(predicate)
    return paths.all
  }
}
