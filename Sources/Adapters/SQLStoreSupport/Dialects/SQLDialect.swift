package import ResultsDomain

/// How a database spells what its statements have in common with those of others.
///
/// No requirement has a default. All dialects are in this module, which every build compiles: an operator that one of them does not know
/// yet is an error of the compiler, and not of the first statement on a server.
package protocol SQLDialect: SendableMetatype {
  /// The constant for a truth value.
  static func truth(_ value: Bool) -> String

  /// A name as an identifier in quotes.
  static func quoted(_ name: String) -> String

  /// A text as a constant in quotes; it must not contain NUL.
  static func literal(_ text: String) -> String

  /// The bytes of a name that the database compares: names with the same bytes mean the same table or column.
  static func identifier(_ name: String) -> [UInt8]

  /// How an expression is tested by a text operator.
  /// - Parameters:
  ///   - comparison: The operator.
  ///   - text: The right side as it is compared (`TextOperator.operand`).
  ///   - isFolding: Whether the operator ignores the case of letters.
  /// - Returns: The test.
  static func test(_ comparison: TextOperator, _ text: String, isFolding: Bool) -> TextTest
}

/// How an expression is tested by a text operator.
package enum TextTest: Hashable {
  /// By an SQL condition: what precedes the expression, what is between it and the constant, the constant, and what follows.
  case condition(before: String, between: String, constant: String, after: String)
  /// By this process, which gives the database those texts that pass.
  case evaluatedHere
}

extension SQLDialect {
  /// Names in quotes, separated by commas.
  package static func list(_ names: [String]) -> String {
    names.map { quoted($0) }.joined(separator: ", ")
  }
}

extension TextOperator {
  /// The right side as it is compared.
  package func operand(_ text: String, isFolding: Bool) -> String {
    // A pattern's letters after a backslash are not folded.
    isFolding && self != .matches ? TextFolding.folded(text) : text
  }
}

extension ComparisonOperator {
  /// The operator in SQL.
  package var sqlSymbol: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension String {
  /// The text between two marks, with some bytes of ASCII doubled, as a database reads it: byte by byte.
  ///
  /// A quote and a combining mark after it are one `Character`, in which a search for the quote does not find it.
  func quoted(by mark: Unicode.Scalar, doubling others: [UInt8] = []) -> String {
    let mark = UInt8(ascii: mark)
    var bytes = [mark]
    bytes.reserveCapacity(utf8.count + 8)
    for byte in utf8 {
      if byte == mark || others.contains(byte) { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(mark)
    return String(decoding: bytes, as: UTF8.self)
  }
}
