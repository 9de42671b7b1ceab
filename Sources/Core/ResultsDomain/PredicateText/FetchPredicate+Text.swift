extension FetchPredicate {
  /// Parses a predicate from text, such as `publisher == '岩波書店' AND title CONTAINS '帰還'`.
  ///
  /// - Comparisons: `==` (or `=`), `!=` (`<>`), `<`, `<=`, `>`, `>=` between attributes and constants on either side;
  ///   `BETWEEN {a, b}` or `BETWEEN a AND b`; `IN {…}` or `IN (…)`; `BEGINSWITH`, `CONTAINS`, `ENDSWITH` and `LIKE` with
  ///   an optional `[c]` to ignore letter case, `[d]` to ignore accents and other marks, or `[cd]`; `MATCHES` with a regular
  ///   expression, as `MatchPattern` describes it. `NOT` is allowed before `IN`, `BETWEEN` and text operators.
  /// - Combinations: `AND` (`&&`), `OR` (`||`), `NOT` (`!`), parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
  /// - Constants: texts between `'` or `"` with `\'`, `\"`, `\\`, `\n`, `\r`, `\t`, `\u{…}`; whole numbers; reals with a
  ///   point or an exponent; `INFINITY`; `TRUE` (`YES`), `FALSE` (`NO`); `NULL` (`NIL`), for `==`, `!=` and lists
  ///   only; bytes as `X'0A'`. A number beside an exact decimal is converted to its scale exactly. A date
  ///   is text in ISO 8601, or a whole number of microseconds since 1970. A date without a time is that whole day in UTC:
  ///   `==` and `IN` find its instants, `<=` and `BETWEEN` include them, `>` begins after them.
  /// - Functions: `prefix(x, n)`, `lowercase(x)`, `uppercase(x)`, `length(x)`, `bucket(x, n)`, `ifnull(x, y)`,
  ///   `natural(x)`, `filing(x)`, `baseletters(x)`.
  /// - Dates that follow the clock (R15), on one side of a comparison with a date: `now()`, `now(-90m)`, `today()`, `today(7d)`, with the
  ///   units `w`, `d`, `h`, `m` and `s`. `today()` is the first instant of the day of a calendar; like a date without a time, `==` finds all
  ///   its instants, `<=` includes them and `>` begins after them.
  /// - Objects: `SELF IN {1, 2}`, `SELF == 3`, with keys, object URIs (`results:Book/i3`), or a compound key's
  ///   parts between parentheses.
  /// - Related objects: `author.name == 'Eco'`; `author == NULL`, `author IN {1, 2}` by the foreign key alone; `tags.@count > 3`,
  ///   `books.@max.year` (`@min`, `@max`, `@sum`, `@count`); `ANY` (`SOME`), `ALL` or `NONE` before a comparison of one attribute
  ///   of the elements with a constant; and `SUBQUERY(tags, $t, $t.name == 'sf' AND $t.rank > 2).@count > 0` for more of one element.
  /// - Placeholders: `%@` and, for a checked kind, `%d`, `%f`, `%s`; `%K` for an attribute's name or a path. Variables: `$year`,
  ///   any number of times, wherever a constant or a list of them may be. Arguments become constants of the tree, never text.
  ///
  /// Parentheses, functions and `NOT` can be nested 32 levels deep, and a path follows at most 32 relationships; the number of terms is
  /// not limited.
  ///
  /// Keywords are case-insensitive. A name that equals a keyword, or has characters other than letters,
  /// digits and `_`, is written between backticks (doubled inside), in paths each by itself; a name that equals a keyword can also
  /// follow `#`.
  /// - Parameters:
  ///   - text: The predicate.
  ///   - arguments: One argument for each placeholder, in order, as `[1990, "x"]`; or those of variables by name, as `["year": 1990]`.
  ///   - entity: The entity whose attributes are named.
  ///   - transients: The names of its computed attributes, for a clearer error.
  ///   - days: The calendar of `today()`.
  /// - Throws: `PredicateParseError` for the first error.
  /// - Complexity: O(*n*) in the text, O(*n* log *n*) in listed identities.
  public init(
    parsing text: String,
    arguments: PredicateArguments = [],
    entity: EntityDescription,
    transients: [String] = [],
    days: (any DayCalendar)? = nil
  ) throws(PredicateParseError) {
    var parser = try PredicateParser(text, arguments, entity, transients)
    parser.days = days
    self = try parser.predicate()
  }
}

