extension PredicateParser {
  mutating func membership(
    _ expression: FetchExpression
  ) throws(PredicateParseError) -> FetchPredicate {
    if expression == .objectKey { return try identities() }
    let type = expression.type(in: entity)
    if case .placeholder(let placeholder) = token.kind {
      let start = token.start
      let argument = try nextArgument(placeholder)
      guard case .list(let arguments) = argument else {
        throw wrong(placeholder, "a list of values", argument, at: start)
      }
      var values: [Value] = []
      for argument in arguments {
        values.append(try value(try constant(argument, "%@"), as: type, at: start))
      }
      try advance()
      return .membership(expression, values)
    }
    let values = try list { (parser) throws(PredicateParseError) in
      let start = parser.token.start
      return try parser.value(try parser.constant(), as: type, at: start)
    }
    return .membership(expression, values)
  }

  /// Elements between braces or parentheses, with commas between them; there may be none.
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
    if case .placeholder(let placeholder) = token.kind {
      let argument = try nextArgument(placeholder)
      switch argument {
      case .identities(let set):
        try advance()
        return .identity(set)
      case .list(let arguments):
        var keys: [ObjectKey] = []
        for argument in arguments {
          keys.append(try key(try constant(argument, "%@"), at: start))
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

  /// What `SELF` equals, where that is a URI, a compound key or a set; `nil` for an ordinary comparison.
  mutating func identity(
    _ comparison: ComparisonOperator
  ) throws(PredicateParseError) -> FetchPredicate? {
    let start = token.start
    guard comparison == .equal || comparison == .notEqual else { return nil }
    var made: FetchPredicate?
    if let key = try writtenKey() {
      made = .identity(IdentitySet(keys: [key]))
    } else if case .placeholder("%@") = token.kind, case .identities(let set) = arguments.upcoming {
      guard set.count == 1 else {
        throw wrong("%@", "one object", .identities(set), at: start)
      }
      _ = try nextArgument("%@")
      try advance()
      made = .identity(set)
    }
    return comparison == .equal ? made : made.map { .not($0) }
  }

  /// A key that is written as a URI or, if it is compound, as its parts between parentheses.
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
        let place = parser.token.start
        let type = index < types.count ? types[index] : nil
        return try parser.value(try parser.constant(), as: type, at: place)
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

  private func key(
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
