import ResultsDomain

/// The entities of most cases: one for each kind of identity.
enum Sample {
  /// An entity with integer keys and an attribute of every type; only `title` is required.
  static let item = entity(
    "Item",
    .integer(),
    [
      AttributeDescription("title", .text),
      AttributeDescription("note", .text, isOptional: true),
      AttributeDescription("number", .integer64, isOptional: true),
      AttributeDescription("small", .integer16, isOptional: true),
      AttributeDescription("flag", .boolean, isOptional: true),
      AttributeDescription("price", .decimal(scale: 2), isOptional: true),
      AttributeDescription("day", .date, isOptional: true),
      AttributeDescription("share", .real, isOptional: true),
      AttributeDescription("bytes", .blob, isOptional: true),
    ]
  )

  /// An entity with text keys.
  static let tag = entity(
    "Tag",
    .text(column: "name"),
    [AttributeDescription("rank", .integer64, isOptional: true)]
  )

  /// An entity with compound keys.
  static let score = entity(
    "Score",
    .compound(["student", "subject"]),
    [
      AttributeDescription("points", .integer64),
      AttributeDescription("student", .text),
      AttributeDescription("subject", .integer64),
    ]
  )

  static let entities = [item, tag, score]

  /// Returns the values of an item.
  static func item(
    _ title: Value,
    note: Value = .null,
    number: Value = .null,
    share: Value = .null,
    bytes: Value = .null
  ) -> [Value] {
    [title, note, number, .null, .null, .null, .null, share, bytes]
  }

  /// Returns the values of a score.
  static func score(_ student: String, _ subject: Int64, _ points: Int64) -> [Value] {
    [.integer(points), .text(student), .integer(subject)]
  }

  static func itemID(_ number: Int64) -> ObjectID {
    ObjectID(entity: "Item", key: .integer(number))
  }

  static func tagID(_ name: String) -> ObjectID { ObjectID(entity: "Tag", key: .text(name)) }

  static func scoreID(_ student: String, _ subject: Int64) -> ObjectID {
    ObjectID(entity: "Score", key: .compound([.text(student), .integer(subject)]))
  }

  static func row(_ id: ObjectID, _ values: [Value], _ entity: EntityDescription = item) -> Row {
    Row(entity: entity, id: id, values: values)
  }

  static func entity(
    _ name: String,
    _ identity: EntityIdentity,
    _ attributes: [AttributeDescription]
  ) -> EntityDescription {
    do {
      return try EntityDescription(name: name, identity: identity, attributes: attributes)
    } catch {
      preconditionFailure("The sample entity \(name) is not valid. \(error)")
    }
  }
}
