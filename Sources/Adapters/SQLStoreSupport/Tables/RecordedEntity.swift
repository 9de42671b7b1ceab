package import ResultsDomain

/// The schema of an entity as a store has recorded it in its database.
package struct RecordedEntity: Hashable, Sendable {
  package struct Attribute: Hashable, Sendable {
    package let name: String
    /// The attribute's type, as `AttributeType.description`.
    package let type: String
    package let isOptional: Bool

    package init(name: String, type: String, isOptional: Bool) {
      (self.name, self.type, self.isOptional) = (name, type, isOptional)
    }
  }

  /// The entity's name.
  package let name: String
  /// The kind of the key (`EntityIdentity.recordedKind`).
  package let identity: String
  /// The column of a key that is no attribute, or `nil`.
  package let keyColumn: String?
  /// The key's columns, in key order.
  package let keyColumns: [String]
  package let attributes: [Attribute]

  /// - Parameters:
  ///   - name: The entity's name.
  ///   - identity: The kind of the key.
  ///   - keyColumn: The column of a key that is no attribute, or `nil`.
  ///   - keyAttributes: The attributes that a key is made of, in key order.
  ///   - attributes: The attributes.
  package init(
    name: String,
    identity: String,
    keyColumn: String?,
    keyAttributes: [String],
    attributes: [Attribute]
  ) {
    (self.name, self.identity, self.keyColumn) = (name, identity, keyColumn)
    keyColumns = keyColumn.map { [$0] } ?? keyAttributes
    self.attributes = attributes
  }

  /// The index of an attribute, whose name is compared by bytes.
  package func index(of name: String) -> Int? {
    attributes.firstIndex { $0.name.hasSameBytes(as: name) }
  }

  /// Whether the rows have the same identity as those of an entity; a table can have been made again with another key.
  package func hasKey(of entity: EntityDescription) -> Bool {
    identity == entity.identity.recordedKind
      && keyColumns.elementsEqual(entity.identity.columns) { $0.hasSameBytes(as: $1) }
  }
}

extension EntityIdentity {
  /// The kind of the key, as it is recorded.
  package var recordedKind: String {
    switch self {
    case .integer: "integer"
    case .text: "text"
    case .compound: "compound"
    }
  }
}
