/// What is wrong with an entity's description.
public enum SchemaError: Error, Hashable, Sendable {
  /// An entity, attribute or key has no name.
  case emptyName
  /// Two attributes, or an attribute and the key column, share a name.
  case repeatedAttribute(entity: String, attribute: String)
  /// A compound key names an attribute that is unknown or optional.
  case invalidKeyAttribute(entity: String, attribute: String)
}

extension SchemaError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .emptyName:
      "An entity, an attribute or a compound key has no name. Give each a name."
    case .repeatedAttribute(let entity, let attribute):
      "The entity \(entity) has more than one column named \(attribute). Rename one of them."
    case .invalidKeyAttribute(let entity, let attribute):
      "The compound key of \(entity) names \(attribute), which is not a required attribute of it."
        + " Declare the attribute, and make it required."
    }
  }
}
