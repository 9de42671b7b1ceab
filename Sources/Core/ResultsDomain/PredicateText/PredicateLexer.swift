/// Splits a predicate's text into tokens, one at a time.
struct PredicateLexer {
  let text: String
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  /// Creates an error at a scalar's position; its column counts characters.
  func error(_ problem: PredicateParseError.Problem, at start: Int) -> PredicateParseError {
    var (column, end) = (1, 0)
    for character in text {
      end += character.unicodeScalars.count
      if end > start { break }
      column += 1
    }
    return PredicateParseError(problem: problem, column: column, text: text)
  }

  mutating func next() throws(PredicateParseError) -> PredicateToken {
    while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
    let start = position
    guard let scalar = peek() else { return PredicateToken(.end, at: start) }
    switch scalar {
    case "'", "\"": return PredicateToken(.text(try quotation(scalar)), at: start)
    case "`": return PredicateToken(.quotedName(try backticks()), at: start)
    case "#":
      position += 1
      let name = word()
      guard !name.isEmpty else { throw unexpected("a name after #", at: position) }
      return PredicateToken(.quotedName(name), at: start)
    case "%": return PredicateToken(.placeholder(try placeholder()), at: start)
    case "[": return PredicateToken(.option(try option()), at: start)
    case "$", "@":
      position += 1
      let name = word()
      guard !name.isEmpty else { throw unexpected("a name after \(scalar)", at: position) }
      return PredicateToken(scalar == "$" ? .variable(name) : .aggregate(name), at: start)
    case "0"..."9", "-", "+": return PredicateToken(try number(), at: start)
    case _ where PredicateWord.canBegin(scalar):
      let name = word()
      if name == "x" || name == "X", peek() == "'" || peek() == "\"", let quote = peek() {
        return PredicateToken(.blob(try blob(quote, at: start)), at: start)
      }
      guard name == "results", peek() == ":" else { return PredicateToken(.word(name), at: start) }
      return PredicateToken(.reference(try reference(from: start)), at: start)
    default: return PredicateToken(.symbol(try symbol()), at: start)
    }
  }

  /// The kind of the token after the current one.
  func upcoming() throws(PredicateParseError) -> PredicateToken.Kind {
    var rest = self
    return try rest.next().kind
  }

