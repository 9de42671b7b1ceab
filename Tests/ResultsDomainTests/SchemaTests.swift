import ResultsDomain
import Testing

@Suite
struct EntitySchemaTests {
  @Test
  func `a schema describes its struct`() {
    let entity = Book.entity
    #expect(entity.name == "Book")
    #expect(entity.identity == .integer(column: "id"))
    #expect(
      entity.attributes.map { "\($0.name) \($0.type)\($0.isOptional ? "?" : "")" } == [
        "publisher text", "title text", "author text?", "year integer64?", "price decimal(2)",
        "weight real", "isRead boolean", "added date", "cover blob?",
      ]
    )
    #expect(Book.schema.attributeName(of: \.year) == "year")
    #expect(Seat.entity.keyTypes == [.text, .integer64])
  }

  @Test
  func `an object is written to a row and read back R13`() throws {
    let book = Book(
      id: 7,
      publisher: "岩波書店",
      title: "帰還",
      author: nil,
      year: 1999,
      price: ExactDecimal(units: 1050, scale: 2),
      weight: 0.5,
      isRead: true,
      added: Instant(microseconds: 5),
      cover: [1, 2]
    )
    #expect(try Book(row: Book.row(.integer(7), book.attributeValues)) == book)
    let seat = try Seat(row: Seat.row(.compound(["A", 2]), ["A", 2, .null]))
    #expect(seat.attributeValues == ["A", 2, .null])
    #expect(try Word(row: Word.row(.text("x"), ["y"])).spelling == "x")
  }

  @Test
  func `an exact decimal can be missing, and one that does not fit is refused R13`() throws {
    struct Offer: Entity {
      var id: Int64?
      var price: ExactDecimal?

      static let schema = EntitySchema<Offer>("Offer", identity: \.id) {
        Attribute(\.price, "price", scale: 2)
      }
    }
    #expect(Offer.entity.attributes.map(\.isOptional) == [true])
    for price in [nil, ExactDecimal(units: 150, scale: 2)] {
      let offer = Offer(id: 1, price: price)
      #expect(try Offer(row: Offer.row(.integer(1), offer.attributeValues)).price == price)
      try Offer.entity.validate(offer.attributeValues)
    }
    let exact = Offer(id: 1, price: ExactDecimal(units: 1, scale: 3)).attributeValues
    #expect(throws: StoreError.self) { try Offer.entity.validate(exact) }
  }

  @Test
  func `a stored value that does not fit gives an error with its row and attribute`() {
    let error = #expect(throws: RowError.self) {
      try Book(row: Book.row(["title": 3], key: 9))
    }
    #expect(
      error?.description
        == "title of Book 9 is an integer, which does not fit its type. Correct the stored value."
    )
  }

  @Test
  func `a transient attribute is computed from the object`() throws {
    let initial = try #require(Book.schema.transients.first)
    #expect(initial.compute(Book.row(["title": "帰還"])) == "帰")
  }

  @Test
  func `an invalid description is refused with a reason`() {
    func message(_ identity: EntityIdentity, _ attributes: [AttributeDescription]) -> String? {
      do throws(SchemaError) {
        _ = try EntityDescription(name: "Book", identity: identity, attributes: attributes)
        return nil
      } catch {
        return error.description
      }
    }
    let title = AttributeDescription("title", .text)
    #expect(
      message(.integer(), [title, title])
        == "The entity Book has more than one column or relationship named title. Rename one of them."
    )
    #expect(
      message(.integer(column: "title"), [title])
        == "The entity Book has more than one column or relationship named title. Rename one of them."
    )
    #expect(
      message(.compound(["titel"]), [title])
        == "The compound key of Book names titel, which is not one of its required attributes."
        + " Declare the attribute, and make it required."
    )
    #expect(
      message(.integer(), [AttributeDescription("", .text)])
        == "An entity, an attribute or a compound key has no name. Give each a name."
    )
    #expect(message(.integer(), [title, AttributeDescription("year", .integer16)]) == nil)
  }

  @Test func `R91: a relationship can have the name of its foreign key, and of nothing else`() {
    let target = Book.entity
    func message(_ relationships: RelationshipDescription...) -> String? {
      do throws(SchemaError) {
        _ = try EntityDescription(
          name: "Loan",
          attributes: [
            AttributeDescription("book", .integer64), AttributeDescription("page", .integer64),
          ],
          relationships: relationships
        )
        return nil
      } catch {
        return error.description
      }
    }
    func one(_ name: String, _ columns: String...) -> RelationshipDescription {
      RelationshipDescription(name, .toOne(foreignKey: columns)) { target }
    }
    #expect(message(one("book", "book")) == nil)
    for refused in [
      [one("book", "page")], [one("book", "book", "page")],
      [one("book", "book"), one("book", "book")],
      [RelationshipDescription("book", .toMany(foreignKey: ["book"])) { target }],
    ] {
      let text = refused.count == 1 ? message(refused[0]) : message(refused[0], refused[1])
      #expect(
        text
          == "The entity Loan has more than one column or relationship named book. Rename one of them."
      )
    }
  }

  @Test
  func `an invalid schema stops the program when it is first used`() async {
    struct Broken: Entity {
      var id: Int64?
      var title = ""

      static let schema = EntitySchema<Broken>("Broken", identity: \.id) {
        Attribute(\.title, "title")
        Attribute(\.title, "title")
      }
    }
    await #expect(processExitsWith: .failure) { _ = Broken.entity }
  }
}

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
  func `validation names a required attribute without a value`() {
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
  func `missing values are named together`() {
    var values = Book().attributeValues
    (values[0], values[1], values[6]) = (.null, .null, 2)
    let expected =
      "Book needs values for publisher and title. Give them."
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
      "The object has no valid key for Word. Give it a key of the entity's kind. Nothing was written."
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
