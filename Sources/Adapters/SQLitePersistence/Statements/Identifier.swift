extension String {
  /// The name in double quotes, as SQL writes any name.
  var quotedIdentifier: String {
    "\"" + replacingQuotes + "\""
  }

  private var replacingQuotes: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  /// The name with the letters A to Z made lowercase: SQLite takes names that differ in nothing else for the same.
  var caselessIdentifier: [UInt8] {
    utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
  }
}
