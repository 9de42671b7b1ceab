extension PredicateParser {
  @inline(never)
  mutating func comparison() throws(PredicateParseError) -> FetchPredicate {
    let start = token.start
    let left = try operand()
    var isNegated = false
    if token.keyword == "NOT" {
      isNegated = true
      try advance()
    }
    let made = try comparison(left, at: start, mustBeWord: isNegated)
    do {
      try made.validate(in: entity)
    } catch {
      throw self.error(.refused(error), at: start)
    }
    return isNegated ? .not(made) : made
  }

  private mutating func comparison(
    _ left: Operand,
    at start: Int,
    mustBeWord: Bool
  ) throws(PredicateParseError) -> FetchPredicate {
    if case .symbol(let symbol) = token.kind, !mustBeWord,
      let comparison = ComparisonOperator(rawValue: symbol)
    {
      try advance()
      try refuseOption(symbol)
      return try compared(left, start, comparison)
    }
    if let comparison = TextOperator(rawValue: token.keyword) {
      try advance()
      return try text(left, start, comparison)
    }
    switch token.keyword {
    case "BETWEEN":
      try advance()
      return try between(expression(left, at: start))
    case "IN":
      try advance()
      try refuseOption("IN")
      return try membership(expression(left, at: start))
    case "MATCHES":
      throw error(.unsupported("MATCHES", instead: "LIKE with * and ?"), at: token.start)
    case "IS": throw error(.unsupported("IS", instead: "== NULL or != NULL"), at: token.start)
    default:
      throw unexpected(
        mustBeWord ? "IN, BETWEEN or LIKE" : "a comparison such as ==, IN or CONTAINS"
      )
    }
  }

  private func refuseOption(_ comparison: String) throws(PredicateParseError) {
    guard case .option = token.kind else { return }
    throw error(
      .unsupported("\(comparison)\(token.found)", instead: "LIKE[c] to compare whatever the case"),
      at: token.start
    )
  }

  private func expression(
    _ operand: Operand,
    at start: Int
  ) throws(PredicateParseError) -> FetchExpression {
    switch operand {
    case .expression(let expression): expression
    case .constant(let constant): .literal(try value(constant, as: nil, at: start))
    }
  }

  private mutating func compared(
    _ left: Operand,
    _ start: Int,
    _ comparison: ComparisonOperator
  ) throws(PredicateParseError) -> FetchPredicate {
    if case .expression(.objectKey) = left, let identity = try identity(comparison) {
      return identity
    }
    let place = token.start
    let right = try operand()
    switch (left, right) {
    case (.expression(let left), .expression(let right)):
      if let one = left.type(in: entity), let other = right.type(in: entity),
        !one.isComparable(with: other)
      {
        throw error(
          .mixedKinds(left: "\(left) (\(one))", right: "\(right) (\(other))"),
          at: place
        )
      }
      return .comparison(left, comparison, right)
    case (.expression(let left), .constant(let constant)):
      guard !constant.isNull else { return try null(left, comparison, at: place) }
      let value = try value(constant, as: left.type(in: entity), at: place)
      return .comparison(left, comparison, .literal(value))
    case (.constant(let constant), .expression(let right)):
      guard !constant.isNull else { return try null(right, comparison, at: start) }
      let value = try value(constant, as: right.type(in: entity), at: start)
      return .comparison(.literal(value), comparison, right)
    case (.constant(let left), .constant(let right)):
      let (one, other) = (
        FetchExpression.literal(try value(left, as: nil, at: start)),
        FetchExpression.literal(try value(right, as: nil, at: place))
      )
      if right.isNull { return try null(one, comparison, at: place) }
      if left.isNull { return try null(other, comparison, at: start) }
      return .comparison(one, comparison, other)
    }
  }

  private func null(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    at place: Int
  ) throws(PredicateParseError) -> FetchPredicate {
    switch comparison {
    case .equal: return .isNull(expression)
    case .notEqual: return .not(.isNull(expression))
    default:
      throw error(
        .unsupported("\(comparison.rawValue) with NULL", instead: "== NULL or != NULL"),
        at: place
      )
    }
  }

  private mutating func text(
    _ left: Operand,
    _ start: Int,
    _ comparison: TextOperator
  ) throws(PredicateParseError) -> FetchPredicate {
    var caseInsensitive = false
    if case .option(let letters) = token.kind {
      guard letters == "c" || letters == "C" else {
        throw error(.unsupported(token.found, instead: "[c] or nothing"), at: token.start)
      }
      caseInsensitive = true
      try advance()
    }
    let expression = try expression(left, at: start)
    if let type = expression.type(in: entity), type != .text {
      throw error(.mixedKinds(left: "\(expression) (\(type))", right: "a text"), at: start)
    }
    let place = token.start
    guard case .text(let sought) = try value(try constant(), as: .text, at: place) else {
      throw error(
        .unsupported("\(comparison.rawValue) with NULL", instead: "a text between quotes"),
        at: place
      )
    }
    return .text(expression, comparison, sought, caseInsensitive: caseInsensitive)
  }

  private mutating func between(
    _ expression: FetchExpression
  ) throws(PredicateParseError) -> FetchPredicate {
    let type = expression.type(in: entity)
    let start = token.start
    if let closing = PredicateParser.closing(of: token) {
      try advance()
      let low = try bound(type)
      try expect(",")
      let high = try bound(type)
      try expect(closing)
      return .between(expression, low, high)
    }
    if case .placeholder(let placeholder) = token.kind {
      let argument = try nextArgument(placeholder)
      if case .list(let arguments) = argument {
        guard arguments.count == 2 else {
          throw wrong(placeholder, "a list of two values", argument, at: start)
        }
        let low = try bound(try constant(arguments[0], "%@"), type, at: start)
        let high = try bound(try constant(arguments[1], "%@"), type, at: start)
        try advance()
        return .between(expression, low, high)
      }
      let low = try bound(try constant(argument, placeholder), type, at: start)
      try advance()
      return .between(expression, low, try upperBound(type))
    }
    let low = try bound(type)
    return .between(expression, low, try upperBound(type))
  }

  private mutating func upperBound(_ type: AttributeType?) throws(PredicateParseError) -> Value {
    guard token.keyword == "AND" else { throw unexpected("AND") }
    try advance()
    return try bound(type)
  }

  private mutating func bound(_ type: AttributeType?) throws(PredicateParseError) -> Value {
    let start = token.start
    return try bound(try constant(), type, at: start)
  }

  private func bound(
    _ constant: PredicateConstant,
    _ type: AttributeType?,
    at start: Int
  ) throws(PredicateParseError) -> Value {
    guard !constant.isNull else {
      throw error(.unsupported("BETWEEN with NULL", instead: "two values"), at: start)
    }
    return try value(constant, as: type, at: start)
  }

  /// What closes a list that the token opens, or `nil` if it opens none.
  static func closing(of token: PredicateToken) -> String? {
    switch token.kind {
    case .symbol("{"): "}"
    case .symbol("("): ")"
    default: nil
    }
  }
}
