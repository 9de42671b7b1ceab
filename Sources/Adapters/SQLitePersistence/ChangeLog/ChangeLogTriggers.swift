import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// The triggers that write the changes of one entity's table into the log, whichever program makes them.
///
/// They use only what every SQLite library has, so that any program can write the table.
struct ChangeLogTriggers {
  /// The names and statements of the triggers, and of an index that refuses writes which run no triggers.
  let all: [(name: String, sql: String)]

  /// The name of the index that refuses incremental writing into the table of an entity.
  static func guardName(_ number: Int) -> String {
    "\(ChangeLogFormat.triggerPrefix)\(number)\(guardSuffix)"
  }

  /// The suffix of the names of such indexes.
  static let guardSuffix = "_guard"

  /// The triggers of a table.
  /// - Parameters:
  ///   - entity: The entity as the database records it; its attributes are the log's value columns.
  ///   - number: The entity's number in the log.
  ///   - shape: The table.
  ///   - rules: Its uniqueness rules.
  init(_ entity: RecordedEntity, number: Int, shape: TableShape, rules: [UniqueRule]) {
    all = TriggerBuilder(entity: entity, number: number, shape: shape, rules: rules).triggers
  }

  /// The triggers that a table should have.
  static func expected(_ entity: RecordedEntity, number: Int, on database: Database) throws
    -> ChangeLogTriggers?
  {
    guard let shape = try database.tableShape(of: entity.name) else { return nil }
    let columns = entity.keyColumns + entity.attributes.map(\.name)
    guard columns.allSatisfy({ shape.column(named: $0) != nil || shape.isRowNumber($0) }) else {
      return nil
    }
    let rules = try UniqueRule.all(of: shape, on: database)
    return ChangeLogTriggers(entity, number: number, shape: shape, rules: rules)
  }
}

private struct TriggerBuilder {
  let entity: RecordedEntity
  let number: Int
  let shape: TableShape
  let rules: [UniqueRule]

  /// The alias of a row of the table where the new row is compared with it.
  private static let row = "_results_row"

  private var table: String { shape.name.quotedIdentifier }
  private var isRowNumber: Bool { entity.identity == "integer" }
  private var keyColumns: [String] { entity.keyColumns.map(\.quotedIdentifier) }

  var triggers: [(name: String, sql: String)] {
    [insertion, update, rekeying, deletion, replacement, replacementByUpdate]
      + (blobGuard.map { [$0] } ?? [])
  }

  private func trigger(_ name: String, _ when: String, _ body: [String]) -> (String, String) {
    let name = "\(ChangeLogFormat.triggerPrefix)\(number)_\(name)"
    let sql = """
      CREATE TRIGGER \(name) \(when) BEGIN \(location) \(body.map { $0 + "; " }.joined())END
      """
    return (name, sql)
  }

  /// A comment with the table's location: a trigger that was restored for a table that was dropped and created again has another one.
  private var location: String { "/* \(shape.location.row), \(shape.location.page) */" }

  /// An index that prevents incremental writing, which runs no triggers: SQLite refuses it where an index has an expression, even over no
  /// row at all.
  private var blobGuard: (name: String, sql: String)? {
    guard !shape.isWithoutRowNumber else { return nil }
    let name = ChangeLogTriggers.guardName(number)
    return (name, "CREATE INDEX \(name) ON \(table) ((0)) WHERE 0")
  }

  private var insertion: (String, String) {
    trigger("insert", "AFTER INSERT ON \(table)", [key])
  }

  private var update: (String, String) {
    let names = entity.attributes.map(\.name.quotedIdentifier) + keyNames
    // No update names a calculated column.
    let isAny = entity.attributes.contains { shape.isGenerated($0.name) }
    let list = isAny ? "" : " OF \(unique(names).joined(separator: ", "))"
    // Before the change, and so before whatever the application's triggers do after it. A row that gets another key is no longer there.
    let kind =
      "CASE WHEN \(keyDiffers) THEN \(ChangeLogFormat.Kind.deletion.rawValue)"
      + " ELSE \(ChangeLogFormat.Kind.update.rawValue) END"
    return trigger("update", "BEFORE UPDATE\(list) ON \(table)", [image(kind, "old")])
  }

