import ResultsDomain
import ResultsTesting
import Testing

@Suite
struct PredicateEvaluationTests {
  private static let truths: [Bool?] = [true, false, nil]

  /// A predicate that has a truth value for a book without a year.
  private static func predicate(_ truth: Bool?) -> FetchPredicate {
    switch truth {
    case true: .isNull(.attribute("year"))
    case false: .not(.isNull(.attribute("year")))
    default: .comparison(.attribute("year"), .equal, .literal(1990))
    }
  }

  private let row = Book.row(["title": "帰還", "year": .null])

  @Test(arguments: truths, truths)
  func `AND and OR follow the three-valued truth tables`(left: Bool?, right: Bool?) {
    let parts = [left, right].map(Self.predicate)
    let conjunction: Bool? =
      left == false || right == false ? false : (left == nil || right == nil ? nil : true)
    let disjunction: Bool? =
      left == true || right == true ? true : (left == nil || right == nil ? nil : false)
    #expect(FetchPredicate.and(parts).evaluate(row) == conjunction)
    #expect(FetchPredicate.or(parts).evaluate(row) == disjunction)
    #expect(FetchPredicate.not(parts[0]).evaluate(row) == left.map { !$0 })
  }

  @Test
  func `a row is fetched only if the whole predicate is true`() {
    #expect(!Self.predicate(nil).holds(for: row))
    #expect(!FetchPredicate.not(Self.predicate(nil)).holds(for: row))
  }

  @Test(
    arguments: [
      ("year IN {1990, NULL}", nil), ("year IN {}", false), ("NOT year IN {}", true),
      ("title IN {'帰還', NULL}", true), ("title IN {'x', NULL}", nil), ("title NOT IN {'x'}", true),
      ("year BETWEEN 1 AND 2", nil), ("author CONTAINS ''", nil), ("title CONTAINS ''", true),
      ("year == NULL", true), ("year != NULL", false), ("year != 1990", nil),
      ("year < 1 AND title == 'x'", false), ("year < 1 OR title == '帰還'", true),
      ("ifnull(year, 0) == 0", true), ("length(author) > 0", nil), ("length(title) == 2", true),
    ] as [(String, Bool?)]
  )
  func `null is unknown wherever it is in SQL`(text: String, truth: Bool?) throws {
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.evaluate(row) == truth)
  }

  @Test(
    arguments: [
      ("ifnull(author, title) == '帰還'", true), ("ifnull(title, author) == '帰還'", true),
      ("ifnull(author, prefix(title, 1)) == '帰'", true), ("ifnull(year, length(title)) == 2", true),
      ("ifnull(author, author) == 'x'", nil), ("ifnull(ifnull(author, author), 'x') == 'x'", true),
      ("ifnull(author, NULL) == NULL", true),
    ] as [(String, Bool?)]
  )
  func `R287: an expression that is null is replaced by another one`(
    text: String,
    truth: Bool?
  ) throws {
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.evaluate(row) == truth)
    #expect(
      FetchExpression.ifNull(.attribute("year"), 3)
        == .ifNull(.attribute("year"), FetchExpression.literal(3))
    )
  }

  @Test(arguments: [
    ("か\u{3099}", "が", false), ("が", "が", true), ("A", "a", false),
  ])
  func `texts are compared by bytes`(stored: String, sought: String, truth: Bool) {
    let row = Book.row(["title": .text(stored)])
    let title = FetchExpression.attribute("title")
    #expect(
      FetchPredicate.comparison(title, .equal, .literal(.text(sought))).holds(for: row) == truth
    )
    #expect(FetchPredicate.membership(title, [.text(sought)]).holds(for: row) == truth)
    for comparison in TextOperator.allCases {
      #expect(
        FetchPredicate.text(title, comparison, sought, caseInsensitive: false).holds(for: row)
          == truth
      )
    }
  }

  @Test(arguments: [
    ("岩波文庫", "岩?文*", true), ("岩波文庫", "?波", false), ("a*b", "a\\*b", true), ("axb", "a\\*b", false),
    ("e\u{301}", "?", false), ("e\u{301}", "??", true), ("", "*", true), ("", "?", false),
    ("aXbXc", "a*X?", true), ("\\", "\\", true), ("mississippi", "m*iss*pi", true),
    ("mississippi", "m*iss*ss*ss*", false),
  ])
  func `LIKE matches the whole text scalar by scalar`(text: String, pattern: String, truth: Bool) {
    #expect(LikePattern(pattern).matches(text) == truth)
  }

  @Test(arguments: [("STRASSE", "strasse"), ("Ärger", "äRGER"), ("ΣΑΣ", "σασ"), ("İ", "i\u{307}")])
  func `with [c], both sides are folded by Unicode's default mapping`(
    stored: String,
    sought: String
  ) {
    let row = Book.row(["title": .text(stored)])
    for comparison in TextOperator.allCases {
      let predicate = FetchPredicate.text(
        .attribute("title"),
        comparison,
        sought,
        caseInsensitive: true
      )
      #expect(predicate.holds(for: row))
    }
  }

  @Test(arguments: [("aaab", "aab"), ("ababac", "abac"), ("岩岩波", "岩波")])
  func `CONTAINS finds a text that overlaps a failed match`(stored: String, sought: String) {
    let predicate = FetchPredicate.text(
      .attribute("title"),
      .contains,
      sought,
      caseInsensitive: false
    )
    #expect(predicate.holds(for: Book.row(["title": .text(stored)])))
  }

  @Test
  func `an integer and a real are compared exactly beyond 2^53`() throws {
    let row = Book.row(["year": .integer(9_007_199_254_740_993)])
    for (text, truth) in [
      ("year == 9007199254740992.0", false), ("year > 9007199254740992.0", true),
      ("year IN {9007199254740992.0}", false), ("year IN {9007199254740993}", true),
      ("year < 1e300", true), ("year > -INFINITY", true),
    ] {
      let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
      #expect(predicate.holds(for: row) == truth, "\(text)")
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `the evaluator agrees with a naive one`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let predicate = generator.predicate()
      try predicate.validate(in: Book.entity)
      let compiled = CompiledPredicate(predicate, in: Book.entity)
      for _ in 0..<10 {
        let row = generator.bookRow()
        let naive = NaiveEvaluator.truth(predicate, row)
        let truth = compiled.evaluate(row.values, key: row.id.key)
        #expect(
          truth == (naive == 1 ? nil : naive == 2),
          "seed \(seed): \(predicate) for \(row.values)"
        )
      }
    }
  }
}
