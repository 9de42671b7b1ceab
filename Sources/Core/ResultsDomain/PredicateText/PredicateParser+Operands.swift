extension PredicateParser {
  /// One side of a comparison.
  enum Operand {
    case expression(FetchExpression)
    case object(WrittenObject)
    case constant(PredicateConstant)
    case relative(RelativeDate)
  }

  mutating func operand() throws(PredicateParseError) -> Operand {
    let start = token.start
    switch token.kind {
    case .word(let word):
      if let constant = try keywordConstant() { return .constant(constant) }
      if token.keyword == "SELF", scope.variable == nil {
        try advance()
        return .expression(.objectKey)
      }
      guard !PredicateWord.reserved.contains(token.keyword) else {
        throw unexpected("an attribute or a value")
      }
      if let next = try? lexer.upcoming(), next == .symbol("(") {
        let (isSubquery, isDate) = (
          token.keyword == "SUBQUERY", ["NOW", "TODAY"].contains(token.keyword)
        )
        try advance()
        if isDate { return .relative(try relativeDate(word, at: start)) }
        return .expression(try isSubquery ? subquery(at: start) : function(word, at: start))
      }
      return try path()
    case .variable where argumentName != nil: return .constant(try constant())
    case .quotedName, .placeholder("%K"), .variable: return try path()
    default: return .constant(try constant())
    }
  }

  /// Parses a constant: a literal, or a placeholder or a variable for one value.
  mutating func constant() throws(PredicateParseError) -> PredicateConstant {
    let constant: PredicateConstant
    switch token.kind {
    case .variable(let name) where name != scope.variable:
      constant = try self.constant(try nextArgument("$" + name), "$" + name)
    case .word(let word):
      if let found = try keywordConstant() { return found }
      guard ["NOW", "TODAY"].contains(token.keyword), try lexer.upcoming() == .symbol("(") else {
        throw unexpected("a value")
      }
      throw error(
        .unsupported("\(word)() here", instead: "it on one side of <, <=, > or >="),
        at: token.start
      )
    case .text(let text): constant = .text(text)
    case .number(let digits): constant = .number(digits)
    case .blob(let bytes): constant = .blob(bytes)
    case .placeholder(let placeholder):
      constant = try self.constant(try nextArgument(placeholder), placeholder)
    default: throw unexpected("an attribute or a value")
    }
    try advance()
    return constant
  }

  private mutating func keywordConstant() throws(PredicateParseError) -> PredicateConstant? {
    let constant: PredicateConstant
    switch token.keyword {
    case "NULL", "NIL": constant = .null
    case "TRUE", "YES": constant = .boolean(true)
    case "FALSE", "NO": constant = .boolean(false)
    case "INFINITY": constant = .number("inf")
    default: return nil
    }
    try advance()
    return constant
  }

  /// The stored value of a constant that is compared with an expression.
  func value(
    _ constant: PredicateConstant,
    of expression: FetchExpression,
    at start: Int
  ) throws(PredicateParseError) -> Value {
    if case .words(let words)? = expression.form(in: entity),
      let problem = constant.problem(among: words)
    {
      throw error(problem, at: start)
    }
    return try value(constant, as: expression.type(in: entity), at: start)
  }

  /// The stored value of a constant at a position.
  func value(
    _ constant: PredicateConstant,
    as type: AttributeType?,
    at start: Int
  ) throws(PredicateParseError) -> Value {
    do {
      return try constant.value(as: type)
    } catch {
      throw self.error(error, at: start)
    }
  }
}

// MARK: - Arguments

extension PredicateParser {
  /// The placeholder or the variable with an argument that is the current token, as it is written.
  ///
  /// The variable of the enclosing `SUBQUERY` is an object, and hides an argument of its name.
  var argumentName: String? {
    switch token.kind {
    case .placeholder(let placeholder): placeholder
    case .variable(let name) where name != scope.variable && arguments.value(of: name) != nil:
      "$" + name
    default: nil
    }
  }

  /// The argument of the current token, without using it.
  var upcomingArgument: PredicateArgument? {
    switch token.kind {
    case .placeholder("%@"): arguments.upcoming
    case .variable(let name) where name != scope.variable: arguments.value(of: name)
    default: nil
    }
  }

