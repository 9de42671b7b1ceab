/// A predicate with resolved attribute names, for evaluation over many rows of one entity.
///
/// It has the same result as its SQL translation in SQLite: true, false, or `nil` for unknown.
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

  /// Compiles a predicate; an attribute that the entity does not have is null.
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public init(_ predicate: FetchPredicate, in entity: EntityDescription) {
    node = CompiledPredicate.compile(predicate.normalized, entity)
  }

  /// Whether the predicate holds for every row, so that rows need not be read.
  public var isAlwaysTrue: Bool {
    if case .constant(true) = node { true } else { false }
  }

  /// Whether the predicate is true for a row.
  public func holds(for row: Row) -> Bool { evaluate(row.values, key: row.id.key) == true }

  /// Whether the predicate is true for an object with these values.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: Whether the predicate is true; false if it is unknown.
  public func holds(_ values: [Value], key: ObjectKey) -> Bool {
    evaluate(values, key: key) == true
  }

  /// Evaluates the predicate to true, false, or `nil` for unknown.
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
      // As in SQL, an empty list contains nothing, not even an unknown value.
      guard !values.isEmpty else { return .constant(false) }
      return .membership(
        CompiledExpression(expression, in: entity),
        Set(values.map(\.wholeNumber)),
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
    // One row says nothing about others. Requests with relationships are rewritten to a `RelationTree`'s entity before.
    case .quantified: return .constant(nil)
    // Nothing is known without a time; a request that holds it is refused, and a list resolves it before.
    case .relative: return .constant(nil)
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
      return list.contains(value.wholeNumber) ? true : (hasNull ? nil : false)
    case .identity(let set): return set.contains(key)
    case .integerKeys(let keys):
      guard case .integer(let sought) = key else { return false }
      return contains(keys, sought)
    case .text(let expression, let matcher):
      return switch expression.value(values, key: key) {
      case .text(let text): matcher.matches(text)
      case .illFormedText(let text): matcher.matches(text)
      case .null, .integer, .real, .blob: nil
      }
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

  /// Whether an ascending list contains a key, by binary search.
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
  fileprivate func holds(_ left: Value, _ right: Value) -> Bool? {
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

extension FetchPredicate {
  /// Whether the predicate is true for a row, neither false nor unknown.
  ///
  /// For many rows, create one `CompiledPredicate`.
  public func holds(for row: Row) -> Bool { evaluate(row) == true }

  /// Evaluates the predicate in SQL's three-valued logic to true, false, or `nil` for unknown.
  ///
  /// For many rows, create one `CompiledPredicate`.
  /// - Complexity: O(*n*) in the predicate's size and the bytes of the values it reads.
  public func evaluate(_ row: Row) -> Bool? {
    CompiledPredicate(self, in: row.entity).evaluate(row.values, key: row.id.key)
  }
}

// MARK: - Expressions

/// An expression with resolved attribute names, for evaluation over many rows of one entity.
public struct CompiledExpression: Sendable {
  private indirect enum Node: Sendable {
    case attribute(Int)
    case objectKey
    case literal(Value)
    case prefix(Node, Int)
    case mapped(Node, letters: ClosedRange<UInt8>, shift: Int)
    case length(Node)
    case bucket(Node, Int64)
    case ifNull(Node, Node)
    case transformed(TextTransform, Node)
  }

  private let node: Node

  /// Compiles an expression; an attribute that the entity does not have is null.
  public init(_ expression: FetchExpression, in entity: EntityDescription) {
    node = CompiledExpression.compile(expression, entity)
  }

  /// The index of the attribute, if the expression is a single attribute.
  public var attributeIndex: Int? {
    if case .attribute(let index) = node { index } else { nil }
  }

  /// The expression's value for an object.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: The value; null if a function does not apply.
  /// - Complexity: O(*n*) in the bytes of the values it reads.
  public func value(_ values: [Value], key: ObjectKey) -> Value {
    CompiledExpression.evaluate(node, values, key)
  }

  private static func compile(_ expression: FetchExpression, _ entity: EntityDescription) -> Node {
    switch expression {
    case .attribute(let name):
      entity.index(of: name).map { .attribute($0) }
        ?? (entity.isKey(name) ? .objectKey : .literal(.null))
    case .objectKey: .objectKey
    case .literal(let value): .literal(value.orderable)
    case .prefix(let inner, let length): .prefix(compile(inner, entity), max(0, length))
    case .lowercased(let inner): .mapped(compile(inner, entity), letters: 0x41...0x5A, shift: 32)
    case .uppercased(let inner): .mapped(compile(inner, entity), letters: 0x61...0x7A, shift: -32)
    case .length(let inner): .length(compile(inner, entity))
    case .bucket(let inner, let width): .bucket(compile(inner, entity), width)
    case .ifNull(let inner, let other): .ifNull(compile(inner, entity), compile(other, entity))
    case .transformed(let transform, let inner): .transformed(transform, compile(inner, entity))
    // As for a quantified predicate.
    case .related, .relatedAggregate: .literal(.null)
    }
  }

  private static func evaluate(_ node: Node, _ values: [Value], _ key: ObjectKey) -> Value {
    switch node {
    case .attribute(let index): return index < values.count ? values[index] : .null
    case .objectKey:
      return switch key {
      case .integer(let number): .integer(number)
      case .text(let text): .text(text)
      case .compound: key.illFormedText.map { .illFormedText($0) } ?? .null
      }
    case .literal(let value): return value
    case .prefix(let inner, let length):
      return switch evaluate(inner, values, key) {
      case .text(let text):
        .text(String(text.unicodeScalars.prefix(length).prefix { $0.value != 0 }))
      case .illFormedText(let text): text.prefix(length)
      case .null, .integer, .real, .blob: .null
      }
    case .mapped(let inner, let letters, let shift):
      let map = { (byte: UInt8) in letters.contains(byte) ? UInt8(Int(byte) + shift) : byte }
      return switch evaluate(inner, values, key) {
      case .text(let text): .text(String(decoding: text.utf8.map(map), as: UTF8.self))
      case .illFormedText(let text): Value(textBytes: text.bytes.map(map))
      case .null, .integer, .real, .blob: .null
      }
    case .length(let inner):
      return switch evaluate(inner, values, key) {
      case .text(let text): .integer(Int64(text.unicodeScalars.prefix { $0.value != 0 }.count))
      case .illFormedText(let text): .integer(text.length)
      case .null, .integer, .real, .blob: .null
      }
    case .bucket(let inner, let width):
      guard case .integer(let number) = evaluate(inner, values, key), width > 0 else {
        return .null
      }
      let rest = number % width
      let (bucket, overflow) = number.subtractingReportingOverflow(rest < 0 ? rest + width : rest)
      return overflow ? .null : .integer(bucket)
    case .ifNull(let inner, let other):
      let found = evaluate(inner, values, key)
      return found.isNull ? evaluate(other, values, key) : found
    case .transformed(let transform, let inner):
      guard let text = evaluate(inner, values, key).readableText else { return .null }
      return .text(transform.applied(to: text))
    }
  }
}

extension FetchExpression {
  /// The expression's value for a row; an attribute that the entity does not have is null.
  ///
  /// For many rows, create one `CompiledExpression`.
  /// - Complexity: O(*n*) in the bytes of the values.
  public func evaluate(_ row: Row) -> Value {
    CompiledExpression(self, in: row.entity).value(row.values, key: row.id.key)
  }
}
