/// What a fetch can give for a row: an entity's struct, the row itself, its identity, or some of its values.
///
/// The kind of a result is the type parameter of its request: `FetchRequest<Book>` gives objects,
/// `FetchRequest<ObjectID>` identities, `FetchRequest<FetchedDictionary>` chosen properties.
public protocol FetchedObject: Sendable {
  /// Makes the result from a row.
  /// - Throws: `RowError` if a stored value is not one of the type's.
  init(row: Row) throws(RowError)
  /// Whether the row's attribute values are needed to make it.
  static var needsAttributeValues: Bool { get }
}

extension FetchedObject {
  /// Most results are made from attribute values.
  public static var needsAttributeValues: Bool { true }
}

extension ObjectID: FetchedObject {
  /// The row's identity.
  public init(row: Row) { self = row.id }
  /// An identity needs no value, so nothing but keys is read.
  public static var needsAttributeValues: Bool { false }
}
