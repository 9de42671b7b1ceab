/// The condition for rows to be fetched: a closed tree that the evaluator and every store interpret alike.
///
/// It follows SQL's three-valued logic: a comparison with null is unknown, and only rows for which the whole predicate is
/// true are fetched; `==` and `!=` with a constant null test for null.
public indirect enum FetchPredicate: Hashable, Sendable {
  /// True for every row: `TRUEPREDICATE`.
  case all
  /// False for every row: `FALSEPREDICATE`.
  case none
  /// A comparison of two expressions of the same storage class.
  case comparison(FetchExpression, ComparisonOperator, FetchExpression)
  /// A comparison of a date with one that follows the clock, which only a live list can follow (R15).
  case relative(FetchExpression, ComparisonOperator, RelativeDate)
  /// Whether an expression is between two constants, inclusive.
  case between(FetchExpression, Value, Value)
  /// Whether an expression equals one of some constants.
  case membership(FetchExpression, [Value])
  /// Whether the object is in a fixed set: `SELF IN …`.
  case identity(IdentitySet)
  /// Whether a text matches another by a text operator.
  case text(FetchExpression, TextOperator, String, caseInsensitive: Bool)
  /// Whether an expression is null.
  case isNull(FetchExpression)
  /// The negation; unknown stays unknown.
  case not(FetchPredicate)
  /// The conjunction; true if it is empty.
  case and([FetchPredicate])
  /// The disjunction; false if it is empty.
  case or([FetchPredicate])
  /// Whether a predicate is true for any, all or none of the objects of a to-many relationship, which to-one ones may precede;
  /// never unknown (R93).
  case quantified(Quantifier, [String], FetchPredicate)
}

/// A comparison of two expressions.
public enum ComparisonOperator: String, Hashable, Sendable, CaseIterable {
  /// Equal.
  case equal = "=="
  /// Not equal.
  case notEqual = "!="
  /// Less than.
  case less = "<"
  /// Less than or equal.
  case lessOrEqual = "<="
  /// Greater than.
  case greater = ">"
  /// Greater than or equal.
  case greaterOrEqual = ">="
}

/// A comparison of two texts.
///
/// With `caseInsensitive`, both texts are first lowercased by Unicode's default mapping; otherwise bytes are compared.
public enum TextOperator: String, Hashable, Sendable, CaseIterable {
  /// The left text begins with the right one.
  case beginsWith = "BEGINSWITH"
  /// The left text contains the right one.
  case contains = "CONTAINS"
  /// The left text ends with the right one.
  case endsWith = "ENDSWITH"
  /// The whole left text matches a pattern: `*` for any scalars, `?` for one Unicode scalar, a backslash before a literal one.
  case like = "LIKE"
  /// The whole left text matches a regular expression, as `MatchPattern` describes it.
  case matches = "MATCHES"
}

extension FetchPredicate {
  /// Whether a text matches another, without regard to letter case, to accents and other marks, or to both: `[c]`, `[d]`, `[cd]`.
  public static func text(
    _ expression: FetchExpression,
    _ comparison: TextOperator,
    _ text: String,
    caseInsensitive: Bool,
    diacriticInsensitive: Bool
  ) -> FetchPredicate {
    guard diacriticInsensitive else {
      return .text(expression, comparison, text, caseInsensitive: caseInsensitive)
    }
    return .text(
      .transformed(.baseLetters, expression),
      comparison,
      TextTransform.baseLetters.applied(to: text),
      caseInsensitive: caseInsensitive
    )
  }

  /// The names of the entity's attributes it reads, with duplicates and without those of related objects.
  public var attributes: [String] {
    switch self {
    case .all, .none, .identity, .quantified: []
    case .comparison(let left, _, let right): left.attributes + right.attributes
    case .between(let expression, _, _), .membership(let expression, _),
      .text(let expression, _, _, _), .isNull(let expression), .relative(let expression, _, _):
      expression.attributes
    case .not(let inner): inner.attributes
    case .and(let parts), .or(let parts): parts.flatMap(\.attributes)
    }
  }

  /// The conjunction of two predicates, flattened.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    switch (left, right) {
    case (.all, let other), (let other, .all): other
    case (.and(let left), .and(let right)): .and(left + right)
    case (.and(let left), _): .and(left + [right])
    case (_, .and(let right)): .and([left] + right)
    default: .and([left, right])
    }
  }

  /// The disjunction of two predicates, flattened.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    switch (left, right) {
    case (.none, let other), (let other, .none): other
    case (.or(let left), .or(let right)): .or(left + right)
    case (.or(let left), _): .or(left + [right])
    case (_, .or(let right)): .or([left] + right)
    default: .or([left, right])
    }
  }

  /// The negation of a predicate; unknown stays unknown.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }
}

