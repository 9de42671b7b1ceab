/// What a fetch can give for a row: an entity's struct, the row itself, its identity, or some of its values.
///
/// The kind of a result is the type parameter of its request: `FetchRequest<Book>` gives objects,
/// `FetchRequest<ObjectID>` identities, `FetchRequest<FetchedDictionary>` chosen properties.
public protocol FetchedObject: Sendable {
  /// Makes the result from a row.
  /// - Throws: `RowError` if a stored value is not one of the type's.
  init(row: Row) throws(RowError)
  /// Whether the row's attribute values are needed to make it.
  static var needsAttributeValues: Bool { get }
}

extension FetchedObject {
  /// Most results are made from attribute values.
  public static var needsAttributeValues: Bool { true }
}

extension ObjectID: FetchedObject {
  /// The row's identity.
  public init(row: Row) { self = row.id }
  /// An identity needs no value, so nothing but keys is read.
  public static var needsAttributeValues: Bool { false }
}

// MARK: - Dictionaries

/// A dictionary result: the values of the properties that a request chose.
public struct FetchedDictionary: Hashable, Sendable {
  /// The object's identity; always known, whatever was chosen.
  public let objectID: ObjectID
  /// Names of the chosen properties, in the order chosen.
  public let properties: [String]
  /// Their values, in the same order.
  public let values: [Value]

  /// The value of a chosen property, or `nil` if it was not chosen.
  public subscript(property: String) -> Value? {
    properties.firstIndex { $0.hasSameBytes(as: property) }.map { values[$0] }
  }

  /// Chosen values of an object.
  public init(objectID: ObjectID, properties: [String], values: [Value]) {
    self.objectID = objectID
    self.properties = properties
    self.values = values
  }
}

extension FetchedDictionary: FetchedObject {
  /// All stored attributes of a row.
  public init(row: Row) {
    self.init(
      objectID: row.id,
      properties: row.entity.attributes.map(\.name),
      values: row.values
    )
  }
}
