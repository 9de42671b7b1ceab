import ResultsDomain
import ResultsTesting

extension SeededGenerator {
  static let texts = [
    "", "a", "A", "ab", "Ä", "a\u{308}", "が", "か\u{3099}", "岩波書店", "x'y", "a*b?", "\\", "\n",
    "\u{0}b",
    "İ", "ß", "\u{FFFD}", "🇳🇴", "AND", "`",
  ]
  static let patterns = [
    "", ".*", "a.*", "[a-z]+", "(a|ab)*b?", "[^a]{1,3}", "x'?y", "^a?$", "\\d*x?", ".", "岩.{2,}",
    "a\\*b\\?",
  ]
  static let numbers: [Int64] = [0, 1, -1, 2, 10, -10, 1990, 2020, 123_456]
  static let reals = [0, 1, -1, 0.5, -2.5, 10, 1990, 1e20, -.infinity, .infinity]

  /// A random value of an attribute of Book.
  mutating func value(_ attribute: AttributeDescription) -> Value {
    if attribute.isOptional, below(4) == 0 { return .null }
    return switch attribute.type {
    case .boolean: .integer(Int64(below(2)))
    case .integer16, .integer32, .integer64, .date, .decimal: .integer(pick(Self.numbers))
    case .real: .real(pick(Self.reals))
    case .text: .text(pick(Self.texts))
    case .blob: .blob(pick([[], [0], [1, 2], [255, 0, 255]]))
    }
  }

  mutating func bookRow() -> Row {
    Book.row(.integer(Int64(below(12))), Book.entity.attributes.map { value($0) })
  }

  private mutating func attribute(_ storage: StorageClass) -> AttributeDescription {
    pick(Book.entity.attributes.filter { $0.type.storage == storage })
  }

  /// A random expression over Book, and an attribute with comparable values.
  mutating func expression() -> (FetchExpression, AttributeDescription) {
    let text = attribute(.text)
    let integer = attribute(.integer)
    let count = AttributeDescription("count", .integer64)
    switch below(17) {
    case 0: return (.objectKey, count)
    case 1: return (.prefix(.attribute(text.name), length: below(3)), text)
    case 2: return (.lowercased(.attribute(text.name)), text)
    case 3: return (.uppercased(.prefix(.attribute(text.name), length: 2)), text)
    case 4: return (.length(.attribute(text.name)), count)
    case 5: return (.bucket(.attribute(integer.name), width: pick([1, 7, 10, 365])), integer)
    case 6: return (.ifNull(.attribute("author"), .text("nobody")), text)
    case 7: return (.ifNull(.attribute("year"), .integer(3)), count)
    case 10:
      return (.ifNull(.attribute("author"), .lowercased(.attribute(text.name))), text)
    case 8: return (.transformed(.baseLetters, .attribute(text.name)), text)
    case 9: return (.transformed(pick([.natural, .filing]), .attribute(text.name)), text)
    default:
      let any = pick(Book.entity.attributes)
      return (.attribute(any.name), any)
    }
  }

  /// A random constant that is comparable with an attribute, never null.
  mutating func constant(_ attribute: AttributeDescription) -> Value {
    if attribute.type == .integer64, below(4) == 0 { return .real(pick(Self.reals)) }
    if attribute.type == .real, below(4) == 0 { return .integer(pick(Self.numbers)) }
    return value(AttributeDescription(attribute.name, attribute.type))
  }

  /// A random valid, normalized predicate over Book.
  mutating func predicate(depth: Int = 3) -> FetchPredicate {
    if depth > 0, below(3) > 0 {
      let parts = (0..<2 + below(2)).map { _ in predicate(depth: depth - 1) }
      switch below(3) {
      case 0: return .not(parts[0])
      case 1: return FetchPredicate.and(parts).normalized
      default: return FetchPredicate.or(parts).normalized
      }
    }
    let (expression, attribute) = expression()
    switch below(9) {
    case 0: return pick([.all, .none])
    case 1: return .isNull(expression)
    case 2: return .between(expression, constant(attribute), constant(attribute))
    case 3 where expression != .objectKey:
      var values = (0..<below(4)).map { _ in constant(attribute) }
      if below(3) == 0 { values.append(.null) }
      return .membership(expression, values)
    case 4:
      return .identity(IdentitySet(keys: (0..<below(6)).map { _ in .integer(Int64(below(12))) }))
    case 5, 6:
      let text = attribute.type == .text ? expression : .attribute("title")
      let comparison = pick(TextOperator.allCases)
      return .text(
        text,
        comparison,
        pick(
          comparison == .matches
            ? Self.patterns : Self.texts + ["*", "?", "*a*", "??", "\\*", "a?"]
        ),
        caseInsensitive: below(2) == 0
      )
    case 7:
      return .comparison(
        .literal(constant(attribute)),
        pick(ComparisonOperator.allCases),
        expression
      )
    default:
      return .comparison(
        expression,
        pick(ComparisonOperator.allCases),
        .literal(constant(attribute))
      )
    }
  }
}
