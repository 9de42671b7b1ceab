#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// A form of a subrange of keys: which columns are equal to a bound's, and how the next one is limited.
struct SubrangeForm: Hashable, Sendable {
  /// A limit of the values of one column, in the order of the values.
  enum Edge: Hashable, Sendable {
    case open
    /// Nulls are excluded.
    case notNull
    case exclusive
    case inclusive
  }

  /// For each of the first columns, whether it is null; the others equal a parameter.
  var nulls: [Bool] = []
  var lower = Edge.open
  var upper = Edge.open

  /// The terms that have a parameter, by their indexes, in order.
  var parameterTerms: [Int] {
    nulls.indices.filter { !nulls[$0] }
      + [lower, upper].filter { $0 == .exclusive || $0 == .inclusive }.map { _ in nulls.count }
  }

  /// The conditions, one for each column and end, with parameters that are numbered from 0.
  func conditions(_ terms: [OrderedTerm], _ parameter: (Int) -> String) -> [String] {
    var number = 0
    func next() -> String {
      defer { number += 1 }
      return parameter(number)
    }
    var conditions = nulls.enumerated().map { index, isNull in
      isNull ? "\(terms[index].sql) IS NULL" : "\(terms[index].compared) = \(next())"
    }
    for (edge, operation) in [(lower, ">"), (upper, "<")] where edge != .open {
      let term = terms[nulls.count]
      switch edge {
      case .open: break
      case .notNull: conditions.append("\(term.sql) IS NOT NULL")
      case .exclusive: conditions.append("\(term.compared) \(operation) \(next())")
      case .inclusive: conditions.append("\(term.compared) \(operation)= \(next())")
      }
    }
    return conditions
  }
}

/// The texts of the statements by which an index answers for a list.
///
/// Each column has a condition of its own: PostgreSQL answers a comparison of rows by reading to the end of the first column. Every
/// statement has its complete conditions and order, so whether an index is used affects only its speed.
struct OrderedStatements: Sendable {
  /// The table as it is read.
  let table: String
  let terms: [OrderedTerm]
  /// The predicate's translation, or an empty text.
  let predicate: String
  /// The predicate's parameters, which are the first of every statement.
  let parameters: [Parameter]

  /// A table under the name that it has in these statements, so that it cannot be taken for a part of them that has the table's own name.
  static func named(_ table: EntityTable) -> EntityTable { EntityTable(table, as: "_0") }

  /// The text of a parameter behind the predicate's, counted from 0.
  private func parameter(_ number: Int) -> String { "$\(parameters.count + number + 1)" }

  /// The name of a column of a result, which no column of a table is likely to have: in `ORDER BY` it would be taken for that one.
  private static func name(_ index: Int) -> String { "\"#\(index)\"" }

  /// The columns of a result.
  private var results: String {
    terms.enumerated().map { "\($1.result) AS \(OrderedStatements.name($0))" }.joined(
      separator: ", "
    )
  }

