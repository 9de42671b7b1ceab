import ResultsDomain

struct Book: Entity, Equatable {
  var id: Int64?
  var publisher = ""
  var title = ""
  var author: String?
  var year: Int?
  var price = ExactDecimal(units: 0, scale: 2)
  var weight = 0.0
  var isRead = false
  var added = Instant(microseconds: 0)
  var cover: [UInt8]?

  static let schema = EntitySchema<Book>(
    "Book",
    identity: \.id,
    transients: [Book.transient("initial") { String($0.title.prefix(1)) }]
  ) {
    Attribute(\.publisher, "publisher")
    Attribute(\.title, "title")
    Attribute(\.author, "author")
    Attribute(\.year, "year")
    Attribute(\.price, "price", scale: 2)
    Attribute(\.weight, "weight")
    Attribute(\.isRead, "isRead")
    Attribute(\.added, "added")
    Attribute(\.cover, "cover")
  }
}

struct Word: Entity {
  var spelling = ""
  var meaning: String?

  static let schema = EntitySchema<Word>("Word", textIdentity: \.spelling) {
    Attribute(\.meaning, "meaning")
  }
}

struct Seat: Entity {
  var row = ""
  var number = 0
  var guest: String?

  static let schema = EntitySchema<Seat>("Seat", compoundIdentity: ["row", "number"]) {
    Attribute(\.row, "row")
    Attribute(\.number, "number")
    Attribute(\.guest, "guest")
  }
}

extension Entity {
  static func row(_ key: ObjectKey, _ values: [Value]) -> Row {
    Row(entity: entity, id: ObjectID(entity: entity.name, key: key), values: values)
  }
}

extension Book {
  /// A row of a book with some attributes; the others have their default values.
  static func row(_ attributes: [String: Value], key: Int64 = 1) -> Row {
    var row = row(.integer(key), Book().attributeValues)
    for (name, value) in attributes {
      if let index = entity.index(of: name) { row.values[index] = value }
    }
    return row
  }
}
