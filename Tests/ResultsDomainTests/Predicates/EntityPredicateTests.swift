import ResultsDomain
import Testing

@Suite
struct EntityPredicateTests {
  private func text(_ predicate: EntityPredicate<Book>) -> String {
    predicate.predicate.text(in: Book.entity)
  }

  @Test
  func `operators over properties make the same predicate as the text form`() {
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
