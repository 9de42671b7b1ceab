package import ResultsDomain

/// PostgreSQL's dialect.
///
/// It needs no library, so that a build without the trait compiles it too.
package enum PostgreSQLDialect: SQLDialect {
  package static func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  /// A name in quotes (the manual, 4.1.1).
  package static func quoted(_ name: String) -> String { name.quoted(by: "\"") }

  /// A text constant (the manual, 4.1.2.1), whatever `standard_conforming_strings` is.
  package static func literal(_ text: String) -> String {
    let backslash = UInt8(ascii: "\\")
    // Only a constant with escapes has the same meaning under both settings.
    let isEscaped = text.utf8.contains(backslash)
    // The space keeps the prefix from being the end of a word before it.
    return isEscaped ? " E" + text.quoted(by: "'", doubling: [backslash]) : text.quoted(by: "'")
  }

  /// The name's own bytes: a name in quotes means itself.
  package static func identifier(_ name: String) -> [UInt8] { Array(name.utf8) }

  package static func test(
    _ comparison: TextOperator,
    _ text: String,
    isFolding: Bool
  ) -> TextTest {
    switch comparison {
    case .beginsWith:
      .condition(before: "starts_with(", between: ", ", constant: text, after: ")")
    case .contains: .condition(before: "(strpos(", between: ", ", constant: text, after: ") > 0)")
    case .endsWith:
      .condition(
        before: "(right(",
        between: ", \(text.unicodeScalars.count)) = ",
        constant: text,
        after: ")"
      )
    case .like:
      .condition(before: "(", between: " LIKE ", constant: pattern(text), after: ")")
    case .matches: .evaluatedHere
    }
  }

  /// A pattern of `LIKE` in SQL's form.
  package static func pattern(_ text: String) -> String {
    var pattern = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "*" where !isEscaped: pattern.append("%")
      case "?" where !isEscaped: pattern.append("_")
      case "%", "_", "\\":
        pattern.append("\\")
        pattern.append(scalar)
      default: pattern.append(scalar)
      }
      isEscaped = false
    }
    // A backslash at the end is literal.
    if isEscaped { pattern.append(contentsOf: "\\\\".unicodeScalars) }
    return String(pattern)
  }
}
