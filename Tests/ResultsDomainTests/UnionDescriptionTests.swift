import ResultsDomain
import Testing

@Suite struct `Descriptions of unions` {
  private static let words = UnionBranch(
    "word",
    of: Word.self,
    attributes: [.attribute(\.spelling, as: "name"), .attribute(\.meaning, as: "note")]
  )
  private static let seats = UnionBranch(
    "seat",
    of: Seat.self,
    where: \.number > 0,
    attributes: [
      .attribute(\.guest, as: "name"), .attribute(\.number, as: "number"),
      .constant(.text("main"), as: "hall"),
    ]
  )
  private static let books = UnionBranch(
    "book",
    of: Book.self,
    attributes: [.attribute(\.title, as: "name"), .attribute(\.year, as: "number")]
  )

  private static let weights =
    (try? EntityDescription(
      name: "Weight",
      identity: .compound(["grams"]),
      attributes: [AttributeDescription("grams", .real)]
    )) ?? Book.entity

  @Test func `R12: a union is an entity of what its branches share, identified by kind and key`()
    throws
  {
    let union = try UnionDescription("Thing", branches: [Self.words, Self.seats, Self.books])
    #expect(union.branches.map(\.name) == ["book", "seat", "word"])
    #expect(
      union.entity.attributes.map { attribute in
        let type = attribute.holdsAnyValue ? "any" : "\(attribute.type)"
        return "\(attribute.name) \(type)\(attribute.isOptional ? "?" : "")"
      } == [
        "kind text", "name text?", "note text?", "number integer64?", "hall text?", "key any",
        "key2 any",
      ]
    )
    #expect(union.entity.identity == .compound(["kind", "key", "key2"]))
  }

  @Test func `R12: the attributes of the identity can have other names`() throws {
    let branch = UnionBranch(
      "seat",
      of: Seat.self,
      attributes: [.attribute(\.guest, as: "kind"), .attribute(\.row, as: "key")]
    )
    let union = try UnionDescription(
      "Thing",
      branches: [branch],
      kindAttribute: "table",
      keyAttribute: "part"
    )
    #expect(
      union.entity.attributes.map(\.name) == ["table", "kind", "key", "part", "part2"]
    )
    #expect(union.entity.identity == .compound(["table", "part", "part2"]))
  }

  @Test func `R12: keys of one class stay what they are`() throws {
    let union = try UnionDescription("Thing", branches: [Self.books])
    #expect(union.entity.keyTypes == [.text, .integer64])
    let words = try UnionDescription("Thing", branches: [Self.words])
    #expect(words.entity.keyTypes == [.text, .text])
  }

  @Test func `R12: rows and objects are found by each other's identity`() throws {
    let union = try UnionDescription("Thing", branches: [Self.words, Self.seats, Self.books])
    let objects: [(String, ObjectID)] = [
      ("word", ObjectID(entity: "Word", key: .text("x"))),
      ("seat", ObjectID(entity: "Seat", key: .compound(["A", 2]))),
      ("book", ObjectID(entity: "Book", key: .integer(7))),
    ]
    for (branch, object) in objects {
      let row = try #require(union.rowID(of: object, inBranch: branch))
      #expect(union.objectID(of: row) == object)
      #expect(union.branch(of: row)?.name == branch)
      #expect(union.rowID(of: object, inBranch: "other") == nil)
    }
    #expect(union.rowID(of: objects[0].1, inBranch: "book") == nil)
    for key in [
      ObjectKey.integer(7), .compound(["book", 7]), .compound(["film", 7, ""]),
      .compound(["book", "x", ""]), .compound(["book", 7, 8]),
    ] {
      #expect(union.objectID(of: ObjectID(entity: "Thing", key: key)) == nil, "\(key)")
    }
    #expect(union.objectID(of: objects[2].1) == nil)
  }

  @Test func `R12: rows that include objects make them again`() throws {
    let union = try UnionDescription(
      "Thing",
      branches: [Self.words, Self.seats],
      includesObjects: true
    )
    let values: [Value] = union.entity.attributes.map { attribute in
      switch attribute.name {
      case "kind": "seat"
      case "seat.row", "key": "A"
      case "seat.number", "key2": 2
      case "seat.guest": "Emma"
      default: .null
      }
    }
    let id = ObjectID(entity: "Thing", key: .compound(["seat", "A", 2]))
    let row = Row(entity: union.entity, id: id, values: values)
    let seat = try #require(try row.object(ofBranch: "seat", as: Seat.self))
    #expect(seat.row == "A" && seat.number == 2 && seat.guest == "Emma")
    #expect(try row.object(ofBranch: "word", as: Word.self) == nil)
    let bare = try UnionDescription("Thing", branches: [Self.words, Self.seats])
    let other = Row(entity: bare.entity, id: id, values: [])
    #expect(try other.object(ofBranch: "seat", as: Seat.self) == nil)
    #expect(try Word.row(.text("x"), [.null]).object(ofBranch: "word", as: Word.self) == nil)
  }

  @Test(
    arguments: [
      ([], "The union Thing has no branches. Give it at least one."),
      (
        [books, books],
        "The union Thing has two branches named book. Rename one of them."
      ),
      (
        [UnionBranch("book", of: Book.self, attributes: [.attribute(\.year, as: "kind")])],
        "The branch book of Thing shares kind twice, or every union has an attribute of that name."
          + " Choose another name."
      ),
      (
        [
          books,
          UnionBranch("word", of: Word.self, attributes: [.attribute(\.meaning, as: "number")]),
        ],
        "number of Thing is integer64 in book, but text in word, so their rows have no common order."
          + " Share values of one type, or share them under two names."
      ),
      (
        [UnionBranch("book", of: Book.self, attributes: [.constant(.null, as: "note")])],
        "note of Thing is null in all branches. Share a value in at least one of them."
      ),
      (
        [
          UnionBranch(
            "book",
            entity: Book.entity,
            attributes: [UnionAttribute("a", .attribute("pages"))]
          )
        ],
        "The branch book of Thing is not valid. Book has no stored attribute named pages."
          + " It has publisher, title, author, year, price, weight, isRead, added, cover."
      ),
      (
        [
          UnionBranch(
            "book",
            entity: Book.entity,
            where: .isNull(.attribute("pages")),
            attributes: []
          )
        ],
        "The branch book of Thing is not valid. Book has no stored attribute named pages."
          + " It has publisher, title, author, year, price, weight, isRead, added, cover."
      ),
      (
        [
          books,
          UnionBranch("weight", entity: weights, attributes: []),
        ],
        "key of Thing is real in weight, but integer in book, so their rows have no common order."
          + " Share values of one type, or share them under two names."
      ),
    ] as [([UnionBranch], String)]
  )
  func `R12: a union that cannot be is refused with its parts and the remedy`(
    branches: [UnionBranch],
    message: String
  ) {
    let error = #expect(throws: UnionError.self) {
      try UnionDescription("Thing", branches: branches)
    }
    #expect(error?.description == message)
  }
}
