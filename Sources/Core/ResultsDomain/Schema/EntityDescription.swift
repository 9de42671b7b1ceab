/// A description of an entity for stores: its name, its identity, its stored attributes and its relationships.
///
/// The values of an object are in the order of `attributes`. A description is immutable and shared.
public final class EntityDescription: Sendable {
  /// The entity's name; also its table's.
  public let name: String
  /// How its objects are identified.
  public let identity: EntityIdentity
  /// The stored attributes, in the order of a row's values.
  public let attributes: [AttributeDescription]
  /// For a compound identity, the indexes of its attributes in `attributes`; otherwise empty.
  public let keyAttributeIndexes: [Int]
  /// The relationships to other entities, which the store does not hold by themselves.
  public let relationships: [RelationshipDescription]
  /// The entity as stores have it, and the indexes of its attributes here, if they are in another order here.
  private let arrangement: (stored: EntityDescription, indexes: [Int])?

  /// Describes an entity.
  /// - Throws: `SchemaError` for an empty or repeated name, an attribute named like the key column, or a
  ///   compound key that names an unknown or optional attribute; the same for names of relationships and foreign keys. A to-one
  ///   relationship can have the name of its foreign key.
  public init(
    name: String,
    identity: EntityIdentity = .integer(),
    attributes: [AttributeDescription],
    relationships: [RelationshipDescription] = []
  ) throws(SchemaError) {
    guard !name.isEmpty else { throw .emptyName }
    var seen: Set<Value> = []
    if case .compound = identity {
    } else {
      for column in identity.columns { seen.insert(.text(column)) }
    }
    for attribute in attributes {
      guard !attribute.name.isEmpty else { throw .emptyName }
      guard seen.insert(.text(attribute.name)).inserted else {
        throw .repeatedAttribute(entity: name, attribute: attribute.name)
      }
    }
    var indexes: [Int] = []
    if case .compound(let names) = identity {
      guard !names.isEmpty else { throw .emptyName }
      for key in names {
        guard let index = attributes.firstIndex(where: { $0.name.hasSameBytes(as: key) }),
          !attributes[index].isOptional
        else { throw .invalidKeyAttribute(entity: name, attribute: key) }
        indexes.append(index)
      }
    }
    var paths: Set<Value> = []
    for relationship in relationships {
      guard !relationship.name.isEmpty else { throw .emptyName }
      let text = Value.text(relationship.name)
      guard paths.insert(text).inserted, !seen.contains(text) || relationship.isNamedAsItsKey else {
        throw .repeatedAttribute(entity: name, attribute: relationship.name)
      }
    }
    self.name = name
    self.identity = identity
    self.attributes = attributes
    self.keyAttributeIndexes = indexes
    self.relationships = relationships
    arrangement = nil
    for relationship in relationships {
      guard let columns = relationship.foreignKey else { continue }
      for column in columns {
        let isNullable = attribute(named: column)?.isOptional ?? false
        guard expression(ofColumn: column) != nil, isNullable || relationship.onDelete != .nullify
        else {
          throw .invalidForeignKey(
            entity: name,
            relationship: relationship.name,
            attribute: column
          )
        }
      }
    }
  }

  /// Describes an entity with its attributes in another order: a link as one of its sides declares it.
  private init(_ stored: EntityDescription, attributesAt order: [Int]) {
    name = stored.name
    identity = stored.identity
    attributes = order.map { stored.attributes[$0] }
    let indexes = order.indices.sorted { order[$0] < order[$1] }
    keyAttributeIndexes = stored.keyAttributeIndexes.map { indexes[$0] }
    relationships = stored.relationships
    arrangement = (stored, indexes)
  }

  /// Returns the entity with some attributes before the others.
  /// - Parameter names: Their names, in the order in which they are first.
  /// - Returns: An entity whose `stored` is this one; this one if the attributes have that order already.
  package func arranged(first names: [String]) -> EntityDescription {
    let first = names.compactMap(index(of:))
    let order = first + attributes.indices.filter { !first.contains($0) }
    guard order != Array(attributes.indices), order.count == attributes.count else { return self }
    return EntityDescription(self, attributesAt: order)
  }

  /// The entity as stores have it; itself, unless its attributes are in the order of a relationship (R199).
  ///
  /// A store opens and finds entities by this, so that a link is one entity, whichever side it is requested on.
  public var stored: EntityDescription { arrangement?.stored ?? self }

  /// Returns the values of a row of this entity in the order of `stored`.
  /// - Complexity: O(*n*) in the attributes, O(1) where the order is the same.
  public func storedValues(_ values: [Value]) -> [Value] {
    guard let arrangement, values.count == arrangement.indexes.count else { return values }
    return arrangement.indexes.map { values[$0] }
  }

  /// The index of an attribute in a row's values, or `nil` if the entity has no attribute of that name.
  /// - Complexity: O(*n*) in the attributes.
  public func index(of attribute: String) -> Int? {
    attributes.firstIndex { $0.name.hasSameBytes(as: attribute) }
  }