  /// The error for a variable without an argument.
  func missingVariable(_ name: String) -> PredicateParseError {
    error(
      .missingVariable(
        PredicateToken.short(name),
        suggestion: NearestName.of(name, among: arguments.variables)
      ),
      at: token.start
    )
  }

  /// The argument of the placeholder or the variable that is the current token.
  mutating func nextArgument(
    _ placeholder: String
  ) throws(PredicateParseError) -> PredicateArgument {
    if case .variable(let name) = token.kind {
      guard let argument = arguments.use(name) else { throw missingVariable(name) }
      return argument
    }
    guard let argument = arguments.next() else {
      throw error(
        .missingArgument(placeholder: placeholder, given: arguments.given),
        at: token.start
      )
    }
    return argument
  }

  /// Converts an argument to a constant.
  func constant(
    _ argument: PredicateArgument,
    _ placeholder: String
  ) throws(PredicateParseError) -> PredicateConstant {
    let constant: PredicateConstant
    switch argument {
    case .value(let value): constant = .stored(value.orderable)
    case .number(let number): constant = .number(number.description)
    case .list, .identities, .attribute:
      throw wrong(placeholder, "one value", argument, at: token.start)
    }
    switch (placeholder, constant) {
    case (_, _) where placeholder == "%@" || placeholder.utf8.first == UInt8(ascii: "$"):
      return constant
    case ("%d", .stored(.integer)), ("%f", .stored(.integer)), ("%f", .stored(.real)),
      ("%f", .number), ("%s", .stored(.text)):
      return constant
    case ("%d", .number(let digits)) where Int64(digits) != nil: return constant
    case ("%d", _): throw wrong(placeholder, "an integer", argument, at: token.start)
    case ("%f", _): throw wrong(placeholder, "a number", argument, at: token.start)
    default: throw wrong(placeholder, "a text", argument, at: token.start)
    }
  }

  func wrong(
    _ placeholder: String,
    _ expected: String,
    _ argument: PredicateArgument,
    at start: Int
  ) -> PredicateParseError {
    let found =
      switch argument {
      case .value(.null): "NULL"
      case .value(.integer): "an integer"
      case .value(.real): "a real"
      case .value(.text): "a text"
      case .value(.blob): "bytes"
      case .value(.illFormedText): "a text that is not UTF-8"
      case .number: "a number"
      case .list: "a list"
      case .identities: "a set of objects"
      case .attribute: "an attribute's name, which goes with %K"
      }
    return error(
      .wrongArgument(placeholder: placeholder, expected: expected, found: found),
      at: start
    )
  }
}

// MARK: - Attributes and functions

extension PredicateParser {
  /// The attribute of a name.
  func attribute(
    _ name: String,
    of entity: EntityDescription,
    at start: Int
  ) throws(PredicateParseError) -> FetchExpression {
    guard entity.index(of: name) == nil else { return .attribute(name) }
    if entity === self.entity, transients.contains(where: { $0.hasSameBytes(as: name) }) {
      throw error(.transientAttribute(name, entity: entity.name), at: start)
    }
    if case .compound = entity.identity {
    } else if entity.identity.columns[0].hasSameBytes(as: name) {
      return .objectKey
    }
    if PredicateWord.capitals(name) == "OBJECTID" {
      throw error(.unsupported(name, instead: "SELF, as in SELF IN %@"), at: start)
    }
    let known = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    let isKey = PredicateWord.capitals(name) == "ID" || entity.identity.columns == [name]
    throw error(
      .unknownAttribute(
        PredicateToken.short(name),
        entity: entity.name,
        suggestion: isKey ? "SELF, which is the id" : NearestName.of(name, among: known),
        known: known
      ),
      at: start
    )
  }

