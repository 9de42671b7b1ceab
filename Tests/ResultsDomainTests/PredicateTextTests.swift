import ResultsDomain
import ResultsTesting
import Testing

@Suite
struct PredicateTextTests {
  @Test(arguments: [
    "publisher == '岩波書店' AND title CONTAINS '帰還'",
    "year >= 1990 OR (author == NULL AND isRead == TRUE)",
    "NOT (title BEGINSWITH[c] 'the ' OR title LIKE '*\\\\?')",
    "price BETWEEN {-3480.00, 0.05}",
    "added < '2024-02-29T08:30:00.5Z'",
    "added BETWEEN {'-infinity', 'infinity'}",
    "weight IN {1.5, NULL, -INFINITY, 3}",
    "SELF IN {1, 2, 30}",
    "SELF == 3",
    "cover != X'00ff'",
    "prefix(lowercase(title), 2) == 'th'",
    "bucket(ifnull(year, 0), 10) == 1990",
    "ifnull(author, title) == 'x'",
    "length(ifnull(lowercase(author), ifnull(title, 'x'))) > 3",
    "bucket(price, 100.00) == 200.00",
    "title == author",
    "1990 < year",
    "TRUEPREDICATE",
    "NOT FALSEPREDICATE",
    "title != NULL",
    "title == '\\'\\\\\\n\\t\\u{0}\"'",
  ])
  func `R263: a predicate in normal form is written as it was parsed`(text: String) throws {
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.text(in: Book.entity) == text)
  }

  @Test(
    arguments: [
      ("year=1990", "year == 1990"), ("year<>1990", "year != 1990"), ("year=>1990", "year >= 1990"),
      (
        "!(year=<1990)&&title='x'||year==nil", "(NOT year <= 1990 AND title == 'x') OR year == NULL"
      ),
      ("year between 1 and 2 and isRead = yes", "year BETWEEN {1, 2} AND isRead == TRUE"),
      ("year not in (1,2)", "NOT year IN {1, 2}"),
      ("`year` == 1 AND #year == 2", "year == 1 AND year == 2"),
      ("isRead == 0", "isRead == FALSE"), ("price == 5", "price == 5.00"),
      ("price == +5.1000", "price == 5.10"),
      ("added == '2024-02-29T09:00:00+09:00'", "added == '2024-02-29T00:00:00Z'"),
      ("added == 1000000", "added == '1970-01-01T00:00:01Z'"),
      ("self in {results:Book/i3,results:Book/i4, 'results:Book/i5'}", "SELF IN {3, 4, 5}"),
      ("SELF != results:Book/i3", "NOT SELF IN {3}"), ("NULL != year", "year != NULL"),
      ("((((year == 1))))", "year == 1"), ("ifnull(weight, 2) < 1", "ifnull(weight, 2.0) < 1"),
      ("TRUEPREDICATE AND year == 1", "year == 1"), ("year == -9223372036854775808", nil),
    ] as [(String, String?)]
  )
  func `alternative spellings are equivalent`(text: String, plain: String?) throws {
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.text(in: Book.entity) == plain ?? text)
  }

  /// The first and the last microsecond of the day in the conditions below.
  private static let day = (
    first: "'2024-02-29T00:00:00Z'", last: "'2024-02-29T23:59:59.999999Z'"
  )

  @Test(arguments: [
    ("added == '2024-02-29'", "added BETWEEN {\(day.first), \(day.last)}"),
    ("'2024-02-29' = added", "added BETWEEN {\(day.first), \(day.last)}"),
    ("added != '2024-02-29'", "NOT added BETWEEN {\(day.first), \(day.last)}"),
    ("added < '2024-02-29'", "added < \(day.first)"),
    ("added >= '2024-02-29'", "added >= \(day.first)"),
    ("added <= '2024-02-29'", "added <= \(day.last)"),
    ("added > '2024-02-29'", "added > \(day.last)"),
    ("'2024-02-29' < added", "added > \(day.last)"),
    ("'2024-02-29' >= added", "added <= \(day.last)"),
    ("added BETWEEN '2024-02-29' AND '2024-02-29'", "added BETWEEN {\(day.first), \(day.last)}"),
    (
      "added IN ('2024-02-29', '2024-03-01T08:00:00Z')",
      "added IN {'2024-03-01T08:00:00Z'} OR added BETWEEN {\(day.first), \(day.last)}"
    ),
  ])
  func `a date without a time is the whole day in UTC`(text: String, plain: String) throws {
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.text(in: Book.entity) == plain)
  }

  @Test
  func `a day as an argument is the whole day too`() throws {
    let day: PredicateArgument = .value(.text("2024-02-29"))
    let range = "added BETWEEN {\(Self.day.first), \(Self.day.last)}"
    for (text, argument) in [
      ("added == %@", day), ("added IN %@", .list([day])), ("added BETWEEN %@", .list([day, day])),
    ] {
      let predicate = try FetchPredicate(parsing: text, arguments: [argument], entity: Book.entity)
      #expect(predicate.text(in: Book.entity) == range)
    }
  }

  @Test
  func `text and compound keys are written and parsed`() throws {
    let words = try FetchPredicate(parsing: "SELF IN {'a', 'b\\''}", entity: Word.entity)
    #expect(words == .identity(IdentitySet(keys: [.text("a"), .text("b'")])))
    let seats = FetchPredicate.identity(
      IdentitySet(keys: [.compound(["A", 1]), .compound(["B", 12])])
    )
    #expect(seats.text(in: Seat.entity) == "SELF IN {('A', 1), ('B', 12)}")
    for text in [seats.description, "SELF IN {results:Seat/ctA,i1,results:Seat/ctB,i12}"] {
      #expect(try FetchPredicate(parsing: text, entity: Seat.entity) == seats)
    }
    let one = try FetchPredicate(parsing: "SELF == ('A', 1)", entity: Seat.entity)
    #expect(one == .identity(IdentitySet(keys: [.compound(["A", 1])])))
  }

  @Test
  func `names that could be read as something else are quoted`() throws {
    let names = ["and", "a b", "`", "1st", "self", "年", "é", "", "x.y", "objectID", "length"]
    let entity = try EntityDescription(
      name: "Odd",
      attributes: names.filter { !$0.isEmpty }.map { AttributeDescription($0, .text) }
    )
    for attribute in entity.attributes {
      let predicate = FetchPredicate.comparison(
        .attribute(attribute.name),
        .equal,
        .literal("x")
      )
      #expect(try FetchPredicate(parsing: predicate.description, entity: entity) == predicate)
    }
  }

  @Test
  func `arguments become constants, never text`() throws {
    let hostile = "' OR TRUEPREDICATE OR title == '"
    let predicate = try FetchPredicate(
      parsing: "%K == %@ AND year > %d AND weight < %f AND author LIKE %s AND price == %@",
      arguments: [.attribute("title"), .value(.text(hostile)), 1990, 2.5, "x", 7],
      entity: Book.entity
    )
    #expect(
      predicate
        == .and([
          .comparison(.attribute("title"), .equal, .literal(.text(hostile))),
          .comparison(.attribute("year"), .greater, .literal(1990)),
          .comparison(.attribute("weight"), .less, .literal(2.5)),
          .text(.attribute("author"), .like, "x", caseInsensitive: false),
          .comparison(.attribute("price"), .equal, .literal(700)),
        ])
    )
  }

  @Test
  func `lists and sets are arguments`() throws {
    let keys = IdentitySet(keys: [.integer(5), .integer(3)])
    let predicate = try FetchPredicate(
      parsing: "SELF IN %@ AND year IN %@ AND year BETWEEN %@ AND SELF IN %@ AND title == %@",
      arguments: [
        .identities(keys), .values([1, 2]), [1, 9], [4], nil,
      ],
      entity: Book.entity
    )
    let text =
      "SELF IN {3, 5} AND year IN {1, 2} AND year BETWEEN {1, 9} AND SELF IN {4} AND title == NULL"
    #expect(predicate.description == text)
    let price = FetchPredicate.comparison(.attribute("price"), .equal, .literal(348))
    #expect(
      try FetchPredicate(parsing: "price == %@", arguments: [.value(348)], entity: Book.entity)
        == price
    )
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `a written predicate is parsed back unchanged`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let predicate = generator.predicate(depth: 4)
      let text = predicate.text(in: Book.entity)
      #expect(
        throws: Never.self,
        "seed \(seed): \(text)"
      ) {
        let read = try FetchPredicate(parsing: text, entity: Book.entity)
        #expect(read == predicate, "seed \(seed): \(text)")
      }
      #expect(predicate.normalized == predicate, "seed \(seed): \(text)")
      if !predicate.attributes.contains("price") {
        let plain = try FetchPredicate(parsing: predicate.description, entity: Book.entity)
        #expect(plain == predicate, "seed \(seed): \(predicate)")
      }
    }
  }
}
