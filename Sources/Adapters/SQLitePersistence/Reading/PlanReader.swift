import CSQLiteHooks
import GRDB
import ResultsDomain

/// Asks SQLite how it would read the keys of a list, and which index would spare it the sorting.
struct PlanReader {
  private let database: Database
  private let table: EntityTable
  private let definition: OrderDefinition

  init(of definition: OrderDefinition, in table: EntityTable, on database: Database) {
    self.definition = definition
    self.table = table
    self.database = database
  }

  /// How the keys come in their order, with the index that would help where they are sorted.
  func plan() throws -> QueryPlan {
    var plan = try PlanReader.plan(of: definition, in: table, on: database)
    guard plan.source == .sorting, let index = helpfulIndex, try wouldServe(index) else {
      return plan
    }
    plan.remedy = index
    return plan
  }

  /// The statement that makes an index for the list, whether or not SQLite would use it.
  ///
  /// Attributes that the predicate fixes come first, then the order's. An expression cannot be in it: the functions that translate
  /// expressions are this process's own, and an index over them would shut every other program out.
  private var helpfulIndex: String? {
    var attributes = definition.predicate.fixedAttributes.compactMap(table.entity.index(of:))
    var columns = attributes.map { table.attributeColumns[$0] }
    for term in definition.terms where term.expression != .objectKey {
      guard case .attribute(let name) = term.expression,
        let attribute = table.entity.index(of: name)
      else { return nil }
      guard !attributes.contains(attribute) else { continue }
      attributes.append(attribute)
      columns.append(
        table.attributeColumns[attribute] + (term.direction == .descending ? " DESC" : "")
      )
    }
    guard !attributes.isEmpty else { return nil }
    let names = attributes.map { table.entity.attributes[$0].name.withCapital }
    let index = "\(table.entity.name)By\(names.joined(separator: "And"))"
    return """
      CREATE INDEX \(index.quotedIdentifier) ON \(table.quotedName) \
      (\(columns.joined(separator: ", ")))
      """
  }

  /// Whether SQLite would read in order if it had an index: asked of an empty copy of the table.
  private func wouldServe(_ index: String) throws -> Bool {
    let name = String(decoding: table.name, as: UTF8.self)
    let schema = try String.fetchOne(
      database,
      sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
      arguments: [name]
    )
    guard let schema else { return false }
    let copy = try DatabaseQueue()
    defer { try? copy.close() }
    return try copy.inDatabase { empty in
      do {
        try empty.execute(sql: schema)
        try empty.execute(sql: index)
      } catch {
        // A table that needs what only its own database has, such as a collation, cannot be tried.
        return false
      }
      return try PlanReader.plan(of: definition, in: table, on: empty).source != .sorting
    }
  }

  /// What `EXPLAIN QUERY PLAN` says (sqlite.org/eqp.html).
  private static func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    on database: Database
  ) throws -> QueryPlan {
    var sql = SQLText()
    sql.append("EXPLAIN QUERY PLAN ")
    sql.append(SQLText(entriesOf: definition, in: table))
    var steps: [String] = []
    try withExtendedLifetime(sql.arguments) {
      let statement = try sql.prepare(on: database)
      defer { statement.reset() }
      while try statement.step() {
        guard let text = sqlite3_column_text(statement.pointer, 3) else { continue }
        steps.append(String(cString: text))
      }
    }
    return QueryPlan(source: source(in: steps), steps: steps)
  }

  private static func source(in steps: [String]) -> QueryPlan.Source {
    if steps.contains(where: { $0.hasPrefix("USE TEMP B-TREE") }) { return .sorting }
    for step in steps {
      guard let range = step.firstRange(of: " INDEX ") else { continue }
      let rest = step[range.upperBound...]
      // A condition of a search follows the name in brackets.
      let name = rest.firstRange(of: " (").map { rest[..<$0.lowerBound] } ?? rest
      return .index(String(name))
    }
    return .table
  }
}

extension FetchPredicate {
  /// Attributes that the predicate lets have one value only.
  fileprivate var fixedAttributes: [String] {
    switch self {
    case .comparison(.attribute(let name), .equal, .literal(let value)):
      value == .null ? [] : [name]
    case .and(let parts): parts.flatMap(\.fixedAttributes)
    default: []
    }
  }
}

extension String {
  fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
