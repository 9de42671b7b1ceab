/// A predicate whose attribute names have been looked up once, for many rows of one entity.
///
/// It gives what SQLite gives for the predicate's translation: three values, where unknown is `nil`.
public struct CompiledPredicate: Sendable {
  private indirect enum Node: Sendable {
    case constant(Bool?)
    case comparison(CompiledExpression, ComparisonOperator, CompiledExpression)
    case attribute(Int, ComparisonOperator, Value)
    case between(CompiledExpression, Value, Value)
    case membership(CompiledExpression, Set<Value>, hasNull: Bool)
    case identity(IdentitySet)
    case integerKeys([Int64])
    case text(CompiledExpression, TextMatcher)
    case isNull(CompiledExpression)
    case not(Node)
    case and([Node])
    case or([Node])
  }

  private let node: Node

  /// Prepares a predicate; an attribute that the entity does not have is null.
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public init(_ predicate: FetchPredicate, in entity: EntityDescription) {
    node = CompiledPredicate.compile(predicate.normalized, entity)
  }

  /// Whether every row is fetched, so that rows need not be asked.
  public var isAlwaysTrue: Bool {
    if case .constant(true) = node { true } else { false }
  }

  /// Whether a row is fetched.
  public func holds(for row: Row) -> Bool { evaluate(row.values, key: row.id.key) == true }

  /// Whether an object with these values is fetched.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: Whether the predicate is true, neither false nor unknown.
  public func holds(_ values: [Value], key: ObjectKey) -> Bool {
    evaluate(values, key: key) == true
  }

  /// True, false, or `nil` for unknown.
  /// - Complexity: O(*n*) in the bytes of the values it reads.
  public func evaluate(_ values: [Value], key: ObjectKey) -> Bool? {
    CompiledPredicate.evaluate(node, values, key)
  }

  private static func compile(_ predicate: FetchPredicate, _ entity: EntityDescription) -> Node {
    switch predicate {
    case .all: return .constant(true)
    case .none: return .constant(false)
    case .comparison(let left, let comparison, let right):
      let left = CompiledExpression(left, in: entity)
      if let index = left.attributeIndex, case .literal(let value) = right {
        return .attribute(index, comparison, value.orderable)
      }
      return .comparison(left, comparison, CompiledExpression(right, in: entity))
    case .between(let expression, let low, let high):
      return .between(CompiledExpression(expression, in: entity), low, high)
    case .membership(let expression, let values):
      // SQL: nothing is in an empty list, not even an unknown value.
      guard !values.isEmpty else { return .constant(false) }
      return .membership(
        CompiledExpression(expression, in: entity),
        Set(values.map(\.canonicalNumber)),
        hasNull: values.contains(where: \.isNull)
      )
    case .identity(let set):
      let integers = set.keys.compactMap { if case .integer(let key) = $0 { key } else { nil } }
      return integers.count == set.count ? .integerKeys(integers) : .identity(set)
    case .text(let expression, let comparison, let text, let caseInsensitive):
      return .text(
        CompiledExpression(expression, in: entity),
        TextMatcher(comparison, text, caseInsensitive: caseInsensitive)
      )
    case .isNull(let expression): return .isNull(CompiledExpression(expression, in: entity))
    case .not(let inner): return .not(compile(inner, entity))
    case .and(let parts): return .and(parts.map { compile($0, entity) })
    case .or(let parts): return .or(parts.map { compile($0, entity) })
    }
  }

  private static func evaluate(_ node: Node, _ values: [Value], _ key: ObjectKey) -> Bool? {
    switch node {
    case .constant(let truth): return truth
    case .comparison(let left, let comparison, let right):
      return comparison.holds(left.value(values, key: key), right.value(values, key: key))
    case .attribute(let index, let comparison, let value):
      return index < values.count ? comparison.holds(values[index], value) : nil
    case .between(let expression, let low, let high):
      let value = expression.value(values, key: key)
      return both(
        ComparisonOperator.greaterOrEqual.holds(value, low),
        ComparisonOperator.lessOrEqual.holds(value, high)
      )
    case .membership(let expression, let list, let hasNull):
      let value = expression.value(values, key: key)
      if value.isNull { return nil }
      return list.contains(value.canonicalNumber) ? true : (hasNull ? nil : false)
    case .identity(let set): return set.contains(key)
    case .integerKeys(let keys):
      guard case .integer(let sought) = key else { return false }
      return contains(keys, sought)
    case .text(let expression, let matcher):
      guard case .text(let text) = expression.value(values, key: key) else { return nil }
      return matcher.matches(text)
    case .isNull(let expression): return expression.value(values, key: key).isNull
    case .not(let inner): return evaluate(inner, values, key).map { !$0 }
    case .and(let parts):
      var truth: Bool? = true
      for part in parts {
        truth = both(truth, evaluate(part, values, key))
        if truth == false { return false }
      }
      return truth
    case .or(let parts):
      var truth: Bool? = false
      for part in parts {
        let other = evaluate(part, values, key)
        if other == true { return true }
        if other == nil { truth = nil }
      }
      return truth
    }
  }

  /// Whether an ascending list has a key, by halving it.
  private static func contains(_ keys: [Int64], _ sought: Int64) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < sought { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == sought
  }

  private static func both(_ left: Bool?, _ right: Bool?) -> Bool? {
    if left == false || right == false { return false }
    return left == nil || right == nil ? nil : true
  }
}

extension ComparisonOperator {
  /// Whether the comparison holds, or `nil` if a side is null.
  func holds(_ left: Value, _ right: Value) -> Bool? {
    if left.isNull || right.isNull { return nil }
    if self == .equal, case .text(let left) = left, case .text(let right) = right {
      return left.hasSameBytes(as: right)
    }
    let order = Value.compare(left, right)
    return switch self {
    case .equal: order == .same
    case .notEqual: order != .same
    case .less: order == .ascending
    case .lessOrEqual: order != .descending
    case .greater: order == .descending
    case .greaterOrEqual: order != .ascending
    }
  }
}

extension Value {
  /// The value with a real that is a whole number made an integer, so that numbers that compare as
  /// the same are equal.
  var canonicalNumber: Value {
    guard case .real(let number) = self else { return self }
    if number.isNaN { return .null }
    // `Int64(exactly:)` would need the C library's `trunc`, which is not linked without Foundation.
    guard number >= -0x1p63, number < 0x1p63 else { return self }
    let whole = Int64(number)
    return Double(whole) == number ? .integer(whole) : self
  }
}
