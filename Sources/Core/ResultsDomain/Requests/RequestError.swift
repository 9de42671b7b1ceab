/// Why a request is refused before any store is asked.
public enum RequestError: Error, Hashable, Sendable {
  /// A list needs an order, and the request has none.
  case missingOrder(entity: String)
  /// A name that is not a stored attribute of the entity.
  case unknownAttribute(String, entity: String, known: [String])
  /// The single key of an entity whose key has several parts.
  case compoundKey(entity: String)
  /// A bucket width that is not positive.
  case invalidBucket(Int64)
  /// Expressions of different storage classes where one is needed.
  case mixedStorage(String)
  /// A sort or section expression that only null can come of.
  case alwaysNull(String)
  /// A limit or an offset below zero.
  case negativeWindow(limit: Int?, offset: Int)
  /// A transient section key whose source attribute is not the first sort descriptor.
  case transientSectionNotFirst(source: String, first: String?, rows: [ObjectID])
  /// Rows of one section that do not stand together, where the policy is to refuse that.
  case sectionNotContiguous(id: Value, first: ObjectID, second: ObjectID)
  /// Two rows of one result have the same identity.
  case duplicateIdentity(ObjectID, first: Int, second: Int)
  /// Identities of another entity in a fixed set.
  case foreignIdentity(ObjectID, entity: String)
  /// A sum of what has none: dates, texts or bytes.
  case notSummable(String, type: AttributeType)
  /// Two aggregates of one name.
  case duplicateAggregate(String)
}

extension RequestError: CustomStringConvertible {
  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .missingOrder(let entity):
      "The request for \(entity) has no sort descriptor. A live list needs an order: add at least one."
    case .unknownAttribute(let name, let entity, let known):
      "\(entity) has no stored attribute named \(name). It has \(known.joined(separator: ", "))."
    case .compoundKey(let entity):
      "The key of \(entity) has several parts. Compare or sort by its attributes instead of SELF."
    case .invalidBucket(let width):
      "A bucket of width \(width) holds nothing. Use a width of at least 1."
    case .mixedStorage(let what):
      "\(what) mixes values of different kinds. Compare like with like."
    case .alwaysNull(let what):
      "\(what) is null for every row. Use an expression of the attribute's kind."
    case .negativeWindow(let limit, let offset):
      "The window (limit \(limit.map(String.init) ?? "none"), offset \(offset)) is below zero."
        + " Use numbers from 0 up."
    case .transientSectionNotFirst(let source, let first, let rows):
      "Sections computed from \(source) need \(source) as the first sort descriptor,"
        + " not \(first ?? "none"): otherwise the rows of one section do not stand together"
        + (rows.count == 2 ? " (as \(rows[0]) and \(rows[1]) do not)" : "")
        + ". Sort by \(source) first, or list without sections."
    case .sectionNotContiguous(let id, let first, let second):
      "The rows of section \(id) do not stand together: \(first) and \(second) are apart."
        + " Order by the section first, or choose to merge or split such sections."
    case .duplicateIdentity(let id, let first, let second):
      "\(id) stands at positions \(first) and \(second) of one result. Identities must be unique."
    case .foreignIdentity(let id, let entity):
      "\(id) is not an object of \(entity). Give identities of that entity only."
    case .notSummable(let what, let type):
      "\(what) is of type \(type) and has no sum. Sum numbers, or ask for its count, minimum or maximum."
    case .duplicateAggregate(let name):
      "Two aggregates are named \(name). Give each a name of its own."
    }
  }
}
