import ResultsDomain
import ResultsPresentation
import WireFormat

/// A made-up entity with an attribute of every type, and the lines that lists of it make.
struct WireFixture {
  let entity: EntityDescription
  let encoder: WireEncoder

  init() throws {
    entity = try EntityDescription(
      name: "Item",
      attributes: [
        AttributeDescription("title", .text), AttributeDescription("count", .integer64),
        AttributeDescription("ratio", .real), AttributeDescription("amount", .decimal(scale: 2)),
        AttributeDescription("date", .date), AttributeDescription("done", .boolean),
        AttributeDescription("picture", .blob, isOptional: true),
      ]
    )
    encoder = WireEncoder(entity: entity)
  }

  func row(_ id: Int64, _ values: [Value]) -> Row {
    Row(entity: entity, id: ObjectID(entity: "Item", key: .integer(id)), values: values)
  }

  /// A row with a title and zeros.
  func row(_ id: Int64, _ title: String) -> Row {
    row(id, [.text(title), 0, 0.0, 0, 0, 0, .null])
  }
}
