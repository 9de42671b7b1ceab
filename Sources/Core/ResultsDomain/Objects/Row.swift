/// The stored values of one object, as stores return them.
public struct Row: Sendable {
  /// The entity's description.
  public let entity: EntityDescription
  /// The object's identity.
  public let id: ObjectID
  /// The values, in the order of `entity.attributes`.
  public var values: [Value]

  /// Creates a row from values in the order of the entity's attributes; the row has them in the order of `entity.stored`.
  public init(entity: EntityDescription, id: ObjectID, values: [Value]) {
    self.entity = entity.stored
    self.id = id
    self.values = entity.storedValues(values)
  }

  /// The value of an attribute, or of the column that is the key; null if the entity has neither of that name.
  /// - Complexity: O(*n*) in the attributes.
  public subscript(attribute: String) -> Value {
    guard let index = entity.index(of: attribute) else {
      return entity.isKey(attribute) ? id.key.parts.first ?? .null : .null
    }
    return index < values.count ? values[index] : .null
  }

  /// Returns the attributes in which two rows of one entity differ.
  /// - Complexity: O(*n*) in the bytes of the values.
  public func changes(from old: Row) -> AttributeSet {
    AttributeSet(indexes: values.indices.filter { values[$0] != old.values[$0] })
  }

  /// Returns the attributes of a set in which two rows of one entity differ; other attributes are not compared.
  /// - Complexity: O(*n*) in the bytes of the attributes' values.
  package func changes(from old: Row, of attributes: AttributeSet) -> AttributeSet {
    // A loop, since `filter` allocates memory also where nothing differs.
    var changed: [Int] = []
    for index in attributes.indexes where values[index] != old.values[index] {
      changed.append(index)
    }
    return AttributeSet(ascending: changed)
  }
}

extension Row: Hashable {
  /// Whether two rows have the same identity and the same values, by bytes.
  public static func == (left: Row, right: Row) -> Bool {
    left.id == right.id && left.values == right.values
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Row: FetchedObject {
  /// The row itself.
  public init(row: Row) { self = row }
}

// MARK: - Errors

/// An error about a stored value that the entity's struct cannot hold; it affects only that row.
public struct RowError: Error, Hashable, Sendable {
  /// The row's identity.
  public let id: ObjectID
  /// The attribute whose value does not fit.
  public let attribute: String
  /// The stored value.
  public let value: Value

  /// Creates an error about a value that does not fit.
  public init(id: ObjectID, attribute: String, value: Value) {
    self.id = id
    self.attribute = attribute
    self.value = value
  }
}

extension RowError: CustomStringConvertible {
  /// What happened, and what to do; the stored value itself is not shown.
  public var description: String {
    let kind =
      switch value {
      case .null: "null"
      case .integer: "an integer"
      case .real: "a real"
      case .text: "a text"
      case .blob: "a blob"
      case .illFormedText: "a text that is not UTF-8"
      }
    return
      "\(attribute) of \(id) is \(kind), which does not fit its type. Correct the stored value."
  }
}