  /// The attribute of a name, or `nil` if there is none.
  public func attribute(named name: String) -> AttributeDescription? {
    index(of: name).map { attributes[$0] }
  }

  /// The types of the key's parts, in key order.
  public var keyTypes: [AttributeType] {
    switch identity {
    case .integer: [.integer64]
    case .text: [.text]
    case .compound: keyAttributeIndexes.map { attributes[$0].type }
    }
  }

  /// The storage classes of the key's parts, in key order.
  public var keyStorage: [StorageClass] {
    switch identity {
    case .integer: [.integer]
    case .text: [.text]
    case .compound: keyAttributeIndexes.map { attributes[$0].storage }
    }
  }
}

extension EntityDescription: Hashable {
  /// Whether two descriptions are equal.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left === right
      || left.name.hasSameBytes(as: right.name) && left.identity == right.identity
        && left.attributes == right.attributes && left.relationships == right.relationships
  }

  /// Hashes the name and the number of attributes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Value.text(name))
    hasher.combine(attributes.count)
  }
}

// MARK: - Identity and attributes

/// How the objects of an entity are identified.
public enum EntityIdentity: Hashable, Sendable {
  /// An integer key, which the store assigns to an object inserted without one.
  case integer(column: String = "id")
  /// A text key, which the writer chooses.
  case text(column: String = "id")
  /// The values of several required attributes, in this order.
  case compound([String])
}

extension EntityIdentity {
  /// The names of the columns that hold the key, in key order.
  public var columns: [String] {
    switch self {
    case .integer(let column), .text(let column): [column]
    case .compound(let names): names
    }
  }
}

/// A stored attribute of an entity.
public struct AttributeDescription: Hashable, Sendable {
  /// The attribute's name, which is also the name of its column.
  public let name: String
  /// The type of its values.
  public let type: AttributeType
  /// Whether it can be null; an empty text is not null.
  public let isOptional: Bool
  /// Whether values of any storage class can be stored, as in a table of SQLite that is not strict.
  ///
  /// Such values are shown, compared and ordered as what they are; `type` says what most of them mean. A real without a
  /// fraction is the integer, so that equal numbers have equal keys.
  public let holdsAnyValue: Bool
  /// Whether whole numbers among reals are stored as integers and shown as such, as in a numeric column of SQLite; a column of reals
  /// shows 7 as `7.0`.
  package var showsIntegers = false
  /// Whether a user has added the attribute to the entity of a program; it is optional, and no code of the program knows it.
  package var isCustom = false
  /// How the values are written, if another application does that in a form of its own; `type` is then that of the logical values.
  public let form: StoredForm?

  /// Creates a description of a stored attribute.
  public init(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = false,
    holdsAnyValue: Bool = false,
    form: StoredForm? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.holdsAnyValue = holdsAnyValue
    self.form = form
  }

  /// The storage class of its values.
  public var storage: StorageClass { holdsAnyValue ? .any : form?.storage ?? type.storage }

  /// Whether a value that is not null can be stored in the attribute.
  public func accepts(_ value: Value) -> Bool {
    if holdsAnyValue { return true }
    guard let form else { return type.accepts(value) }
    return form.storage.compares(with: value.storage)
  }

  /// Whether two attributes have the same name (bytewise), type, optionality and storage class.
  public static func == (left: AttributeDescription, right: AttributeDescription) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.type == right.type
      && left.isOptional == right.isOptional && left.holdsAnyValue == right.holdsAnyValue
      && left.form == right.form && left.showsIntegers == right.showsIntegers
  }
}

// MARK: - Errors

/// An error in an entity's description.
public enum SchemaError: Error, Hashable, Sendable {
  /// An entity, an attribute or a compound key has no name.
  case emptyName
  /// Two attributes, an attribute and the key column, or a relationship and one of those that is not its foreign key share a name.
  case repeatedAttribute(entity: String, attribute: String)
  /// A compound key names an attribute that is unknown or optional.
  case invalidKeyAttribute(entity: String, attribute: String)
  /// The foreign key of a to-one relationship names an unknown attribute, or a required one that a delete would make null.
  case invalidForeignKey(entity: String, relationship: String, attribute: String)
}

extension SchemaError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .emptyName:
      "An entity, an attribute or a compound key has no name. Give each a name."
    case .repeatedAttribute(let entity, let attribute):
      "The entity \(entity) has more than one column or relationship named \(attribute). Rename one of them."
    case .invalidKeyAttribute(let entity, let attribute):
      "The compound key of \(entity) names \(attribute), which is not one of its required attributes."
        + " Declare the attribute, and make it required."
    case .invalidForeignKey(let entity, let relationship, let attribute):
      "The relationship \(relationship) of \(entity) names \(attribute), which is not one of its attributes,"
        + " or is required although the delete rule makes it null. Declare the attribute, or choose another rule."
    }
  }
}