// MARK: - Writing

extension FetchPredicate: CustomStringConvertible {
  /// The predicate as text, with constants as they are stored.
  ///
  /// Parsing the text gives the predicate in its `normalized` form, except that decimals are written in units;
  /// `text(in:)` writes decimals with a decimal point, and dates as dates.
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public var description: String { PredicateWriter(entity: nil).text(self) }

  /// Returns the predicate as text, with constants formatted according to an entity's attributes.
  ///
  /// Parsing the text for the same entity gives the predicate in its `normalized` form, unless it is nested more than 32 levels
  /// deep.
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public func text(in entity: EntityDescription) -> String {
    PredicateWriter(entity: entity).text(showing(in: entity))
  }
}

extension FetchExpression: CustomStringConvertible {
  /// The expression as text, with constants as they are stored.
  public var description: String { PredicateWriter(entity: nil).text(self) }
}

/// Writes predicates and expressions as text for the parser.
private struct PredicateWriter {
  /// The entity whose attribute types decide how constants are written, or `nil` to write stored values as they are.
  let entity: EntityDescription?
  /// The variable of the enclosing `SUBQUERY`, or an empty text.
  var variable = ""

  func text(_ predicate: FetchPredicate) -> String {
    switch predicate {
    case .all: return "TRUEPREDICATE"
    case .none: return "FALSEPREDICATE"
    case .comparison(let left, let comparison, let right):
      let type = type(left) ?? type(right)
      return "\(text(left, type)) \(comparison.rawValue) \(text(right, type))"
    case .relative(let expression, let comparison, let date):
      return "\(text(expression)) \(comparison.rawValue) \(date)"
    case .between(let expression, let low, let high):
      let type = type(expression)
      return "\(text(expression)) BETWEEN {\(text(low, type)), \(text(high, type))}"
    case .membership(let expression, let values):
      let type = type(expression)
      let list = values.map { text($0, type) }.joined(separator: ", ")
      return "\(text(expression)) IN {\(list)}"
    case .identity(let set):
      return "\(own) IN {\(set.keys.map(text).joined(separator: ", "))}"
    case .text(.transformed(.baseLetters, let inner), let comparison, let sought, let isFolding)
    where TextTransform.baseLetters.applied(to: sought).hasSameBytes(as: sought):
      let option = isFolding ? "[cd]" : "[d]"
      return "\(text(inner)) \(comparison.rawValue)\(option) \(PredicateWord.quotedText(sought))"
    case .text(let expression, let comparison, let sought, let caseInsensitive):
      let option = caseInsensitive ? "[c]" : ""
      let literal = PredicateWord.quotedText(sought)
      return "\(text(expression)) \(comparison.rawValue)\(option) \(literal)"
    case .isNull(let expression): return "\(text(expression)) == NULL"
    case .not(.isNull(let expression)): return "\(text(expression)) != NULL"
    case .not(let inner): return "NOT \(part(inner))"
    case .and(let parts):
      return parts.isEmpty ? "TRUEPREDICATE" : parts.map(part).joined(separator: " AND ")
    case .or(let parts):
      return parts.isEmpty ? "FALSEPREDICATE" : parts.map(part).joined(separator: " OR ")
    case .quantified(let quantifier, let steps, let inner):
      let path = named(steps)
      if inner.beginsWithAttribute {
        let elements = PredicateWriter(entity: entity?.destination(along: steps))
        return "\(quantifier.rawValue) \(path).\(elements.text(inner))"
      }
      let count = "\(subquery(steps, inner)).@count"
      return switch quantifier {
      case .any: "\(count) > 0"
      case .none: "\(count) == 0"
      case .all: "\(count) == \(path).@count"
      }
    }
  }

  /// The object itself.
  private var own: String { variable.isEmpty ? "SELF" : variable }

  /// A dotted name, after the variable of the enclosing `SUBQUERY`.
  private func named(_ names: [String]) -> String {
    let name = names.map(PredicateWord.quoted).joined(separator: ".")
    return variable.isEmpty ? name : "\(variable).\(name)"
  }

