#if PostgreSQL
extension Connection {
  /// A name in quotes, as a part of a statement (the manual, 4.1.1).
  static func quoted(_ name: String) -> String {
    "\"" + doubling([UInt8(ascii: "\"")], in: name) + "\""
  }

  /// A text constant, as a part of a statement (the manual, 4.1.2.1), whatever `standard_conforming_strings` is.
  static func literal(_ text: String) -> String {
    let (quote, backslash) = (UInt8(ascii: "'"), UInt8(ascii: "\\"))
    // Only a constant with escapes has the same meaning under both settings.
    let isEscaped = text.utf8.contains(backslash)
    // The space keeps the prefix from being the end of a word before it.
    return (isEscaped ? " E'" : "'") + doubling(isEscaped ? [quote, backslash] : [quote], in: text)
      + "'"
  }

  /// A text with some bytes of ASCII doubled, as the server reads it: byte by byte.
  ///
  /// A quote and a mark behind or before it are one `Character`, in which a search for the quote does not find it.
  private static func doubling(_ marks: [UInt8], in text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 8)
    for byte in text.utf8 {
      if marks.contains(byte) { bytes.append(byte) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
