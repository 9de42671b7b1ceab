import GRDB
import ResultsDomain

/// The triggers that write the changes of one entity's table into the log, whoever makes them.
///
/// They use nothing but what every SQLite library has, so that any program can write the table.
struct LogTriggers {
  /// The names and statements; besides the triggers an index that refuses what runs none.
  let all: [(name: String, sql: String)]

  /// What the index is called that refuses incremental writing into the table of an entity.
  static func guardName(_ number: Int) -> String {
    "\(LogFormat.triggerPrefix)\(number)\(guardSuffix)"
  }

  /// What the name of such an index ends with.
  static let guardSuffix = "_guard"

  /// The triggers of a table.
  /// - Parameters:
  ///   - entity: The entity as the database has it written down; its attributes are the log's value columns.
  ///   - number: The entity's number in the log.
  ///   - shape: The table.
  ///   - rules: What makes its rows unique.
  init(_ entity: RecordedEntity, number: Int, shape: TableShape, rules: [UniqueRule]) {
    let maker = TriggerMaker(entity: entity, number: number, shape: shape, rules: rules)
    all = maker.triggers
  }

  /// The triggers that a table should have.
  static func expected(_ entity: RecordedEntity, number: Int, on database: Database) throws
    -> LogTriggers?
  {
    guard let shape = try database.tableShape(of: entity.name) else { return nil }
    let columns = entity.keyColumns + entity.attributes.map(\.name)
    guard columns.allSatisfy({ shape.column(named: $0) != nil }) else { return nil }
    let rules = try UniqueRule.all(of: shape, on: database)
    return LogTriggers(entity, number: number, shape: shape, rules: rules)
  }
}

private struct TriggerMaker {
  let entity: RecordedEntity
  let number: Int
  let shape: TableShape
  let rules: [UniqueRule]

  /// What a row of the table is called where the new one is compared with it.
  private static let row = "_results_row"

  private var table: String { shape.name.quotedIdentifier }
  private var isRowNumber: Bool { entity.identity == "integer" }
  private var keyColumns: [String] { entity.keyColumns.map(\.quotedIdentifier) }

  var triggers: [(name: String, sql: String)] {
    [insertion, update, rekeying, deletion, replacement, replacementByUpdate]
      + (blobGuard.map { [$0] } ?? [])
  }

  private func trigger(_ name: String, _ when: String, _ body: [String]) -> (String, String) {
    let name = "\(LogFormat.triggerPrefix)\(number)_\(name)"
    let sql = """
      CREATE TRIGGER \(name) \(when) BEGIN \(life) \(body.map { $0 + "; " }.joined())END
      """
    return (name, sql)
  }

  /// Which of all tables that ever had the name it is: one that is made anew stands elsewhere in the schema and in the file, and a
  /// trigger that is put back says where the old one stood.
  private var life: String { "/* \(shape.position.row), \(shape.position.page) */" }

  /// Incremental writing runs no triggers, and SQLite refuses it where an index has an expression, be it over no row at all.
  private var blobGuard: (name: String, sql: String)? {
    guard !shape.isWithoutRowNumber else { return nil }
    let name = LogTriggers.guardName(number)
    return (name, "CREATE INDEX \(name) ON \(table) ((0)) WHERE 0")
  }

  private var insertion: (String, String) {
    trigger("insert", "AFTER INSERT ON \(table)", [key])
  }

  private var update: (String, String) {
    let names = entity.attributes.map(\.name.quotedIdentifier) + keyNames
    // No update names a column that is calculated.
    let isAny = entity.attributes.contains { shape.isGenerated($0.name) }
    let list = isAny ? "" : " OF \(unique(names).joined(separator: ", "))"
    return trigger("update", "AFTER UPDATE\(list) ON \(table)", [image(.update, "old")])
  }

  /// An update that changes the key makes a row of another one.
  private var rekeying: (String, String) {
    let differ = keyColumns.map { "new.\($0) IS NOT old.\($0) COLLATE BINARY" }
    return trigger(
      "rekey",
      "AFTER UPDATE OF \(keyNames.joined(separator: ", ")) ON \(table)"
        + " WHEN \(differ.joined(separator: " OR "))",
      [key]
    )
  }

  private var deletion: (String, String) {
    trigger("delete", "AFTER DELETE ON \(table)", [image(.deletion, "old")])
  }

