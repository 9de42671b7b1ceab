extension String {
  /// The name in double quotes, as SQL writes any name.
  var quotedIdentifier: String { "\"" + doubling("\"") + "\"" }

  /// The text in single quotes, as SQL writes a constant; it must hold no NUL.
  var quotedText: String { "'" + doubling("'") + "'" }

  private func doubling(_ quote: Unicode.Scalar) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar == quote { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  /// The name with the letters A to Z made lowercase: SQLite takes names that differ in nothing else for the same.
  var caselessIdentifier: [UInt8] {
    utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
  }
}

/// A piece of an SQL text that belongs together (sqlite.org/lang_expr.html, sqlite.org/lang_comment.html).
///
/// Names and texts in quotes are one piece, with their quotes; a number with a point or an exponent may be several.
struct SQLToken: Hashable, Sendable {
  /// The piece as it is written.
  let text: String
  /// Whether a space or a comment stands before it.
  let isSetApart: Bool

  /// The pieces of a text, without its comments.
  /// - Complexity: O(*n*) in the bytes.
  static func all(in sql: String) -> [SQLToken] {
    var scanner = Scanner(bytes: Array(sql.utf8))
    return scanner.tokens()
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    mutating func tokens() -> [SQLToken] {
      var tokens: [SQLToken] = []
      while true {
        let start = position
        skipSpace()
        guard position < bytes.count else { return tokens }
        let isSetApart = position > start
        let first = position
        advance()
        tokens.append(
          SQLToken(
            text: String(decoding: bytes[first..<position], as: UTF8.self),
            isSetApart: isSetApart
          )
        )
      }
    }

    private func byte(_ distance: Int = 0) -> UInt8? {
      position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// Passes spaces and comments.
    private mutating func skipSpace() {
      while let byte = byte() {
        switch (byte, self.byte(1)) {
        case (0x09...0x0D, _), (UInt8(ascii: " "), _): position += 1
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
          while let byte = self.byte(), byte != 0x0A { position += 1 }
        case (UInt8(ascii: "/"), UInt8(ascii: "*")):
          position += 2
          while position < bytes.count, !isEndOfComment { position += 1 }
          position = min(position + 2, bytes.count)
        default: return
        }
      }
    }

    private var isEndOfComment: Bool {
      byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")
    }

    /// Passes one piece.
    private mutating func advance() {
      guard let byte = byte() else { return }
      if SQLToken.isWordByte(byte) {
        let isBlob = (byte | 0x20) == UInt8(ascii: "x") && self.byte(1) == UInt8(ascii: "'")
        position += 1
        if isBlob { return skipQuoted(by: UInt8(ascii: "'")) }
        while let byte = self.byte(), SQLToken.isWordByte(byte) { position += 1 }
        return
      }
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skipQuoted(by: byte)
      case UInt8(ascii: "["):
        while let byte = self.byte(), byte != UInt8(ascii: "]") { position += 1 }
        position = min(position + 1, bytes.count)
      default: position += 1
      }
    }

    /// Passes what is in quotes; a quote in it is written twice.
    private mutating func skipQuoted(by quote: UInt8) {
      position += 1
      while let byte = byte() {
        position += 1
        guard byte == quote else { continue }
        guard self.byte() == quote else { return }
        position += 1
      }
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
      true
    default: false
    }
  }
}
