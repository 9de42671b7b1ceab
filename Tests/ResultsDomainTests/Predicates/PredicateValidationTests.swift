import ResultsDomain
import Testing

@Suite
struct PredicateValidationTests {
  private static let year = FetchExpression.attribute("year")
  private static let title = FetchExpression.attribute("title")

  private static let refused: [(FetchPredicate, String)] = [
    (
      .isNull(.attribute("yaer")),
      "Book has no stored attribute named yaer. It has publisher, title, author, year, price, weight,"
        + " isRead, added, cover."
    ),
    (
      .comparison(year, .equal, .literal("x")),
      "year == 'x' mixes values of different kinds. Compare like with like."
    ),
    (
      .comparison(year, .less, .literal(.null)),
      "year < NULL mixes values of different kinds. Compare like with like."
    ),
    (
      .comparison(title, .equal, year),
      "title == year mixes values of different kinds. Compare like with like."
    ),
    (
      .comparison(.attribute("added"), .equal, .literal(1.5)),
      "added == 1.5 mixes values of different kinds. Compare like with like."
    ),
    (
      .comparison(.attribute("price"), .equal, year),
      "price == year mixes values of different kinds. Compare like with like."
    ),
    (
      .membership(title, ["x", 3]),
      "title IN {'x', 3} mixes values of different kinds. Compare like with like."
    ),
    (
      .between(year, .null, 3),
      "year BETWEEN {NULL, 3} mixes values of different kinds. Compare like with like."
    ),
    (
      .between(.attribute("price"), .real(0.5), 3),
      "price BETWEEN {0.5, 3} mixes values of different kinds. Compare like with like."
    ),
    (
      .membership(.attribute("added"), [.real(0.5)]),
      "added IN {0.5} mixes values of different kinds. Compare like with like."
    ),
    (
      .text(year, .contains, "x", caseInsensitive: false),
      "year CONTAINS 'x' mixes values of different kinds. Compare like with like."
    ),
    (
      .comparison(.bucket(year, width: 0), .equal, .literal(1)),
      "A bucket of width 0 holds nothing. Use a width of at least 1."
    ),
    (
      .identity(IdentitySet(keys: [.text("x")])),
      "Book x is not an object of Book. Give identities of that entity only."
    ),
    (
      .not(.and([.all, .or([.isNull(.lowercased(year))])])),
      "lowercase(year) is null for every row. Use an expression of the attribute's kind."
    ),
  ]

  @Test(arguments: refused)
  func `what no store can answer is refused with a reason`(
    predicate: FetchPredicate,
    message: String
  ) {
    let error = #expect(throws: RequestError.self) { try predicate.validate(in: Book.entity) }
    #expect(error?.description == message)
  }

  @Test(
    arguments: [
      .comparison(year, .greater, .literal(1.5)), .comparison(.attribute("weight"), .less, year),
      .comparison(year, .equal, .literal(.null)), .membership(year, [1, .null, 2.5]),
      .membership(title, []),
      .comparison(.objectKey, .equal, .literal(3)), .comparison(.attribute("isRead"), .equal, year),
    ] as [FetchPredicate]
  )
  func `like is compared with like`(predicate: FetchPredicate) throws {
    try predicate.validate(in: Book.entity)
  }

  @Test
  func `predicates are equal by bytes`() {
    let one = FetchPredicate.text(Self.title, .contains, "が", caseInsensitive: false)
    let other = FetchPredicate.text(Self.title, .contains, "か\u{3099}", caseInsensitive: false)
    #expect(one != other)
    #expect(FetchExpression.attribute("が") != .attribute("か\u{3099}"))
  }

  @Test
  func `the plain form drops what says nothing`() {
    let inner = FetchPredicate.comparison(Self.year, .equal, .literal(1))
    #expect(FetchPredicate.and([.all, .and([inner])]).normalized == inner)
    #expect(FetchPredicate.or([]).normalized == .none)
    #expect(
      FetchPredicate.comparison(Self.year, .notEqual, .literal(.null)).normalized
        == .not(.isNull(Self.year))
    )
    #expect(
      FetchPredicate.comparison(Self.year, .equal, .literal(.real(.nan))).normalized
        == .isNull(Self.year)
    )
    #expect(
      FetchPredicate.membership(.objectKey, [2, 1]).normalized
        == .identity(IdentitySet(keys: [.integer(1), .integer(2)]))
    )
    #expect((inner || (inner || inner)) == .or([inner, inner, inner]))
  }
}