  /// Parses the offset of `now(…)` or `today(…)`.
  private mutating func relativeDate(
    _ name: String,
    at start: Int
  ) throws(PredicateParseError) -> RelativeDate {
    guard scope.variable == nil, !scope.isQuantified else {
      throw error(
        .unsupported("\(name)() in a condition on related objects", instead: "a date"),
        at: start
      )
    }
    let isToday = PredicateWord.capitals(name) == "TODAY"
    let calendar = isToday ? days : nil
    guard !isToday || calendar != nil else {
      throw error(.unsupported("today() without a calendar", instead: "now() or a date"), at: start)
    }
    try expect("(")
    let offset: String
    let offsetStart = token.start
    switch token.kind {
    case .symbol(")"): offset = "0d"
    case .span(let span):
      offset = span
      try advance()
    default: throw unexpected(isToday ? "an offset such as -7d" : "an offset such as -90m")
    }
    try expect(")")
    guard let date = RelativeDate(today: calendar, offset: offset) else {
      let reason =
        isToday
        ? "is not a number of days or weeks, such as -7d or 2w"
        : "is not a span of w, d, h, m or s, such as -90m"
      throw error(.invalidConstant(PredicateToken.short(offset), reason: reason), at: offsetStart)
    }
    return date
  }

  private mutating func function(
    _ name: String,
    at start: Int
  ) throws(PredicateParseError) -> FetchExpression {
    let function = PredicateWord.capitals(name)
    let known = [
      "PREFIX", "LOWERCASE", "UPPERCASE", "LENGTH", "BUCKET", "IFNULL", "NATURAL", "FILING",
      "BASELETTERS",
    ]
    guard known.contains(function) else {
      throw error(
        .unsupported(
          "The function \(PredicateToken.short(name))",
          instead:
            "prefix, lowercase, uppercase, length, bucket, ifnull, natural, filing, baseletters, now or today"
        ),
        at: start
      )
    }
    try enter()
    defer { leave() }
    try expect("(")
    let innerStart = token.start
    let inner: FetchExpression =
      try expression(try operand(), at: innerStart)
    // What is checked is what is compared: a constant as it is stored.
    let made = try self.function(function, of: inner, innerStart).storing(in: entity)
    try expect(")")
    do {
      _ = try made.comparableStorage(in: entity)
    } catch {
      throw self.error(.refused(error), at: start)
    }
    return made
  }

  private mutating func function(
    _ function: String,
    of inner: FetchExpression,
    _ start: Int
  ) throws(PredicateParseError) -> FetchExpression {
    let type = inner.type(in: entity)
    switch function {
    case "LOWERCASE": return .lowercased(inner)
    case "UPPERCASE": return .uppercased(inner)
    case "LENGTH": return .length(inner)
    case "NATURAL": return .transformed(.natural, inner)
    case "FILING": return .transformed(.filing, inner)
    case "BASELETTERS": return .transformed(.baseLetters, inner)
    default: try expect(",")
    }
    let argumentStart = token.start
    let constant: PredicateConstant
    if function == "IFNULL" {
      let other = try operand()
      guard case .constant(let found) = other else {
        return .ifNull(inner, try expression(other, at: argumentStart))
      }
      constant = found
    } else {
      constant = try self.constant()
    }
    switch function {
    case "PREFIX":
      guard case .integer(let count) = try value(constant, as: .integer64, at: argumentStart),
        let length = Int(exactly: count), length >= 0
      else {
        throw error(
          .invalidConstant(constant.kind, reason: "is not a number of characters"),
          at: argumentStart
        )
      }
      return .prefix(inner, length: length)
    case "BUCKET":
      guard
        case .integer(let width) = try value(
          constant,
          as: FetchExpression.bucket(inner, width: 1).type(in: entity) ?? .integer64,
          at: argumentStart
        ),
        width > 0
      else {
        throw error(
          .invalidConstant(constant.kind, reason: "is not a width above 0"),
          at: argumentStart
        )
      }
      return .bucket(inner, width: width)
    default:
      let found = try value(constant, as: type, at: argumentStart)
      if type == .real, case .integer(let number) = found {
        return .ifNull(inner, .real(Double(number)))
      }
      return .ifNull(inner, found)
    }
  }
}

// MARK: - Constants

/// A constant in the text or the arguments, before its type is known from the other side of a comparison.
enum PredicateConstant {
  case null
  case boolean(Bool)
  case number(String)
  case text(String)
  case blob([UInt8])
  case stored(Value)

  /// The constant, for a message.
  var kind: String {
    switch self {
    case .null: "NULL"
    case .boolean(let truth): truth ? "TRUE" : "FALSE"
    case .number(let digits): PredicateToken.short(digits)
    case .text(let text), .stored(.text(let text)):
      PredicateToken.short(PredicateWord.quotedText(text))
    case .blob, .stored(.blob): "bytes"
    case .stored(let value): value.description
    }
  }

