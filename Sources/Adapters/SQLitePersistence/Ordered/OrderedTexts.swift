import ResultsDomain

/// The statements that an index answers for a list, as texts.
///
/// Each names its index, so that statistics cannot make SQLite choose another one later (sqlite.org/lang_indexedby.html).
struct OrderedTexts: Sendable {
  let definition: OrderDefinition
  /// The table, with the index.
  let source: String
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

  var scan: String { "SELECT \(list) FROM \(source)\(condition([]))\(order(from: 0))" }

  var sample: String {
    "SELECT \(list) FROM \(source)\(condition(["results_sampled()"]))\(order(from: 0))"
  }

  var ranking: String {
    "SELECT 1 FROM \(source)\(condition(["results_ranked(\(list))"]))\(order(from: 0))"
  }

  /// The conditions that pieces have, by their place: how many columns are equal, then the range's two ends.
  var shapes: [[String]] {
    var shapes: [[String]] = []
    for equal in 0...variable.count {
      let prefix = variable.prefix(equal).map { $0.sql + " IS ?" }
      // Behind the last column there is nothing to have a range.
      guard equal < variable.count else {
        shapes.append(prefix)
        break
      }
      for lower in ["", " > ?", " >= ?"] {
        for upper in ["", " < ?", " <= ?"] {
          let range = [lower, upper].filter { !$0.isEmpty }
          shapes.append(prefix + range.map { variable[equal].sql + $0 })
        }
      }
    }
    return shapes
  }

  func count(_ shape: [String]) -> String { "SELECT count(*) FROM \(source)\(condition(shape))" }

  func page(_ shape: [String]) -> String {
    let equal = shape.count { $0.hasSuffix(" IS ?") }
    return """
      SELECT \(list) FROM \(source)\(condition(shape))\(order(from: equal)) LIMIT -1 OFFSET ?
      """
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