  /// REPLACE deletes rows without telling triggers, unless a connection asks for it.
  private var replacement: (String, String) {
    // SQLite has -1 in place of a number that it assigns itself: the row -1 may be told of without being replaced.
    let key = keyColumns.map { "\(Self.row).\($0) = new.\($0)" }.joined(separator: " AND ")
    return eviction("replace", "BEFORE INSERT", [key] + otherRules.map(collision))
  }

  private var replacementByUpdate: (String, String) {
    let key = keyColumns.map { "\(Self.row).\($0) = new.\($0)" }.joined(separator: " AND ")
    let isOther =
      "("
      + keyColumns.map { "\(Self.row).\($0) IS NOT old.\($0) COLLATE BINARY" }
      .joined(separator: " OR ") + ")"
    let names = otherRules.flatMap(\.terms).compactMap(\.column)
    let hidden =
      otherRules.contains(where: \.dependsOnOtherColumns)
      || names.contains(where: shape.isGenerated)
    let columns = unique(keyNames + names.map(\.quotedIdentifier))
    let list = hidden ? "" : " OF \(columns.joined(separator: ", "))"
    return eviction(
      "evict",
      "BEFORE UPDATE\(list)",
      ([key] + otherRules.map(collision)).map { "\($0) AND \(isOther)" }
    )
  }

  /// Logs the rows that stand in the way of a new one; asking first is cheaper than opening the log for nothing.
  private func eviction(
    _ name: String,
    _ event: String,
    _ conditions: [String]
  ) -> (String, String) {
    let isAny = conditions.map { "EXISTS (SELECT 1 FROM \(table) AS \(Self.row) WHERE \($0))" }
    return trigger(
      name,
      "\(event) ON \(table) WHEN \(isAny.joined(separator: " OR "))",
      conditions.map(evicted)
    )
  }

  /// The rules besides the key's own.
  private var otherRules: [UniqueRule] {
    let key = Set(entity.keyColumns.map(\.caselessIdentifier))
    return rules.filter { rule in
      rule.dependsOnOtherColumns
        || Set(rule.terms.map { ($0.column ?? "").caselessIdentifier }) != key
        || rule.terms.contains { $0.collation.caselessIdentifier != Array("\"binary\"".utf8) }
    }
  }

  private func collision(_ rule: UniqueRule) -> String {
    rule.collision(row: Self.row, columns: shape.columns.map(\.name))
  }

  /// The names under which the key can be assigned to.
  private var keyNames: [String] {
    guard isRowNumber else { return keyColumns }
    // The row number has names of its own, unless columns have them.
    let names = ["rowid", "oid", "_rowid_"].filter { shape.column(named: $0) == nil }
    return keyColumns + names
  }

  /// Logs the key of a new row, without its values.
  private var key: String {
    let kind = LogFormat.Kind.insertion.rawValue
    guard let key = entity.keyColumn?.quotedIdentifier else {
      let keys = entity.attributes.indices.filter { entity.attributes[$0].keyPosition != nil }
      let columns = keys.map { "v\($0)" }.joined(separator: ", ")
      let values = keys.map { "new.\(entity.attributes[$0].name.quotedIdentifier)" }
      return "INSERT INTO _results_log (entity, kind, \(columns))"
        + " VALUES (\(number), \(kind), \(values.joined(separator: ", ")))"
    }
    return "INSERT INTO _results_log (entity, kind, key) VALUES (\(number), \(kind), new.\(key))"
  }

  /// Logs the key and the values of a row.
  private func image(_ kind: LogFormat.Kind, _ side: String) -> String {
    "\(into) VALUES (\(values(kind, side).joined(separator: ", ")))"
  }

  /// Logs the rows that a condition holds for, as replaced.
  private func evicted(_ condition: String) -> String {
    "\(into) SELECT \(values(.replaced, Self.row).joined(separator: ", "))"
      + " FROM \(table) AS \(Self.row) WHERE \(condition)"
  }

  private var into: String {
    let columns = entity.attributes.indices.map { "v\($0)" }
    let names = ["entity", "kind"] + (entity.keyColumn == nil ? [] : ["key"]) + columns
    return "INSERT INTO _results_log (\(names.joined(separator: ", ")))"
  }

