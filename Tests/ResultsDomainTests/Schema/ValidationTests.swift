import ResultsDomain
import Testing

@Suite
struct ValidationTests {
  private func message(_ body: () throws(StoreError) -> Void) -> String? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      return error.description
    }
  }

  @Test
  func `a required attribute without a value is named before anything is written`() {
    var values = Book().attributeValues
    #expect(message { () throws(StoreError) in try Book.entity.validate(values) } == nil)
    values[0] = .null
    values[1] = 3
    values[6] = 2
    let expected =
      "Book needs a value for publisher. Give one."
      + " title of Book must be of type text. Give such a value."
      + " isRead of Book must be of type boolean. Give such a value. Nothing was written."
    #expect(message { () throws(StoreError) in try Book.entity.validate(values) } == expected)
  }

  @Test
  func `a row with too few values is refused`() {
    #expect(
      message { () throws(StoreError) in try Word.entity.validate([]) }
        == "A row of Word has 1 values, not 0. Give one for each attribute. Nothing was written."
    )
  }

  @Test(
    arguments: [
      (.integer16, .integer(32_768), false), (.integer16, .integer(-32_768), true),
      (.integer32, .integer(1 << 31), false), (.integer64, .real(1), false), (.boolean, 2, false),
      (.real, .real(.nan), false), (.real, 1, false), (.real, .real(.infinity), true),
      (.text, .blob([]), false),
      (.date, .integer(.min), true), (.decimal(scale: 2), .integer(.max), true),
    ] as [(AttributeType, Value, Bool)]
  )
  func `a type accepts its values only`(type: AttributeType, value: Value, isAccepted: Bool) {
    #expect(type.accepts(value) == isAccepted)
  }

  @Test
  func `a key must fit the identity R13`() throws {
    #expect(try Book.entity.key(for: [], given: nil) == nil)
    #expect(try Word.entity.key(for: ["y"], given: .text("x")) == .text("x"))
    #expect(try Seat.entity.key(for: ["A", 2, .null], given: nil) == .compound(["A", 2]))
    let refused =
      "The object has no key that fits Word. Give it one of the entity's kind. Nothing was written."
    #expect(
      message { () throws(StoreError) in _ = try Word.entity.key(for: ["y"], given: nil) }
        == refused
    )
    #expect(throws: StoreError.self) {
      try Seat.entity.key(for: ["A", 2, .null], given: .compound(["A", 3]))
    }
    #expect(throws: StoreError.self) { try Book.entity.key(for: [], given: .text("x")) }
  }
}
