/// An expression that a predicate compares, a sort descriptor sorts by, or a section key groups by.
///
/// The set is closed on purpose: a store translates it with an exhaustive switch, and a differential test checks that each case
/// means the same in memory and in SQL. `prefix` and `length` ignore what follows a NUL in a text, as SQLite's functions do
/// (sqlite.org/nulinstr.html), so that any index over such an expression can be used.
public indirect enum FetchExpression: Hashable, Sendable {
  /// The value of a stored attribute, or of the column that is the key.
  case attribute(String)
  /// The object's key, if it is an integer or a text.
  case objectKey
  /// A constant.
  case literal(Value)
  /// The first `length` Unicode scalars of a text, up to a NUL; null for other values.
  case prefix(FetchExpression, length: Int)
  /// A text with the letters A to Z in lowercase; null for other values.
  case lowercased(FetchExpression)
  /// A text with the letters a to z in uppercase; null for other values.
  case uppercased(FetchExpression)
  /// The number of Unicode scalars of a text, up to a NUL; null for other values.
  case length(FetchExpression)
  /// An integer rounded down to a multiple of a positive width, such as the decade of a year; null for other values.
  case bucket(FetchExpression, width: Int64)
  /// The expression, or another one of its kind, such as a constant, if it is null.
  case ifNull(FetchExpression, FetchExpression)
  /// A text without its marks, or as a key of natural or filing order; null for other values.
  case transformed(TextTransform, FetchExpression)
  /// An attribute or the key of the object at the end of to-one relationships, as in `author.name`; null where a step has no
  /// object (R92).
  case related([String], FetchExpression)
  /// An aggregate over the objects of a to-many relationship, which to-one ones may precede, as in `books.@max.year` (R93).
  ///
  /// Objects count for which the predicate is true. A count without an expression counts the objects.
  case relatedAggregate([String], FetchAggregate.Function, FetchExpression?, where: FetchPredicate)
}

extension FetchExpression {
  /// The expression, or a constant if the expression is null.
  /// - Parameters:
  ///   - expression: The expression.
  ///   - value: The constant.
  /// - Returns: The expression with the constant as its other one.
  public static func ifNull(_ expression: FetchExpression, _ value: Value) -> FetchExpression {
    .ifNull(expression, .literal(value))
  }

  /// The names of the entity's attributes it reads, without those of related objects.
  public var attributes: [String] {
    if case .attribute(let name) = self { [name] } else { operands.flatMap(\.attributes) }
  }

