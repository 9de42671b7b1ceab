import GRDB

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
