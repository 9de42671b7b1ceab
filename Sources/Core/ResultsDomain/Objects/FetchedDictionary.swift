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
