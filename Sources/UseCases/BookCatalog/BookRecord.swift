public import ResultsDomain

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
