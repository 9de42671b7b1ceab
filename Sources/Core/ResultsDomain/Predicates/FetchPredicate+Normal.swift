extension FetchPredicate {
  /// The same predicate in its plainest form, which holds for exactly the same rows.
  ///
  /// `== NULL` and `!= NULL` become tests for null, not-a-number becomes null, a list of keys becomes a set of identities,
  /// and levels of AND and OR that say nothing are dropped. Stores translate this form.
  /// - Complexity: O(*n*) in the predicate's size.
  public var normalized: FetchPredicate {
    switch self {
    case .all, .none, .identity, .text, .isNull: return self
    case .comparison(let left, let comparison, let right):
      switch (comparison, left.isNullLiteral, right.isNullLiteral) {
      case (.equal, _, true): return .isNull(left)
      case (.equal, true, false): return .isNull(right)
      case (.notEqual, _, true): return .not(.isNull(left))
      case (.notEqual, true, false): return .not(.isNull(right))
      default: return self
      }
    case .between(let expression, let low, let high):
      return .between(expression, low.orderable, high.orderable)
    case .membership(.objectKey, let values):
      let integers = values.compactMap(\.integer)
      let texts = values.compactMap(\.text)
      if integers.count == values.count {
        return .identity(IdentitySet(keys: integers.map { .integer($0) }))
      }
      guard texts.count == values.count else { return .membership(.objectKey, values) }
      return .identity(IdentitySet(keys: texts.map { .text($0) }))
    case .membership(let expression, let values):
      return .membership(expression, values.map(\.orderable))
    case .not(let inner): return .not(inner.normalized)
    case .and(let parts): return .conjunction(parts.map(\.normalized))
    case .or(let parts): return .disjunction(parts.map(\.normalized))
    }
  }

  /// All of some normalised predicates, without needless levels.
  static func conjunction(_ parts: [FetchPredicate]) -> FetchPredicate {
    var flat: [FetchPredicate] = []
    for part in parts {
      switch part {
      case .all: continue
      case .and(let inner): flat += inner
      default: flat.append(part)
      }
    }
    return flat.count == 1 ? flat[0] : (flat.isEmpty ? .all : .and(flat))
  }

  /// At least one of some normalised predicates, without needless levels.
  static func disjunction(_ parts: [FetchPredicate]) -> FetchPredicate {
    var flat: [FetchPredicate] = []
    for part in parts {
      switch part {
      case .none: continue
      case .or(let inner): flat += inner
      default: flat.append(part)
      }
    }
    return flat.count == 1 ? flat[0] : (flat.isEmpty ? .none : .or(flat))
  }
}

extension FetchExpression {
  /// Whether it is the constant null, or not-a-number, which a store keeps as null.
  var isNullLiteral: Bool {
    if case .literal(let value) = self { value.orderable.isNull } else { false }
  }
}
