// The same conditions as over an entity's own properties, over values of related objects: once for key paths, `\\.author.name`, and
// once for values, `Book.author.name`.

extension EntityPredicate {
  /// Whether a text of a related object contains a text.
  public static func contains<Property: TextAttributeConvertible>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(
      Root.self[keyPath: path].expression,
      .contains,
      text,
      caseInsensitive,
      diacriticInsensitive
    )
  }

  /// Whether a text of a related object contains a text.
  public static func contains<Property: TextAttributeConvertible>(
    _ path: RelatedAttribute<Root, Property>,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(path.expression, .contains, text, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a text of a related object begins with a text.
  public static func beginsWith<Property: TextAttributeConvertible>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(
      Root.self[keyPath: path].expression,
      .beginsWith,
      text,
      caseInsensitive,
      diacriticInsensitive
    )
  }

  /// Whether a text of a related object begins with a text.
  public static func beginsWith<Property: TextAttributeConvertible>(
    _ path: RelatedAttribute<Root, Property>,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(path.expression, .beginsWith, text, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a text of a related object ends with a text.
  public static func endsWith<Property: TextAttributeConvertible>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(
      Root.self[keyPath: path].expression,
      .endsWith,
      text,
      caseInsensitive,
      diacriticInsensitive
    )
  }

  /// Whether a text of a related object ends with a text.
  public static func endsWith<Property: TextAttributeConvertible>(
    _ path: RelatedAttribute<Root, Property>,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(path.expression, .endsWith, text, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a text of a related object as a whole matches a pattern of `*` and `?`.
  public static func like<Property: TextAttributeConvertible>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ pattern: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(
      Root.self[keyPath: path].expression,
      .like,
      pattern,
      caseInsensitive,
      diacriticInsensitive
    )
  }

  /// Whether a text of a related object as a whole matches a pattern of `*` and `?`.
  public static func like<Property: TextAttributeConvertible>(
    _ path: RelatedAttribute<Root, Property>,
    _ pattern: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(path.expression, .like, pattern, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a value of related objects equals one of some values.
  public static func `in`<Property: AttributeConvertible>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ values: [Property]
  ) -> Self {
    .in(Root.self[keyPath: path], values)
  }

  /// Whether a value of related objects equals one of some values.
  public static func `in`<Property: AttributeConvertible>(
    _ path: RelatedAttribute<Root, Property>,
    _ values: [Property]
  ) -> Self {
    Self(.membership(path.expression, values.map(\.attributeValue)))
  }

  /// Whether a value of related objects is between two values, inclusive.
  public static func between<Property: AttributeConvertible & Comparable>(
    _ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
    _ low: Property,
    _ high: Property
  ) -> Self {
    .between(Root.self[keyPath: path], low, high)
  }

  /// Whether a value of related objects is between two values, inclusive.
  public static func between<Property: AttributeConvertible & Comparable>(
    _ path: RelatedAttribute<Root, Property>,
    _ low: Property,
    _ high: Property
  ) -> Self {
    Self(.between(path.expression, low.attributeValue, high.attributeValue))
  }

  /// Whether a value of related objects is null, or a step has no object.
  public static func isNull<Property>(_ path: KeyPath<Root.Type, RelatedAttribute<Root, Property>>)
    -> Self
  {
    .isNull(Root.self[keyPath: path])
  }

  /// Whether a value of related objects is null, or a step has no object.
  public static func isNull<Property>(_ path: RelatedAttribute<Root, Property>) -> Self {
    Self(.isNull(path.expression))
  }
}

// MARK: - Comparisons

/// Whether a value of related objects equals a value; `nil` tests for null.
public func == <Root: Entity, Property: AttributeConvertible>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
  right: Property?
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] == right
}

/// Whether a value of related objects equals a value; `nil` tests for null.
public func == <Root: Entity, Property: AttributeConvertible>(
  left: RelatedAttribute<Root, Property>,
  right: Property?
) -> EntityPredicate<Root> {
  .comparison(left.expression, .equal, right.attributeValue)
}

/// Whether a value of related objects differs from a value; `nil` tests for a value that is not null.
public func != <Root: Entity, Property: AttributeConvertible>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
  right: Property?
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] != right
}

/// Whether a value of related objects differs from a value; `nil` tests for a value that is not null.
public func != <Root: Entity, Property: AttributeConvertible>(
  left: RelatedAttribute<Root, Property>,
  right: Property?
) -> EntityPredicate<Root> {
  .comparison(left.expression, .notEqual, right.attributeValue)
}

/// Whether a value of related objects is less than a value.
public func < <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
  right: Property
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] < right
}

/// Whether a value of related objects is less than a value.
public func < <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: RelatedAttribute<Root, Property>,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left.expression, .less, right.attributeValue)
}

/// Whether a value of related objects is at most a value.
public func <= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
  right: Property
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] <= right
}

/// Whether a value of related objects is at most a value.
public func <= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: RelatedAttribute<Root, Property>,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left.expression, .lessOrEqual, right.attributeValue)
}

/// Whether a value of related objects is greater than a value.
public func > <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
  right: Property
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] > right
}

/// Whether a value of related objects is greater than a value.
public func > <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: RelatedAttribute<Root, Property>,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left.expression, .greater, right.attributeValue)
}

/// Whether a value of related objects is at least a value.
public func >= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, Property>>,
  right: Property
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] >= right
}

/// Whether a value of related objects is at least a value.
public func >= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: RelatedAttribute<Root, Property>,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left.expression, .greaterOrEqual, right.attributeValue)
}

// MARK: - Decimals

/// Whether a decimal of related objects equals a number, whatever the scales.
public func == <Root: Entity>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] == right
}

/// Whether a decimal of related objects equals a number, whatever the scales.
public func == <Root: Entity>(
  left: RelatedAttribute<Root, ExactDecimal>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left.expression, .equal, right)
}

/// Whether a decimal of related objects differs from a number, whatever the scales.
public func != <Root: Entity>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] != right
}

/// Whether a decimal of related objects differs from a number, whatever the scales.
public func != <Root: Entity>(
  left: RelatedAttribute<Root, ExactDecimal>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left.expression, .notEqual, right)
}

/// Whether a decimal of related objects is less than a number, whatever the scales.
public func < <Root: Entity>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] < right
}

/// Whether a decimal of related objects is less than a number, whatever the scales.
public func < <Root: Entity>(
  left: RelatedAttribute<Root, ExactDecimal>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left.expression, .less, right)
}

/// Whether a decimal of related objects is at most a number, whatever the scales.
public func <= <Root: Entity>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] <= right
}

/// Whether a decimal of related objects is at most a number, whatever the scales.
public func <= <Root: Entity>(
  left: RelatedAttribute<Root, ExactDecimal>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left.expression, .lessOrEqual, right)
}

/// Whether a decimal of related objects is greater than a number, whatever the scales.
public func > <Root: Entity>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] > right
}

/// Whether a decimal of related objects is greater than a number, whatever the scales.
public func > <Root: Entity>(
  left: RelatedAttribute<Root, ExactDecimal>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left.expression, .greater, right)
}

/// Whether a decimal of related objects is at least a number, whatever the scales.
public func >= <Root: Entity>(
  left: KeyPath<Root.Type, RelatedAttribute<Root, ExactDecimal>>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  Root.self[keyPath: left] >= right
}

/// Whether a decimal of related objects is at least a number, whatever the scales.
public func >= <Root: Entity>(
  left: RelatedAttribute<Root, ExactDecimal>,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left.expression, .greaterOrEqual, right)
}
