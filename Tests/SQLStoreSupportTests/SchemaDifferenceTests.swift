import ResultsDomain
import SQLStoreSupport
import Testing

@Suite("Migrations in SQL")
struct SchemaDifferenceTests {
  private static let recorded = RecordedEntity(
    name: "Book",
    identity: "integer",
    keyColumn: "id",
    keyAttributes: [],
    attributes: [
      RecordedEntity.Attribute(name: "title", type: "text", isOptional: false),
      RecordedEntity.Attribute(name: "year", type: "integer64", isOptional: true),
    ]
  )
  private static let title = AttributeDescription("title", .text)
  private static let year = AttributeDescription("year", .integer64, isOptional: true)
  private static let pages = AttributeDescription("pages", .integer64, isOptional: true)

  private static func difference(
    identity: EntityIdentity = .integer(column: "id"),
    _ attributes: [AttributeDescription],
    replacing replacements: [AttributeReplacement] = [],
    beside others: [String] = []
  ) throws -> SchemaDifference {
    try SchemaDifference(
      from: recorded,
      to: EntityDescription(name: "Book", identity: identity, attributes: attributes),
      replacing: replacements,
      beside: others
    )
  }

  @Test func `an optional attribute may be new, and one may be gone`() throws {
    let same = try Self.difference([Self.title, Self.year])
    #expect(same.added.isEmpty && same.dropped.isEmpty && same.replaced.isEmpty)
    #expect(
      try Self.difference([Self.title, Self.year, Self.pages]).added.map(\.name) == ["pages"]
    )
    #expect(try Self.difference([Self.title]).dropped == ["year"])
  }

  @Test func `an attribute that is gone is replaced by a new one only where that is said`() throws {
    let replacement = AttributeReplacement(of: "year", in: "Book", by: ["UPDATE"])
    let other = AttributeReplacement(of: "year", in: "Author", by: ["UPDATE"])
    let found = try Self.difference([Self.title, Self.pages], replacing: [other, replacement])
    #expect(found.replaced == [replacement] && found.dropped == ["year"])
    expectRefusal("pages is new and year is missing, which may be a new name") {
      try Self.difference([Self.title, Self.pages], replacing: [other])
    }
  }

  @Test func `what would need a decision is refused in words`() {
    let required = AttributeDescription("pages", .integer64)
    expectRefusal("the required attribute pages is new") {
      try Self.difference([Self.title, Self.year, required])
    }
    expectRefusal("the column pages was not created by a store") {
      try Self.difference([Self.title, Self.year, Self.pages], beside: ["pages"])
    }
    expectRefusal("year is integer64, not text") {
      try Self.difference([Self.title, AttributeDescription("year", .text, isOptional: true)])
    }
    expectRefusal("year is optional, not required") {
      try Self.difference([Self.title, AttributeDescription("year", .integer64)])
    }
    expectRefusal("title is required, not optional") {
      try Self.difference([AttributeDescription("title", .text, isOptional: true), Self.year])
    }
    expectRefusal("its key is integer (id), not text (id)") {
      try Self.difference(identity: .text(column: "id"), [Self.title, Self.year])
    }
    expectRefusal("its key is integer (id), not integer (number)") {
      try Self.difference(identity: .integer(column: "number"), [Self.title, Self.year])
    }
  }

  private func expectRefusal(
    _ detail: String,
    _ location: SourceLocation = #_sourceLocation,
    _ body: () throws -> SchemaDifference
  ) {
    let error = #expect(throws: OpenFailureError.self, sourceLocation: location) { try body() }
    #expect(
      error?.failure == .schemaMismatch(entity: "Book", detail: detail),
      sourceLocation: location
    )
  }
}
