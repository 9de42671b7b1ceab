/// One stored attribute of an entity.
public struct AttributeDescription: Hashable, Sendable {
  /// The attribute's name; also its column's.
  public let name: String
  /// What kind of values it has.
  public let type: AttributeType
  /// Whether it may be null.
  ///
  /// A required attribute must not be; an empty text is a value.
  public let isOptional: Bool

  /// A stored attribute.
  public init(_ name: String, _ type: AttributeType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }

  /// Whether two attributes have the same name (bytewise), type and optionality.
  public static func == (left: AttributeDescription, right: AttributeDescription) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.type == right.type
      && left.isOptional == right.isOptional
  }
}
