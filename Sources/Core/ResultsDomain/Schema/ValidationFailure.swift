/// A value or key that an entity does not allow.
public enum ValidationFailure: Hashable, Sendable {
  /// A required attribute has no value.
  case missing(entity: String, attribute: String)
  /// A value of another type than the attribute's, or out of its range.
  case wrongValue(entity: String, attribute: String, expected: AttributeType)
  /// A name that is not an attribute of the entity.
  case unknownAttribute(entity: String, attribute: String, known: [String])
  /// A row has more or fewer values than the entity has attributes.
  case wrongCount(entity: String, expected: Int, found: Int)
  /// A value for a generated column that differs from the value that the database calculates.
  case calculated(entity: String, attribute: String)
  /// A value that this kind of store cannot hold, although the attribute's type allows it.
  case notStorable(entity: String, attribute: String, detail: String)
  /// Values that a constraint of the database refuses, with the constraint's name or text.
  case refused(entity: String, constraint: String)
  /// The object has no key, or a key of another kind than the entity's identity.
  case invalidKey(entity: String)
  /// A row of a union is only read; the objects of its branches can be written.
  case onlyRead(entity: String, branches: [String])
}

extension ValidationFailure: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .missing(let entity, let attribute):
      "\(entity) needs a value for \(attribute). Give one."
    case .wrongValue(let entity, let attribute, let expected):
      "\(attribute) of \(entity) must be of type \(expected). Give such a value."
    case .unknownAttribute(let entity, let attribute, let known):
      "\(entity) has no attribute named \(attribute). It has \(known.joined(separator: ", "))."
    case .wrongCount(let entity, let expected, let found):
      "A row of \(entity) has \(expected) values, not \(found). Give one for each attribute."
    case .calculated(let entity, let attribute):
      "\(attribute) of \(entity) is calculated by the database, which gives another value."
        + " Leave it empty."
    case .notStorable(let entity, let attribute, let detail):
      "The store cannot hold this value for \(attribute) of \(entity): \(detail). Change the value."
    case .refused(let entity, let constraint):
      "The database refuses this \(entity) by its constraint \(constraint). Change the values."
    case .invalidKey(let entity):
      "The object has no valid key for \(entity). Give it a key of the entity's kind."
    case .onlyRead(let entity, let branches):
      "\(entity) shows objects of \(branches.joined(separator: ", ")) and cannot be written. Write those objects."
    }
  }
}

extension ValidationFailure {
  /// What is wrong with a row, and what to do; missing values are named together.
  static func description(of failures: [ValidationFailure]) -> String {
    var names: [String] = []
    var sentences: [String] = []
    var first: Int?
    for failure in failures {
      if case .missing(_, let attribute) = failure {
        first = first ?? sentences.count
        if names.isEmpty { sentences.append(failure.description) }
        names.append(attribute)
      } else {
        sentences.append(failure.description)
      }
    }
    if let first, let last = names.last, names.count > 1,
      case .some(.missing(let entity, _)) = failures.first(where: \.isMissing)
    {
      let others = names.dropLast().joined(separator: ", ")
      sentences[first] = "\(entity) needs values for \(others) and \(last). Give them."
    }
    return sentences.joined(separator: " ")
  }

  private var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension EntityDescription {
  /// Checks the values of a whole row before anything is written.
  /// - Throws: `StoreError.invalid` with every failure, not only the first.
  /// - Complexity: O(*n*) in the attributes.
  public func validate(_ values: [Value]) throws(StoreError) {
    guard values.count == attributes.count else {
      throw .invalid([
        .wrongCount(entity: name, expected: attributes.count, found: values.count)
      ])
    }
    var failures: [ValidationFailure] = []
    for (attribute, value) in zip(attributes, values) {
      if value.isNull {
        if !attribute.isOptional {
          failures.append(.missing(entity: name, attribute: attribute.name))
        }
      } else if !attribute.accepts(value) {
        failures.append(
          .wrongValue(entity: name, attribute: attribute.name, expected: attribute.type)
        )
      }
    }
    guard failures.isEmpty else { throw .invalid(failures) }
  }

  /// The key of a new object: the given one, or for a compound identity the key that its values make up.
  /// - Returns: `nil` if the store is to assign an integer key.
  /// - Throws: `StoreError.invalid` if the key does not fit the identity.
  public func key(for values: [Value], given key: ObjectKey?) throws(StoreError) -> ObjectKey? {
    switch (identity, key) {
    case (.integer, .none): return nil
    case (.integer, .integer), (.text, .text): return key
    case (.text, .some(let key)) where key.illFormedText != nil: return key
    case (.compound, _):
      let made = ObjectKey.compound(keyAttributeIndexes.map { values[$0] })
      guard key == nil || key == made else { throw .invalid([.invalidKey(entity: name)]) }
      return made
    default: throw .invalid([.invalidKey(entity: name)])
    }
  }
}
