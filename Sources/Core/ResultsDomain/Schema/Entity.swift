/// A plain struct whose values are the objects of a store.
///
/// ```swift
/// struct Book: Entity {
///   var id: Int64?
///   var publisher = ""
///   var title = ""
///
///   static let schema = EntitySchema<Book>("Book", identity: \.id) {
///     Attribute(\.publisher, "publisher")
///     Attribute(\.title, "title")
///   }
/// }
/// ```
///
/// The schema is written once, beside the struct. `init()` makes the object that a row's values are then
/// written into; what it holds is never seen.
public protocol Entity: FetchedObject {
  /// An object to be filled from a row.
  init()
  /// The entity's name, identity and attributes.
  static var schema: EntitySchema<Self> { get }
}

extension Entity {
  /// The entity's description, as stores see it.
  public static var entity: EntityDescription { schema.entity }

  /// Makes an object from a row of this entity.
  /// - Throws: `RowError` naming the attribute whose stored value is not one of the property's type.
  /// - Complexity: O(*n*) in the attributes.
  public init(row: Row) throws(RowError) {
    self.init()
    try Self.schema.fill(&self, from: row)
  }

  /// The object's attribute values, in the order of the entity's attributes.
  /// - Complexity: O(*n*) in the attributes.
  public var attributeValues: [Value] { Self.schema.values(of: self) }

  /// The object's identity, or `nil` as long as the store has not assigned one.
  public var objectID: ObjectID? { Self.schema.objectID(of: self) }
}
