/// What a manager refuses.
public enum StoreManagerError: Error, Hashable, Sendable {
  /// The model is in use with another file or another kind of store.
  case otherStore(model: String, known: String, asked: String)
  /// A model's name that cannot be the name of its file.
  case invalidName(String)
  /// The model has no such entity.
  case unknownEntity(String, known: [String])
  /// The entity has no such attribute to sort by.
  case unknownKey(String, entity: String)
}

extension StoreManagerError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .otherStore(let model, let known, let asked):
      "The model \(model) is open as \(known), so it cannot be opened as \(asked)."
        + " Use the manager that is there, or another model name."
    case .invalidName(let name):
      "“\(name)” cannot name a model's file. Use a name without “/” that does not begin with a point,"
        + " or name the file."
    case .unknownEntity(let name, let known):
      "The model has no entity named \(name). It has \(known.joined(separator: ", "))."
    case .unknownKey(let key, let entity):
      "\(entity) has no attribute named \(key) to sort by. Name one of its attributes."
    }
  }
}