// MARK: - Normal form

extension FetchPredicate {
  /// The predicate in normal form, which holds for exactly the same rows.
  ///
  /// `== NULL` and `!= NULL` become tests for null, not-a-number becomes null, a list of keys becomes a set of identities,
  /// and redundant levels of AND and OR are removed. Stores translate this form.
  /// - Complexity: O(*n*) in the predicate's size.
  public var normalized: FetchPredicate {
    switch self {
    case .all, .none, .identity: return self
    case .text(let expression, let comparison, let text, let caseInsensitive):
      return .text(expression.normalized, comparison, text, caseInsensitive: caseInsensitive)
    case .isNull(let expression): return .isNull(expression.normalized)
    case .relative(let expression, let comparison, let date):
      return .relative(expression.normalized, comparison, date)
    case .comparison(let left, let comparison, let right):
      let (left, right) = (left.normalized, right.normalized)
      switch (comparison, left.isNullLiteral, right.isNullLiteral) {
      case (.equal, _, true): return .isNull(left)
      case (.equal, true, false): return .isNull(right)
      case (.notEqual, _, true): return .not(.isNull(left))
      case (.notEqual, true, false): return .not(.isNull(right))
      default: return FetchPredicate.comparison(left, comparison, right).quantifiedCount
      }
    case .between(let expression, let low, let high):
      return .between(expression.normalized, low.orderable, high.orderable)
    case .membership(.objectKey, let values):
      let integers = values.compactMap(\.integer)
      let texts = values.compactMap(\.text)
      if integers.count == values.count {
        return .identity(IdentitySet(keys: integers.map { .integer($0) }))
      }
      guard texts.count == values.count else { return .membership(.objectKey, values) }
      return .identity(IdentitySet(keys: texts.map { .text($0) }))
    case .membership(let expression, let values):
      return .membership(expression.normalized, values.map(\.orderable))
    case .not(let inner): return .not(inner.normalized)
    case .and(let parts): return .conjunction(parts.map(\.normalized))
    case .or(let parts): return .disjunction(parts.map(\.normalized))
    case .quantified(let quantifier, let path, let inner):
      return .quantified(quantifier, path, inner.normalized)
    }
  }

  /// A comparison of a count with nothing or with everything as a quantifier, which stops at the first object that decides.
  var quantifiedCount: FetchPredicate {
    guard
      case .comparison(
        .relatedAggregate(let path, .count, nil, let inner),
        let comparison,
        let right
      ) =
        self
    else { return self }
    switch (comparison, right) {
    case (.greater, .literal(.integer(0))): return .quantified(.any, path, inner)
    case (.equal, .literal(.integer(0))): return .quantified(.none, path, inner)
    case (.equal, _) where right == .relatedAggregate(path, .count, nil, where: .all):
      return .quantified(.all, path, inner)
    default: return self
    }
  }

  /// The conjunction of normalized predicates, without redundant levels.
  package static func conjunction(_ parts: [FetchPredicate]) -> FetchPredicate {
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

  /// The disjunction of normalized predicates, without redundant levels.
  package static func disjunction(_ parts: [FetchPredicate]) -> FetchPredicate {
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

// MARK: - Equality

// Texts are compared as bytes, as in `FetchExpression`, so equal predicates hold for the same rows.

extension FetchPredicate {
  /// Whether two predicates are equal, by bytes.
  public static func == (left: FetchPredicate, right: FetchPredicate) -> Bool {
    switch (left, right) {
    case (.all, .all), (.none, .none): true
    case (.comparison(let a, let one, let b), .comparison(let c, let other, let d)):
      one == other && a == c && b == d
    case (.relative(let left, let one, let a), .relative(let right, let other, let b)):
      one == other && left == right && a == b
    case (.between(let left, let a, let b), .between(let right, let c, let d)):
      left == right && a == c && b == d
    case (.membership(let left, let one), .membership(let right, let other)):
      left == right && one == other
    case (.identity(let left), .identity(let right)): left == right
    case (.text(let left, let one, let a, let c), .text(let right, let other, let b, let d)):
      left == right && one == other && a.hasSameBytes(as: b) && c == d
    case (.isNull(let left), .isNull(let right)): left == right
    case (.not(let left), .not(let right)): left == right
    case (.and(let left), .and(let right)), (.or(let left), .or(let right)): left == right
    case (.quantified(let one, let a, let left), .quantified(let other, let b, let right)):
      one == other && a.haveSameBytes(as: b) && left == right
    default: false
    }
  }
}
