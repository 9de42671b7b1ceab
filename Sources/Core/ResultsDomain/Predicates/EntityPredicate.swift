/// A predicate over the properties of an entity's struct, such as `\.year > 1990 && .contains(\.title, "x")`.
public struct EntityPredicate<Root: Entity>: Sendable {
  /// The predicate over attribute names.
  public let predicate: FetchPredicate

  /// Wraps a predicate over attribute names.
  public init(_ predicate: FetchPredicate) { self.predicate = predicate }

  /// True for every object.
  public static var all: Self { Self(.all) }
}

extension EntityPredicate {
  /// The conjunction of two predicates.
  public static func && (left: Self, right: Self) -> Self {
    Self(left.predicate && right.predicate)
  }

  /// The disjunction of two predicates.
  public static func || (left: Self, right: Self) -> Self {
    Self(left.predicate || right.predicate)
  }

  /// The negation of a predicate; unknown stays unknown.
  public static prefix func ! (predicate: Self) -> Self { Self(!predicate.predicate) }

  /// False for every object.
  public static var none: Self { Self(.none) }

  /// Whether an object is in a fixed set.
  public static func identity(in set: IdentitySet) -> Self { Self(.identity(set)) }
}

// MARK: - Tests

/// A property type that supports text operators: a string, or an optional string.
public protocol TextAttributeConvertible: AttributeConvertible {}

extension String: TextAttributeConvertible {}

extension Optional: TextAttributeConvertible where Wrapped == String {}

extension EntityPredicate {
  /// Whether a text property contains a text; `caseInsensitive` ignores letter case, `diacriticInsensitive` accents and other marks.
  public static func contains<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(attribute(property), .contains, text, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a text property begins with a text; `caseInsensitive` ignores letter case, `diacriticInsensitive` accents and other marks.
  public static func beginsWith<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(attribute(property), .beginsWith, text, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a text property ends with a text; `caseInsensitive` ignores letter case, `diacriticInsensitive` accents and other marks.
  public static func endsWith<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ text: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(attribute(property), .endsWith, text, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a whole text property matches a pattern: `*` for any characters, `?` for one, a backslash before a literal one.
  public static func like<Property: TextAttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ pattern: String,
    caseInsensitive: Bool = false,
    diacriticInsensitive: Bool = false
  ) -> Self {
    .matching(attribute(property), .like, pattern, caseInsensitive, diacriticInsensitive)
  }

  /// Whether a property equals one of some values; a value of `nil` matches nothing.
  public static func `in`<Property: AttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ values: [Property]
  ) -> Self {
    stored(.membership(attribute(property), values.map(\.attributeValue)))
  }

  /// Whether a property is between two values, inclusive.
  public static func between<Property: AttributeConvertible & Comparable>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ low: Property,
    _ high: Property
  ) -> Self {
    stored(.between(attribute(property), low.attributeValue, high.attributeValue))
  }

  /// Whether an optional property has a value between two values, inclusive.
  public static func between<Property: AttributeConvertible & Comparable>(
    _ property: any KeyPath<Root, Property?> & Sendable,
    _ low: Property,
    _ high: Property
  ) -> Self {
    stored(.between(attribute(property), low.attributeValue, high.attributeValue))
  }

  /// Whether an optional property has no value.
  public static func isNull<Property: AttributeConvertible>(
    _ property: any KeyPath<Root, Property?> & Sendable
  ) -> Self {
    Self(.isNull(attribute(property)))
  }

  /// Whether a date is before or after one that follows the clock (R15).
  ///
  /// Only a live list can be fetched by it, and it changes as time passes.
  ///
  /// ```swift
  /// let recent = EntityPredicate<Book>.relative(\.added, .greater, .now(adding: .seconds(-86_400)))
  /// ```
  /// - Parameters:
  ///   - property: The property, whose type is a date.
  ///   - comparison: One of `.less`, `.lessOrEqual`, `.greater` and `.greaterOrEqual`.
  ///   - date: The date.
  /// - Returns: A predicate that follows the clock.
  public static func relative<Property: AttributeConvertible>(
    _ property: any KeyPath<Root, Property> & Sendable,
    _ comparison: ComparisonOperator,
    _ date: RelativeDate
  ) -> Self {
    Self(.relative(attribute(property), comparison, date))
  }

  /// A predicate whose constants are converted to the forms of the attributes.
  fileprivate static func stored(_ predicate: FetchPredicate) -> Self {
    Self(predicate.storing(in: Root.entity))
  }

