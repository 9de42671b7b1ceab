/// Parses a predicate's text by recursive descent; the precedence is OR, AND, NOT from lowest to highest.
struct PredicateParser {
  /// The maximum nesting depth, small enough for a small stack in a debug build.
  static let depthLimit = 32

  let transients: [String]
  /// The calendar of `today()`, or `nil` for none.
  var days: (any DayCalendar)?
  var arguments: ArgumentReader
  /// What names belong to.
  var scope: PredicateScope
  private(set) var lexer: PredicateLexer
  private(set) var token: PredicateToken
  private var depth = 0

  init(
    _ text: String,
    _ arguments: PredicateArguments,
    _ entity: EntityDescription,
    _ transients: [String]
  ) throws(PredicateParseError) {
    scope = PredicateScope(entity: entity)
    self.transients = transients
    self.arguments = ArgumentReader(arguments)
    lexer = PredicateLexer(text)
    token = try lexer.next()
  }

  /// The entity that names belong to.
  var entity: EntityDescription { scope.entity }

  mutating func predicate() throws(PredicateParseError) -> FetchPredicate {
    let predicate = try disjunction()
    guard token.kind == .end else { throw unexpected("AND, OR or the end") }
    guard arguments.used == arguments.given else {
      throw error(.unusedArguments(used: arguments.used, given: arguments.given), at: token.start)
    }
    if let unused = arguments.unusedVariables.first {
      throw error(.unusedVariable(unused), at: token.start)
    }
    return predicate
  }

  mutating func disjunction() throws(PredicateParseError) -> FetchPredicate {
    var parts = [try conjunction()]
    while token.keyword == "OR" || token.kind == .symbol("||") {
      try advance()
      parts.append(try conjunction())
    }
    return .disjunction(parts)
  }

  private mutating func conjunction() throws(PredicateParseError) -> FetchPredicate {
    var parts = [try negation()]
    while token.keyword == "AND" || token.kind == .symbol("&&") {
      try advance()
      parts.append(try negation())
    }
    return .conjunction(parts)
  }

  private mutating func negation() throws(PredicateParseError) -> FetchPredicate {
    guard token.keyword == "NOT" || token.kind == .symbol("!") else { return try primary() }
    try enter()
    defer { depth -= 1 }
    try advance()
    return .not(try negation())
  }

  private mutating func primary() throws(PredicateParseError) -> FetchPredicate {
    switch (token.keyword, token.kind) {
    case ("TRUEPREDICATE", _):
      try advance()
      return .all
    case ("FALSEPREDICATE", _):
      try advance()
      return .none
    case (_, .symbol("(")):
      try enter()
      defer { depth -= 1 }
      try advance()
      let inner = try disjunction()
      guard token.kind == .symbol(")") else { throw unexpected("AND, OR or )") }
      try advance()
      return inner
    default:
      if let quantified = try quantified() { return quantified }
      return try comparison()
    }
  }
}

extension PredicateParser {
  mutating func advance() throws(PredicateParseError) { token = try lexer.next() }

  /// Enters a nesting level, which the caller must leave.
  mutating func enter() throws(PredicateParseError) {
    guard depth < PredicateParser.depthLimit else {
      throw error(.tooDeep(limit: PredicateParser.depthLimit), at: token.start)
    }
    depth += 1
  }

  mutating func leave() { depth -= 1 }

  /// Skips a required symbol.
  mutating func expect(_ symbol: String) throws(PredicateParseError) {
    guard token.kind == .symbol(symbol) else { throw unexpected(symbol) }
    try advance()
  }

  func unexpected(_ expected: String) -> PredicateParseError {
    error(.unexpected(expected: expected, found: token.found), at: token.start)
  }

  func error(_ problem: PredicateParseError.Problem, at start: Int) -> PredicateParseError {
    lexer.error(problem, at: start)
  }
}

// MARK: - Comparisons

