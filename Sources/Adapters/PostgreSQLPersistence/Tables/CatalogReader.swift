#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads the shapes of tables from the server's catalog, in one flight.
struct CatalogReader {
  let connection: Connection

  /// Which tables are read.
  enum Scope {
    /// Those of some names in a schema.
    case named([String], schema: String)
    /// Those of some names, each in a schema of its own.
    case listed([(schema: String, name: String)])
    /// Those whose numbers are in a setting of the transaction, after statements that find them.
    case found(by: [Statement], setting: String)
  }

  /// What the catalog says about a schema and some of its tables.
  struct Findings {
    /// The encoding of the database's texts, as `UTF8`.
    let encoding: String
    /// Whether nothing can be written, as on a standby.
    let isReadOnly: Bool
    let hasSchema: Bool
    let tables: [TableShape]

    /// The findings about tables that are used as they are, however they were made.
    var discovered: Findings {
      let tables = tables.map { table in
        var table = table
        table.format = nil
        table.columns = table.columns.map { column in
          var column = column
          column.readsAsText = ColumnTypes.readsAsText(column)
          column.isLenient = column.record == nil && !table.identifies(by: column.name)
          return column
        }
        return table
      }
      return Findings(
        encoding: encoding,
        isReadOnly: isReadOnly,
        hasSchema: hasSchema,
        tables: tables
      )
    }

    /// The table of a name, compared by bytes.
    func table(named name: String) -> TableShape? {
      tables.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
  }

  /// The prefix of the comments by which a store records what it has created.
  static let mark = "fetched-results: "

  /// Reads the tables of some names in a schema; what does not exist is left out.
  func tables(named names: [String], in schema: String) throws(PostgreSQLFailure) -> Findings {
    try tables(.named(names, schema: schema))
  }

  /// Reads tables in one flight; what does not exist is left out.
  func tables(_ scope: Scope) throws(PostgreSQLFailure) -> Findings {
    var flight: [Statement] = []
    var condition: String
    var parameters: [Parameter] = []
    var schema = ""
    switch scope {
    case .named(let names, let home):
      condition = "n.nspname = $1 AND c.relname = ANY ($2)"
      parameters = [.text(home), .texts(names)]
      schema = home
    case .listed(let tables):
      condition = """
        (n.nspname::text, c.relname::text) IN (SELECT * FROM unnest($1::text[], $2::text[]))
        """
      parameters = [.texts(tables.map(\.schema)), .texts(tables.map(\.name))]
    case .found(let statements, let setting):
      flight = connection.opening(.reading) + statements
      condition = "c.oid = ANY (current_setting(\(Connection.literal(setting)))::oid[])"
    }
    let first = flight.count
    flight.append(Statement(CatalogReader.facts, [.text(schema)]))
    flight += [
      CatalogReader.tables, CatalogReader.columns, CatalogReader.constraints, CatalogReader.indexes,
    ].map { Statement($0.replacing(CatalogReader.scope, with: condition), parameters) }
    if first > 0 { flight.append(.commit) }
    return findings(Array(try connection.run(flight)[first...]))
  }

  private func findings(_ results: [QueryResult]) -> Findings {
    var columns: [UInt32: [TableShape.Column]] = [:]
    for row in 0..<results[2].count {
      columns[number(results[2], row), default: []].append(column(results[2], row))
    }
    var indexes: [UInt32: [[String]]] = [:]
    var unique: [UInt32: [[String]]] = [:]
    for row in 0..<results[4].count {
      let (number, columns) = (number(results[4], row), results[4].texts(row, 1))
      indexes[number, default: []].append(columns)
      if results[4].boolean(row, 2) == true { unique[number, default: []].append(columns) }
    }
    var tables: [TableShape] = []
    for row in 0..<results[1].count {
      let number = number(results[1], row)
      let constraints = (0..<results[3].count).filter { self.number(results[3], $0) == number }
      let key = constraints.first { results[3].text($0, 1) == "p" }
      let foreign = constraints.filter { results[3].text($0, 1) == "f" }
      var shape = TableShape(
        number: number,
        schema: results[1].text(row, 1) ?? "",
        name: results[1].text(row, 2) ?? "",
        kind: results[1].text(row, 3) ?? "",
        columns: columns[number] ?? [],
        primaryKey: key.map { results[3].texts($0, 3) } ?? [],
        isKeyDeferrable: key.flatMap { results[3].boolean($0, 2) } ?? false,
        foreignKeys: foreign.map { foreignKey(results[3], $0) },
        indexes: indexes[number] ?? [],
        hidesRows: results[1].boolean(row, 4) ?? false,
        isReadable: results[1].boolean(row, 7) ?? true,
        hasHeirs: results[1].boolean(row, 5) ?? false,
        format: CatalogReader.record(in: results[1].text(row, 6)).map { Int($0) ?? .max }
      )
      shape.uniqueIndexes = unique[number] ?? []
      shape.estimatedRows = results[1].integer(row, 8).flatMap { $0 < 0 ? nil : Int($0) }
      shape.isFilled = results[1].boolean(row, 9) ?? true
      tables.append(shape)
    }
    return Findings(
      encoding: results[0].text(0, 0) ?? "",
      isReadOnly: results[0].boolean(0, 1) ?? false,
      hasSchema: results[0].boolean(0, 2) ?? false,
      tables: tables
    )
  }

