/// Reads a predicate's text by recursive descent: OR binds least, then AND, then NOT.
struct PredicateParser {
  /// How many levels may stand inside each other, so that no text exhausts the stack, even a small one in a debug build.
  static let depthLimit = 32

  let entity: EntityDescription
  let transients: [String]
  var arguments: PredicateArguments
  private var lexer: PredicateLexer
  private(set) var token: PredicateToken
  private var depth = 0

  init(
    _ text: String,
    _ arguments: [PredicateArgument],
    _ entity: EntityDescription,
    _ transients: [String]
  ) throws(PredicateParseError) {
    self.entity = entity
    self.transients = transients
    self.arguments = PredicateArguments(arguments)
    lexer = PredicateLexer(text)
    token = try lexer.next()
  }

  mutating func predicate() throws(PredicateParseError) -> FetchPredicate {
    let predicate = try disjunction()
    guard token.kind == .end else { throw unexpected("AND, OR or the end") }
    guard arguments.used == arguments.given else {
      throw error(.unusedArguments(used: arguments.used, given: arguments.given), at: token.start)
    }
    return predicate
  }

  private mutating func disjunction() throws(PredicateParseError) -> FetchPredicate {
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
    default: return try comparison()
    }
  }
}

extension PredicateParser {
  mutating func advance() throws(PredicateParseError) { token = try lexer.next() }

  /// Goes one level deeper; the caller goes back.
  mutating func enter() throws(PredicateParseError) {
    guard depth < PredicateParser.depthLimit else {
      throw error(.tooDeep(limit: PredicateParser.depthLimit), at: token.start)
    }
    depth += 1
  }

  mutating func leave() { depth -= 1 }

  /// Passes over a symbol that must stand here.
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

/// The arguments of a text's placeholders, given out in order.
struct PredicateArguments {
  private let arguments: [PredicateArgument]
  private(set) var used = 0

  init(_ arguments: [PredicateArgument]) { self.arguments = arguments }

  var given: Int { arguments.count }

  /// The argument that is given out next.
  var upcoming: PredicateArgument? { used < arguments.count ? arguments[used] : nil }

  mutating func next() -> PredicateArgument? {
    guard used < arguments.count else { return nil }
    used += 1
    return arguments[used - 1]
  }
}
