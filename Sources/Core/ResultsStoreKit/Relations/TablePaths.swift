package import ResultsDomain

/// Finds the to-one paths that expressions and predicates read beside the attributes of their own table.
///
/// The paths of nested predicates belong to the tables of their own subqueries.
package struct TablePaths {
  /// The paths, each after those that it continues, without duplicates.
  package private(set) var all: [[String]] = []

  /// Creates a collection without paths.
  package init() {}

  /// Adds what an expression reads.
  package mutating func add(_ expression: FetchExpression) {
    switch expression {
    case .attribute, .objectKey, .literal: return
    case .prefix, .lowercased, .uppercased, .length, .bucket, .ifNull, .transformed:
      for operand in expression.operands { add(operand) }
    case .related(let steps, _): add(steps)
    case .relatedAggregate(let steps, _, _, _): add(steps.dropLast())
    }
  }

  /// Adds what a predicate reads.
  package mutating func add(_ predicate: FetchPredicate) {
    switch predicate {
    case .all, .none, .identity: return
    case .comparison(let left, _, let right):
      add(left)
      add(right)
    case .between(let expression, _, _), .membership(let expression, _),
      .text(let expression, _, _, _), .isNull(let expression), .relative(let expression, _, _):
      add(expression)
    case .not(let inner): add(inner)
    case .and(let parts), .or(let parts): for part in parts { add(part) }
    case .quantified(_, let steps, _): add(steps.dropLast())
    }
  }

  private mutating func add(_ steps: some Collection<String>) {
    for count in steps.indices.map({ steps.distance(from: steps.startIndex, to: $0) + 1 }) {
      let path = Array(steps.prefix(count))
      if !all.contains(where: { $0.isSamePath(as: path) }) { all.append(path) }
    }
  }
}

extension [String] {
  /// Whether two paths have the same names, by bytes.
  package func isSamePath(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { Value.text($0) == Value.text($1) }
  }
}
