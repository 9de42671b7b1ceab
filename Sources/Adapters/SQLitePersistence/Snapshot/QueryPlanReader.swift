import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads from SQLite how it would read the keys of a list, and finds an index that would avoid sorting.
struct QueryPlanReader {
  private let database: Database
  private let table: EntityTable
  private let tables: StoreTables
  private let definition: OrderDefinition
  private let folded: OrderedPlan?

  /// Creates a reader.
  /// - Parameters:
  ///   - definition: The rows of the list and their order.
  ///   - table: The table of its rows.
  ///   - tables: All tables of the store.
  ///   - folded: The plan over an index without regard to case, if one answers for the list. SQLite does not know that it has the order.
  ///   - database: The connection.
  init(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ tables: StoreTables,
    folded: OrderedPlan? = nil,
    on database: Database
  ) {
    self.folded = folded
    self.tables = tables
    self.definition = definition
    self.table = table
    self.database = database
  }

  /// How the keys are put in order, with an index that would help if they are sorted.
  func plan() throws -> QueryPlan {
    var plan = try foldedPlan() ?? plan(on: database)
    var remedies: [String] = []
    if plan.source == .sorting, let index = try helpfulIndex(), try wouldServe(index) {
      remedies.append(index)
    }
    let keys = try relatedKeys()
    plan.relationships = try keys.plans(on: database)
    for key in keys.all {
      // Where a related object changes, its referrers are sought.
      let search = try ReferrerSearchPlan(of: key, on: database)
      plan.steps += search.steps.map { "REFERRERS BY \(search.name): \($0)" }
      if let remedy = search.remedy { remedies.append(remedy) }
    }
    plan.remedy = remedies.isEmpty ? nil : remedies.joined(separator: "; ")
    return plan
  }

  /// The plan of the statement that reads the keys over an index without regard to case.
  private func foldedPlan() throws -> QueryPlan? {
    guard let folded else { return nil }
    let text = try folded.text(for: .scan, on: database)
    let steps = try database.texts("EXPLAIN QUERY PLAN " + text).compactMap(\.last)
    return QueryPlan(source: QueryPlanReader.source(in: steps, isJoined: false), steps: steps)
  }

  /// The foreign keys that the list follows.
  private func relatedKeys() throws(StoreError) -> RelatedKeys {
    var keys = RelatedKeys(tables)
    for term in definition.terms { try keys.add(term.expression, of: table.entity) }
    try keys.add(definition.predicate, of: table.entity)
    return keys
  }

  /// The statement that creates an index for the list, whether or not SQLite would use it.
  ///
  /// The columns are those that the predicate fixes, then those of the order. An expression is included if it consists of SQL's own functions
  /// and operators: an index over functions of this process would lock out every other program.
  private func helpfulIndex() throws -> String? {
    // No index has the values of other tables.
    guard !definition.terms.contains(where: \.expression.usesPaths) else { return nil }
    var expressions = definition.predicate.normalized.fixedExpressions.filter { !$0.usesPaths }
    var columns: [String] = []
    for expression in expressions {
      guard let sql = text(of: expression) else { return nil }
      columns.append(sql)
    }
    let identity = table.entity.identity.columns.map { FetchExpression.attribute($0) }
    for term in definition.terms {
      let isKey = term.expression == .objectKey && identity.count == 1
      let expression = isKey ? identity[0] : term.expression
      guard !expressions.contains(expression) else { continue }
      // No rows are equal in the key, and an index ends with the row number anyway.
      if isKey, term.direction == .ascending, table.isRowNumber { break }
      guard let sql = isKey ? table.keyColumns[0] : text(of: expression) else { return nil }
      expressions.append(expression)
      columns.append(sql + (term.direction == .descending ? " DESC" : ""))
    }
    for (key, sql) in zip(identity, table.keyColumns)
    where !table.isRowNumber && !expressions.contains(key) {
      expressions.append(key)
      columns.append(sql)
    }
    guard !expressions.isEmpty else { return nil }
    let names = expressions.map { $0.indexName }
    let index = try database.freeName("\(table.entity.name)By\(names.joined(separator: "And"))")
    return """
      CREATE INDEX \(index.quotedIdentifier) ON \(table.quotedName) \
      (\(columns.joined(separator: ", ")))
      """
  }

  /// An expression as a column of an index, or `nil` if no index can be created over it.
  private func text(of expression: FetchExpression) -> String? {
    var sql = SQLText()
    sql.writesConstants = true
    sql.append(expression, in: table)
    return sql.needsFunctions || !sql.arguments.isEmpty ? nil : sql.text
  }

  /// Whether SQLite would read in order if it had an index, tested with an empty copy of the table.
  private func wouldServe(_ index: String) throws -> Bool {
    let read = definition.usesPaths ? tables.all : [table]
    let schemas = try read.compactMap { table in
      try String.fetchOne(
        database,
        sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
        arguments: [String(decoding: table.name, as: UTF8.self)]
      )
    }
    guard schemas.count == read.count else { return false }
    let copy = try DatabaseQueue()
    defer { try? copy.close() }
    return try copy.inDatabase { empty in
      do {
        for schema in schemas { try empty.execute(sql: schema) }
        try empty.execute(sql: index)
      } catch {
        // A table that needs something of its database, such as a collation, cannot be tested.
        return false
      }
      return try plan(on: empty).source != .sorting
    }
  }

  /// The result of `EXPLAIN QUERY PLAN` (sqlite.org/eqp.html).
  private func plan(on database: Database) throws -> QueryPlan {
    let sql = try SQLText(entriesOf: definition, in: table, tables)
    if sql.needsFunctions { try ConnectionFunctions.register(on: database) }
    // SQLite does not prepare an EXPLAIN statement again when the schema changes, so it is not cached.
    let steps = try database.texts("EXPLAIN QUERY PLAN " + sql.text).compactMap(\.last)
    return QueryPlan(
      source: QueryPlanReader.source(in: steps, isJoined: definition.usesPaths),
      steps: steps
    )
  }

  /// The source of the order; with other tables joined, the first step reads the rows of the list.
  private static func source(in steps: [String], isJoined: Bool) -> QueryPlan.Source {
    if steps.contains(where: { $0.hasPrefix("USE TEMP B-TREE") }) { return .sorting }
    for step in steps.prefix(isJoined ? 1 : steps.count) {
      guard let range = step.firstRange(of: " INDEX ") else { continue }
      let rest = step[range.upperBound...]
      // The conditions of a search follow the name in parentheses.
      let name = rest.firstRange(of: " (").map { rest[..<$0.lowerBound] } ?? rest
      return .index(String(name))
    }
    return .table
  }
}

extension FetchPredicate {
  /// The attributes and computed expressions to which the predicate permits one value only.
  fileprivate var fixedExpressions: [FetchExpression] {
    switch self {
    case .comparison(let expression, .equal, .literal(let value)):
      switch expression {
      case .literal, .objectKey: []
      default: value == .null ? [] : [expression]
      }
    case .isNull(.attribute(let name)): [.attribute(name)]
    case .and(let parts): parts.flatMap(\.fixedExpressions)
    default: []
    }
  }
}