  private var keyDiffers: String {
    keyColumns.map { "new.\($0) IS NOT old.\($0) COLLATE BINARY" }.joined(separator: " OR ")
  }

  /// An update that changes the key also inserts the new key.
  private var rekeying: (String, String) {
    trigger(
      "rekey",
      "AFTER UPDATE OF \(keyNames.joined(separator: ", ")) ON \(table) WHEN \(keyDiffers)",
      [key]
    )
  }

  private var deletion: (String, String) {
    let kind = "\(ChangeLogFormat.Kind.deletion.rawValue)"
    return trigger("delete", "BEFORE DELETE ON \(table)", [image(kind, "old")])
  }

  /// Logs rows that an insertion with REPLACE deletes: that runs no delete triggers, unless a connection enables them.
  private var replacement: (String, String) {
    // SQLite passes -1 for a number that it has still to assign: the row -1 may be logged without being replaced.
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

  /// Logs the rows that conflict with a new one; the condition is cheaper than opening the log for nothing.
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

  /// The rules other than the key's.
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
    // The row number has these names, unless columns have them.
    let names = ["rowid", "oid", "_rowid_"].filter { shape.column(named: $0) == nil }
    return keyColumns + names
  }

  /// Logs the key of a new row, without its values.
  private var key: String {
    let kind = ChangeLogFormat.Kind.insertion.rawValue
    guard let key = entity.keyColumn?.quotedIdentifier else {
      let keys = entity.keyColumns.compactMap { entity.index(of: $0) }.sorted()
      let columns = keys.map { "v\($0)" }.joined(separator: ", ")
      let values = keys.map { "new.\(entity.attributes[$0].name.quotedIdentifier)" }
      return "INSERT INTO _results_log (entity, kind, \(columns))"
        + " VALUES (\(number), \(kind), \(values.joined(separator: ", ")))"
    }
    return "INSERT INTO _results_log (entity, kind, key) VALUES (\(number), \(kind), new.\(key))"
  }

  /// Logs the key and the values of a row.
  private func image(_ kind: String, _ side: String) -> String {
    "\(into) VALUES (\(values(kind, side).joined(separator: ", ")))"
  }

  /// Logs the rows that match a condition as replaced.
  private func evicted(_ condition: String) -> String {
    "\(into) SELECT \(values("\(ChangeLogFormat.Kind.replaced.rawValue)", Self.row).joined(separator: ", "))"
      + " FROM \(table) AS \(Self.row) WHERE \(condition)"
  }

  private var into: String {
    let columns = entity.attributes.indices.map { "v\($0)" }
    let names = ["entity", "kind"] + (entity.keyColumn == nil ? [] : ["key"]) + columns
    return "INSERT INTO _results_log (\(names.joined(separator: ", ")))"
  }

  private func values(_ kind: String, _ side: String) -> [String] {
    let key = entity.keyColumn.map { ["\(side).\($0.quotedIdentifier)"] } ?? []
    return ["\(number)", kind] + key
      + entity.attributes.map { "\(side).\($0.name.quotedIdentifier)" }
  }

  private func unique(_ names: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return names.filter { seen.insert($0.caselessIdentifier).inserted }
  }
}

/// A uniqueness rule of a table: a primary key, or an index, which may be partial or over expressions.
struct UniqueRule {
  /// A column or expression that an index compares.
  struct Term {
    /// The column, or `nil` for an expression.
    let column: String?
    /// The expression as it was declared, or the column in quotes.
    let text: String
    let collation: String
    /// The default that REPLACE stores instead of a null, or `nil`.
    let nullDefault: String?
  }