  private func source(_ conditions: [String]) -> String {
    let all = (predicate.isEmpty ? [] : [predicate]) + conditions
    return "FROM \(table)" + (all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND "))
  }

  private func order(from first: Int) -> String {
    guard first < terms.count else { return "" }
    return " ORDER BY " + terms[first...].map(\.order).joined(separator: ", ")
  }

  /// Counts all keys.
  var total: String { "SELECT count(*) \(source([]))" }

  /// Reads all keys in order.
  var scan: String { "SELECT \(results) \(source([]))\(order(from: 0))" }

  /// Counts the keys in subranges of one form, whose parameters are arrays: the number of a subrange, from 1, and of its keys.
  func counts(_ form: SubrangeForm) -> String {
    let slots = form.parameterTerms
    guard !slots.isEmpty else {
      return "SELECT 1::int8, count(*) \(source(form.conditions(terms) { _ in "" }))"
    }
    let arrays = slots.enumerated().map { "\(parameter($0))::\(terms[$1].parameterType)[]" }
    let names = slots.indices.map { "v\($0)" } + ["number"]
    let conditions = form.conditions(terms) { "k.v\($0)" }
    return """
      SELECT k.number, (SELECT count(*) \(source(conditions))) \
      FROM unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY \
      AS k (\(names.joined(separator: ", ")))
      """
  }

  /// Reads keys from a given one on, where one comparison finds it; the last two parameters are the offset and the limit.
  ///
  /// - Parameter isSingle: Whether one key is read whatever the limit.
  /// - Returns: `nil` where several comparisons are needed.
  func pageFromKey(isSingle: Bool = false) -> String? {
    comparedRow(terms.count, isInclusive: true) { index in
      "\(parameter(index))::\(terms[index].parameterType)"
    }
    .map { row in
      """
      SELECT \(results) \(source([row]))\(order(from: 0)) \
      \(window(behind: terms.count, isSingle: isSingle))
      """
    }
  }

  /// Counts the keys in subranges of some forms together.
  func count(_ forms: [SubrangeForm]) -> String {
    var number = 0
    let parts = forms.map { form in
      "(SELECT count(*) \(source(conditions(form, &number))))"
    }
    return "SELECT \(parts.joined(separator: " + "))"
  }

  /// The conditions of a form, whose parameters begin with a number.
  private func conditions(_ form: SubrangeForm, _ number: inout Int) -> [String] {
    let start = number
    number += form.parameterTerms.count
    return form.conditions(terms) { offset in
      "\(parameter(start + offset))::\(terms[form.parameterTerms[offset]].parameterType)"
    }
  }

  /// Reads keys in subranges of some forms that follow each other; the last two parameters are the offset and the limit.
  /// - Parameters:
  ///   - forms: The forms.
  ///   - isSingle: Whether one key is read whatever the limit.
  /// - Returns: The text.
  func page(_ forms: [SubrangeForm], isSingle: Bool = false) -> String {
    var number = 0
    let parts = subranges(forms, results, &number)
    return "\(parts) \(window(behind: number, isSingle: isSingle))"
  }

  /// The offset and the limit, whose parameters follow a number of others.
  private func window(behind count: Int, isSingle: Bool) -> String {
    "OFFSET \(parameter(count))::int8 LIMIT " + (isSingle ? "1" : "\(parameter(count + 1))::int8")
  }

  /// Reads keys with their rows: each key's columns, then those of the row.
  ///
  /// The parameters are those of the page of keys.
  /// The first key is found in the index alone, and only the rows from it on are read from the table.
  /// - Parameters:
  ///   - forms: The forms of the subranges, or `nil` to read from a key that one comparison finds.
  ///   - table: The table of the rows, under its name in these statements.
  /// - Returns: `nil` if the statement would be too long.
  func rows(in forms: [SubrangeForm]?, of table: EntityTable) -> String? {
    let first: String?
    let count: Int
    if let forms {
      first = page(forms, isSingle: true)
      count = forms.reduce(0) { $0 + $1.parameterTerms.count }
    } else {
      first = pageFromKey(isSingle: true)
      count = terms.count
    }
    let columns = [results] + (table.keyColumns + table.attributeColumns).map(\.sql)
    let rows = following(
      terms.count,
      isInclusive: true,
      reading: columns.joined(separator: ", "),
      "LIMIT \(parameter(count + 1))::int8"
    )
    guard let first, let rows else { return nil }
    return "SELECT q.* FROM (\(first)) p, LATERAL (\(rows)) q"
  }

  private func subranges(
    _ forms: [SubrangeForm],
    _ results: String,
    _ number: inout Int
  ) -> String {
    let parts = forms.map { form in
      "SELECT \(results) \(source(conditions(form, &number)))\(order(from: form.nulls.count))"
    }
    return parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " UNION ALL ")
  }

  // MARK: - Skipping

  /// Reads every n-th key behind a given one, which is not returned.
  ///
  /// The parameters are that key's columns, the number of keys to pass and the number of keys to read. Each step is one search and a walk
  /// over the index, so the server passes all keys in about the time of `count(*)`.
  ///
  /// With an upper bound it ends before a second key, whose columns are the last parameters; that works where all columns have one
  /// direction and none is null.
  func sample(isBounded: Bool = false) -> String? {
    let limit = "OFFSET \(parameter(terms.count))::int8 LIMIT 1"
    var next = following(terms.count, isInclusive: true, limit)
    if isBounded {
      next = comparedRow(terms.count, isInclusive: true).map { row in
        let columns = terms.map(\.compared).joined(separator: ", ")
        let values = terms.enumerated().map { index, term in
          "\(parameter(terms.count + 2 + index))::\(term.parameterType)"
        }
        let upper =
          "(\(columns)) \(terms[0].key.isDescending ? ">" : "<") (\(values.joined(separator: ", ")))"
        return "SELECT \(results) \(source([row, upper]))\(order(from: 0)) \(limit)"
      }
    }
    guard let next else { return nil }
    let start = terms.enumerated().map { index, term in
      "\(parameter(index))::\(term.parameterType)\(term.startCollation) AS \(OrderedStatements.name(index))"
    }
    return recursion(
      from: "SELECT 0::int8 AS n, \(start.joined(separator: ", "))",
      next,
      while: "p.n < \(parameter(terms.count + 1))::int8",
      where: "p.n > 0"
    )
  }

  /// Reads the keys of some random pages of the table, in order.
  func randomKeys(percent: Double) -> String {
    let sampled = "FROM \(table) TABLESAMPLE SYSTEM (\(percent))"
    let condition = predicate.isEmpty ? "" : " WHERE \(predicate)"
    return "SELECT \(results) \(sampled)\(condition)\(order(from: 0))"
  }

