/// An expression that a predicate compares, a sort descriptor sorts by, or a section key groups by.
///
/// The set is closed on purpose: a store translates it with an exhaustive switch, and a differential test checks that each case
/// means the same in memory and in SQL. `prefix` and `length` ignore what follows a NUL in a text, as SQLite's functions do
/// (sqlite.org/nulinstr.html), so that any index over such an expression can be used.
public indirect enum FetchExpression: Hashable, Sendable {
  /// The value of a stored attribute.
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
  /// The expression, or a constant if the expression is null.
  case ifNull(FetchExpression, Value)
}

extension FetchExpression {
  /// The names of the attributes it reads.
  public var attributes: [String] {
    switch self {
    case .attribute(let name): [name]
    case .objectKey, .literal: []
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner),
      .bucket(let inner, _), .ifNull(let inner, _):
      inner.attributes
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
        throw .unknownAttribute(name, entity: entity.name, known: entity.attributes.map(\.name))
      }
      return attribute.type.storage
    case .objectKey:
      return switch entity.identity {
      case .integer: .integer
      case .text: .text
      case .compound: throw RequestError.compoundKey(entity: entity.name)
      }
    case .literal(let value): return value.storage
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner):
      return try inner.storage(in: entity) == .text ? .text : nil
    case .length(let inner): return try inner.storage(in: entity) == .text ? .integer : nil
    case .bucket(let inner, let width):
      guard width > 0 else { throw .invalidBucket(width) }
      return try inner.storage(in: entity) == .integer ? .integer : nil
    case .ifNull(let inner, let value):
      guard let storage = try inner.storage(in: entity) else {
        throw .alwaysNull(inner.description)
      }
      guard let other = value.orderable.storage else { return storage }
      guard other == storage else { throw .mixedStorage(description) }
      return storage
    }
  }
}

extension Value {
  /// The value's storage class, or `nil` for null.
  public var storage: StorageClass? {
    switch self {
    case .null: nil
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}