  private func values(_ kind: LogFormat.Kind, _ side: String) -> [String] {
    let key = entity.keyColumn.map { ["\(side).\($0.quotedIdentifier)"] } ?? []
    return ["\(number)", "\(kind.rawValue)"] + key
      + entity.attributes.map { "\(side).\($0.name.quotedIdentifier)" }
  }

  private func unique(_ names: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return names.filter { seen.insert($0.caselessIdentifier).inserted }
  }
}

/// What makes the rows of a table unique: a primary key, or an index, which may be partial or of expressions.
struct UniqueRule {
  /// One thing that an index compares.
  struct Term {
    /// The column, or `nil` for an expression.
    let column: String?
    /// The expression as it was declared, or the column in quotes.
    let text: String
    let collation: String
    /// What stands for a null that REPLACE may not store, or `nil`.
    let nullDefault: String?
  }

  let terms: [Term]
  /// Whether rows can come under the rule by a change of other columns.
  let dependsOnOtherColumns: Bool

  /// The rules of a table besides an integer primary key.
  static func all(of shape: TableShape, on database: Database) throws -> [UniqueRule] {
    let indexes = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT l.name, l.partial, CAST(m.sql AS TEXT) AS sql FROM pragma_index_list(?) AS l
        LEFT JOIN main.sqlite_master AS m ON m.type = 'index' AND m.name = l.name
        WHERE l."unique" ORDER BY l.name
        """,
      arguments: [shape.name]
    )
    return try indexes.map { index in
      let name: String = index["name"]
      let terms = try GRDB.Row.fetchAll(
        database,
        sql: "SELECT name, cid, coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
        arguments: [name]
      )
      let declared = IndexDeclaration(index["sql"] ?? "").terms
      return UniqueRule(
        terms: terms.enumerated().map { place, term in
          let column: String? = term["name"]
          let collation: String? = term["coll"]
          let nullDefault = column.flatMap { shape.column(named: $0) }
            .flatMap { $0.isRequired ? $0.defaultText : nil }
          return Term(
            column: column,
            text: column?.quotedIdentifier
              ?? (declared.indices.contains(place) ? "(\(declared[place]))" : "NULL"),
            collation: (collation ?? "BINARY").quotedIdentifier,
            nullDefault: nullDefault
          )
        },
        dependsOnOtherColumns: index["partial"] || terms.contains { ($0["cid"] as Int) == -2 }
      )
    }
  }

  /// The condition under which a row, called `row`, stands in the way of a new one, in a table of some columns.
  func collision(row: String, columns: [String]) -> String {
    // An expression is evaluated over the new values as if they were a row of the table.
    let new = columns.map { "new.\($0.quotedIdentifier) AS \($0.quotedIdentifier)" }
      .joined(separator: ", ")
    return terms.map { term in
      guard term.column != nil else {
        return "\(term.text) COLLATE \(term.collation) = (SELECT \(term.text) FROM (SELECT \(new)))"
      }
      let value = term.nullDefault.map { "ifnull(new.\(term.text), \($0))" } ?? "new.\(term.text)"
      return "\(row).\(term.text) COLLATE \(term.collation) = \(value)"
    }
    .joined(separator: " AND ")
  }
}

/// The terms of a CREATE INDEX statement, cut out of its text.
struct IndexDeclaration {
  /// The terms as they are declared, without comments and directions.
  ///
  /// A collation stays: whoever compares by a term names the same.
  private(set) var terms: [String] = []

  /// Reads the list in the first parentheses; before them there are but names.
  init(_ sql: String) {
    var depth = 0
    var term: [SQLToken] = []
    for token in SQLToken.all(in: sql) {
      switch token.text {
      case "(":
        depth += 1
        if depth == 1 { continue }
      case ")":
        depth -= 1
        if depth == 0 {
          terms.append(IndexDeclaration.expression(term))
          return
        }
      case "," where depth == 1:
        terms.append(IndexDeclaration.expression(term))
        term = []
        continue
      default: break
      }
      if depth > 0 { term.append(token) }
    }
    // A declaration that does not end is none that SQLite has written down.
    terms = []
  }

  private static func expression(_ tokens: [SQLToken]) -> String {
    var tokens = tokens[...]
    if tokens.count > 1, let last = tokens.last, ["asc", "desc"].contains(last.text.lowercased()) {
      tokens.removeLast()
    }
    return tokens.enumerated()
      .map { $0.offset > 0 && $0.element.isSetApart ? " " + $0.element.text : $0.element.text }
      .joined()
  }
}
