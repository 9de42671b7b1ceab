package import ResultsDomain
import ResultsStoreKit

/// The schema of an entity as a store has recorded it in its database.
package struct RecordedEntity: Hashable, Sendable {
  package struct Attribute: Hashable, Sendable {
    package let name: String
    /// The attribute's type, as `AttributeType.description`.
    package let type: String
    package let isOptional: Bool
    /// Whether a user has added it to the entity of a program.
    package let isCustom: Bool

    /// - Parameters:
    ///   - name: The attribute's name.
    ///   - type: What is recorded of its type (`AttributeDescription.recordedType`).
    ///   - isOptional: Whether it can be null.
    package init(name: String, type: String, isOptional: Bool) {
      isCustom = type.utf8.starts(with: Self.customMark.utf8)
      self.type = isCustom ? String(type.utf8.dropFirst(Self.customMark.utf8.count)) ?? "" : type
      (self.name, self.isOptional) = (name, isOptional)
    }

    /// What is recorded of its type.
    package var recordedType: String { (isCustom ? Self.customMark : "") + type }

    /// What stands before the type of an attribute that a user has added.
    fileprivate static let customMark = "custom "

    /// The custom attribute that is recorded, or `nil` if it is none, or of a type that this version does not know.
    package var custom: AttributeDescription? {
      guard isCustom, isOptional, let type = AttributeType(description: type) else { return nil }
      var attribute = AttributeDescription(name, type, isOptional: true)
      attribute.isCustom = true
      return attribute
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

extension AttributeDescription {
  /// What a store records of the attribute's type, and of who declared it.
  package var recordedType: String {
    (isCustom ? RecordedEntity.Attribute.customMark : "") + type.description
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
