/// The terms of a CREATE INDEX statement, cut out of its text.
struct IndexDeclaration {
  /// The terms as they are declared, without comments and directions.
  ///
  /// A collation stays: whoever compares by a term names the same.
  private(set) var terms: [String] = []

  /// Reads the list in the first parentheses; before them there are but names.
  init(_ sql: String) {
    var depth = 0
    var term: [SQLToken] = []
    for token in SQLToken.all(in: sql) {
      switch token.text {
      case "(":
        depth += 1
        if depth == 1 { continue }
      case ")":
        depth -= 1
        if depth == 0 {
          terms.append(IndexDeclaration.expression(term))
          return
        }
      case "," where depth == 1:
        terms.append(IndexDeclaration.expression(term))
        term = []
        continue
      default: break
      }
      if depth > 0 { term.append(token) }
    }
    // A declaration that does not end is none that SQLite has written down.
    terms = []
  }

  private static func expression(_ tokens: [SQLToken]) -> String {
    var tokens = tokens[...]
    if tokens.count > 1, let last = tokens.last, ["asc", "desc"].contains(last.text.lowercased()) {
      tokens.removeLast()
    }
    return tokens.enumerated()
      .map { $0.offset > 0 && $0.element.isSetApart ? " " + $0.element.text : $0.element.text }
      .joined()
  }
}
