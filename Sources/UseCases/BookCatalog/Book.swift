public import ResultsDomain

/// One book of a catalog.
public struct Book: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The publisher; may be empty.
  public var publisher: String
  /// The title.
  public var title: String
  /// The key of the author.
  public var authorID: Int64?
  /// The year of publication.
  public var year: Int16?
  /// The code of the language.
  public var language: String?
  /// The identifier of the edition: an ISBN or a library's number.
  public var identifier: String?
  /// The text by which the title is filed, such as `Zoo, The`; without one it is the title.
  public var filedAs: String?
  /// The series that it belongs to.
  public var series: String?
  /// The volume of the series, with one decimal place.
  public var volume: ExactDecimal?
  /// How good it is, usually 1 to 5.
  public var rating: Int16?

  /// A book without a key.
  public init(
    publisher: String,
    title: String,
    authorID: Int64? = nil,
    year: Int16? = nil,
    language: String? = nil,
    identifier: String? = nil,
    filedAs: String? = nil,
    series: String? = nil,
    volume: ExactDecimal? = nil,
    rating: Int16? = nil
  ) {
    self.publisher = publisher
    self.title = title
    self.authorID = authorID
    self.year = year
    self.language = language
    self.identifier = identifier
    self.filedAs = filedAs
    self.series = series
    self.volume = volume
    self.rating = rating
  }

  /// An empty book, to be filled from a row.
  public init() { self.init(publisher: "", title: "") }

  /// The entity Book.
  public static let schema = EntitySchema<Book>("Book", identity: \.id) {
    Attribute(\.publisher, "publisher")
    Attribute(\.title, "title")
    Attribute(\.authorID, "authorID")
    Attribute(\.year, "year")
    Attribute(\.language, "language")
    Attribute(\.identifier, "identifier")
    Attribute(\.filedAs, "filedAs")
    Attribute(\.series, "series")
    Attribute(\.volume, "volume", scale: 1)
    Attribute(\.rating, "rating")
    Relationship(author)
    Relationship(coauthors)
    Relationship(tags)
  }

  /// The author; a book whose author is deleted has none.
  public static let author = ToOne<Book, Author>("author", \.authorID, onDelete: .nullify)
  /// The authors besides the first one.
  public static let coauthors = ToMany<Book, Author>(
    "coauthors",
    through: BookAuthor.book,
    BookAuthor.author
  )
  /// The tags.
  public static let tags = ToMany<Book, Tag>("tags", through: BookTag.book, BookTag.tag)
}

/// The rules by which a record of a file becomes a book.
public enum BookRecord {
  /// Field names and the attributes they stand for.
  public static let aliases = ["isbn": "identifier", "lccn": "identifier"]

  /// The attribute that identifies a book; books without it are compared by all fields.
  public static let identifier = "identifier"

  /// Returns the value by which an identifier is compared: an ISBN of ten digits is the one of thirteen, with or without hyphens.
  public static func identity(of identifier: Value) -> Value {
    identifier.text.flatMap { ISBN($0) }.flatMap(\.thirteen).map { .text($0) } ?? identifier
  }

  /// Returns the record with the fields of a book, from those that a library's record has.
  ///
  /// Of several fields `isbn` the first with a right check digit is the book's, else the first. A field `nonfiling` is the number of
  /// characters by which `filedAs` differs from the title.
  /// - Returns: The record, and what is odd about it, or `nil`.
  public static func prepared(_ record: Record) -> (record: Record, remark: String?) {
    var record = withoutUnknownYear(record)
    let remark = takeISBN(in: &record)
    guard let index = record.fields.firstIndex(where: { $0.name.hasSameBytes(as: "nonfiling") })
    else { return (record, remark) }
    let count = record.fields.remove(at: index).value.text.flatMap { Int($0) } ?? -1
    if let filed = FilingTitle.of(record, skipping: count) {
      record.fields.append(RecordField(name: "filedAs", value: .text(filed), column: 0))
    }
    return (record, remark)
  }

  /// Leaves one field `isbn`.
  /// - Returns: What is wrong with it, or `nil`.
  private static func takeISBN(in record: inout Record) -> String? {
    let fields = record.fields.filter { $0.name.utf8.count == 4 && $0.name.lowercased() == "isbn" }
    guard !fields.isEmpty else { return nil }
    let numbers = fields.map { $0.value.text.flatMap { ISBN($0) } }
    let right = numbers.firstIndex { $0?.thirteen != nil } ?? 0
    if fields.count > 1 {
      record.fields.removeAll { $0.name.utf8.count == 4 && $0.name.lowercased() == "isbn" }
      record.fields.append(fields[right])
    }
    guard let number = numbers[right], number.thirteen == nil else { return nil }
    return "the ISBN \(number.digits) has a wrong check digit; it is imported as it is."
  }

  /// Returns the record without its year, if digits of the year are unknown.
  ///
  /// Libraries write `u` for an unknown digit, as in `19uu` (MARC 21, field 008, date 1). Such a year is not a number, and guessing
  /// the digits would be worse than no year.
  static func withoutUnknownYear(_ record: Record) -> Record {
    guard let index = record.fields.firstIndex(where: isUnknownYear) else { return record }
    var record = record
    record.fields.remove(at: index)
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

/// The demo books: fourteen books by four publishers.
public enum DemoBooks {
  /// The books, in the order in which they are added.
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
