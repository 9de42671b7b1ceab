import ResultsDomain
import ResultsStoreKit

/// The texts of the statements with which an index answers for a list.
///
/// Each names its index, so that SQLite cannot choose another one because of statistics (sqlite.org/lang_indexedby.html).
struct OrderedStatements: Sendable {
  let definition: OrderDefinition
  /// The table with the clause that names the index.
  private(set) var source: String
  /// The table without it.
  let table: String
  /// The columns of the keys.
  let outputs: [String]
  let roles: [OrderedColumns.Role]
  let variable: [OrderedColumn]
  /// The predicate's translation, or an empty text.
  let predicate: String
  let arguments: [Value]
  /// The attributes whose columns are compared without regard to case.
  let foldedAttributes: [String]

  /// The statement that counts the rows of a list with a condition.
  var total: String { "SELECT count(*) FROM \(source)\(condition([]))" }

  /// The number of forms of subranges: after the last column there is no range.
  var shapeCount: Int { variable.count * 9 + 1 }

  /// The same statements without the index, for which SQLite chooses one.
  var withoutIndex: OrderedStatements {
    var texts = self
    texts.source = table
    return texts
  }

  /// The text of a statement.
  func text(for purpose: StatementPurpose) -> String {
    switch purpose {
    case .scan: "SELECT \(list) FROM \(source)\(condition([]))\(order(from: 0))"
    case .sample:
      "SELECT \(list) FROM \(source)\(condition(["results_sampled()"]))\(order(from: 0))"
    case .count(let shape): "SELECT count(*) FROM \(source)\(condition(conditions(of: shape)))"
    case .page(let shape):
      """
      SELECT \(list) FROM \(source)\(condition(conditions(of: shape)))\
      \(order(from: KeySubrange.forms(of: shape).equal)) LIMIT -1 OFFSET ?
      """
    }
  }

  /// The statement that calls the ranking function for each key.
  ///
  /// The identity is passed only if the columns before it do not decide: to find the row number in an entry of an index, SQLite reads the
  /// entry again. CASE evaluates only what is needed (sqlite.org/lang_expr.html, 7).
  var ranking: String {
    let first = outputs.prefix(definition.layout.order.count)
    let whole = "results_ranked(\(list))"
    let condition =
      first.isEmpty
      ? whole : "CASE WHEN results_ranked(\(first.joined(separator: ", "))) THEN \(whole) END"
    return "SELECT 1 FROM \(source)\(self.condition([condition]))\(order(from: 0))"
  }

  /// The conditions of subranges of a form: on the equal columns, then on the range's two ends.
  private func conditions(of shape: Int) -> [String] {
    let (equal, lower, upper) = KeySubrange.forms(of: shape)
    let prefix = variable.prefix(equal).map { $0.sql + " IS ?" }
    guard equal < variable.count else { return prefix }
    let range = [["", " > ?", " >= ?"][lower], ["", " < ?", " <= ?"][upper]]
    return prefix + range.filter { !$0.isEmpty }.map { variable[equal].sql + $0 }
  }

  /// The statement that counts group by group; `nil` if there is only one group.
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

  private func order(from first: Int) -> String {
    guard first < variable.count else { return "" }
    return " ORDER BY " + variable[first...].map(\.orderSQL).joined(separator: ", ")
  }
}

/// The purpose of a statement of a list over an index.
enum StatementPurpose {
  /// Reads all keys in order.
  case scan
  /// Reads the keys that the sampling function picks.
  case sample
  /// Counts the keys in subranges of a form.
  case count(Int)
  /// Reads the keys in subranges of a form, from the offset that is the last parameter.
  case page(Int)

  /// The form of the subranges that it reads, or `nil` if it reads all keys.
  var shape: Int? {
    switch self {
    case .count(let shape), .page(let shape): shape
    case .scan, .sample: nil
    }
  }

  /// Its index among all purposes, given the number of forms.
  func index(shapes: Int) -> Int {
    switch self {
    case .count(let shape): shape
    case .page(let shape): shapes + shape
    case .scan: shapes * 2
    case .sample: shapes * 2 + 1
    }
  }

  /// The number of purposes.
  static func count(shapes: Int) -> Int { shapes * 2 + 2 }
}
