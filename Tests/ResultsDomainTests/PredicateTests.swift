import ResultsDomain
import Testing

@Suite
struct EntityPredicateTests {
  private func text(_ predicate: EntityPredicate<Book>) -> String {
    predicate.predicate.text(in: Book.entity)
  }

  @Test
  func `operators over properties give the same predicate as the text form`() {
    #expect(text(\.year > 1990 && .contains(\.title, "x")) == "year > 1990 AND title CONTAINS 'x'")
    #expect(text(\.year == nil || \.author != nil) == "year == NULL OR author != NULL")
    #expect(text(!(\.isRead == true) && \.weight <= 1.5) == "NOT isRead == TRUE AND weight <= 1.5")
    #expect(
      text(.between(\.year, 1, 9) && .in(\.year, [1, nil]))
        == "year BETWEEN {1, 9} AND year IN {1, NULL}"
    )
    #expect(text(.like(\.author, "a*", caseInsensitive: true)) == "author LIKE[c] 'a*'")
    #expect(
      text(.beginsWith(\.title, "a") && .endsWith(\.title, "z"))
        == "title BEGINSWITH 'a' AND title ENDSWITH 'z'"
    )
    #expect(
      text(.identity(in: IdentitySet(keys: [.integer(2)])) && .isNull(\.cover))
        == "SELF IN {2} AND cover == NULL"
    )
    #expect(text(\.added >= Instant(microseconds: 0)) == "added >= '1970-01-01T00:00:00Z'")
    #expect(text(.all) == "TRUEPREDICATE")
    #expect(text(.none) == "FALSEPREDICATE")
  }

  @Test(arguments: [100, 101, 99, -100, -101, 0] as [Int64])
  func `a decimal of any scale is compared by value`(units: Int64) {
    let row = Book.row(["price": .integer(units)])
    let numbers = [
      ExactDecimal(units: 1, scale: 0), ExactDecimal(units: 1005, scale: 3),
      ExactDecimal(units: -1005, scale: 3), ExactDecimal(units: .max, scale: 0),
      ExactDecimal(units: .min, scale: 0),
    ]
    for number in numbers {
      let (left, right) = (
        Double(units) / 100, Double(number.units) / (number.scale == 3 ? 1000 : 1)
      )
      #expect((\Book.price == number).predicate.holds(for: row) == (left == right))
      #expect((\Book.price != number).predicate.holds(for: row) == (left != right))
      #expect((\Book.price < number).predicate.holds(for: row) == (left < right))
      #expect((\Book.price <= number).predicate.holds(for: row) == (left <= right))
      #expect((\Book.price > number).predicate.holds(for: row) == (left > right))
      #expect((\Book.price >= number).predicate.holds(for: row) == (left >= right))
    }
  }

  @Test
  func `a property outside the schema is refused by name`() {
    let predicate: EntityPredicate<Seat> = \.caption == "x"
    #expect(throws: RequestError.self) { try predicate.predicate.validate(in: Seat.entity) }
  }
}

extension Seat {
  fileprivate var caption: String { row + String(number) }
}

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
      "year == 'x' mixes values of different types. Compare like with like."
    ),
    (
      .comparison(year, .less, .literal(.null)),
      "year < NULL mixes values of different types. Compare like with like."
    ),
    (
      .comparison(title, .equal, year),
      "title == year mixes values of different types. Compare like with like."
    ),
    (
      .comparison(.attribute("added"), .equal, .literal(1.5)),
      "added == 1.5 mixes values of different types. Compare like with like."
    ),
    (
      .comparison(.attribute("price"), .equal, year),
      "price == year mixes values of different types. Compare like with like."
    ),
    (
      .membership(title, ["x", 3]),
      "title IN {'x', 3} mixes values of different types. Compare like with like."
    ),
    (
      .between(year, .null, 3),
      "year BETWEEN {NULL, 3} mixes values of different types. Compare like with like."
    ),
    (
      .between(.attribute("price"), .real(0.5), 3),
      "price BETWEEN {0.5, 3} mixes values of different types. Compare like with like."
    ),
    (
      .membership(.attribute("added"), [.real(0.5)]),
      "added IN {0.5} mixes values of different types. Compare like with like."
    ),
    (
      .text(year, .contains, "x", caseInsensitive: false),
      "year CONTAINS 'x' mixes values of different types. Compare like with like."
    ),
    (
      .comparison(.bucket(year, width: 0), .equal, .literal(1)),
      "A bucket cannot have a width of 0. Use a width of at least 1."
    ),
    (
      .identity(IdentitySet(keys: [.text("x")])),
      "Book x is not an object of Book. Use identities of that entity only."
    ),
    (
      .not(.and([.all, .or([.isNull(.lowercased(year))])])),
      "lowercase(year) is null for every row. Use an expression that fits the attribute's type."
    ),
  ]

  @Test(arguments: refused)
  func `an invalid predicate is refused with a reason`(
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
  func `values of comparable types can be compared`(predicate: FetchPredicate) throws {
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
  func `the normal form has no redundant levels`() {
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

@Suite struct NearestNameTests {
  @Test(
    arguments: [
      ("lst", "list"), ("LIST", "list"), ("ilst", "list"), ("add", "add"), ("ad", "add"),
      ("岩", "岩波"),
      ("kitten", nil), ("", nil), (String(repeating: "a", count: 65), nil),
    ] as [(String, String?)]
  )
  func `a name within a few edits is the nearest, whatever its letter case`(
    name: String,
    nearest: String?
  ) {
    #expect(NearestName.of(name, among: ["list", "add", "岩波", "sitting"]) == nearest)
  }

  @Test func `of equally near names the first is taken`() {
    #expect(NearestName.of("tile", among: ["title", "tiles"]) == "title")
    #expect(NearestName.of("tile", among: []) == nil)
  }
}
