/// An error in the description of a union, or in its use over a store.
public enum UnionError: Error, Hashable, Sendable {
  /// The union has no branches.
  case noBranches(union: String)
  /// Two branches have the same name.
  case repeatedBranch(union: String, branch: String)
  /// A branch shares two attributes under one name, or one under a name that every union has.
  case repeatedAttribute(union: String, branch: String, attribute: String)
  /// A shared attribute is of different types in two branches.
  case mixedTypes(
    union: String,
    attribute: String,
    branch: String,
    type: String,
    otherBranch: String,
    otherType: String
  )
  /// A shared attribute is null in all branches.
  case alwaysNull(union: String, attribute: String)
  /// The condition or an attribute of a branch does not fit the branch's entity.
  case invalidBranch(union: String, branch: String, RequestError)
  /// The union is no valid entity.
  case schema(SchemaError)
  /// The store does not have the entity of a branch.
  case unknownEntity(union: String, branch: String, entity: String, known: [String])
  /// An entity of the store or another union has the union's name.
  case repeatedEntity(union: String)
}

extension UnionError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .noBranches(let union): "The union \(union) has no branches. Give it at least one."
    case .repeatedBranch(let union, let branch):
      "The union \(union) has two branches named \(branch). Rename one of them."
    case .repeatedAttribute(let union, let branch, let attribute):
      "The branch \(branch) of \(union) shares \(attribute) twice, or every union has an attribute of that name."
        + " Choose another name."
    case .mixedTypes(let union, let attribute, let branch, let type, let otherBranch, let otherType):
      "\(attribute) of \(union) is \(type) in \(branch), but \(otherType) in \(otherBranch), so their rows have no common order."
        + " Share values of one type, or share them under two names."
    case .alwaysNull(let union, let attribute):
      "\(attribute) of \(union) is null in all branches. Share a value in at least one of them."
    case .invalidBranch(let union, let branch, let error):
      "The branch \(branch) of \(union) is not valid. \(error)"
    case .schema(let error): error.description
    case .unknownEntity(let union, let branch, let entity, let known):
      "The branch \(branch) of \(union) is over \(entity), which the store does not have. It has \(known.joined(separator: ", "))."
    case .repeatedEntity(let union):
      "The store already has an entity named \(union). Give the union another name."
    }
  }
}
