/// What `help where` prints: the language of conditions.
enum PredicateHelp {
  /// The text for a program of a name.
  static func text(of program: String) -> String {
    """
    A condition chooses rows by their attributes, for example:
      \(program) list --where "ATTRIBUTE == 'text' AND NOT OTHER > 1990"

    Comparisons   ==  !=  <  <=  >  >=   BETWEEN 1 AND 9   IN (1, 2, 3)   == NULL   != NULL
    Texts         BEGINSWITH 'a'   CONTAINS 'a'   ENDSWITH 'a'   LIKE 'a*'
                  With [c] behind the word, as in CONTAINS[c] 'a', upper and lower case are the same.
    LIKE          matches the whole text: * stands for any characters, ? for exactly one;
                  % and _ are ordinary characters. \\\\* and \\\\? are the characters themselves.
    Combinations  AND   OR   NOT   ( )
    Constants     'text' or "text"   12   3.5   TRUE   FALSE   NULL   '2026-11-03' for a date
    Functions     lowercase(x)   uppercase(x)   length(x)   prefix(x, n)   bucket(x, n)   ifnull(x, v)
    Objects       SELF IN {1, 2} chooses by the id.

    Words of the language may be in any case. A name that looks like one goes between backticks.
    '\(program) add --help' lists the attributes.

    """
  }
}
