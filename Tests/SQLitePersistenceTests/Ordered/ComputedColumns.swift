import ResultsDomain
import ResultsTesting

/// Expressions in the form in which a person would write them for an index.
struct ComputedColumns {
  let isStrict: Bool

  /// A random expression over an attribute, or `nil` if none applies.
  func random(over name: String, _ generator: inout SeededGenerator) -> FetchExpression? {
    let attribute = FetchExpression.attribute(name)
    switch name {
    case "t", "k1":
      let prefix = FetchExpression.prefix(attribute, length: generator.number(in: 0...3))
      return generator.choice(
        prefix,
        .lowercased(attribute),
        .uppercased(prefix),
        .length(attribute),
        .ifNull(attribute, "it's")
      )
    case "n", "k2":
      let width = generator.choice(1, 2, 10, Int64.max / 2)
      return generator.choice(.bucket(attribute, width: width), .ifNull(attribute, 1))
    case "r": return .ifNull(attribute, 2.0)
    default: return nil
    }
  }

  /// An expression in SQL.
  func sql(_ expression: FetchExpression) -> String {
    switch expression {
    case .attribute(let name): name
    case .prefix(let inner, let length): text("substr(\(sql(inner)), 1, \(length))", inner)
    case .lowercased(let inner): text("lower(\(sql(inner)))", inner)
    case .uppercased(let inner): text("upper(\(sql(inner)))", inner)
    case .length(let inner): text("length(\(sql(inner)))", inner)
    case .bucket(let inner, let width): bucket(sql(inner), width)
    case .ifNull(let inner, .text): "ifnull(\(sql(inner)), 'it''s')"
    case .ifNull(let inner, .real): "ifnull(\(sql(inner)), 2.0)"
    case .ifNull(let inner, _): "ifnull(\(sql(inner)), 1)"
    case .objectKey, .literal: "NULL"
    }
  }

  private func text(_ sql: String, _ inner: FetchExpression) -> String {
    guard inner.isStored, !isStrict else { return sql }
    return "CASE typeof(\(self.sql(inner))) WHEN 'text' THEN \(sql) END"
  }

  private func bucket(_ name: String, _ width: Int64) -> String {
    let least =
      switch width {
      case 1, 2: "-9223372036854775808"
      case 10: "-9223372036854775800"
      default: "-9223372036854775806"
      }
    return """
      CASE WHEN \(isStrict ? "" : "typeof(\(name)) = 'integer' AND ")\(name) >= \(least) \
      THEN \(name) - (\(name) % \(width) + \(width)) % \(width) END
      """
  }
}

extension FetchExpression {
  /// Whether it is an attribute.
  var isStored: Bool { if case .attribute = self { true } else { false } }
}
