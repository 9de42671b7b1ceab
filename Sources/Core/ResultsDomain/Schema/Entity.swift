/// A struct whose values are the objects of a store.
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
/// The schema is declared once, in the struct. `init()` creates the object that a row's values are then
/// written into; its initial values are overwritten.
public protocol Entity: FetchedObject {
  /// Creates an object to fill with the values of a row.
  init()
  /// The entity's name, identity and attributes.
  static var schema: EntitySchema<Self> { get }
}

extension Entity {
  /// The entity's description for stores.
  public static var entity: EntityDescription { schema.entity }

  /// Creates an object from a row of this entity.
  /// - Throws: `RowError` with the attribute whose stored value does not fit the property's type.
  /// - Complexity: O(*n*) in the attributes.
  public init(row: Row) throws(RowError) {
    self.init()
    try Self.schema.fill(&self, from: row)
  }

  /// The object's attribute values, in the order of the entity's attributes.
  /// - Complexity: O(*n*) in the attributes.
  public var attributeValues: [Value] { Self.schema.values(of: self) }

  /// The object's identity, or `nil` if the store has not assigned one yet.
  public var objectID: ObjectID? { Self.schema.objectID(of: self) }
}
