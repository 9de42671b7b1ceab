/// A text in the form of an International Standard Book Number: ten or thirteen digits, with or without hyphens and spaces.
///
/// The number of ten digits and that of thirteen with the prefix 978 are one (International ISBN Agency, Users' Manual, section 4.6).
struct ISBN {
  /// The digits as they are written; the tenth of ten may be X.
  let digits: String
  /// The number of thirteen digits; `nil` if the check digit is wrong.
  let thirteen: String?

  /// Reads a text; `nil` if it has another form.
  init?(_ text: String) {
    // Most identifiers that are none are recognised by their length.
    guard (10...17).contains(text.utf8.count) else { return nil }
    let bytes = text.utf8.filter { $0 != 0x2D && $0 != 0x20 }
    guard bytes.count == 10 || bytes.count == 13 else { return nil }
    var values: [Int] = []
    for (index, byte) in bytes.enumerated() {
      if index == 9, bytes.count == 10, byte | 0x20 == 0x78 {
        values.append(10)
      } else {
        guard (0x30...0x39).contains(byte) else { return nil }
        values.append(Int(byte) - 0x30)
      }
    }
    digits = String(decoding: bytes, as: UTF8.self)
    if values.count == 13 {
      thirteen = ISBN.checkDigit(of: values.prefix(12)) == values[12] ? digits : nil
    } else if values.enumerated().reduce(0, { $0 + (10 - $1.offset) * $1.element }) % 11 == 0 {
      let front = [9, 7, 8] + values.prefix(9)
      thirteen = (front + [ISBN.checkDigit(of: front[...])]).map(String.init).joined()
    } else {
      thirteen = nil
    }
  }

  /// The thirteenth digit behind twelve.
  private static func checkDigit(of values: ArraySlice<Int>) -> Int {
    let sum = zip(0..., values).reduce(0) { $0 + ($1.0 % 2 == 0 ? 1 : 3) * $1.1 }
    return (10 - sum % 10) % 10
  }
}
