/// Which rows a list has and in what total order: what a store is asked for.
///
/// Two definitions that are equal give equal keys. The order's columns are the section's (if any), then the sort
/// descriptors', each expression once and none behind the whole of the object's key, where nothing is left to order. The object's key
/// makes it total (R02).
public struct OrderDefinition: Hashable, Sendable {
  /// The entity whose objects are listed.
  public let entity: EntityDescription
  /// Which of them.
  public let predicate: FetchPredicate
  /// The order's terms, the section's first, without the object's key.
  public let terms: [FetchSortDescriptor]
  /// The columns of the keys.
  public let layout: KeyLayout

  /// A definition.
  /// - Throws: `RequestError` for no order, an unknown attribute, or a term that is always null.
  public init(
    entity: EntityDescription,
    predicate: FetchPredicate,
    sectionTerms: [FetchSortDescriptor] = [],
    sortDescriptors: [FetchSortDescriptor]
  ) throws(RequestError) {
    guard !sortDescriptors.isEmpty else { throw .missingOrder(entity: entity.name) }
    try predicate.validate(in: entity)
    var terms: [FetchSortDescriptor] = []
    var columns: [KeyColumn] = []
    for (place, term) in (sectionTerms + sortDescriptors).enumerated() {
      guard let storage = try term.expression.storage(in: entity) else {
        throw .alwaysNull(term.expression.description)
      }
      if place >= sectionTerms.count {
        let isKnown = terms.contains { $0.expression == term.expression }
        if isKnown || OrderDefinition.tellsObjectsApart(terms, of: entity) { continue }
      }
      terms.append(term)
      columns.append(
        KeyColumn(storage, isDescending: term.direction == .descending, nulls: term.nulls)
      )
    }
    self.entity = entity
    self.predicate = predicate
    self.terms = terms
    layout = KeyLayout(order: columns, keyTypes: entity.keyTypes)
  }

  /// Whether no two objects agree in all of some terms, as those have the whole key.
  private static func tellsObjectsApart(
    _ terms: [FetchSortDescriptor],
    of entity: EntityDescription
  ) -> Bool {
    let expressions = terms.map(\.expression)
    return expressions.contains(.objectKey)
      || entity.identity.columns.allSatisfy { expressions.contains(.attribute($0)) }
  }

  /// The encoded key of a row, whether or not the predicate holds for it.
  ///
  /// For many rows, prepare a `RowKeyEncoder` once.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  /// - Complexity: O(*n*) in the bytes of the terms' values.
  public func key(of row: Row) throws(StoreError) -> [UInt8] {
    try RowKeyEncoder(self).key(row.values, key: row.id.key)
  }
}

// MARK: - Keys of rows

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
