/// Whether a property is the same number, whatever the scales.
public func == <Root: Entity>(
  left: any KeyPath<Root, ExactDecimal> & Sendable,
  right: ExactDecimal
) -> EntityPredicate<Root> {
  .decimal(left, .equal, right)
}

/// Whether a property is another number, whatever the scales.
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
  /// A number between two units equals none, and divides them as the unit below it does; one beyond all units likewise.
  fileprivate static func decimal(
    _ property: PartialKeyPath<Root>,
    _ comparison: ComparisonOperator,
    _ number: ExactDecimal
  ) -> Self {
    let name = Root.schema.attributeName(of: property)
    let attribute = FetchExpression.attribute(name)
    guard case .decimal(let scale) = Root.entity.attribute(named: name)?.type else {
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
  /// The number in units of a smaller scale, rounded down; `nil` for a larger scale, where it would not fit.
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
