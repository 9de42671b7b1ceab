/// Which rows a request fetches: a closed tree that an evaluator and every store translate alike.
///
/// It follows SQL's three-valued logic: a comparison with null is unknown, and only rows for which the whole is
/// true are fetched; `==` and `!=` with a constant null test for null.
public indirect enum FetchPredicate: Hashable, Sendable {
  /// Every row: `TRUEPREDICATE`.
  case all
  /// No row: `FALSEPREDICATE`.
  case none
  /// A comparison of two expressions of the same storage class.
  case comparison(FetchExpression, ComparisonOperator, FetchExpression)
  /// Whether an expression lies between two constants, both included.
  case between(FetchExpression, Value, Value)
  /// Whether an expression equals one of some constants.
  case membership(FetchExpression, [Value])
  /// Whether the object is one of a fixed set: `SELF IN …`.
  case identity(IdentitySet)
  /// Whether a text has a form.
  case text(FetchExpression, TextOperator, String, caseInsensitive: Bool)
  /// Whether an expression is null.
  case isNull(FetchExpression)
  /// Not; unknown stays unknown.
  case not(FetchPredicate)
  /// All of them; true if there are none.
  case and([FetchPredicate])
  /// At least one of them; false if there are none.
  case or([FetchPredicate])
}

/// How two expressions are compared.
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

/// What form of a text is asked for.
///
/// With `caseInsensitive` both texts are lowercased by Unicode's default mapping first; without, bytes are compared.
public enum TextOperator: String, Hashable, Sendable, CaseIterable {
  /// Begins with the text.
  case beginsWith = "BEGINSWITH"
  /// Contains the text.
  case contains = "CONTAINS"
  /// Ends with the text.
  case endsWith = "ENDSWITH"
  /// Matches the pattern as a whole: `*` any scalars, `?` one Unicode scalar, a backslash takes the next literally.
  case like = "LIKE"
}

extension FetchPredicate {
  /// Names of the attributes it reads, with repeats.
  public var attributes: [String] {
    switch self {
    case .all, .none, .identity: []
    case .comparison(let left, _, let right): left.attributes + right.attributes
    case .between(let expression, _, _), .membership(let expression, _),
      .text(let expression, _, _, _), .isNull(let expression):
      expression.attributes
    case .not(let inner): inner.attributes
    case .and(let parts), .or(let parts): parts.flatMap(\.attributes)
    }
  }

  /// Both predicates, without a needless level.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    switch (left, right) {
    case (.all, let other), (let other, .all): other
    case (.and(let left), .and(let right)): .and(left + right)
    case (.and(let left), _): .and(left + [right])
    case (_, .and(let right)): .and([left] + right)
    default: .and([left, right])
    }
  }

  /// Either predicate.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    switch (left, right) {
    case (.none, let other), (let other, .none): other
    case (.or(let left), .or(let right)): .or(left + right)
    case (.or(let left), _): .or(left + [right])
    case (_, .or(let right)): .or([left] + right)
    default: .or([left, right])
    }
  }

  /// The opposite; unknown stays unknown.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }
}
