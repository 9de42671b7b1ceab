/// A property that text operators apply to: a text, or an optional one.
public protocol TextAttributeConvertible: AttributeConvertible {}

extension String: TextAttributeConvertible {}

extension Optional: TextAttributeConvertible where Wrapped == String {}

extension EntityPredicate {
  /// Whether a text property contains a text.
  public static func contains<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ text: String,
    caseInsensitive: Bool = false
  ) -> Self {
    Self(.text(attribute(property), .contains, text, caseInsensitive: caseInsensitive))
  }

  /// Whether a text property begins with a text.
  public static func beginsWith<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ text: String,
    caseInsensitive: Bool = false
  ) -> Self {
    Self(.text(attribute(property), .beginsWith, text, caseInsensitive: caseInsensitive))
  }

  /// Whether a text property ends with a text.
  public static func endsWith<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ text: String,
    caseInsensitive: Bool = false
  ) -> Self {
    Self(.text(attribute(property), .endsWith, text, caseInsensitive: caseInsensitive))
  }

  /// Whether a text property as a whole matches a pattern: `*` any characters, `?` one, a backslash takes the next literally.
  public static func like<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ pattern: String,
    caseInsensitive: Bool = false
  ) -> Self {
    Self(.text(attribute(property), .like, pattern, caseInsensitive: caseInsensitive))
  }

  /// Whether a property equals one of some values; `nil` among them equals nothing.
  public static func `in`<Property: AttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ values: [Property]
  ) -> Self {
    Self(.membership(attribute(property), values.map(\.attributeValue)))
  }

  /// Whether a property lies between two values, both included.
  public static func between<Property: AttributeConvertible & Comparable>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ low: Property,
    _ high: Property
  ) -> Self {
    Self(.between(attribute(property), low.attributeValue, high.attributeValue))
  }

  /// Whether an optional property has a value, and it lies between two others, both included.
  public static func between<Property: AttributeConvertible & Comparable>(
    _ property: any KeyPath<Root, Property?> & Sendable,
    _ low: Property,
    _ high: Property
  ) -> Self {
    Self(.between(attribute(property), low.attributeValue, high.attributeValue))
  }

  /// Whether an optional property has no value.
  public static func isNull<Property: AttributeConvertible>(
    _ property: any KeyPath<Root, Property?> & Sendable
  ) -> Self {
    Self(.isNull(attribute(property)))
  }

  private static func attribute(_ property: PartialKeyPath<Root>) -> FetchExpression {
    .attribute(Root.schema.attributeName(of: property))
  }
}
