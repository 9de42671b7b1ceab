// Ordering operators exist for comparable properties and for optional ones with a value that is not `nil`: SQL's
// order knows no null, so that comparing with one by `<` would hide every row.
/// Whether a property equals a value; `nil` tests for null.
public func == <Root: Entity, Property: AttributeConvertible>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .equal, right.attributeValue)
}

/// Whether a property differs from a value; `nil` tests for any value.
public func != <Root: Entity, Property: AttributeConvertible>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .notEqual, right.attributeValue)
}

/// Whether a property is less than a value.
public func < <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .less, right.attributeValue)
}

/// Whether a property is at most a value.
public func <= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .lessOrEqual, right.attributeValue)
}

/// Whether a property is greater than a value.
public func > <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .greater, right.attributeValue)
}

/// Whether a property is at least a value.
public func >= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .greaterOrEqual, right.attributeValue)
}

/// Whether an optional property has a value, and it is less than another.
public func < <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .less, right.attributeValue)
}

/// Whether an optional property has a value, and it is at most another.
public func <= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .lessOrEqual, right.attributeValue)
}

/// Whether an optional property has a value, and it is greater than another.
public func > <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .greater, right.attributeValue)
}

/// Whether an optional property has a value, and it is at least another.
public func >= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .greaterOrEqual, right.attributeValue)
}

extension EntityPredicate {
  fileprivate static func comparison(
    _ property: PartialKeyPath<Root>,
    _ comparison: ComparisonOperator,
    _ value: Value
  ) -> Self {
    let name = Root.schema.attributeName(of: property)
    return Self(FetchPredicate.comparison(.attribute(name), comparison, .literal(value)).normalized)
  }
}
