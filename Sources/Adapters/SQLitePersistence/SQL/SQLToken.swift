import SQLStoreSupport

extension String {
  /// The name in double quotes, as an SQL identifier.
  package var quotedIdentifier: String { SQLiteDialect.quoted(self) }

  /// The text in single quotes, as an SQL literal; it must not contain NUL.
  var quotedText: String { SQLiteDialect.literal(self) }

  /// The name with the letters A to Z in lowercase: SQLite treats names that differ only in their case as equal.
  package var caselessIdentifier: [UInt8] { SQLiteDialect.identifier(self) }
}

/// A token of an SQL text (sqlite.org/lang_expr.html, sqlite.org/lang_comment.html).
///
/// Quoted names and texts are one token, with their quotes; a number with a point or an exponent may be several.
struct SQLToken: Hashable, Sendable {
  /// The token's text.
  let text: String
  /// Whether a space or a comment precedes it.
  let hasSpaceBefore: Bool

  /// The tokens of a text, without its comments.
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
        let hasSpaceBefore = position > start
        let first = position
        advance()
        tokens.append(
          SQLToken(
            text: String(decoding: bytes[first..<position], as: UTF8.self),
            hasSpaceBefore: hasSpaceBefore
          )
        )
      }
    }

    private func byte(_ distance: Int = 0) -> UInt8? {
      position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// Skips spaces and comments.
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

    /// Advances past one token.
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

    /// Skips a quoted text, in which a quote is doubled.
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