extension PredicateParser {
  @inline(never)
  mutating func comparison() throws(PredicateParseError) -> FetchPredicate {
    let start = token.start
    let left = try operand()
    return try comparison(left, from: start)
  }

  /// Parses the rest of a comparison after its left side.
  @inline(never)
  mutating func comparison(
    _ left: Operand,
    from start: Int
  ) throws(PredicateParseError) -> FetchPredicate {
    var isNegated = false
    if token.keyword == "NOT" {
      isNegated = true
      try advance()
    }
    // What is checked is what is compared: the constants as they are stored.
    let made = try comparison(left, at: start, mustBeWord: isNegated).storing(in: entity)
    do {
      try made.validate(in: entity, followingClock: true)
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
    if case .object(let object) = left { return try comparison(of: object) }
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
      .unsupported("\(comparison)\(token.found)", instead: "LIKE[c] to ignore letter case"),
      at: token.start
    )
  }

  /// The value of an operand; that of an object is its foreign key.
  func expression(
    _ operand: Operand,
    at start: Int
  ) throws(PredicateParseError) -> FetchExpression {
    switch operand {
    case .expression(let expression): return expression
    case .object(let object):
      guard object.columns.count == 1 else {
        throw error(
          .unsupported("\(object.text) as a value", instead: "an attribute of it"),
          at: start
        )
      }
      return object.columns[0]
    case .constant(let constant): return .literal(try value(constant, as: nil, at: start))
    case .relative(let date):
      throw error(
        .unsupported("\(date) here", instead: "it on one side of <, <=, > or >="),
        at: start
      )
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
    let rightStart = token.start
    if scope.isQuantified, beginsName || token.keyword == "SELF" {
      throw error(
        .unsupported(
          "A name on the right after ANY, ALL or NONE",
          instead: "a constant, or SUBQUERY(…, $x, $x.a == $x.b).@count > 0"
        ),
        at: rightStart
      )
    }
    var right = try operand()
    if case .object = right { right = .expression(try expression(right, at: rightStart)) }
    switch (left, right) {
    // The left side is an object only in `comparison(of:)`, and the right one is its foreign key by now.
    case (.object, _), (_, .object): throw unexpected("a value")
    case (.expression(let left), .relative(let date)):
      return try relative(left, comparison, date, at: rightStart)
    case (.relative(let date), .expression(let right)):
      return try relative(right, comparison.mirrored, date, at: start)
    case (.relative(let date), _), (_, .relative(let date)):
      throw error(
        .unsupported("\(date) beside a constant", instead: "an attribute that is a date"),
        at: rightStart
      )
    case (.expression(let left), .expression(let right)):
      if let one = left.type(in: entity), let other = right.type(in: entity),
        !one.isComparable(with: other)
      {
        throw error(
          .mixedKinds(left: "\(left) (\(one))", right: "\(right) (\(other))"),
          at: rightStart
        )
      }
      return FetchPredicate.comparison(left, comparison, right).quantifiedCount
    case (.expression(let left), .constant(let constant)):
      guard !constant.isNull else { return try null(left, comparison, at: rightStart) }
      let type = left.type(in: entity)
      if type == .date, let day = constant.day { return day.predicate(left, comparison) }
      let value = try value(constant, of: left, at: rightStart)
      return FetchPredicate.comparison(left, comparison, .literal(value)).quantifiedCount
    case (.constant(let constant), .expression(let right)):
      guard !constant.isNull else { return try null(right, comparison, at: start) }
      let type = right.type(in: entity)
      if type == .date, let day = constant.day {
        return day.predicate(right, comparison.mirrored)
      }
      let value = try value(constant, of: right, at: start)
      return .comparison(.literal(value), comparison, right)
    case (.constant(let left), .constant(let right)):
      let (one, other) = (
        FetchExpression.literal(try value(left, as: nil, at: start)),
        FetchExpression.literal(try value(right, as: nil, at: rightStart))
      )
      if right.isNull { return try null(one, comparison, at: rightStart) }
      if left.isNull { return try null(other, comparison, at: start) }
      return .comparison(one, comparison, other)
    }
  }

  /// A comparison with a date that follows the clock; a day has all its instants.
  private func relative(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    _ date: RelativeDate,
    at start: Int
  ) throws(PredicateParseError) -> FetchPredicate {
    if let type = expression.type(in: entity), type != .date {
      throw error(.mixedKinds(left: "\(expression) (\(type))", right: "\(date) (date)"), at: start)
    }
    switch comparison {
    case .equal, .notEqual:
      guard date.isDay else {
        throw error(
          .unsupported("\(comparison.rawValue) with \(date)", instead: "<, <=, > or >="),
          at: start
        )
      }
      let day = FetchPredicate.and([
        .relative(expression, .greaterOrEqual, date), .relative(expression, .less, date.dayAfter),
      ])
      return comparison == .equal ? day : .not(day)
    case .lessOrEqual where date.isDay: return .relative(expression, .less, date.dayAfter)
    case .greater where date.isDay: return .relative(expression, .greaterOrEqual, date.dayAfter)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .relative(expression, comparison, date)
    }
  }

  private func null(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    at start: Int
  ) throws(PredicateParseError) -> FetchPredicate {
    switch comparison {
    case .equal: return .isNull(expression)
    case .notEqual: return .not(.isNull(expression))
    default:
      throw error(
        .unsupported("\(comparison.rawValue) with NULL", instead: "== NULL or != NULL"),
        at: start
      )
    }
  }

  private mutating func text(
    _ left: Operand,
    _ start: Int,
    _ comparison: TextOperator
  ) throws(PredicateParseError) -> FetchPredicate {
    var caseInsensitive = false
    var ignoresMarks = false
    if case .option(let letters) = token.kind {
      switch PredicateWord.capitals(letters) {
      case "C": caseInsensitive = true
      case "D": ignoresMarks = true
      case "CD", "DC": (caseInsensitive, ignoresMarks) = (true, true)
      default:
        throw error(
          .unsupported(token.found, instead: "[c], [d], [cd] or nothing"),
          at: token.start
        )
      }
      try advance()
    }
    let expression = try expression(left, at: start)
    if let type = expression.type(in: entity), type != .text {
      throw error(.mixedKinds(left: "\(expression) (\(type))", right: "a text"), at: start)
    }
    let textStart = token.start
    guard case .text(let sought) = try value(try constant(), as: .text, at: textStart) else {
      throw error(
        .unsupported("\(comparison.rawValue) with NULL", instead: "a text between quotes"),
        at: textStart
      )
    }
    if comparison == .matches {
      do {
        _ = try MatchPattern(sought)
      } catch {
        throw self.error(.refused(error), at: textStart)
      }
    }
    return .text(
      expression,
      comparison,
      sought,
      caseInsensitive: caseInsensitive,
      diacriticInsensitive: ignoresMarks
    )
  }

  private mutating func between(
    _ expression: FetchExpression
  ) throws(PredicateParseError) -> FetchPredicate {
    let start = token.start
    if let closing = PredicateParser.closing(of: token) {
      try advance()
      let low = try bound(expression)
      try expect(",")
      let high = try bound(expression, isUpper: true)
      try expect(closing)
      return .between(expression, low, high)
    }
    if let placeholder = argumentName {
      let argument = try nextArgument(placeholder)
      if case .list(let arguments) = argument {
        guard arguments.count == 2 else {
          throw wrong(placeholder, "a list of two values", argument, at: start)
        }
        let low = try bound(try constant(arguments[0], placeholder), expression, at: start)
        let high = try bound(
          try constant(arguments[1], placeholder),
          expression,
          isUpper: true,
          at: start
        )
        try advance()
        return .between(expression, low, high)
      }
      let low = try bound(try constant(argument, placeholder), expression, at: start)
      try advance()
      return .between(expression, low, try upperBound(expression))
    }
    let low = try bound(expression)
    return .between(expression, low, try upperBound(expression))
  }

  private mutating func upperBound(_ expression: FetchExpression) throws(PredicateParseError)
    -> Value
  {
    guard token.keyword == "AND" else { throw unexpected("AND") }
    try advance()
    return try bound(expression, isUpper: true)
  }

  private mutating func bound(
    _ expression: FetchExpression,
    isUpper: Bool = false
  ) throws(PredicateParseError) -> Value {
    let start = token.start
    return try bound(try constant(), expression, isUpper: isUpper, at: start)
  }

  private func bound(
    _ constant: PredicateConstant,
    _ expression: FetchExpression,
    isUpper: Bool = false,
    at start: Int
  ) throws(PredicateParseError) -> Value {
    // Both bounds are included, and so is the day of the upper one.
    if isUpper, expression.type(in: entity) == .date, let day = constant.day { return day.last }
    guard !constant.isNull else {
      throw error(.unsupported("BETWEEN with NULL", instead: "two values"), at: start)
    }
    return try value(constant, of: expression, at: start)
  }

  /// The closing symbol of a list that the token opens, or `nil` if it opens none.
  static func closing(of token: PredicateToken) -> String? {
    switch token.kind {
    case .symbol("{"): "}"
    case .symbol("("): ")"
    default: nil
    }
  }
}

// MARK: - Lists

extension PredicateParser {
  mutating func membership(
    _ expression: FetchExpression
  ) throws(PredicateParseError) -> FetchPredicate {
    if expression == .objectKey { return try identities() }
    if let placeholder = argumentName {
      let start = token.start
      let argument = try nextArgument(placeholder)
      guard case .list(let arguments) = argument else {
        throw wrong(placeholder, "a list of values", argument, at: start)
      }
      var candidates: [Candidate] = []
      for argument in arguments {
        candidates.append(try candidate(try constant(argument, placeholder), expression, at: start))
      }
      try advance()
      return PredicateParser.membership(expression, candidates)
    }
    let candidates = try list { (parser) throws(PredicateParseError) in
      let start = parser.token.start
      return try parser.candidate(try parser.constant(), expression, at: start)
    }
    return PredicateParser.membership(expression, candidates)
  }

