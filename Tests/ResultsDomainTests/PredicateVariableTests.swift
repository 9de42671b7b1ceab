import ResultsDomain
import Testing

@Suite struct PredicateVariableTests {
  private func text(
    _ text: String,
    _ arguments: PredicateArguments,
    in entity: EntityDescription = Bookshop.Book.entity
  ) throws -> String {
    try FetchPredicate(parsing: text, arguments: arguments, entity: entity).text(in: entity)
  }

  @Test(
    arguments: [
      (
        "year > $year AND title CONTAINS[cd] $word", ["year": 1990, "word": "x"],
        "year > 1990 AND title CONTAINS[cd] 'x'"
      ),
      ("$year < year", ["year": 1990], "1990 < year"),
      ("price == $price", ["price": .number(ExactDecimal(units: 5, scale: 1))], "price == 0.50"),
      ("author_id == $none", ["none": nil], "author_id == NULL"),
      ("year IN $years", ["years": [1, 2]], "year IN {1, 2}"),
      ("year IN {$a, 3, $b}", ["a": 1, "b": 2], "year IN {1, 3, 2}"),
      ("year BETWEEN $range", ["range": [1, 2]], "year BETWEEN {1, 2}"),
      ("year BETWEEN $a AND $b", ["a": 1, "b": 2], "year BETWEEN {1, 2}"),
      ("title MATCHES $pattern", ["pattern": "a.*"], "title MATCHES 'a.*'"),
      ("prefix(title, $n) == $a", ["n": 2, "a": "ab"], "prefix(title, 2) == 'ab'"),
      ("ifnull(shop, $a) == $a", ["a": "x"], "ifnull(shop, 'x') == 'x'"),
      ("author == $author", ["author": 7], "author_id == 7"),
      ("author == $author", ["author": nil], "author_id == NULL"),
      (
        "author IN $authors",
        ["authors": .identities(IdentitySet(keys: [.integer(1), .integer(2)]))],
        "author_id IN {1, 2}"
      ),
      (
        "SELF == $book", ["book": .identities(IdentitySet(keys: [.integer(4)]))], "SELF IN {4}"
      ),
      ("SELF IN $books", ["books": [1, 2]], "SELF IN {1, 2}"),
      ("id == $id", ["id": 3], "SELF == 3"),
      ("ANY tags.name == $word", ["word": "sf"], "ANY tags.name == 'sf'"),
      (
        "SUBQUERY(tags, $t, $t.rank > $min AND $t.name == $t.name).@count > $n",
        ["min": 2, "n": 1],
        "SUBQUERY(tags, $x, $x.rank > 2 AND $x.name == $x.name).@count > 1"
      ),
      // The variable of a SUBQUERY is an object, whatever is given for its name outside.
      (
        "title == $t AND SUBQUERY(tags, $t, $t.rank > 1 OR $t.name == 'x').@count > 0", ["t": "a"],
        "title == 'a' AND SUBQUERY(tags, $x, $x.rank > 1 OR $x.name == 'x').@count > 0"
      ),
    ] as [(String, PredicateArguments, String)]
  )
  func `R204: a variable stands where a constant or a list of them may stand`(
    written: String,
    arguments: PredicateArguments,
    expected: String
  ) throws {
    #expect(try text(written, arguments) == expected)
  }

  @Test func `R204: placeholders and variables can be mixed, and a variable be used twice`() throws
  {
    let arguments = PredicateArguments([.attribute("year"), 3], variables: ["a": 1, "b": "x"])
    let written = "%K > $a AND (title == $b OR year < %@ OR year == $a)"
    #expect(try text(written, arguments) == "year > 1 AND (title == 'x' OR year < 3 OR year == 1)")
    #expect(arguments.variables == ["a", "b"])
    #expect(arguments[variable: "a"] == 1)
  }

  @Test func `R204: a value never becomes text of the language, whatever it contains`() throws {
    let bait = "x' OR TRUEPREDICATE OR title == $word OR '1' == '1"
    let predicate = try FetchPredicate(
      parsing: "title == $word",
      arguments: ["word": .value(.text(bait))],
      entity: Book.entity
    )
    #expect(predicate == .comparison(.attribute("title"), .equal, .literal(.text(bait))))
    for text in ["'", "$word", "%@", "\\'", "'\u{301}", "\u{600}'", "{1, 2}", ""] {
      let parsed = try FetchPredicate(
        parsing: "title CONTAINS $word",
        arguments: ["word": .value(.text(text))],
        entity: Book.entity
      )
      #expect(parsed == .text(.attribute("title"), .contains, text, caseInsensitive: false))
    }
  }

  @Test func `R204: names are compared by their bytes`() throws {
    let arguments: PredicateArguments = ["caf\u{E9}": 1, "cafe\u{301}": 2]
    let predicate = try FetchPredicate(
      parsing: "year == $cafe\u{301} OR year == $caf\u{E9}",
      arguments: arguments,
      entity: Book.entity
    )
    #expect(predicate.text(in: Book.entity) == "year == 2 OR year == 1")
  }

  @Test(
    arguments: [
      (
        "year > $yaer", ["year": 1990],
        "column 8: There is no argument for $yaer.\nyear > $yaer\n       ^\nDid you mean $year?"
      ),
      (
        "year > $year", [:],
        """
        column 8: There is no argument for $year.
        year > $year
               ^
        Give one by that name, without the $. The variable of a SUBQUERY is known inside SUBQUERY alone.
        """
      ),
      (
        "year > 1", ["year": 1990],
        """
        column 9: An argument is given for $year, which the text does not use.
        year > 1
                ^
        Use the variable, or leave its argument out.
        """
      ),
      (
        "title == 'a' AND year > $year", ["year": "x"],
        """
        column 25: A value of type integer64 cannot be compared with 'x'.
        title == 'a' AND year > $year
                                ^
        Compare like with like.
        """
      ),
      (
        "year IN $years", ["years": 1],
        """
        column 9: $years needs a list of values, and the argument is a number.
        year IN $years
                ^
        Give the variable such an argument.
        """
      ),
      (
        "year == $years", ["years": [1, 2]],
        """
        column 9: $years needs one value, and the argument is a list.
        year == $years
                ^
        Give the variable such an argument.
        """
      ),
      (
        "year BETWEEN $years", ["years": [1]],
        """
        column 14: $years needs a list of two values, and the argument is a list.
        year BETWEEN $years
                     ^
        Give the variable such an argument.
        """
      ),
      (
        "year == $a", ["a": .attribute("year")],
        """
        column 9: $a needs one value, and the argument is an attribute's name, which goes with %K.
        year == $a
                ^
        Give the variable such an argument.
        """
      ),
    ] as [(String, PredicateArguments, String)]
  )
  func `R204: a missing, unused or wrong argument is named with its position`(
    written: String,
    arguments: PredicateArguments,
    message: String
  ) throws {
    let error = try #require(throws: PredicateParseError.self) {
      try FetchPredicate(parsing: written, arguments: arguments, entity: Book.entity)
    }
    #expect(error.description == message)
  }
}
