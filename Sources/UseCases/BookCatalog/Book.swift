public import ResultsDomain

/// One book of a catalog.
public struct Book: Entity {
  /// The key, which the store assigns.
  public var id: Int64?
  /// Who published it; may be empty.
  public var publisher: String
  /// What it is called.
  public var title: String
  /// Who wrote it.
  public var author: String?
  /// The year it was published in.
  public var year: Int16?
  /// The language it is in, as a code.
  public var language: String?
  /// What tells it from other editions: an ISBN, a library's number.
  public var identifier: String?

  /// A book without a key yet.
  public init(
    publisher: String,
    title: String,
    author: String? = nil,
    year: Int16? = nil,
    language: String? = nil,
    identifier: String? = nil
  ) {
    self.publisher = publisher
    self.title = title
    self.author = author
    self.year = year
    self.language = language
    self.identifier = identifier
  }

  /// A book to be filled from a row.
  public init() { self.init(publisher: "", title: "") }

  /// The entity Book.
  public static let schema = EntitySchema<Book>("Book", identity: \.id) {
    Attribute(\.publisher, "publisher")
    Attribute(\.title, "title")
    Attribute(\.author, "author")
    Attribute(\.year, "year")
    Attribute(\.language, "language")
    Attribute(\.identifier, "identifier")
  }
}

/// How a record of a file becomes a book.
public enum BookRecord {
  /// Field names that mean an attribute of another name.
  public static let aliases = ["isbn": "identifier", "lccn": "identifier"]

  /// The attribute that a book is recognised by, where it has one; else all its fields are compared.
  public static let identifier = "identifier"

  /// The record without a year whose digits are not all known.
  ///
  /// Libraries write `u` for an unknown digit of a year, as in `19uu` (MARC 21, field 008, date 1). Such a year is no number, and guessing
  /// its digits would be worse than having none.
  public static func withoutUnknownYear(_ record: Record) -> Record {
    guard let place = record.fields.firstIndex(where: isUnknownYear) else { return record }
    var record = record
    record.fields.remove(at: place)
    return record
  }

  private static func isUnknownYear(_ field: RecordField) -> Bool {
    guard field.name.utf8.count == 4, case .text(let year) = field.value,
      year.utf8.count == 4, year.utf8.contains(UInt8(ascii: "u")),
      year.utf8.allSatisfy({ $0 == UInt8(ascii: "u") || (0x30...0x39).contains($0) })
    else { return false }
    return field.name.lowercased() == "year"
  }
}

/// The fourteen books of the demo, of four publishers.
public enum DemoBooks {
  /// The books, in the order they are added.
  public static let all: [Book] = [
    Book(publisher: "早川書房", title: "エターナル・フレイム"),
    Book(publisher: "東京創元社", title: "帰還兵の戦場1"),
    Book(publisher: "東京創元社", title: "叛逆航路"),
    Book(publisher: "東京創元社", title: "ラドチ戦史"),
    Book(publisher: "岩波書店", title: "影との戦い"),
    Book(publisher: "岩波書店", title: "こわれた腕環"),
    Book(publisher: "岩波書店", title: "さいはての島へ"),
    Book(publisher: "岩波書店", title: "帰還"),
    Book(publisher: "岩波書店", title: "ホビットの冒険 上"),
    Book(publisher: "文藝春秋", title: "ミスター・メルセデス 上"),
    Book(publisher: "早川書房", title: "クロックワーク・ロケット"),
    Book(publisher: "早川書房", title: "神の水"),
    Book(publisher: "早川書房", title: "ロックイン-統合捜査-"),
    Book(publisher: "文藝春秋", title: "11/22/63(上)"),
  ]
}
