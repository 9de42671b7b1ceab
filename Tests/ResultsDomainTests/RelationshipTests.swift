import ResultsDomain
import Testing

/// Entities that name each other: books of authors from countries, and tags by links.
enum Library {
  static let countries: EntityDescription = make("Country", [AttributeDescription("name", .text)])
  static let authors: EntityDescription = make(
    "Author",
    [
      AttributeDescription("name", .text),
      AttributeDescription("countryID", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("country", .toOne(foreignKey: ["countryID"])) { countries },
      RelationshipDescription("books", .toMany(foreignKey: ["authorID"])) { books },
    ]
  )
  static let books: EntityDescription = make(
    "Book",
    [
      AttributeDescription("title", .text), AttributeDescription("year", .integer64),
      AttributeDescription("authorID", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("author", .toOne(foreignKey: ["authorID"]), onDelete: .nullify) {
        authors
      },
      RelationshipDescription(
        "tags",
        .manyToMany(link: EntityReference { links }, from: ["bookID"], to: ["tagID"])
      ) { tags },
    ]
  )
  static let tags: EntityDescription = make("Tag", [AttributeDescription("name", .text)])
  static let links: EntityDescription = make(
    "BookTag",
    identity: .compound(["bookID", "tagID"]),
    [AttributeDescription("bookID", .integer64), AttributeDescription("tagID", .integer64)]
  )

  private static func make(
    _ name: String,
    identity: EntityIdentity = .integer(),
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription] = []
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        identity: identity,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      Issue.record("\(error)")
      preconditionFailure("\(error)")
    }
  }
}

@Suite("Relationships and paths")
struct RelationshipTests {
  @Test("paths have the storage class and the text of what they end with")
  func paths() throws {
    let name = FetchExpression.related(["author", "country"], .attribute("name"))
    #expect(try name.storage(in: Library.books) == .text)
    #expect(name.description == "author.country.name")
    let count = FetchExpression.relatedAggregate(["tags"], .count, nil, where: .all)
    #expect(try count.storage(in: Library.books) == .integer)
    #expect(count.description == "tags.@count")
    let latest = FetchExpression.relatedAggregate(
      ["author", "books"],
      .maximum,
      .attribute("year"),
      where: .comparison(.attribute("title"), .greater, .literal(.text("m")))
    )
    #expect(try latest.storage(in: Library.books) == .integer)
    #expect(latest.description == "SUBQUERY(author.books, $x, $x.title > 'm').@max.year")
    #expect(name.attributes.isEmpty)
  }

  @Test("quantified predicates are written with ANY, ALL and NONE, or as a count")
  func quantifiers() throws {
    let simple = FetchPredicate.quantified(
      .any,
      ["tags"],
      .comparison(.attribute("name"), .equal, .literal(.text("sf")))
    )
    try simple.validate(in: Library.books)
    #expect(simple.description == "ANY tags.name == 'sf'")
    let both: FetchPredicate = .or([.isNull(.attribute("name")), .all])
    #expect(
      FetchPredicate.quantified(.all, ["tags"], both).description
        == "SUBQUERY(tags, $x, $x.name == NULL OR TRUEPREDICATE).@count == tags.@count"
    )
    #expect(simple == simple.normalized)
  }

  @Test("invalid paths are refused with a proposal")
  func refusals() {
    func refusal(_ expression: FetchExpression) -> String {
      do {
        _ = try expression.storage(in: Library.books)
        return "accepted"
      } catch {
        return "\(error)"
      }
    }
    #expect(
      refusal(.related(["auther"], .attribute("name")))
        == "Book has no relationship named auther. Did you mean author?"
    )
    #expect(
      refusal(.related(["author"], .attribute("nam")))
        == "Author has no stored attribute named nam. It has name, countryID."
    )
    #expect(refusal(.related(["tags"], .attribute("name"))).contains("tags.@count"))
    #expect(refusal(.relatedAggregate(["author"], .count, nil, where: .all)).contains("to-one"))
    #expect(
      refusal(.relatedAggregate(["tags", "books"], .count, nil, where: .all)).contains("to-many")
    )
    #expect(
      refusal(.relatedAggregate(["tags"], .maximum, nil, where: .all)).contains("not a value")
    )
    #expect(refusal(.related([], .attribute("title"))).contains("not a value"))
    #expect(
      refusal(.related(["author"], .length(.attribute("name")))).contains("the whole path")
    )
  }

  @Test("descriptions that name each other are equal by the names and keys of their relationships")
  func equality() throws {
    #expect(Library.books == Library.books)
    func books(_ key: String) throws -> EntityDescription {
      try EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription("a", .integer64, isOptional: true),
          AttributeDescription("b", .integer64),
        ],
        relationships: [
          RelationshipDescription("author", .toOne(foreignKey: [key])) { Library.authors }
        ]
      )
    }
    #expect(try books("a") == books("a"))
    #expect(try books("a") != books("b"))
    #expect(throws: SchemaError.self) { try books("c") }
  }
}
