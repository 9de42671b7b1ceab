#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Proves that an index answers for a list, by the server's own plans of the statements.
///
/// A plan must be one scan of an index alone, with every condition in the search: no row is read from the table, tested or sorted.
struct OrderedProof {
  let reader: TableReader

  /// The plan of a list, or `nil` if no index is proved to serve.
  func plan(
    of definition: OrderDefinition,
    in table: EntityTable
  ) throws(StoreError) -> OrderedPlan? {
    let named = OrderedStatements.named(table)
    guard let terms = OrderedTerms(definition, in: named) else { return nil }
    for statements in OrderedProof.statements(definition, terms, in: named) {
      let questions = OrderedProof.questions(about: [statements.scan], statements)
      let results = try reader.run(questions + [OrderedProof.indexes(of: table)])
      guard let name = OrderedProof.explanations(in: results.dropLast())[0]?.onlyIndex,
        let index = OrderedProof.columns(of: name, in: results[results.count - 1]),
        OrderedProof.begins(index.columns, with: terms)
      else { continue }
      // Asked last, since without an index the whole table may be read for it.
      guard try !reader.hasLaterDates(definition, in: table) else { return nil }
      return OrderedPlan(
        definition,
        in: table,
        terms.roles,
        statements,
        index: (name, index.number)
      )
    }
    return nil
  }

  /// The statements of a list, with the predicate's values as parameters, and as constants: only with constants the server recognizes the
  /// condition of a partial index.
  static func statements(
    _ definition: OrderDefinition,
    _ terms: OrderedTerms,
    in table: EntityTable
  ) -> [OrderedStatements] {
    let normal = definition.predicate.normalized
    guard normal != .all else {
      return [
        OrderedStatements(
          table: table.source,
          terms: terms.variable,
          predicate: "",
          parameters: []
        )
      ]
    }
    var sql = SQLText()
    // What the server cannot decide alone is no condition of an index.
    guard (try? sql.append(normal, in: table)) != nil else { return [] }
    let bound = OrderedStatements(
      table: table.source,
      terms: terms.variable,
      predicate: sql.text,
      parameters: sql.parameters
    )
    guard !sql.parameters.isEmpty, let constant = sql.withConstants else { return [bound] }
    let written = OrderedStatements(
      table: table.source,
      terms: terms.variable,
      predicate: constant,
      parameters: []
    )
    return [bound, written]
  }

  /// The server's plans of statements as they are when they are prepared, for any values of their parameters.
  /// - Returns: `nil` for a plan that cannot be read.
  func explanations(
    of texts: [String],
    _ statements: OrderedStatements
  ) throws(StoreError) -> [QueryExplanation?] {
    OrderedProof.explanations(
      in: try reader.run(OrderedProof.questions(about: texts, statements))[...]
    )
  }

  /// The number of questions about a text.
  private static let questionCount = 3

  /// The statements that ask for the plans of texts.
  static func questions(about texts: [String], _ statements: OrderedStatements) -> [Statement] {
    texts.flatMap { text in
      let name = "ordered_\(UInt64.random(in: 0...UInt64.max))"
      let types = statements.parameters.map { OrderedProof.name(ofType: $0.type) }
      // The types of the others follow from the text.
      let count = OrderedProof.parameterCount(in: text)
      let all = types + Array(repeating: "unknown", count: max(0, count - types.count))
      let list = count == 0 ? "" : " (\(all.joined(separator: ", ")))"
      let values = count == 0 ? "" : " (\(all.map { _ in "NULL" }.joined(separator: ", ")))"
      return [
        Statement("PREPARE \(name)\(list) AS \(text)", isPrepared: false, planning: .ordered),
        Statement(
          "EXPLAIN (FORMAT JSON) EXECUTE \(name)\(values)",
          isPrepared: false,
          planning: .ordered
        ), Statement("DEALLOCATE \(name)", isPrepared: false),
      ]
    }
  }

  /// The plans in the results of the questions about texts.
  static func explanations(in results: ArraySlice<QueryResult>) -> [QueryExplanation?] {
    stride(from: results.startIndex, to: results.endIndex, by: questionCount).map { start in
      let result = results[start + 1]
      let lines = (0..<result.count).map { result.text($0, 0) ?? "" }
      return QueryExplanation(lines.joined(separator: "\n"))
    }
  }