  private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    position + distance < scalars.count ? scalars[position + distance] : nil
  }

  private func unexpected(_ expected: String, at start: Int) -> PredicateParseError {
    let found = start < scalars.count ? quoted(scalars[start]) : "the end"
    return error(.unexpected(expected: expected, found: found), at: start)
  }

  private func quoted(_ scalar: Unicode.Scalar) -> String {
    PredicateWord.quotedText(String(scalar))
  }

  private mutating func word() -> String {
    var name = String.UnicodeScalarView()
    while let scalar = peek(),
      name.isEmpty ? PredicateWord.canBegin(scalar) : PredicateWord.canContinue(scalar)
    {
      name.append(scalar)
      position += 1
    }
    return String(name)
  }

  private mutating func backticks() throws(PredicateParseError) -> String {
    let start = position
    var name = String.UnicodeScalarView()
    position += 1
    while let scalar = peek() {
      position += 1
      if scalar == "`" {
        guard peek() == "`" else { return String(name) }
        position += 1
      }
      name.append(scalar)
    }
    throw error(.unterminated("The name that begins here with `"), at: start)
  }

  private mutating func quotation(_ quote: Unicode.Scalar) throws(PredicateParseError) -> String {
    let start = position
    var content = String.UnicodeScalarView()
    position += 1
    while let scalar = peek() {
      position += 1
      if scalar == quote { return String(content) }
      content.append(scalar == "\\" ? try escape() : scalar)
    }
    throw error(.unterminated("The text that begins here with \(quote)"), at: start)
  }

  private mutating func escape() throws(PredicateParseError) -> Unicode.Scalar {
    let start = position
    guard let scalar = peek() else { throw unexpected("a character after \\", at: start) }
    position += 1
    switch scalar {
    case "'", "\"", "\\": return scalar
    case "*", "?":
      // The backslash before a pattern's literal `*` or `?` must itself be escaped.
      throw error(.unsupported("\\\(scalar)", instead: "\\\\\(scalar)"), at: start - 1)
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "u":
      guard peek() == "{" else { throw unexpected("{ and a code point after \\u", at: position) }
      position += 1
      var digits = ""
      while let digit = peek(), digit.properties.isASCIIHexDigit, digits.utf8.count < 8 {
        digits.unicodeScalars.append(digit)
        position += 1
      }
      guard peek() == "}", let code = UInt32(digits, radix: 16), let made = Unicode.Scalar(code)
      else {
        throw error(
          .invalidConstant("\\u{\(digits)", reason: "is not the code point of a character"),
          at: start - 1
        )
      }
      position += 1
      return made
    default:
      throw error(
        .unexpected(expected: "one of ' \" \\ n t r u{…} after \\", found: quoted(scalar)),
        at: start
      )
    }
  }

  private mutating func blob(
    _ quote: Unicode.Scalar,
    at start: Int
  ) throws(PredicateParseError) -> [UInt8] {
    let digits = Array(try quotation(quote).utf8)
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard index + 1 < digits.count, digits[index] != UInt8(ascii: "+"),
        digits[index] != UInt8(ascii: "-"),
        let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
      else {
        throw error(
          .invalidConstant("X'…'", reason: "needs pairs of hexadecimal digits"),
          at: start
        )
      }
      bytes.append(byte)
    }
    return bytes
  }

  private mutating func option() throws(PredicateParseError) -> String {
    let start = position
    position += 1
    var letters = String.UnicodeScalarView()
    while let scalar = peek(), scalar != "]" {
      letters.append(scalar)
      position += 1
    }
    guard peek() == "]" else {
      throw error(.unterminated("The option that begins here"), at: start)
    }
    position += 1
    return String(letters)
  }

  private mutating func placeholder() throws(PredicateParseError) -> String {
    let start = position
    position += 1
    if peek() == "@" || peek() == "K" {
      let letter = peek() == "K" ? "%K" : "%@"
      position += 1
      return letter
    }
    let letters = PredicateWord.capitals(word())
    switch letters {
    case "D", "I", "U", "LD", "LLD", "LU", "LLU", "LI", "LLI": return "%d"
    case "F", "G", "E", "LF": return "%f"
    case "S": return "%s"
    default: throw unexpected("%@, %K, %d, %f or %s", at: start)
    }
  }

  private mutating func number() throws(PredicateParseError) -> PredicateToken.Kind {
    let start = position
    if peek() == "-" || peek() == "+" {
      position += 1
      if let scalar = peek(), PredicateWord.canBegin(scalar) {
        guard PredicateWord.capitals(word()) == "INFINITY" else {
          throw unexpected("a digit", at: start + 1)
        }
        return .number(scalars[start] == "-" ? "-inf" : "inf")
      }
    }
    try digits()
    if peek() == "." {
      position += 1
      try digits()
    }
    if peek() == "e" || peek() == "E" {
      position += 1
      if peek() == "-" || peek() == "+" { position += 1 }
      try digits()
    }
    if hasUnit() {
      var span = String.UnicodeScalarView()
      span.append(contentsOf: scalars[start..<position])
      return .span(String(span))
    }
    if let scalar = peek(), scalar == "." || PredicateWord.canContinue(scalar) {
      throw unexpected("the end of the number", at: position)
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<position])
    return .number(String(text))
  }

  /// Reads the unit of a span of time.
  /// - Returns: `false` if something else follows, which is not read.
  private mutating func hasUnit() -> Bool {
    let start = position
    if let scalar = peek(), PredicateWord.canBegin(scalar),
      PredicateToken.units.contains(PredicateWord.capitals(word()))
    {
      return true
    }
    position = start
    return false
  }

  private mutating func digits() throws(PredicateParseError) {
    let start = position
    while let scalar = peek(), ("0"..."9").contains(scalar) { position += 1 }
    guard position > start else { throw unexpected("a digit", at: start) }
  }

  /// Reads an object's URI; a comma is part of it only in a compound key.
  private mutating func reference(from start: Int) throws(PredicateParseError) -> ObjectID {
    var uri = "results"
    var isCompound = false
    while let scalar = peek(), !scalar.properties.isWhitespace,
      !"{}()'\"".unicodeScalars.contains(scalar)
    {
      if scalar == "," {
        guard isCompound, let next = peek(1), "nirtb".unicodeScalars.contains(next),
          !beginsReference(1)
        else { break }
      }
      if scalar == "/" { isCompound = peek(1) == "c" }
      uri.unicodeScalars.append(scalar)
      position += 1
    }
    guard let id = ObjectID(uri: uri) else {
      throw error(
        .invalidConstant(PredicateToken.short(uri), reason: "is not the URI of an object"),
        at: start
      )
    }
    return id
  }

  private func beginsReference(_ distance: Int) -> Bool {
    let head = Array("results:".unicodeScalars)
    return head.indices.allSatisfy { peek(distance + $0) == head[$0] }
  }

  private mutating func symbol() throws(PredicateParseError) -> String {
    let symbol: String? =
      switch (peek(), peek(1)) {
      case ("=", "="): "=="
      case ("!", "="), ("<", ">"): "!="
      case ("<", "="), ("=", "<"): "<="
      case (">", "="), ("=", ">"): ">="
      case ("&", "&"): "&&"
      case ("|", "|"): "||"
      default: nil
      }
    if let symbol {
      position += 2
      return symbol
    }
    let single: String? =
      switch peek() {
      case "=": "=="
      case "<": "<"
      case ">": ">"
      case "!": "!"
      case "(": "("
      case ")": ")"
      case "{": "{"
      case "}": "}"
      case ",": ","
      case ".": "."
      default: nil
      }
    guard let single else { throw unexpected("a name, a value or an operator", at: position) }
    position += 1
    return single
  }
}

