/// A type that a fetch can return for a row: an entity's struct, the row itself, its identity, or some of its values.
///
/// The type parameter of a request decides: `FetchRequest<Book>` returns objects, `FetchRequest<ObjectID>` identities,
/// `FetchRequest<FetchedDictionary>` selected properties.
public protocol FetchedObject: Sendable {
  /// Creates the result from a row.
  /// - Throws: `RowError` if a stored value does not fit the type.
  init(row: Row) throws(RowError)
  /// Whether the result needs the row's attribute values.
  static var needsAttributeValues: Bool { get }
  /// The names of the attributes and paths that the type consists of, or `nil` for those that a request selects.
  static var propertiesToFetch: [String]? { get }
}

extension FetchedObject {
  /// By default, attribute values are needed.
  public static var needsAttributeValues: Bool { true }
  /// By default, the request selects them.
  public static var propertiesToFetch: [String]? { nil }
}

extension ObjectID: FetchedObject {
  /// The row's identity.
  public init(row: Row) { self = row.id }
  /// An identity needs no attribute values, so only keys are read.
  public static var needsAttributeValues: Bool { false }
}

// MARK: - Dictionaries

/// A dictionary result: the values of the properties that a request selects.
public struct FetchedDictionary: Hashable, Sendable {
  /// The object's identity, whatever was selected.
  public let objectID: ObjectID
  /// The names of the selected properties, in the order of the request.
  public let properties: [String]
  /// Their values, in the same order.
  public let values: [Value]

  /// The value of a selected property, or `nil` if it was not selected.
  public subscript(property: String) -> Value? {
    properties.firstIndex { $0.hasSameBytes(as: property) }.map { values[$0] }
  }

  /// Creates a result from selected values.
  public init(objectID: ObjectID, properties: [String], values: [Value]) {
    self.objectID = objectID
    self.properties = properties
    self.values = values
  }
}

extension FetchedDictionary: FetchedObject {
  /// Creates a result with all stored attributes of a row.
  public init(row: Row) {
    self.init(
      objectID: row.id,
      properties: row.entity.attributes.map(\.name),
      values: row.values
    )
  }
}