  /// The expressions over the same object from whose values its value is computed.
  package var operands: [FetchExpression] {
    switch self {
    case .attribute, .objectKey, .literal, .related, .relatedAggregate: []
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner),
      .bucket(let inner, _), .transformed(_, let inner):
      [inner]
    case .ifNull(let inner, let other): [inner, other]
    }
  }

  /// Whether it reads nothing of an object.
  package var isConstant: Bool {
    switch self {
    case .literal: true
    case .attribute, .objectKey, .related, .relatedAggregate: false
    case .prefix, .lowercased, .uppercased, .length, .bucket, .ifNull, .transformed:
      operands.allSatisfy(\.isConstant)
    }
  }

  /// The storage class of its values in an entity, or `nil` if it is always null.
  /// - Throws: `RequestError.unknownAttribute` for an attribute that the entity does not have,
  ///   `RequestError.compoundKey` for the key of an entity with a compound key, and other cases for expressions that never
  ///   have a value or mix types.
  public func storage(in entity: EntityDescription) throws(RequestError) -> StorageClass? {
    switch self {
    case .attribute(let name):
      guard let attribute = entity.attribute(named: name) else {
        guard entity.isKey(name) else {
          throw .unknownAttribute(name, entity: entity.name, known: entity.attributes.map(\.name))
        }
        return entity.keyStorage[0]
      }
      return attribute.storage
    case .objectKey:
      return switch entity.identity {
      case .integer: .integer
      case .text: .text
      case .compound: throw RequestError.compoundKey(entity: entity.name)
      }
    case .literal(let value): return value.storage
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner),
      .transformed(_, let inner):
      return try inner.canHold(.text, in: entity) ? .text : nil
    case .length(let inner): return try inner.canHold(.text, in: entity) ? .integer : nil
    case .bucket(let inner, let width):
      guard width > 0 else { throw .invalidBucket(width) }
      return try inner.canHold(.integer, in: entity) ? .integer : nil
    case .ifNull(let inner, let other):
      guard let storage = try inner.storage(in: entity) else {
        throw .alwaysNull(inner.description)
      }
      if other.isNullLiteral { return storage }
      let second = try other.comparableStorage(in: entity)
      guard other.isLiteral || inner.form(in: entity) == other.form(in: entity),
        storage == .any
          || second == storage && (other.isLiteral || inner.isAlike(other, in: entity))
      else { throw .mixedStorage(description) }
      return storage
    case .related(let steps, let inner):
      let path = try entity.relationships(along: steps, endsToMany: false, in: description)
      switch inner {
      case .attribute, .objectKey: break
      default: throw .invalidPath(description)
      }
      return try inner.storage(in: path[path.count - 1].destination)
    case .relatedAggregate(let steps, let function, let inner, let predicate):
      let path = try entity.relationships(along: steps, endsToMany: true, in: description)
      let elements = path[path.count - 1].destination
      try predicate.validate(in: elements)
      guard let inner else {
        guard function == .count else { throw .invalidPath(description) }
        return .integer
      }
      return try FetchAggregate(function, of: inner).type(in: elements).storage
    }
  }

  /// The expression with the predicates in it in normal form.
  var normalized: FetchExpression {
    switch self {
    case .attribute, .objectKey, .literal, .related: self
    case .prefix(let inner, let length): .prefix(inner.normalized, length: length)
    case .lowercased(let inner): .lowercased(inner.normalized)
    case .uppercased(let inner): .uppercased(inner.normalized)
    case .length(let inner): .length(inner.normalized)
    case .bucket(let inner, let width): .bucket(inner.normalized, width: width)
    case .ifNull(let inner, let other): .ifNull(inner.normalized, other.normalized)
    case .transformed(let transform, let inner): .transformed(transform, inner.normalized)
    case .relatedAggregate(let steps, let function, let inner, let predicate):
      .relatedAggregate(steps, function, inner?.normalized, where: predicate.normalized)
    }
  }

  /// Whether some values can be of a storage class.
  private func canHold(
    _ storage: StorageClass,
    in entity: EntityDescription
  ) throws(RequestError) -> Bool {
    let found = try self.storage(in: entity)
    return found == storage || found == .any
  }

  /// Whether it is a constant.
  package var isLiteral: Bool { if case .literal = self { true } else { false } }

  /// Whether it is the constant null, or not-a-number, which a store holds as null.
  package var isNullLiteral: Bool {
    if case .literal(let value) = self { value.orderable.isNull } else { false }
  }
}

// MARK: - Equality

// Texts and names are compared as bytes, not by Unicode canonical equivalence, so equal expressions have equal values. The
// synthesized hash values are consistent with that, because equal bytes hash equally.

extension FetchExpression {
  /// Whether two expressions are equal, by bytes.
  public static func == (left: FetchExpression, right: FetchExpression) -> Bool {
    switch (left, right) {
    case (.attribute(let left), .attribute(let right)): left.hasSameBytes(as: right)
    case (.objectKey, .objectKey): true
    case (.literal(let left), .literal(let right)): left == right
    case (.prefix(let left, let one), .prefix(let right, let other)):
      one == other && left == right
    case (.lowercased(let left), .lowercased(let right)),
      (.uppercased(let left), .uppercased(let right)), (.length(let left), .length(let right)):
      left == right
    case (.bucket(let left, let one), .bucket(let right, let other)):
      one == other && left == right
    case (.ifNull(let left, let one), .ifNull(let right, let other)):
      one == other && left == right
    case (.transformed(let one, let left), .transformed(let other, let right)):
      one == other && left == right
    case (.related(let one, let left), .related(let other, let right)):
      one.haveSameBytes(as: other) && left == right
    case (
      .relatedAggregate(let one, let a, let left, let c),
      .relatedAggregate(let other, let b, let right, let d)
    ):
      one.haveSameBytes(as: other) && a == b && left == right && c == d
    default: false
    }
  }
}

extension [String] {
  /// Whether two lists of names are equal, by bytes.
  package func haveSameBytes(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}
