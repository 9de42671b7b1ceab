#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

extension SQLText {
  /// The table as a statement reads it that has some expressions and a predicate: under a name of its own, since a plain name in `ORDER BY`
  /// would be that of a result column, and with others joined if there are paths.
  /// - Throws: `StoreError.unknownEntity` for a path to an entity that the store was not opened with.
  mutating func joining(
    _ table: EntityTable,
    for expressions: [FetchExpression],
    where predicate: FetchPredicate
  ) throws(StoreError) -> EntityTable {
    try joining(table, TablePaths.of(expressions, predicate))
  }

  /// Appends an aggregate over the objects of a to-many relationship.
  mutating func append(
    _ function: FetchAggregate.Function,
    _ expression: FetchExpression?,
    of steps: [String],
    where condition: FetchPredicate,
    in table: EntityTable
  ) throws(StoreError) {
    let elements = table.entity.destination(along: steps)
    let storage = elements.flatMap { elements in
      expression.flatMap { (try? $0.storage(in: elements)) ?? nil }
    }
    append("(SELECT \(SQLText.result(of: function, storage, counts: expression == nil)) FROM (")
    let isKnown = try append(
      selecting: steps,
      expression.map { [$0] } ?? [],
      where: condition,
      in: table
    ) { (sql, elements) throws(StoreError) in
      if let expression {
        try sql.append(expression, in: elements)
      } else {
        sql.append("1")
      }
      sql.append(" AS x")
    }
    append(isKnown ? ") gathered" : "SELECT NULL::bigint AS x WHERE FALSE) gathered")
    if function == .minimum || function == .maximum, storage == .blob {
      append(" WHERE x IS NOT NULL ORDER BY x\(function == .minimum ? "" : " DESC") LIMIT 1")
    }
    append(")")
  }

  /// The result of an aggregate of `x`.
  private static func result(
    of function: FetchAggregate.Function,
    _ storage: StorageClass?,
    counts: Bool
  ) -> String {
    let collation = storage == .text ? " COLLATE \"C\"" : ""
    switch function {
    case .count: return counts ? "count(*)" : "count(x)"
    case .minimum: return storage == .blob ? "x" : "min(x\(collation))"
    case .maximum: return storage == .blob ? "x" : "max(x\(collation))"
    case .sum where storage == .real: return realSum
    case .sum:
      return """
        CASE WHEN sum(x::numeric) BETWEEN \(Int64.min) AND \(Int64.max) THEN sum(x::numeric)::bigint END
        """
    }
  }

  /// The exact sum of doubles, rounded once; null over nothing, and over both infinities.
  ///
  /// A finite double is an integer times a power of two. `numeric` holds it exactly: an integer, or an integer times a power of five
  /// with the decimal point moved.
  private static let realSum: String = {
    let bits = "('x' || encode(float8send(x), 'hex'))::bit(64)::bigint"
    let biased = "((\(bits) >> 52) & 2047)::integer"
    let power = "(greatest(\(biased), 1) - 1075)"
    let fraction = "(\(bits) & 4503599627370495)"
    let significand = "(\(fraction) + CASE WHEN \(biased) > 0 THEN 4503599627370496 ELSE 0 END)"
    let signed = "(sign(x)::integer * \(significand))::numeric"
    let exact = """
      \(signed) * CASE WHEN \(power) >= 0 THEN power(2::numeric, \(power)) \
      ELSE power(5::numeric, -\(power)) * ('1e' || \(power))::numeric END
      """
    let isFinite = "x <> 'Infinity' AND x <> '-Infinity'"
    let sum = "sum(\(exact)) FILTER (WHERE \(isFinite) AND x <> 0)"
    // Half a unit beyond the largest double; from there on a sum is rounded to infinity.
    let limit = "(power(2::numeric, 1024) - power(2::numeric, 970))"
    return """
      CASE WHEN count(x) = 0 OR bool_or(x = 'Infinity') AND bool_or(x = '-Infinity') THEN NULL::float8 \
      WHEN bool_or(x = 'Infinity') THEN 'Infinity' WHEN bool_or(x = '-Infinity') THEN '-Infinity' \
      WHEN \(sum) >= \(limit) THEN 'Infinity' WHEN \(sum) <= -\(limit) THEN '-Infinity' \
      ELSE coalesce((\(sum))::float8, 0) END
      """
  }()
}

extension EntityTable: SQLTable {
  /// The condition that columns of a table hold the key of this one.
  func keyCondition(_ columns: [String], of holder: EntityTable) -> String {
    var conditions: [String] = []
    for (key, name) in zip(keyColumns, columns) {
      let foreign = holder.entity.expression(ofColumn: name).flatMap { holder.column(of: $0) }
      guard let foreign else { return "FALSE" }
      let isSameType =
        key.coding.kind.isComparable(with: foreign.coding.kind)
        && key.coding.comparesInOwnType && foreign.coding.comparesInOwnType
      let (left, right) =
        isSameType ? (key.sql, foreign.sql) : (key.canonical, foreign.canonical)
      // Columns with different collations are compared only with one that is named.
      let isPlain = key.sortsByBytes && foreign.sortsByBytes && isSameType
      let collation =
        key.coding.storage == .text && !isPlain && !(isSameType && !key.coding.isText)
        ? " COLLATE \"C\"" : ""
      conditions.append("(\(left))\(collation) = (\(right))")
    }
    return conditions.joined(separator: " AND ")
  }
}

extension ColumnCoding.Kind {
  /// Whether the server compares two columns of these kinds like their values.
  fileprivate func isComparable(with other: ColumnCoding.Kind) -> Bool {
    switch (self, other) {
    case (.integer, .integer): true
    default: self == other
    }
  }
}
#endif