  /// The number of parameters in a text; those of the predicate come first.
  private static func parameterCount(in text: String) -> Int {
    var greatest = 0
    var isQuoted: UInt8?
    var number: Int?
    for byte in text.utf8 + [0] {
      if let quote = isQuoted {
        if byte == quote { isQuoted = nil }
        continue
      }
      if let digits = number, (48...57).contains(byte) {
        number = digits * 10 + Int(byte - 48)
        continue
      }
      greatest = max(greatest, number ?? 0)
      number = nil
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): isQuoted = byte
      case UInt8(ascii: "$"): number = 0
      default: break
      }
    }
    return greatest
  }

  private static func name(ofType number: UInt32) -> String {
    switch number {
    case TypeNumber.integer: "int8"
    case TypeNumber.integer32: "int4"
    case TypeNumber.integer16: "int2"
    case TypeNumber.real: "float8"
    case TypeNumber.real32: "float4"
    case TypeNumber.text: "text"
    case TypeNumber.limitedText: "varchar"
    case TypeNumber.blob: "bytea"
    case TypeNumber.boolean: "bool"
    case TypeNumber.uuid: "uuid"
    case TypeNumber.date: "date"
    case TypeNumber.numeric: "numeric"
    case TypeNumber.timestamp: "timestamptz"
    case TypeNumber.localTimestamp: "timestamp"
    case TypeNumber.integers: "int8[]"
    case TypeNumber.reals: "float8[]"
    case TypeNumber.texts: "text[]"
    case TypeNumber.blobs: "bytea[]"
    case TypeNumber.booleans: "bool[]"
    case TypeNumber.uuids: "uuid[]"
    case TypeNumber.dates: "date[]"
    case TypeNumber.numerics: "numeric[]"
    case TypeNumber.timestamps: "timestamptz[]"
    case TypeNumber.localTimestamps: "timestamp[]"
    default: "unknown"
    }
  }
}

// MARK: - The index

extension OrderedProof {
  /// The statement that reads the indexes of a table, which may be another one of that name than when the store was opened.
  private static func indexes(of table: EntityTable) -> Statement {
    Statement(
      """
      SELECT c.relname, i.indexrelid, ARRAY(SELECT coalesce(a.attname, '') \
      FROM generate_series(0, i.indnkeyatts - 1) AS k (n) \
      LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.n] \
      ORDER BY k.n)::text[] FROM pg_catalog.pg_index i \
      JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = pg_catalog.to_regclass($1)
      """,
      [.text(table.quotedName)],
      planning: .either
    )
  }

  /// The columns of an index, in SQL, and its number; an expression is an empty text.
  private static func columns(
    of name: String,
    in indexes: QueryResult
  ) -> (columns: [String], number: UInt32)? {
    guard let row = (0..<indexes.count).first(where: { indexes.text($0, 0) == name }),
      let number = indexes.unsigned(row, 1)
    else { return nil }
    let names = indexes.texts(row, 2).map { $0.isEmpty ? "" : Connection.quoted($0) }
    return (names, UInt32(truncatingIfNeeded: number))
  }

  /// Whether an index begins with columns that the predicate fixes, followed by those in which keys differ.
  ///
  /// A scan with other columns in between can be in order too, but would pass keys of other lists.
  private static func begins(_ index: [String], with terms: OrderedTerms) -> Bool {
    let fixed = terms.fixed.map { $0.columnName ?? "" }
    let most = index.prefix { fixed.contains($0) }.count
    return (0...most).contains { count in
      let rest = index.dropFirst(count)
      return rest.count >= terms.variable.count
        && zip(rest, terms.variable).allSatisfy { name, term in
          name == term.columnName ?? ""
        }
    }
  }
}

// MARK: - Constants

extension SQLText {
  /// The text with its parameters written as constants, or `nil` if one of them cannot be written so.
  var withConstants: String? {
    var constants: [String] = []
    for parameter in parameters {
      guard let constant = SQLText.constant(parameter) else { return nil }
      constants.append(constant)
    }
    let (dollar, single, double) = (UInt8(ascii: "$"), UInt8(ascii: "'"), UInt8(ascii: "\""))
    var written: [UInt8] = []
    // By bytes: a quote and a mark behind it are one character.
    var rest = Array(text.utf8)[...]
    while let start = rest.firstIndex(where: { $0 == dollar || $0 == single || $0 == double }) {
      written += rest[..<start]
      let mark = rest[start]
      rest = rest[(start + 1)...]
      if mark == dollar {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let number = Int(String(decoding: digits, as: UTF8.self)),
          constants.indices.contains(number - 1)
        else { return nil }
        written += constants[number - 1].utf8
        rest = rest[digits.endIndex...]
      } else {
        // A quoted part; a doubled quote begins another one.
        guard let end = rest.firstIndex(of: mark) else { return nil }
        written.append(mark)
        written += rest[...end]
        rest = rest[(end + 1)...]
      }
    }
    return String(decoding: written + rest, as: UTF8.self)
  }

  private static func constant(_ parameter: Parameter) -> String? {
    guard let bytes = parameter.bytes else { return nil }
    switch parameter.type {
    case TypeNumber.integer, TypeNumber.integer32, TypeNumber.integer16:
      let number = BinaryForm.integer(bytes)
      // A small number is written as people write it, so that its type is that of an index's condition.
      return Int32(exactly: number).map { $0 < 0 ? "(\($0))" : "\($0)" } ?? literal(number)
    case TypeNumber.text:
      return Connection.literal(String(decoding: bytes, as: UTF8.self)) + "::text"
    case TypeNumber.boolean: return bytes == [0] ? "FALSE" : "TRUE"
    default: return nil
    }
  }
}
#endif