  /// A member of a list after `IN`.
  private enum Candidate {
    case value(Value)
    case day(PredicateDay)
  }

  private func candidate(
    _ constant: PredicateConstant,
    _ expression: FetchExpression,
    at start: Int
  ) throws(PredicateParseError) -> Candidate {
    if expression.type(in: entity) == .date, let day = constant.day { return .day(day) }
    return .value(try value(constant, of: expression, at: start))
  }

  private static func membership(
    _ expression: FetchExpression,
    _ candidates: [Candidate]
  ) -> FetchPredicate {
    var values: [Value] = []
    var days: [FetchPredicate] = []
    for candidate in candidates {
      switch candidate {
      case .value(let value): values.append(value)
      case .day(let day): days.append(day.predicate(expression, .equal))
      }
    }
    guard !days.isEmpty else { return .membership(expression, values) }
    return .disjunction((values.isEmpty ? [] : [.membership(expression, values)]) + days)
  }

  /// Parses a possibly empty list of elements between braces or parentheses, separated by commas.
  private mutating func list<Element>(
    _ element: (inout Self) throws(PredicateParseError) -> Element
  ) throws(PredicateParseError) -> [Element] {
    guard let closing = PredicateParser.closing(of: token) else {
      throw unexpected("a list such as {1, 2}")
    }
    try advance()
    var elements: [Element] = []
    guard token.kind != .symbol(closing) else {
      try advance()
      return elements
    }
    while true {
      elements.append(try element(&self))
      guard token.kind == .symbol(",") else { break }
      try advance()
    }
    guard token.kind == .symbol(closing) else { throw unexpected("a comma or \(closing)") }
    try advance()
    return elements
  }
}

// MARK: - Identities

extension PredicateParser {
  private mutating func identities() throws(PredicateParseError) -> FetchPredicate {
    let start = token.start
    if let placeholder = argumentName {
      let argument = try nextArgument(placeholder)
      switch argument {
      case .identities(let set):
        try advance()
        return .identity(set)
      case .list(let arguments):
        var keys: [ObjectKey] = []
        for argument in arguments {
          keys.append(try key(try constant(argument, placeholder), at: start))
        }
        try advance()
        return .identity(IdentitySet(keys: keys))
      default: throw wrong(placeholder, "a set of objects or a list of keys", argument, at: start)
      }
    }
    let keys = try list { (parser) throws(PredicateParseError) in
      if let key = try parser.writtenKey() { return key }
      let start = parser.token.start
      return try parser.key(try parser.constant(), at: start)
    }
    return .identity(IdentitySet(keys: keys))
  }

