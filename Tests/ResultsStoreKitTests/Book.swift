import ResultsDomain

struct Book: Entity {
  var id: Int64?
  var title = ""
  var year: Int?

  static let schema = EntitySchema<Book>("Book", identity: \.id) {
    Attribute(\.title, "title")
    Attribute(\.year, "year")
  }

  /// A row of a book with some attributes; the others have their default values.
  static func row(_ attributes: [String: Value], key: Int64 = 1) -> Row {
    let id = ObjectID(entity: entity.name, key: .integer(key))
    var row = Row(entity: entity, id: id, values: Book().attributeValues)
    for (name, value) in attributes {
      if let index = entity.index(of: name) { row.values[index] = value }
    }
    return row
  }
}
