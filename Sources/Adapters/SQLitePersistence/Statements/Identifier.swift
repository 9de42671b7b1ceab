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
