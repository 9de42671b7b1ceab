#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Finds out how the server reads a list in order, and which index would help.
struct OrderedRemedy {
  let reader: TableReader

  /// How the keys of a list are read in order.
  ///
  /// The source is an index where the server's plan of the list's statement reads it alone. The remedy is not tried: that would change
  /// the schema. It has what the server needs to read no row: every term as the list sorts it, the key at the end, and the columns that
  /// expressions read.
  /// - Parameters:
  ///   - definition: The rows of the list and their order.
  ///   - table: The table of its rows.
  ///   - ordered: The plan of the list over an index, if one is proved to serve.
  /// - Returns: The plan, with a statement that creates an index if keys are sorted and one would help.
  /// - Throws: The store's error.
  func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ ordered: OrderedPlan?
  ) throws(StoreError) -> QueryPlan {
    if let ordered {
      let found = try OrderedProof(reader: reader)
        .explanations(of: [ordered.statements.scan], ordered.statements)
      return QueryPlan(source: .index(ordered.index.name), steps: found[0]?.steps ?? [])
    }
    var sql = reader.sqlText()
    _ = try sql.append(entriesOf: definition, in: table)
    let result = try reader.run([
      Statement("EXPLAIN (FORMAT JSON) \(sql.text)", sql.parameters, isPrepared: false)
    ])[0]
    let text = (0..<result.count).map { result.text($0, 0) ?? "" }.joined(separator: "\n")
    guard let explanation = QueryExplanation(text) else { return QueryPlan(source: .unknown) }
    var plan = QueryPlan(source: .sorting, steps: explanation.steps)
    if let index = HelpfulIndex(definition, in: table) {
      plan.remedy = index.statement(named: try freeName(index.name, in: table))
    }
    return plan
  }

  /// A name for an index that no relation of the table's schema has.
  private func freeName(_ name: String, in table: EntityTable) throws(StoreError) -> String {
    let result = try reader.run([
      Statement(
        """
        SELECT c.relname::text FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = $1 AND starts_with(c.relname::text, $2)
        """,
        [.text(table.shape.schema), .text(name)]
      )
    ])[0]
    let taken = Set((0..<result.count).map { result.text($0, 0) ?? "" })
    guard taken.contains(name) else { return name }
    let number = (2...).first { !taken.contains("\(name)\($0)") } ?? 2
    return "\(name)\(number)"
  }

  /// Creates the index that a list lacks, while others read and write; an invalid one that a failure leaves is dropped.
  ///
  /// The connection must have no open transaction.
  /// - Parameters:
  ///   - definition: The rows of the list and their order.
  ///   - table: The table of its rows.
  ///   - pool: The connections by which the server is asked meanwhile whether others wait for the table.
  /// - Returns: The statement that was run, or `nil` if an index serves already or none would help.
  /// - Throws: The server's error; `StoreError.busy` if others have needed the table again and again.
  func createIndex(
    for definition: OrderDefinition,
    in table: EntityTable,
    beside pool: ConnectionPool
  ) throws(StoreError) -> String? {
    _ = try reader.run([Statement.begin(.reading).unprepared])
    let ordered = try OrderedProof(reader: reader).plan(of: definition, in: table)
    let index = HelpfulIndex(definition, in: table)
    let name = try index.map { (index) throws(StoreError) in try freeName(index.name, in: table) }
    _ = try reader.run([Statement.commit.unprepared])
    guard ordered == nil, let index, let name else { return nil }
    let statement = index.statement(named: name)
    let quoted = Connection.quoted(table.shape.schema) + "." + Connection.quoted(name)
    // It takes as long as it takes.
    _ = try reader.run([Statement("SET statement_timeout = 0", isPrepared: false)])
    defer { _ = try? reader.run([Statement("RESET statement_timeout", isPrepared: false)]) }
    let work = YieldingStatements(reader: reader, table: table, pool: pool)
    try work.run(statement, undoing: "DROP INDEX CONCURRENTLY IF EXISTS \(quoted)")
    _ = try? work.run("VACUUM (ANALYZE, INDEX_CLEANUP off) \(table.quotedName)")
    return statement
  }
}

/// An index that would have the keys of a list in order.
private struct HelpfulIndex {
  let name: String
  private let table: String
  private let columns: [String]
  private let included: [String]
  private let condition: String?

  /// Finds the index; `nil` if none can have the list's order, or the server cannot decide the predicate alone.
  init?(_ definition: OrderDefinition, in table: EntityTable) {
    let table = table.unqualified
    guard let terms = OrderedTerms(definition, in: table),
      let statements = OrderedProof.statements(definition, terms, in: table).last
    else { return nil }
    let fixed = terms.isFixedOnly ? terms.fixed : []
    if terms.isFixedOnly {
      condition = nil
    } else {
      guard statements.parameters.isEmpty else { return nil }
      condition = statements.predicate
    }
    let all = fixed + terms.variable
    columns = fixed.map(\.compared) + terms.variable.map(\.order)
    var seen = Set(all.map(\.sql))
    included = all.flatMap(\.readColumns).filter { seen.insert($0).inserted }
    self.table = table.quotedName
    // The key at the end is in every index.
    let named = all.count > 1 ? all.dropLast(terms.keyCount) : all[...]
    let full =
      "\(table.entity.name)By"
      + (named.isEmpty ? all[...] : named).map(\.indexName).joined(separator: "And")
    name = String(decoding: full.utf8.prefix(55), as: UTF8.self)
  }

  /// The statement that creates it.
  func statement(named name: String) -> String {
    var statement = "CREATE INDEX CONCURRENTLY \(Connection.quoted(name)) ON \(table)"
    statement += " (\(columns.joined(separator: ", ")))"
    if !included.isEmpty { statement += " INCLUDE (\(included.joined(separator: ", ")))" }
    if let condition { statement += " WHERE \(condition)" }
    return statement
  }
}
#endif