// MARK: - Tokens

/// A token of a predicate's text.
struct PredicateToken {
  enum Kind: Equatable {
    case word(String)
    case quotedName(String)
    case text(String)
    case blob([UInt8])
    case number(String)
    /// A number with a unit of time, such as `-90m`.
    case span(String)
    case reference(ObjectID)
    case symbol(String)
    case option(String)
    case placeholder(String)
    case variable(String)
    case aggregate(String)
    case end
  }

  let kind: Kind
  /// Its start, in scalars.
  let start: Int
  /// A bare word in capitals, to compare with keywords; empty for other tokens.
  let keyword: String

  init(_ kind: Kind, at start: Int) {
    self.kind = kind
    self.start = start
    keyword = if case .word(let word) = kind { PredicateWord.capitals(word) } else { "" }
  }

  /// The token, for a message.
  var found: String {
    switch kind {
    case .word(let word): PredicateToken.short(word)
    case .quotedName(let name): PredicateToken.short(PredicateWord.quoted(name))
    case .text(let text): PredicateToken.short(PredicateWord.quotedText(text))
    case .blob: "bytes"
    case .number(let digits), .span(let digits): PredicateToken.short(digits)
    case .reference(let id): PredicateToken.short(id.uri)
    case .symbol(let symbol), .placeholder(let symbol): symbol
    case .variable(let name): PredicateToken.short("$" + name)
    case .aggregate(let name): PredicateToken.short("@" + name)
    case .option(let letters): PredicateToken.short("[\(letters)]")
    case .end: "the end"
    }
  }

  /// The units of time, in capitals.
  static let units: Set<String> = ["W", "D", "H", "M", "S", "US"]

  /// Truncates a text for a message.
  static func short(_ text: String) -> String {
    text.count > 40 ? text.prefix(39) + "…" : text
  }
}

// MARK: - Words

/// The words and names of the predicate language, for the writer and the parser.
package enum PredicateWord {
  /// The words that are names only between quotes, in capitals.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "IN", "BETWEEN", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE",
    "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "FALSE", "YES", "NO", "SELF",
    "INFINITY",
  ]

  /// Returns a word with its ASCII letters in capitals, to compare with keywords.
  static func capitals(_ word: String) -> String {
    let bytes = word.utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDStart
  }

  static func canContinue(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDContinue
  }

  /// Returns a name as it is, or between backticks if it could be read as something else.
  package static func quoted(_ name: String) -> String {
    let scalars = name.unicodeScalars
    let isPlain =
      scalars.first.map(canBegin) == true && scalars.dropFirst().allSatisfy(canContinue)
      && !reserved.contains(capitals(name))
    if isPlain { return name }
    var text = "`"
    for scalar in scalars {
      text.unicodeScalars.append(scalar)
      if scalar == "`" { text.unicodeScalars.append(scalar) }
    }
    return text + "`"
  }

  /// Returns a text between single quotes, with escapes for quotes and invisible characters.
  static func quotedText(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "\\'"
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}",
        "\u{2066}"..."\u{2069}":
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }
}
