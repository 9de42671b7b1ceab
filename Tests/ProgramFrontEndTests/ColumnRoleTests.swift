import ProgramFrontEnd
import ResultsDomain
import Testing

/// R300: people read the columns of a table in the order of what they are for.
@Suite("Roles of columns")
struct ColumnRoleTests {
  private static let attributes = [
    AttributeDescription("remark", .text, isOptional: true),
    AttributeDescription("added", .date, isOptional: true),
    AttributeDescription("cover", .blob, isOptional: true),
    AttributeDescription("artist", .integer64, isOptional: true),
    AttributeDescription("Label", .text, isOptional: true),
    AttributeDescription("price", .decimal(scale: 2), isOptional: true),
    AttributeDescription("sold", .boolean, isOptional: true),
    AttributeDescription("title", .text, isOptional: true),
  ]

  @Test func `R300: what names the rows is first, and keys are last`() throws {
    let artist = try EntityDescription(name: "Artist", attributes: [])
    let entity = try EntityDescription(
      name: "Album",
      identity: .integer(column: "id"),
      attributes: Self.attributes,
      relationships: [
        RelationshipDescription("by", .toOne(foreignKey: ["artist"]), onDelete: .nullify) { artist }
      ]
    )
    let names = ["id"] + entity.attributes.map(\.name)
    #expect(
      ColumnRole.arranged(names, of: entity) == [
        "title", "remark", "Label", "sold", "price", "added", "cover", "id", "artist",
      ]
    )
    // Without a name that says it, the first text does.
    #expect(
      ColumnRole.arranged(["id", "added", "remark"], of: entity) == ["remark", "added", "id"]
    )
    #expect(ColumnRole.arranged(["price", "id"], of: entity) == ["price", "id"])
  }

  @Test func `R300: a key that is a text is last, unless it is what names the rows`() throws {
    let file = try EntityDescription(
      name: "File",
      identity: .text(column: "guid"),
      attributes: Self.attributes
    )
    #expect(
      ColumnRole.arranged(["guid", "price", "title"], of: file) == ["title", "price", "guid"]
    )
    let setting = try EntityDescription(
      name: "Setting",
      identity: .text(column: "Name"),
      attributes: [AttributeDescription("value", .text)]
    )
    #expect(ColumnRole.arranged(["Name", "value"], of: setting) == ["Name", "value"])
  }

  @Test func `R300: a column is no key because its name differs from one in the bytes alone`()
    throws
  {
    let entity = try EntityDescription(
      name: "File",
      identity: .text(column: "\u{E9}"),
      attributes: [AttributeDescription("e\u{301}", .text)]
    )
    let arranged = ColumnRole.arranged(["\u{E9}", "e\u{301}"], of: entity)
    #expect(arranged.map(\.unicodeScalars.count) == [2, 1])
  }
}