  /// Reads the first keys of groups that agree in some columns, from the first of some subranges on; the last parameter is the number of keys.
  func firstKeys(ofGroupsBy columns: Int, _ forms: [SubrangeForm]) -> String? {
    var number = 0
    let first = subranges(forms, results, &number)
    guard let next = following(columns, isInclusive: false, "LIMIT 1") else { return nil }
    return recursion(
      from: "(SELECT 1::int8 AS n, f.* FROM (\(first) LIMIT 1) f)",
      next,
      while: "p.n < \(parameter(number))::int8",
      where: "TRUE"
    )
  }

  private func recursion(
    from first: String,
    _ next: String,
    while condition: String,
    where output: String
  ) -> String {
    let names = terms.indices.map { OrderedStatements.name($0) }.joined(separator: ", ")
    return """
      WITH RECURSIVE p AS (\(first) UNION ALL SELECT p.n + 1, q.* FROM p, LATERAL (\(next)) q \
      WHERE \(condition)) SELECT \(names) FROM p WHERE \(output)
      """
  }

  /// The greatest number of subranges behind a key in one statement.
  private static let followingLimit = 16

  /// Reads the keys behind those that agree with `p` in some columns, or from `p` on.
  /// - Returns: `nil` if the statement would be too long, because several columns can be null.
  private func following(
    _ count: Int,
    isInclusive: Bool,
    reading columns: String? = nil,
    _ limit: String
  ) -> String? {
    let columns = columns ?? results
    if let row = comparedRow(count, isInclusive: isInclusive) {
      return "SELECT \(columns) \(source([row]))\(order(from: 0)) \(limit)"
    }
    var parts: [String] = []
    for column in (0..<count).reversed() {
      // A nullable column is equal to null by another condition.
      var equals: [[String]] = [[]]
      for index in 0..<column {
        let term = terms[index]
        equals = equals.flatMap { conditions in
          [conditions + ["\(term.compared) = p.\(OrderedStatements.name(index))"]]
            + (term.isNullable
              ? [
                conditions + ["p.\(OrderedStatements.name(index)) IS NULL", "\(term.sql) IS NULL"]
              ] : [])
        }
      }
      let term = terms[column]
      let operation =
        (term.key.isDescending ? "<" : ">") + (isInclusive && column == count - 1 ? "=" : "")
      var ends = ["\(term.compared) \(operation) p.\(OrderedStatements.name(column))"]
      if term.isNullable {
        switch term.key.nulls {
        case .first:
          ends.append("p.\(OrderedStatements.name(column)) IS NULL AND \(term.sql) IS NOT NULL")
        case .last:
          ends.append("p.\(OrderedStatements.name(column)) IS NOT NULL AND \(term.sql) IS NULL")
        }
      }
      guard parts.count + equals.count * ends.count <= OrderedStatements.followingLimit else {
        return nil
      }
      for equal in equals {
        for end in ends {
          parts.append(
            "(SELECT \(columns) \(source(equal + [end]))\(order(from: column)))"
          )
        }
      }
    }
    return "\(parts.joined(separator: " UNION ALL ")) \(limit)"
  }

  /// One comparison of rows, where all columns have one direction and none is null; the walk ends with the limit, so that it may go on.
  /// - Parameters:
  ///   - count: The number of columns.
  ///   - isInclusive: Whether the row itself is behind.
  ///   - value: The value of a column; that of the row `p` if it is left out.
  /// - Returns: `nil` where several comparisons are needed.
  private func comparedRow(
    _ count: Int,
    isInclusive: Bool,
    _ value: (Int) -> String = { "p.\(OrderedStatements.name($0))" }
  ) -> String? {
    let first = terms.prefix(count)
    guard !first.contains(where: \.isNullable),
      Set(first.map(\.key.isDescending)).count == 1
    else { return nil }
    let operation = (terms[0].key.isDescending ? "<" : ">") + (isInclusive ? "=" : "")
    let columns = first.map(\.compared).joined(separator: ", ")
    return "(\(columns)) \(operation) (\(first.indices.map(value).joined(separator: ", ")))"
  }

  // MARK: - Groups

  /// Counts the keys of each group that agrees in the first columns, in order.
  func groups(by columns: Int) -> String {
    let first = terms.prefix(columns)
    let results = first.map(\.result) + ["count(*)"]
    return """
      SELECT \(results.joined(separator: ", ")) \(source([])) \
      GROUP BY \(first.map(\.compared).joined(separator: ", ")) \
      ORDER BY \(first.map(\.order).joined(separator: ", "))
      """
  }
}

extension OrderedTerm {
  /// The collation of a value that stands for one of the column.
  fileprivate var startCollation: String {
    coding.storage == .text && coding.kind == .text ? " COLLATE \"C\"" : ""
  }
}
#endif
