import ResultsDomain

/// The statements that an index answers for a list, as texts.
///
/// Each names its index, so that statistics cannot make SQLite choose another one later (sqlite.org/lang_indexedby.html).
struct OrderedTexts: Sendable {
  let definition: OrderDefinition
  /// The table, with the index.
  private(set) var source: String
  /// The table alone.
  let table: String
  /// The columns of the keys.
  let outputs: [String]
  let roles: [OrderedRole]
  let variable: [OrderedColumn]
  /// The predicate's translation, or nothing.
  let predicate: String
  let arguments: [Value]

  var total: String {
    predicate.isEmpty
      // Without a condition SQLite adds up the entries of pages, of whatever index is smallest.
      ? "SELECT count(*) FROM \(table)" : "SELECT count(*) FROM \(source)\(condition([]))"
  }

  /// How many shapes pieces have: behind the last column there is nothing to have a range.
  var shapeCount: Int { variable.count * 9 + 1 }

  /// The same statements, for which SQLite chooses the way.
  var withoutIndex: OrderedTexts {
    var texts = self
    texts.source = table
    return texts
  }

  /// The text of a statement.
  func text(of use: OrderedUse) -> String {
    switch use {
    case .scan: "SELECT \(list) FROM \(source)\(condition([]))\(order(from: 0))"
    case .sample:
      "SELECT \(list) FROM \(source)\(condition(["results_sampled()"]))\(order(from: 0))"
    case .count(let shape): "SELECT count(*) FROM \(source)\(condition(conditions(of: shape)))"
    case .page(let shape):
      """
      SELECT \(list) FROM \(source)\(condition(conditions(of: shape)))\
      \(order(from: OrderedPiece.forms(of: shape).equal)) LIMIT -1 OFFSET ?
      """
    }
  }

  /// All keys, for each of which the ranking function is asked.
  ///
  /// It is asked with the identity only if the columns before do not tell: to find the row number in an entry of an index, SQLite reads the
  /// entry once more. Of CASE only what is needed is evaluated (sqlite.org/lang_expr.html, 7).
  var ranking: String {
    let first = outputs.prefix(definition.layout.order.count)
    let whole = "results_ranked(\(list))"
    let asked =
      first.isEmpty
      ? whole : "CASE WHEN results_ranked(\(first.joined(separator: ", "))) THEN \(whole) END"
    return "SELECT 1 FROM \(source)\(condition([asked]))\(order(from: 0))"
  }

  /// The conditions that pieces of a shape have: on the columns that are equal, then on the range's two ends.
  private func conditions(of shape: Int) -> [String] {
    let (equal, lower, upper) = OrderedPiece.forms(of: shape)
    let prefix = variable.prefix(equal).map { $0.sql + " IS ?" }
    guard equal < variable.count else { return prefix }
    let range = [["", " > ?", " >= ?"][lower], ["", " < ?", " <= ?"][upper]]
    return prefix + range.filter { !$0.isEmpty }.map { variable[equal].sql + $0 }
  }

  /// Counts group by group; `nil` if there is only one.
  func groups(byFirst count: Int) -> String? {
    let first = roles.prefix(count)
      .reduce(0) { found, role in
        if case .varies(let index) = role { max(found, index + 1) } else { found }
      }
    guard first > 0 else { return nil }
    let terms = variable.prefix(first)
    let columns = (outputs.prefix(count) + ["count(*)"]).joined(separator: ", ")
    return """
      SELECT \(columns) FROM \(source)\(condition([])) \
      GROUP BY \(terms.map(\.sql).joined(separator: ", ")) \
      ORDER BY \(terms.map(\.orderSQL).joined(separator: ", "))
      """
  }

  private var list: String { outputs.joined(separator: ", ") }

  private func condition(_ parts: [String]) -> String {
    let all = (predicate.isEmpty ? [] : [predicate]) + parts
    return all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
  }

  private func order(from place: Int) -> String {
    guard place < variable.count else { return "" }
    return " ORDER BY " + variable[place...].map(\.orderSQL).joined(separator: ", ")
  }
}

/// What a statement of a list over an index is for.
enum OrderedUse {
  /// All keys in order.
  case scan
  /// Those keys for which the sampling function says so.
  case sample
  /// How many keys there are in pieces of a shape.
  case count(Int)
  /// The keys of pieces of a shape, without as many as the last parameter says.
  case page(Int)

  /// The shape of the pieces that it is for, or `nil` if it is for all keys.
  var shape: Int? {
    switch self {
    case .count(let shape), .page(let shape): shape
    case .scan, .sample: nil
    }
  }

  /// Where it stands among all uses of a list whose pieces have so many shapes.
  func place(shapes: Int) -> Int {
    switch self {
    case .count(let shape): shape
    case .page(let shape): shapes + shape
    case .scan: shapes * 2
    case .sample: shapes * 2 + 1
    }
  }

  /// How many uses there are.
  static func count(shapes: Int) -> Int { shapes * 2 + 2 }
}
