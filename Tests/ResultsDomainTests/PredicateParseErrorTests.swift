import Foundation
import ResultsDomain
import ResultsTesting
import Testing

@Suite
struct PredicateParseErrorTests {
  private func error(
    _ text: String,
    _ arguments: PredicateArguments = [],
    in entity: EntityDescription = Book.entity
  ) throws -> PredicateParseError {
    try #require(throws: PredicateParseError.self) {
      try FetchPredicate(
        parsing: text,
        arguments: arguments,
        entity: entity,
        transients: Book.schema.transients.map(\.name)
      )
    }
  }

  @Test(arguments: [
    (
      "publisher == '岩波書店' AND titel CONTAINS '帰還'",
      """
      column 25: Book has no attribute named titel.
      publisher == '岩波書店' AND titel CONTAINS '帰還'
      \u{20}             \u{3000}\u{3000}\u{3000}\u{3000}      ^
      Did you mean title?
      """
    ),
    (
      "year ==",
      """
      column 8: Expected an attribute or a value, found the end.
      year ==
             ^
      Write an attribute or a value there.
      """
    ),
    (
      "year > '1990'",
      """
      column 8: A value of type integer64 cannot be compared with '1990'.
      year > '1990'
             ^
      Compare like with like.
      """
    ),
    (
      "initial == 'x'",
      """
      column 1: initial of Book is computed, not stored, so it cannot be used in a predicate.
      initial == 'x'
      ^
      Compare the attributes it is computed from.
      """
    ),
    (
      "objectID IN {1}",
      """
      column 1: objectID is not part of the language.
      objectID IN {1}
      ^
      Write SELF, as in SELF IN %@.
      """
    ),
    (
      "price == 1.005",
      """
      column 10: 1.005 has more than 2 decimal places.
      price == 1.005
               ^
      Correct the value.
      """
    ),
    (
      "title CONTAINS sea",
      """
      column 16: Expected a value, found sea.
      title CONTAINS sea
                     ^
      Write a value there; a text goes between quotes.
      """
    ),
    (
      "ID == 7",
      """
      column 1: Book has no attribute named ID.
      ID == 7
      ^
      Did you mean SELF, which is the id?
      """
    ),
  ])
  func `an error is shown with its location and a remedy`(text: String, description: String) throws
  {
    #expect(try error(text).description == description)
  }

  @Test(arguments: [
    ("", 1, "Expected an attribute or a value, found the end."),
    ("year", 5, "Expected a comparison such as ==, IN or CONTAINS, found the end."),
    ("year == 1 year == 2", 11, "Expected AND, OR or the end, found year."),
    ("(year == 1", 11, "Expected AND, OR or ), found the end."),
    ("year == 1)", 10, "Expected AND, OR or the end, found )."),
    ("year IN 1", 9, "Expected a list such as {1, 2}, found 1."),
    ("year IN {1, 2", 14, "Expected a comma or }, found the end."),
    ("year IN {1 2}", 12, "Expected a comma or }, found 2."),
    ("year BETWEEN 1", 15, "Expected AND, found the end."),
    (
      "year == 9223372036854775808", 9,
      "9223372036854775808 is not between -9223372036854775808 and 9223372036854775807."
    ),
    ("weight == 1e999", 11, "1e999 is too large."),
    ("weight == 1.", 13, "Expected a digit, found the end."),
    ("year == 12abc", 11, "Expected the end of the number, found 'a'."),
    ("title == 'abc", 10, "The text that begins here with ' is not closed."),
    ("title == 'a\\x'", 13, "Expected one of ' \" \\ n t r u{…} after \\, found 'x'."),
    ("title == '\\u{110000}'", 11, "\\u{110000 is not the code point of a character."),
    ("`title == 1", 1, "The name that begins here with ` is not closed."),
    ("title ==[c] 'x'", 9, "==[c] is not part of the language."),
    ("title LIKE[w] 'x'", 11, "[w] is not part of the language."),
    ("title MATCHES '(x'", 15, "The pattern (x of MATCHES is not valid. A ( is not closed."),
    ("title IS NULL", 7, "IS is not part of the language."),
    ("title > NULL", 9, "> with NULL is not part of the language."),
    ("year CONTAINS 'x'", 1, "year (integer64) cannot be compared with a text."),
    ("title CONTAINS 3", 16, "A value of type text cannot be compared with 3."),
    ("isRead == 2", 11, "2 is not a boolean: TRUE, FALSE, 1 or 0."),
    ("year == TRUE", 9, "A value of type integer64 cannot be compared with TRUE."),
    (
      "added > '2024-02-29T08:30'", 9,
      "'2024-02-29T08:30' has a time without a time zone; add Z for UTC, or an offset such as +09:00."
    ),
    (
      "added > 'yesterday'", 9,
      "'yesterday' is not a date such as 2024-02-29 or 2024-02-29T08:30:00+09:00."
    ),
    ("added == 1.5", 10, "A value of type date cannot be compared with 1.5."),
    ("price == 1e2", 10, "1e2 is not a decimal; write it without an exponent."),
    (
      "price == 92233720368547758.08", 10, "92233720368547758.08 is too large for 2 decimal places."
    ),
    ("added == year", 10, "added (date) cannot be compared with year (integer64)."),
    ("cover == X'abc'", 10, "X'…' needs pairs of hexadecimal digits."),
    ("prefix(title) == 'x'", 13, "Expected ,, found )."),
    ("prefix(title, -1) == 'x'", 15, "-1 is not a number of characters."),
    (
      "prefix(year, 1) == 'x'", 1,
      "prefix(year, 1) is null for every row. Use an expression that fits the attribute's type."
    ),
    ("bucket(year, 0) == 1", 14, "0 is not a width above 0."),
    // R287: two kinds, and nothing at all in the place of null.
    (
      "ifnull(title, year) == 'x'", 1,
      "ifnull(title, year) mixes values of different types. Compare like with like."
    ),
    (
      "ifnull(added, year) == NULL", 1,
      "ifnull(added, year) mixes values of different types. Compare like with like."
    ),
    (
      "ifnull(year, weight) == NULL", 1,
      "ifnull(year, weight) mixes values of different types. Compare like with like."
    ),
    (
      "ifnull(author, prefix(year, 1)) == 'x'", 16,
      "prefix(year, 1) is null for every row. Use an expression that fits the attribute's type."
    ),
    (
      "ifnull(added, now()) == NULL", 15,
      "now() here is not part of the language."
    ),
    ("reverse(title) == 'x'", 1, "The function reverse is not part of the language."),
    ("SELF == 'x'", 9, "A value of type integer64 cannot be compared with 'x'."),
    (
      "SELF IN {results:Word/tx}", 10,
      "Word x is not an object of Book. Use identities of that entity only."
    ),
    ("SELF IN {results:Book}", 10, "results:Book is not the URI of an object."),
    ("year == % 3", 9, "Expected %@, %K, %d, %f or %s, found '%'."),
    ("か\u{3099}く == 1", 1, "Book has no attribute named か\u{3099}く."),
    ("title == 'か\u{3099}' AND ?", 18, "Expected a name, a value or an operator, found '?'."),
  ])
  func `the column counts characters and the message names both sides`(
    text: String,
    column: Int,
    message: String
  ) throws {
    let error = try error(text)
    #expect(error.column == column)
    #expect(error.message == message)
    #expect(error.text == text)
  }

  @Test(
    arguments: [
      ("year == %@", [], "There is no argument for %@; 0 are given."),
      ("year == 1", [1], "1 arguments are given, and 0 are used."),
      ("year == %d", ["x"], "%d needs an integer, and the argument is a text."),
      (
        "year == %@", [.attribute("year")],
        "%@ needs one value, and the argument is an attribute's name, which goes with %K."
      ),
      ("%K == 1", [1], "%K needs an attribute's name, and the argument is a number."),
      ("year IN %@", [1], "%@ needs a list of values, and the argument is a number."),
      (
        "year BETWEEN %@", [[1, 2, 3]], "%@ needs a list of two values, and the argument is a list."
      ),
      ("title == %s", [1], "%s needs a text, and the argument is a number."),
      ("%K == 1", [.attribute("yaer")], "Book has no attribute named yaer."),
    ] as [(String, PredicateArguments, String)]
  )
  func `arguments must fit their placeholders`(
    text: String,
    arguments: PredicateArguments,
    message: String
  ) throws {
    let found = try error(text, arguments).message
    #expect(found == message)
  }

  @Test
  func `a compound key has no single value`() throws {
    #expect(
      try error("SELF > 3", in: Seat.entity).message
        == "The key of Seat has several parts. Compare or sort by its attributes instead of SELF."
    )
    #expect(
      try error("SELF IN {('A', 1, 2)}", in: Seat.entity).message
        == "The key has 3 parts instead of 2."
    )
  }

  @Test(arguments: [
    (33, String(repeating: "(", count: 100_000)), (129, String(repeating: "NOT ", count: 100_000)),
    (330, String(repeating: "lowercase(", count: 100_000)),
    (33, String(repeating: "!", count: 100_000)),
  ])
  func `nesting beyond the limit is an error`(column: Int, text: String) throws {
    let error = try error(text)
    #expect(error.problem == .tooDeep(limit: 32))
    #expect(error.column == column)
  }

  @Test(arguments: [
    (String(repeating: "(", count: 32), "title == 'x'" + String(repeating: ")", count: 32)),
    (String(repeating: "!", count: 32), "title == 'x'"),
    (
      String(repeating: "lowercase(", count: 32),
      "title" + String(repeating: ")", count: 32) + " == 'x'"
    ),
    (String(repeating: "(", count: 1000), ""),
  ])
  func `the deepest nesting fits the stack of a secondary thread`(
    head: String,
    tail: String
  ) async {
    let isAccepted = await withCheckedContinuation { continuation in
      let thread = Thread {
        let predicate = try? FetchPredicate(parsing: head + tail, entity: Book.entity)
        continuation.resume(returning: predicate != nil)
      }
      thread.stackSize = 384 << 10
      thread.start()
    }
    #expect(isAccepted == !tail.isEmpty)
  }

  @Test
  func `a long text is parsed, and an error in it is shown in an excerpt`() throws {
    let terms = (0..<20_000).map { "year == \($0)" }
    let text = terms.joined(separator: " OR ")
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.description == text)
    #expect(try error(text + " OR").excerpt.utf8.count < 200)
  }

  @Test
  func `invisible characters are not printed`() throws {
    let error = try error("title == '\u{1B}[31m\u{202E}' ?")
    #expect(!error.description.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `no text makes the parser trap`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let fragments = [
      "title", "year", "SELF", "AND", "OR", "NOT", "IN", "BETWEEN", "{", "}", "(", ")", ",", "==",
      "<",
      "'a'", "\"", "'", "\\", "1", "-", "1.5", "e", "%@", "%K", "%", "#", "`", "[c]", "[", "X'0",
      "NULL",
      "results:Book/i1", "results:", "prefix", "ifnull", "bucket", "price", "added", "か\u{3099}",
      "\u{0}",
      " ", "\u{301}", "LIKE", "CONTAINS", "+", "INFINITY", "-INFINITY", "objectID", "🇳🇴", "$a", "$b",
      "$",
    ]
    let entities = [Book.entity, Word.entity, Seat.entity]
    let arguments: [PredicateArgument] = [
      1, "x", nil, 2.5, [1, 2], .attribute("title"), .identities(IdentitySet(keys: [.integer(1)])),
      [[1]],
    ]
    for _ in 0..<200 {
      var text = ""
      if generator.below(4) == 0 {
        let bytes = (0..<generator.below(40)).map { _ in UInt8(generator.below(256)) }
        text = String(decoding: bytes, as: UTF8.self)
      } else {
        for _ in 0..<generator.below(12) {
          text += generator.pick(fragments) + (generator.below(3) == 0 ? "" : " ")
        }
      }
      let entity = generator.pick(entities)
      let given = (0..<generator.below(4)).map { _ in generator.pick(arguments) }
      do throws(PredicateParseError) {
        var values = PredicateArguments(given)
        for name in ["a", "b"] where generator.below(2) == 0 {
          values[variable: name] = generator.pick(arguments)
        }
        let predicate = try FetchPredicate(parsing: text, arguments: values, entity: entity)
        #expect(throws: Never.self, "seed \(seed): \(text)") { try predicate.validate(in: entity) }
      } catch {
        #expect(error.column >= 1 && error.column <= text.count + 1, "seed \(seed): \(text)")
        #expect(!error.description.isEmpty)
      }
    }
  }
}
