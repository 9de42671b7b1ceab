/// An expression whose attribute names have been looked up once, for many rows of one entity.
public struct CompiledExpression: Sendable {
  private indirect enum Node: Sendable {
    case attribute(Int)
    case objectKey
    case literal(Value)
    case prefix(Node, Int)
    case mapped(Node, letters: ClosedRange<UInt8>, shift: Int)
    case length(Node)
    case bucket(Node, Int64)
    case ifNull(Node, Value)
  }

  private let node: Node

  /// Prepares an expression; an attribute that the entity does not have is null.
  public init(_ expression: FetchExpression, in entity: EntityDescription) {
    node = CompiledExpression.compile(expression, entity)
  }

  /// The place of the attribute, if the expression is just that.
  public var attributeIndex: Int? {
    if case .attribute(let index) = node { index } else { nil }
  }

  /// The expression's value for an object.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: The value; null where a function does not apply.
  /// - Complexity: O(*n*) in the bytes of the values it reads.
  public func value(_ values: [Value], key: ObjectKey) -> Value {
    CompiledExpression.evaluate(node, values, key)
  }

  private static func compile(_ expression: FetchExpression, _ entity: EntityDescription) -> Node {
    switch expression {
    case .attribute(let name): entity.index(of: name).map { .attribute($0) } ?? .literal(.null)
    case .objectKey: .objectKey
    case .literal(let value): .literal(value.orderable)
    case .prefix(let inner, let length): .prefix(compile(inner, entity), max(0, length))
    case .lowercased(let inner): .mapped(compile(inner, entity), letters: 0x41...0x5A, shift: 32)
    case .uppercased(let inner): .mapped(compile(inner, entity), letters: 0x61...0x7A, shift: -32)
    case .length(let inner): .length(compile(inner, entity))
    case .bucket(let inner, let width): .bucket(compile(inner, entity), width)
    case .ifNull(let inner, let value): .ifNull(compile(inner, entity), value.orderable)
    }
  }

  private static func evaluate(_ node: Node, _ values: [Value], _ key: ObjectKey) -> Value {
    switch node {
    case .attribute(let index): return index < values.count ? values[index] : .null
    case .objectKey:
      return switch key {
      case .integer(let number): .integer(number)
      case .text(let text): .text(text)
      case .compound: .null
      }
    case .literal(let value): return value
    case .prefix(let inner, let length):
      guard case .text(let text) = evaluate(inner, values, key) else { return .null }
      return .text(String(text.unicodeScalars.prefix(length).prefix { $0.value != 0 }))
    case .mapped(let inner, let letters, let shift):
      guard case .text(let text) = evaluate(inner, values, key) else { return .null }
      let bytes = text.utf8.map { letters.contains($0) ? UInt8(Int($0) + shift) : $0 }
      return .text(String(decoding: bytes, as: UTF8.self))
    case .length(let inner):
      guard case .text(let text) = evaluate(inner, values, key) else { return .null }
      return .integer(Int64(text.unicodeScalars.prefix { $0.value != 0 }.count))
    case .bucket(let inner, let width):
      guard case .integer(let number) = evaluate(inner, values, key), width > 0 else {
        return .null
      }
      let rest = number % width
      let (bucket, overflow) = number.subtractingReportingOverflow(rest < 0 ? rest + width : rest)
      return overflow ? .null : .integer(bucket)
    case .ifNull(let inner, let value):
      let found = evaluate(inner, values, key)
      return found.isNull ? value : found
    }
  }
}

extension Value {
  /// The value as a store keeps it: not-a-number is null.
  var orderable: Value {
    if case .real(let number) = self, number.isNaN { .null } else { self }
  }
}

extension FetchExpression {
  /// The expression's value for a row; an attribute that the entity does not have is null.
  ///
  /// For many rows, prepare a `CompiledExpression` once.
  /// - Complexity: O(*n*) in the bytes of the values.
  public func evaluate(_ row: Row) -> Value {
    CompiledExpression(self, in: row.entity).value(row.values, key: row.id.key)
  }
}
