public import ResultsDomain

/// The rows of a list and their total order: the query that a store executes.
///
/// Equal definitions give equal keys. The order's columns are those of the section, if any, then those of the sort
/// descriptors. An expression occurs once, and none follows the whole object key, where no ties are left. The object's key
/// makes the order total (R02).
public struct OrderDefinition: Hashable, Sendable {
  /// The entity whose objects are listed.
  public let entity: EntityDescription
  /// The condition for rows of the list.
  public let predicate: FetchPredicate
  /// The terms of the order, those of the section first, without the object's key.
  public let terms: [FetchSortDescriptor]
  /// The columns of the keys.
  public let layout: KeyLayout

  /// Creates a definition.
  /// - Throws: `RequestError` for a missing order, an unknown attribute, or a term that is always null.
  public init(
    entity: EntityDescription,
    predicate: FetchPredicate,
    sectionTerms: [FetchSortDescriptor] = [],
    sortDescriptors: [FetchSortDescriptor]
  ) throws(RequestError) {
    guard !sortDescriptors.isEmpty else { throw .missingOrder(entity: entity.name) }
    let entity = entity.stored
    try predicate.validate(in: entity)
    var terms: [FetchSortDescriptor] = []
    var columns: [KeyColumn] = []
    for (index, term) in (sectionTerms + sortDescriptors).enumerated() {
      guard let storage = try term.expression.storage(in: entity) else {
        throw .alwaysNull(term.expression.description)
      }
      if let remedy = term.expression.form(in: entity)?.orderRemedy {
        throw .unorderedForm(term.expression.description, remedy: remedy)
      }
      if index >= sectionTerms.count {
        let isKnown = terms.contains { $0.expression == term.expression }
        if isKnown || OrderDefinition.areUnique(terms, in: entity) { continue }
      }
      terms.append(term)
      columns.append(
        KeyColumn(storage, isDescending: term.direction == .descending, nulls: term.nulls)
      )
    }
    self.entity = entity
    self.predicate = predicate
    self.terms = terms
    layout = KeyLayout(order: columns, keyStorage: entity.keyStorage)
  }

  /// Whether no two objects agree in all terms, because the terms contain the whole key.
  private static func areUnique(
    _ terms: [FetchSortDescriptor],
    in entity: EntityDescription
  ) -> Bool {
    let expressions = terms.map(\.expression)
    return expressions.contains(.objectKey)
      || entity.identity.columns.allSatisfy { expressions.contains(.attribute($0)) }
  }

  /// The encoded key of a row, whether or not the predicate holds for it.
  ///
  /// For many rows, create one `RowKeyEncoder`.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  /// - Complexity: O(*n*) in the bytes of the terms' values.
  public func key(of row: Row) throws(StoreError) -> [UInt8] {
    try RowKeyEncoder(self).key(row.values, key: row.id.key)
  }
}

// MARK: - Keys of rows

/// Encodes the keys of many rows of one order, and resolves attribute names only once.
///
/// Comparing the keys as bytes sorts the rows in the order of the definition (R02, R85).
public struct RowKeyEncoder: Sendable {
  private let definition: OrderDefinition
  private let terms: [CompiledExpression]

  /// Creates an encoder for the keys of an order.
  public init(_ definition: OrderDefinition) {
    self.definition = definition
    terms = definition.terms.map { CompiledExpression($0.expression, in: definition.entity) }
  }

  /// Encodes the key of an object, whether or not the predicate holds for it.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: The bytes.
  /// - Throws: As `write(_:key:to:)`.
  public func key(_ values: [Value], key: ObjectKey) throws(StoreError) -> [UInt8] {
    var writer = KeyWriter()
    // Most keys fit; growing step by step would copy them twice.
    writer.bytes.reserveCapacity(64)
    try write(values, key: key, to: &writer)
    return writer.bytes
  }

  /// Appends the encoded key of an object to a writer, which can contain other keys.
  /// - Parameters:
  ///   - values: The object's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  ///   - writer: The writer to append to; after an error it can contain an incomplete key.
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