  /// The objects of a path for which a predicate is true.
  private func subquery(_ steps: [String], _ predicate: FetchPredicate) -> String {
    guard predicate != .all else { return named(steps) }
    let elements = PredicateWriter(
      entity: entity?.destination(along: steps),
      variable: variable.isEmpty ? "$x" : variable + "x"
    )
    return "SUBQUERY(\(named(steps)), \(elements.variable), \(elements.text(predicate)))"
  }

  func text(_ expression: FetchExpression, _ other: AttributeType? = nil) -> String {
    switch expression {
    case .attribute(let name): named([name])
    case .objectKey: own
    case .related(let steps, .attribute(let name)): named(steps + [name])
    case .related(let steps, .objectKey): named(steps) + ".SELF"
    case .related(let steps, let inner): "\(named(steps)).(\(text(inner)))"
    case .relatedAggregate(let steps, let function, let inner, let predicate):
      "\(subquery(steps, predicate)).@\(function.word)"
        + (inner.map {
          "." + PredicateWriter(entity: entity?.destination(along: steps)).text($0)
        } ?? "")
    case .literal(let value): text(value, other)
    case .prefix(let inner, let length): "prefix(\(text(inner)), \(length))"
    case .lowercased(let inner): "lowercase(\(text(inner)))"
    case .uppercased(let inner): "uppercase(\(text(inner)))"
    case .length(let inner): "length(\(text(inner)))"
    case .bucket(let inner, let width):
      switch type(inner) {
      case .decimal(let scale):
        "bucket(\(text(inner)), \(text(.integer(width), .decimal(scale: scale))))"
      default: "bucket(\(text(inner)), \(width))"
      }
    case .transformed(let transform, let inner): "\(transform.rawValue)(\(text(inner)))"
    case .ifNull(let inner, let other): "ifnull(\(text(inner)), \(text(other, type(inner))))"
    }
  }

  private func part(_ predicate: FetchPredicate) -> String {
    switch predicate {
    case .and(let parts) where !parts.isEmpty, .or(let parts) where !parts.isEmpty:
      "(\(text(predicate)))"
    default: text(predicate)
    }
  }

  private func type(_ expression: FetchExpression) -> AttributeType? {
    entity.flatMap { expression.type(in: $0) }
  }

  private func text(_ key: ObjectKey) -> String {
    let parts = key.parts
    let types = entity?.keyTypes ?? []
    let texts = parts.indices.map { text(parts[$0], $0 < types.count ? types[$0] : nil) }
    return if case .compound = key { "(\(texts.joined(separator: ", ")))" } else { texts[0] }
  }

  private func text(_ value: Value, _ type: AttributeType?) -> String {
    switch (value, type) {
    case (.null, _): return "NULL"
    case (.integer(let units), .decimal(let scale)):
      return ExactDecimal(units: units, scale: scale).description
    case (.integer(let microseconds), .date):
      let instant = Instant(microseconds: microseconds)
      return "'\(instant.isInfinite ? instant.plainText : instant.iso8601)'"
    case (.integer(0), .boolean): return "FALSE"
    case (.integer(1), .boolean): return "TRUE"
    case (.integer(let number), _): return String(number)
    case (.real(let number), _):
      if number.isNaN { return "NULL" }
      if number.isInfinite { return number < 0 ? "-INFINITY" : "INFINITY" }
      return String(number)
    case (.text(let text), _): return PredicateWord.quotedText(text)
    case (.illFormedText(let text), _): return PredicateWord.quotedText(text.repaired)
    case (.blob(let bytes), _):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return "X'\(digits.joined())'"
    }
  }
}

extension FetchPredicate {
  /// Whether the text begins with the name of an attribute, which a path can precede.
  fileprivate var beginsWithAttribute: Bool {
    switch self {
    case .comparison(let left, _, .literal), .between(let left, _, _), .membership(let left, _),
      .relative(let left, _, _), .text(let left, _, _, _), .isNull(let left),
      .not(.isNull(let left)):
      if case .attribute = left { true } else { false }
    default: false
    }
  }
}

extension FetchAggregate.Function {
  /// The word after `@`.
  package var word: String {
    switch self {
    case .count: "count"
    case .sum: "sum"
    case .minimum: "min"
    case .maximum: "max"
    }
  }
}