  /// The names of the tables of a schema.
  /// - Parameters:
  ///   - schema: The schema.
  ///   - all: Whether indexes, views and everything else are meant too that share the names' space.
  /// - Returns: The names.
  /// - Throws: The server's failure.
  func names(in schema: String, all: Bool = false) throws(PostgreSQLFailure) -> [String] {
    let result = try connection.run(
      """
      SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND (c.relkind IN ('r', 'p') OR $2) ORDER BY c.relname
      """,
      [.text(schema), .boolean(all)]
    )
    return (0..<result.count).compactMap { result.text($0, 0) }
  }

  private func number(_ result: QueryResult, _ row: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: result.unsigned(row, 0) ?? 0)
  }

  private func column(_ result: QueryResult, _ row: Int) -> TableShape.Column {
    var column = TableShape.Column(
      name: result.text(row, 1) ?? "",
      number: Int(result.integer(row, 2) ?? 0),
      type: UInt32(truncatingIfNeeded: result.unsigned(row, 3) ?? 0),
      typeText: result.text(row, 4) ?? "",
      modifier: Int(result.integer(row, 5) ?? -1),
      isRequired: result.boolean(row, 6) ?? false,
      isGenerated: result.boolean(row, 7) ?? false,
      hasDefault: result.boolean(row, 8) ?? false,
      sortsByBytes: result.boolean(row, 9) ?? true,
      isNondeterministic: result.boolean(row, 10) ?? false,
      isEnumeration: result.boolean(row, 11) ?? false,
      sequence: result.text(row, 12),
      isAlwaysIdentity: result.boolean(row, 13) ?? false,
      record: CatalogReader.record(in: result.text(row, 14))
    )
    column.isReadable = result.boolean(row, 15) ?? true
    return column
  }

  private func foreignKey(_ result: QueryResult, _ row: Int) -> ForeignKeyShape {
    ForeignKeyShape(
      schema: result.text(row, 4) ?? "",
      table: result.text(row, 5) ?? "",
      columns: result.texts(row, 3),
      targets: result.texts(row, 6),
      action: ReferentialAction(letter: result.text(row, 7))
    )
  }

  /// What a store has recorded in a comment.
  private static func record(in comment: String?) -> String? {
    guard let comment, comment.hasPrefix(mark) else { return nil }
    return String(comment.dropFirst(mark.count))
  }

  /// What stands in the statements for the condition that selects the tables.
  private static let scope = "(scope)"

  private static let facts = """
    SELECT current_setting('server_encoding'), current_setting('transaction_read_only') = 'on',
      EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)
    """

  private static let tables = """
    SELECT c.oid, n.nspname, c.relname, c.relkind, row_security_active(c.oid),
      c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid),
      obj_description(c.oid, 'pg_class'),
      has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'),
      CASE c.relkind WHEN 'p' THEN (
        SELECT CASE WHEN bool_or(l.reltuples < 0) THEN -1 ELSE sum(l.reltuples)::bigint END
        FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf
      ) WHEN 'v' THEN -1 ELSE c.reltuples::bigint END, c.relispopulated
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE (scope) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    """

  // The default collation is that of the database.
  private static let columns = """
    SELECT c.oid, a.attname, a.attnum,
      CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END, format_type(a.atttypid, a.atttypmod),
      CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END,
      a.attnotnull OR t.typnotnull, a.attgenerated <> '', a.atthasdef OR a.attidentity <> '',
      a.attcollation = 0 OR l.collname IN ('C', 'POSIX')
        OR l.oid = 100 AND d.datlocprovider = 'c' AND d.datcollate IN ('C', 'POSIX'),
      NOT coalesce(l.collisdeterministic, true), t.typtype = 'e',
      CASE WHEN c.relkind IN ('r', 'p')
        THEN pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) END,
      a.attidentity = 'a', col_description(c.oid, a.attnum),
      has_column_privilege(c.oid, a.attnum, 'SELECT')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_collation l ON l.oid = a.attcollation
      JOIN pg_database d ON d.datname = current_database()
    WHERE (scope) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    ORDER BY c.oid, a.attnum
    """

  private static let constraints = """
    SELECT c.oid, k.contype, k.condeferrable,
      ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY p(number, position)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number ORDER BY p.position),
      fn.nspname, f.relname,
      ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY p(number, position)
        JOIN pg_attribute a ON a.attrelid = f.oid AND a.attnum = p.number ORDER BY p.position),
      k.confdeltype
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype IN ('p', 'f')
      LEFT JOIN pg_class f ON f.oid = k.confrelid
      LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
    WHERE (scope)
    ORDER BY k.oid
    """

  private static let indexes = """
    SELECT c.oid,
      ARRAY(SELECT coalesce(a.attname::text, '')
        FROM unnest(i.indkey::smallint[]) WITH ORDINALITY p(number, position)
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number AND p.number > 0
        WHERE p.position <= i.indnkeyatts ORDER BY p.position),
      i.indisunique AND i.indimmediate
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_index i ON i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
    WHERE (scope)
    ORDER BY i.indexrelid
    """
}
#endif