  let terms: [Term]
  /// The condition of the rows that are subject to the rule, if it is known; without it SQLite finds them by no partial index, but by reading
  /// the whole table at each insertion.
  let condition: String?
  /// Whether a change of other columns can make rows subject to the rule.
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
      let declaration = IndexDeclaration(index["sql"] ?? "")
      let declared = declaration.terms
      return UniqueRule(
        terms: terms.enumerated().map { position, term in
          let column: String? = term["name"]
          let collation: String? = term["coll"]
          let nullDefault = column.flatMap { shape.column(named: $0) }
            .flatMap { $0.isRequired ? $0.defaultText : nil }
          return Term(
            column: column,
            text: column?.quotedIdentifier
              ?? (declared.indices.contains(position) ? "(\(declared[position]))" : "NULL"),
            collation: (collation ?? "BINARY").quotedIdentifier,
            nullDefault: nullDefault
          )
        },
        condition: declaration.condition(in: shape.columns.map(\.name)),
        dependsOnOtherColumns: index["partial"] || terms.contains { ($0["cid"] as Int) == -2 }
      )
    }
  }

  /// The condition under which a row with the alias `row` conflicts with a new row, in a table with the columns.
  func collision(row: String, columns: [String]) -> String {
    // An expression is evaluated over the new values as if they were a row of the table.
    let new = columns.map { "new.\($0.quotedIdentifier) AS \($0.quotedIdentifier)" }
      .joined(separator: ", ")
    let equalities = terms.map { term in
      guard term.column != nil else {
        return "\(term.text) COLLATE \(term.collation) = (SELECT \(term.text) FROM (SELECT \(new)))"
      }
      let value = term.nullDefault.map { "ifnull(new.\(term.text), \($0))" } ?? "new.\(term.text)"
      return "\(row).\(term.text) COLLATE \(term.collation) = \(value)"
    }
    return (equalities + [condition.map { "(\($0))" }].compactMap(\.self)).joined(
      separator: " AND "
    )
  }
}

/// The terms of a CREATE INDEX statement, parsed from its text.
struct IndexDeclaration {
  /// The terms as they are declared, without comments and directions.
  ///
  /// A collation is retained: a comparison by a term uses the same one.
  private(set) var terms: [String] = []
  /// What follows WHERE.
  private var conditionTokens: ArraySlice<SQLToken> = []

  /// Parses the list in the first parentheses; before them there are only names.
  init(_ sql: String) {
    var depth = 0
    var term: [SQLToken] = []
    let tokens = SQLToken.all(in: sql)
    for (index, token) in tokens.enumerated() {
      switch token.text {
      case "(":
        depth += 1
        if depth == 1 { continue }
      case ")":
        depth -= 1
        if depth == 0 {
          terms.append(IndexDeclaration.expression(term))
          let rest = tokens[(index + 1)...]
          if let word = rest.first?.text, word.caselessIdentifier == Array("where".utf8) {
            conditionTokens = rest.dropFirst()
          }
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
    // SQLite stores no declaration without a closing parenthesis.
    terms = []
  }

  /// The condition of a partial index, if it means the same in a query that reads the table under another name.
  ///
  /// A column that is qualified by the table's name would not be found, and what stands in double quotes is a text where it is no column,
  /// if the connection allows that.
  /// - Parameter columns: The names of the table's columns.
  /// - Returns: The condition, or `nil` if there is none or it may mean something else.
  func condition(in columns: [String]) -> String? {
    guard !conditionTokens.isEmpty else { return nil }
    let names = Set(columns.map(\.quotedIdentifier.caselessIdentifier))
    for (token, next) in zip(conditionTokens, conditionTokens.dropFirst()) where next.text == "." {
      guard let byte = token.text.utf8.first, (0x30...0x39).contains(byte) else { return nil }
    }
    let isPlain = conditionTokens.allSatisfy { token in
      !token.text.utf8.starts(with: "\"".utf8) || names.contains(token.text.caselessIdentifier)
    }
    return isPlain ? IndexDeclaration.text(conditionTokens) : nil
  }

  private static func expression(_ tokens: [SQLToken]) -> String {
    var tokens = tokens[...]
    if tokens.count > 1, let last = tokens.last, ["asc", "desc"].contains(last.text.lowercased()) {
      tokens.removeLast()
    }
    return text(tokens)
  }

  private static func text(_ tokens: ArraySlice<SQLToken>) -> String {
    tokens.enumerated()
      .map { $0.offset > 0 && $0.element.hasSpaceBefore ? " " + $0.element.text : $0.element.text }
      .joined()
  }
}
