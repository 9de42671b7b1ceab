/// How the objects of an entity are told apart.
public enum EntityIdentity: Hashable, Sendable {
  /// An integer that the store assigns when an object is inserted without one.
  case integer(column: String = "id")
  /// A text that the writer chooses.
  case text(column: String = "id")
  /// The values of several required attributes, in this order.
  case compound([String])
}

extension EntityIdentity {
  /// Names of the columns that hold the key, in key order.
  public var columns: [String] {
    switch self {
    case .integer(let column), .text(let column): [column]
    case .compound(let names): names
    }
  }
}