  /// Parses the right side of a comparison of `SELF` with a URI, a compound key or a set; `nil` for an ordinary comparison.
  mutating func identity(
    _ comparison: ComparisonOperator
  ) throws(PredicateParseError) -> FetchPredicate? {
    let start = token.start
    guard comparison == .equal || comparison == .notEqual else { return nil }
    var made: FetchPredicate?
    if let key = try writtenKey() {
      made = .identity(IdentitySet(keys: [key]))
    } else if let placeholder = argumentName, case .identities(let set) = upcomingArgument {
      guard set.count == 1 else {
        throw wrong(placeholder, "one object", .identities(set), at: start)
      }
      _ = try nextArgument(placeholder)
      try advance()
      made = .identity(set)
    }
    return comparison == .equal ? made : made.map { .not($0) }
  }

  /// Parses a key that is written as a URI or, if it is compound, as its parts between parentheses.
  private mutating func writtenKey() throws(PredicateParseError) -> ObjectKey? {
    let start = token.start
    switch (token.kind, entity.identity) {
    case (.reference(let id), _):
      try advance()
      return try key(of: id, at: start)
    case (.text(let text), .integer), (.text(let text), .compound):
      guard let id = ObjectID(uri: text) else { return nil }
      try advance()
      return try key(of: id, at: start)
    case (.symbol("("), .compound):
      let types = entity.keyTypes
      var index = 0
      let parts = try list { (parser) throws(PredicateParseError) in
        defer { index += 1 }
        let partStart = parser.token.start
        let type = index < types.count ? types[index] : nil
        return try parser.value(try parser.constant(), as: type, at: partStart)
      }
      guard parts.count == types.count else {
        throw error(
          .invalidConstant("The key", reason: "has \(parts.count) parts instead of \(types.count)"),
          at: start
        )
      }
      return .compound(parts)
    default: return nil
    }
  }

  private func key(of id: ObjectID, at start: Int) throws(PredicateParseError) -> ObjectKey {
    guard id.entity.hasSameBytes(as: entity.name), id.key.fits(entity) else {
      throw error(.refused(.foreignIdentity(id, entity: entity.name)), at: start)
    }
    return id.key
  }

  func key(
    _ constant: PredicateConstant,
    at start: Int
  ) throws(PredicateParseError) -> ObjectKey {
    if case .compound = entity.identity {
      throw error(
        .invalidConstant(
          constant.kind,
          reason: "is not a key of \(entity.name); write its parts between parentheses, or its URI"
        ),
        at: start
      )
    }
    switch try value(constant, as: entity.keyTypes[0], at: start) {
    case .integer(let number): return .integer(number)
    case .text(let text): return .text(text)
    default: throw error(.invalidConstant(constant.kind, reason: "is not a key"), at: start)
    }
  }
}
