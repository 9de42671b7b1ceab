/// Words and names of the text form, shared by what writes it and what reads it.
enum PredicateWord {
  /// Words that are never names unless quoted, in capitals.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "IN", "BETWEEN", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE",
    "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "FALSE", "YES", "NO", "SELF",
    "INFINITY",
  ]

  /// A word with its ASCII letters made capitals, for looking up keywords.
  static func capitals(_ word: String) -> String {
    let bytes = word.utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDStart
  }

  static func canContinue(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDContinue
  }

  /// A name as the text form writes it: as it is, or between backticks if it looks like something else.
  static func quoted(_ name: String) -> String {
    let scalars = name.unicodeScalars
    let isPlain =
      scalars.first.map(canBegin) == true && scalars.dropFirst().allSatisfy(canContinue)
      && !reserved.contains(capitals(name))
    if isPlain { return name }
    var text = "`"
    for scalar in scalars {
      text.unicodeScalars.append(scalar)
      if scalar == "`" { text.unicodeScalars.append(scalar) }
    }
    return text + "`"
  }

  /// A text between single quotes, with escapes for what cannot be seen or would end it.
  static func quotedText(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "\\'"
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}",
        "\u{2066}"..."\u{2069}":
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }
}
