/// Something a predicate compares, a sort descriptor orders by, or a section key groups by.
///
/// The set is closed on purpose: a store translates it with an exhaustive switch, and every case has one meaning
/// in memory and in SQL, which a differential test holds equal. What a text has behind a NUL is not seen by `prefix` and `length`,
/// as it is not by SQLite's functions (sqlite.org/nulinstr.html): so an index over such an expression serves, whoever made it.
public indirect enum FetchExpression: Hashable, Sendable {
  /// The value of a stored attribute.
  case attribute(String)
  /// The object's key, where it is one integer or text.
  case objectKey
  /// A constant.
  case literal(Value)
  /// The first Unicode scalars of a text, at most so many and none from a NUL on; null of anything else.
  case prefix(FetchExpression, length: Int)
  /// A text with the letters A to Z made lowercase; null of anything else.
  case lowercased(FetchExpression)
  /// A text with the letters a to z made uppercase; null of anything else.
  case uppercased(FetchExpression)
  /// The number of Unicode scalars of a text, up to a NUL; null of anything else.
  case length(FetchExpression)
  /// An integer rounded down to a multiple of a positive width, such as a year's decade; null of anything else.
  case bucket(FetchExpression, width: Int64)
  /// The first expression, or a constant where that is null.
  case ifNull(FetchExpression, Value)
}

extension FetchExpression {
  /// Names of the attributes it reads.
  public var attributes: [String] {
    switch self {
    case .attribute(let name): [name]
    case .objectKey, .literal: []
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner), .length(let inner),
      .bucket(let inner, _), .ifNull(let inner, _):
      inner.attributes
    }
  }

  /// The storage class of its values in an entity, or `nil` where only null can come of it.
  /// - Throws: `RequestError.unknownAttribute` for an attribute the entity does not have,
  ///   `RequestError.compoundKey` for the key of an entity whose key has several parts, and other cases
  ///   for what can never have a value or mixes kinds.
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
