import ResultsDomain

/// The texts of MARC 21 without the punctuation that cataloguers put between its subfields.
///
/// The rules are those of ISBD as the pages of the fields at loc.gov/marc/bibliographic describe them under “Input Conventions”.
enum MARCText {
  /// The words before whose full stop a field does not end: it is their own.
  private static let abbreviations = [
    "bros", "co", "corp", "dept", "dr", "ed", "etc", "inc", "jr", "ltd", "mr", "mrs", "no", "sr",
    "st", "vol",
  ]

  /// Returns a text without a comma or a mark behind a space at its end, and without the full stop that ends a field.
  /// - Parameters:
  ///   - text: The text of one or more subfields.
  ///   - endsField: Whether nothing follows that could have the field's full stop.
  /// - Returns: The text, which may be empty.
  static func plain(_ text: String, endsField: Bool) -> String {
    var bytes = Array(withoutSortMarks(text).trimmed.utf8)
    func isMark(_ byte: UInt8) -> Bool { "/:;=".utf8.contains(byte) }
    while let last = bytes.last {
      let isAlone = bytes.count == 1 || bytes[bytes.count - 2] == 0x20
      guard last == 0x20 || last == UInt8(ascii: ",") || (isMark(last) && isAlone) else { break }
      bytes.removeLast()
    }
    if endsField, hasFullStop(bytes) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a text ends with a full stop that belongs to no initial, abbreviation or omission.
  private static func hasFullStop(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 1, bytes.last == UInt8(ascii: ".") else { return false }
    let word = bytes.dropLast().reversed().prefix { $0 != 0x20 }
    guard !word.contains(UInt8(ascii: ".")) else { return false }
    let text = String(decoding: word.reversed(), as: UTF8.self)
    return text.unicodeScalars.count > 1
      && !abbreviations.contains { $0.hasSameBytes(as: text.lowercased()) }
  }

  /// Whether one of the subfields with these codes is the last one that is text; those with digits are links.
  static func ends(_ field: MARCRecord.Field, with codes: String) -> Bool {
    let last = field.subfields.last { !(0x30...0x39).contains($0.code) }
    return last.map { codes.utf8.contains($0.code) } ?? false
  }

  /// Returns a text without the marks U+0098 and U+009C around what is not sorted.
  static func withoutSortMarks(_ text: String) -> String {
    guard text.utf8.contains(0xC2) else { return text }
    let scalars = text.unicodeScalars.filter { $0 != "\u{98}" && $0 != "\u{9C}" }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The number of code points between the marks of what is not sorted, at the beginning of a title; `nil` without them.
  static func unsortedCount(_ title: String) -> Int? {
    let scalars = title.unicodeScalars
    guard scalars.first == "\u{98}", let end = scalars.firstIndex(of: "\u{9C}") else { return nil }
    return scalars[..<end].count - 1
  }

  /// The first four digits of a text that can be a year, as in `c1998.` and `[2003?]`; years of other calendars stand before such ones.
  static func year(_ text: String) -> String? {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    return text.utf8.split { !isDigit($0) }.first { digits in
      digits.count == 4 && (digits.first == 0x31 || digits.first == 0x32)
    }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The only number of a volume's designation, as in `v. 12` and `Bd. 1.5 ;`, without zeros before it and with at most one decimal place.
  ///
  /// A range, or the number of an issue beside that of the volume, is no number by which a series has an order.
  static func volume(_ text: String) -> String? {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    let bytes = Array(text.utf8)
    guard let start = bytes.firstIndex(where: isDigit) else { return nil }
    var number = bytes[start...].prefix(while: isDigit)
    var end = number.endIndex
    if end + 1 < bytes.count, bytes[end] == UInt8(ascii: "."), isDigit(bytes[end + 1]) {
      number = bytes[start..<end + 2]
      end += 2
    }
    guard !bytes[end...].contains(where: isDigit), number.count <= 8 else { return nil }
    let digits = number.drop { $0 == 0x30 }
    let isWhole = digits.first.map(isDigit) ?? false
    return String(decoding: isWhole ? digits : [0x30] + digits, as: UTF8.self)
  }

  /// Whether a text is the code of a language, and of a known one (loc.gov/marc/languages).
  static func isLanguage(_ code: String) -> Bool {
    code.utf8.count == 3 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) }
      && !["und", "zxx", "mis"].contains { $0.hasSameBytes(as: code) }
  }

  /// The number at the beginning of 020 $a, without hyphens and what follows it, such as `(pbk.) :`.
  static func isbn(_ text: String) -> String {
    let number = text.trimmed.utf8.prefix {
      (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 | 0x20 == UInt8(ascii: "x")
    }
    return String(decoding: number.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
  }

  /// A number of the Library of Congress without blanks and what follows a slash (loc.gov/marc/lccn-namespace.html).
  static func lccn(_ text: String) -> String {
    let number = text.utf8.prefix { $0 != UInt8(ascii: "/") }
    return String(decoding: number.filter { $0 != 0x20 }, as: UTF8.self)
  }
}