  var isNull: Bool {
    switch self {
    case .null: true
    case .stored(let value): value.orderable.isNull
    default: false
    }
  }

  /// The day of a text that is a date without a time.
  var day: PredicateDay? {
    switch self {
    case .text(let text), .stored(.text(let text)): PredicateDay(text)
    default: nil
    }
  }

  /// The stored value for an attribute type, or without a type; null stays null.
  func value(as type: AttributeType?) throws(PredicateParseError.Problem) -> Value {
    switch (self, type) {
    case (.null, _): return .null
    case (.stored(let value), _) where value.isNull: return .null
    case (.text(let text), .date), (.stored(.text(let text)), .date):
      guard let instant = Instant(infinity: text) ?? Instant(iso8601: text) else {
        guard Instant(iso8601: text + "Z") == nil else {
          throw invalid(
            "has a time without a time zone; add Z for UTC, or an offset such as +09:00"
          )
        }
        throw invalid("is not a date such as 2024-02-29 or 2024-02-29T08:30:00+09:00")
      }
      return .integer(instant.microseconds)
    case (.number(let digits), .decimal(let scale)): return try decimal(digits, scale)
    case (.number(let digits), .boolean) where digits != "0" && digits != "1":
      throw invalid("is not a boolean: TRUE, FALSE, 1 or 0")
    case (.number(let digits), .date):
      guard !PredicateConstant.isReal(digits) else { throw mixed(.date) }
      return try plainNumber(digits)
    case (.number(let digits), .none), (.number(let digits), .integer16),
      (.number(let digits), .integer32), (.number(let digits), .integer64),
      (.number(let digits), .boolean), (.number(let digits), .real):
      return try plainNumber(digits)
    case (.boolean(let truth), .none), (.boolean(let truth), .boolean):
      return .integer(truth ? 1 : 0)
    case (.text(let text), .none), (.text(let text), .text): return .text(text)
    case (.blob(let bytes), .none), (.blob(let bytes), .blob): return .blob(bytes)
    case (.stored(let value), .none): return value
    case (.stored(let value), .some(let type))
    where type.storage.compares(with: value.storage) && value.means(type):
      return value
    case (_, .some(let type)): throw mixed(type)
    }
  }

  private func plainNumber(_ digits: String) throws(PredicateParseError.Problem) -> Value {
    if PredicateConstant.isReal(digits) {
      guard let number = AttributeType.real(digits) else { throw invalid("is too large") }
      return .real(number)
    }
    guard let number = Int64(digits) else {
      throw invalid("is not between \(Int64.min) and \(Int64.max)")
    }
    return .integer(number)
  }

  private func decimal(_ digits: String, _ scale: Int) throws(PredicateParseError.Problem) -> Value
  {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }) else {
      throw invalid("is not a decimal; write it without an exponent")
    }
    if let units = ExactDecimal(digits)?.rescaled(to: scale)?.units { return .integer(units) }
    let fraction = digits.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first
    let needed = fraction.map { $0.reversed().drop { $0 == "0" }.count } ?? 0
    let limit = scale == 1 ? "1 decimal place" : "\(scale) decimal places"
    throw invalid(needed > scale ? "has more than \(limit)" : "is too large for \(limit)")
  }

  private static func isReal(_ digits: String) -> Bool {
    digits.utf8.contains { byte in ".eEinf".utf8.contains(byte) }
  }

  /// Why the constant is none of some words; `nil` if it may be one.
  func problem(among words: [String]) -> PredicateParseError.Problem? {
    switch self {
    case .text(let text), .stored(.text(let text)):
      guard !words.contains(where: { $0.hasSameBytes(as: text) }) else { return nil }
      return invalid("is none of \(words.joined(separator: ", "))")
    default: return nil
    }
  }

  private func invalid(_ reason: String) -> PredicateParseError.Problem {
    .invalidConstant(kind, reason: reason)
  }

  private func mixed(_ type: AttributeType) -> PredicateParseError.Problem {
    .mixedKinds(left: "A value of type \(type)", right: kind)
  }
}
