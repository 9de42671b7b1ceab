/// Writes the encoded keys of many rows of one order; names have been looked up once.
///
/// Comparing the keys as bytes orders the rows as the definition says (R02, R85).
public struct RowKeyEncoder: Sendable {
  private let definition: OrderDefinition
  private let terms: [CompiledExpression]

  /// Prepares the keys of an order.
  public init(_ definition: OrderDefinition) {
    self.definition = definition
    terms = definition.terms.map { CompiledExpression($0.expression, in: definition.entity) }
  }

  /// The encoded key of an object, whether or not the predicate holds for it.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: The bytes.
  /// - Throws: As `write(_:key:to:)`.
  public func key(_ values: [Value], key: ObjectKey) throws(StoreError) -> [UInt8] {
    var writer = KeyWriter()
    try write(values, key: key, to: &writer)
    return writer.bytes
  }

  /// Appends the encoded key of an object to bytes that may hold others already.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  ///   - writer: Where the key is appended; half a key may be there after an error.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  /// - Complexity: O(*n*) in the bytes of the terms' values.
  public func write(
    _ values: [Value],
    key: ObjectKey,
    to writer: inout KeyWriter
  ) throws(StoreError) {
    let layout = definition.layout
    for index in terms.indices {
      let value = terms[index].value(values, key: key)
      guard writer.append(value, layout.order[index]) else {
        throw unexpected(key, definition.terms[index].expression.description)
      }
    }
    switch key {
    case .integer(let number) where layout.identity.count == 1:
      guard writer.append(.integer(number), layout.identity[0]) else {
        throw unexpected(key, "the key")
      }
    default:
      let parts = key.parts
      guard parts.count == layout.identity.count else { throw unexpected(key, "the key") }
      for (part, column) in zip(parts, layout.identity) {
        guard writer.append(part, column) else { throw unexpected(key, "the key") }
      }
    }
  }

  private func unexpected(_ key: ObjectKey, _ what: String) -> StoreError {
    .unexpectedValue(ObjectID(entity: definition.entity.name, key: key), what: what)
  }
}
