extension FetchPredicate {
  /// Reads a predicate from its text form, such as `publisher == '岩波書店' AND title CONTAINS '帰還'`.
  ///
  /// - Comparisons: `==` (or `=`), `!=` (`<>`), `<`, `<=`, `>`, `>=` between attributes and constants on either side;
  ///   `BETWEEN {a, b}` or `BETWEEN a AND b`; `IN {…}` or `IN (…)`; `BEGINSWITH`, `CONTAINS`, `ENDSWITH` and `LIKE` with
  ///   an optional `[c]` that disregards letter case. `NOT` may stand before `IN`, `BETWEEN` and text operators.
  /// - Combinations: `AND` (`&&`), `OR` (`||`), `NOT` (`!`), parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
  /// - Constants: texts between `'` or `"` with `\'`, `\"`, `\\`, `\n`, `\r`, `\t`, `\u{…}`; whole numbers; reals with a
  ///   point or an exponent; `INFINITY`; `TRUE` (`YES`), `FALSE` (`NO`); `NULL` (`NIL`), for `==`, `!=` and lists
  ///   only; bytes as `X'0A'`. A number beside an exact decimal is converted to its scale exactly. A date
  ///   is a text by ISO 8601 (a day alone is its midnight UTC), or a whole number of microseconds since 1970.
  /// - Functions: `prefix(x, n)`, `lowercase(x)`, `uppercase(x)`, `length(x)`, `bucket(x, n)`, `ifnull(x, v)`.
  /// - Objects: `SELF IN {1, 2}`, `SELF == 3`, with keys, object URIs (`results:Book/i3`), or a compound key's
  ///   parts between parentheses.
  /// - Placeholders: `%@` and, for a checked kind, `%d`, `%f`, `%s`; `%K` for an attribute's name. Arguments
  ///   become constants of the tree, never text.
  ///
  /// Parentheses, functions and `NOT` may stand inside each other 32 deep; the number of terms is not limited.
  ///
  /// Keywords may be written in any letter case. A name that looks like one, or has other characters than letters,
  /// digits and `_`, goes between backticks (doubled inside) or behind `#`.
  /// - Parameters:
  ///   - text: The predicate.
  ///   - arguments: One for each placeholder, in order.
  ///   - entity: The entity whose attributes are named.
  ///   - transients: Names of its computed attributes, for a clearer error.
  /// - Throws: `PredicateParseError` for the first mistake.
  /// - Complexity: O(*n*) in the text, O(*n* log *n*) in listed identities.
  public init(
    parsing text: String,
    arguments: [PredicateArgument] = [],
    entity: EntityDescription,
    transients: [String] = []
  ) throws(PredicateParseError) {
    var parser = try PredicateParser(text, arguments, entity, transients)
    self = try parser.predicate()
  }
}