  /// Whether a text matches another, without regard to letter case or marks.
  static func matching(
    _ expression: FetchExpression,
    _ comparison: TextOperator,
    _ text: String,
    _ caseInsensitive: Bool,
    _ diacriticInsensitive: Bool
  ) -> Self {
    Self(
      .text(
        expression,
        comparison,
        text,
        caseInsensitive: caseInsensitive,
        diacriticInsensitive: diacriticInsensitive
      )
    )
  }

  private static func attribute(_ property: PartialKeyPath<Root>) -> FetchExpression {
    Root.schema.expression(of: property)
  }
}

// MARK: - Comparisons

// The right side of an ordering operator is never optional: in SQL, a comparison with null is unknown, so `< nil` would exclude
// every row.

/// Whether a property equals a value; `nil` tests for null.
public func == <Root: Entity, Property: AttributeConvertible>(
  left: any KeyPath<Root, Property> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .equal, right.attributeValue)
}

/// Whether a property differs from a value; `nil` tests for a value that is not null.
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

/// Whether an optional property has a value that is less than another.
public func < <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .less, right.attributeValue)
}

/// Whether an optional property has a value that is at most another.
public func <= <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .lessOrEqual, right.attributeValue)
}

/// Whether an optional property has a value that is greater than another.
public func > <Root: Entity, Property: AttributeConvertible & Comparable>(
  left: any KeyPath<Root, Property?> & Sendable,
  right: Property
) -> EntityPredicate<Root> {
  .comparison(left, .greater, right.attributeValue)
}

/// Whether an optional property has a value that is at least another.
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
    .comparison(attribute(property), comparison, value)
  }

  /// Compares an expression with a constant.
  static func comparison(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    _ value: Value
  ) -> Self {
    stored(FetchPredicate.comparison(expression, comparison, .literal(value)).normalized)
  }
}

// MARK: - Decimals

/// Whether a property equals a number, whatever the scales.
public func == <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .equal, right)
}

/// Whether a property differs from a number, whatever the scales.
public func != <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .notEqual, right)
}

/// Whether a property is less than a number.
public func < <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .less, right)
}

/// Whether a property is at most a number.
public func <= <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .lessOrEqual, right)
}

/// Whether a property is greater than a number.
public func > <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .greater, right)
}

/// Whether a property is at least a number.
public func >= <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .greaterOrEqual, right)
}

extension EntityPredicate {
  fileprivate static func decimal(
    _ property: PartialKeyPath<Root>,
    _ comparison: ComparisonOperator,
    _ number: ExactDecimal
  ) -> Self {
    .decimal(attribute(property), comparison, number)
  }

  /// Compares an expression with a number of any scale.
  ///
  /// A number between two units of the attribute equals none of them, and orders like the unit below it; a number beyond all units
  /// is greater or less than all of them.
  static func decimal(
    _ attribute: FetchExpression,
    _ comparison: ComparisonOperator,
    _ number: ExactDecimal
  ) -> Self {
    guard case .decimal(let scale) = attribute.type(in: Root.entity) else {
      return Self(.comparison(attribute, comparison, .literal(.integer(number.units))))
    }
    if let units = number.rescaled(to: scale)?.units {
      return Self(.comparison(attribute, comparison, .literal(.integer(units))))
    }
    let exists = FetchPredicate.not(.isNull(attribute))
    guard let below = number.floor(scale: scale) else {
      let isBeyondAll = number.units > 0
      return switch comparison {
      case .equal: Self(.none)
      case .notEqual: Self(exists)
      case .less, .lessOrEqual: Self(isBeyondAll ? exists : .none)
      case .greater, .greaterOrEqual: Self(isBeyondAll ? .none : exists)
      }
    }
    return switch comparison {
    case .equal: Self(.none)
    case .notEqual: Self(exists)
    case .less, .lessOrEqual: Self(.comparison(attribute, .lessOrEqual, .literal(.integer(below))))
    case .greater, .greaterOrEqual:
      Self(.comparison(attribute, .greater, .literal(.integer(below))))
    }
  }
}

extension ExactDecimal {
  /// The number in units of a smaller scale, rounded down; `nil` for a larger scale, at which it does not fit.
  fileprivate func floor(scale newScale: Int) -> Int64? {
    guard newScale < scale else { return nil }
    var units = units
    for _ in newScale..<scale {
      let rest = units % 10
      units = units / 10 - (rest < 0 ? 1 : 0)
    }
    return units
  }
}
