import ResultsTesting

/// Random names and values, written as SQL.
struct StrangerText {
  var random: SeededGenerator
  let features: Set<StrangerFeature>

  private static let plainNames = [
    "item", "orders", "person", "a", "note", "x1", "Entry", "link", "node", "tag_list",
  ]

  private static let strangeNames = [
    "it's", "two words", "a\"b", "SELECT", "group", "naïve", "表", "e\u{301}", "\u{e9}",
    "x\"\u{301}y",
    "'\u{308}", "", " ", "tab\there", "new\nline", "a.b", "a;b--", "[x]", "]", "%s%n", "$1", "?1",
    ":a", "@b", "😀", "\u{200b}", "\u{202e}abc", "ID", "Id", "count", "self", "SELF", "any", "NULL",
    "-x", "--log", "1", "a/b", "`", "``", "\\", "\u{7f}", "\u{1}", "_results", "title", "null",
    String(repeating: "long", count: 40),
  ]

  private static let strangeColumns = ["rowid", "oid", "_rowid_", "id", "key", "row", "v", "t"]

  /// A name, and whether it can stand in an option without quotes.
  mutating func name(isColumn: Bool = false) -> String {
    if features.contains(.strangeNames), random.happens(percent: 35) {
      let names = StrangerText.strangeNames + (isColumn ? StrangerText.strangeColumns : [])
      return random.element(of: names) ?? "a"
    }
    return random.element(of: StrangerText.plainNames) ?? "a"
  }

  /// A name that no other one equals without regard to case.
  mutating func name(besides taken: [String], isColumn: Bool = false) -> String {
    for _ in 0..<20 {
      let name = name(isColumn: isColumn)
      if !taken.contains(where: { $0.lowercased() == name.lowercased() }) { return name }
    }
    return "n\(random.number(in: 1000...9_999_999))"
  }

  /// A value as SQL, of any class or mostly of one.
  mutating func value(like type: String = "") -> String {
    let kind: Int =
      switch type.uppercased() {
      case _ where random.happens(percent: 15): random.number(in: 0...99)
      case let type where type.contains("INT"): random.number(in: 10...39)
      case let type where type.contains("CHAR") || type.contains("TEXT"): random.number(in: 56...87)
      case let type where type.contains("BLOB"): random.number(in: 90...99)
      case let type where type.contains("REAL") || type.contains("FLOA"):
        random.number(in: 40...55)
      default: random.number(in: 0...99)
      }
    switch kind {
    case 0..<10: return "NULL"
    case 10..<30: return String(random.number(in: -3...30))
    case 30..<40:
      return random.choice(
        "9223372036854775807",
        "-9223372036854775808",
        "9007199254740993",
        "1700000000",
        "0"
      )
    case 40..<52:
      return random.choice("1.5", "-0.0", "1e308", "5e-324", "0.1", "9007199254740992.0", "3.0")
    case 52..<56:
      guard features.contains(.infinities) else { return "2.25" }
      return random.choice("9e999", "-9e999")
    case 56..<80:
      return "'\(random.element(of: StrangerText.texts) ?? "")\(random.number(in: 0...30))'"
    case 80..<84: return "'\(String(repeating: "long ", count: random.number(in: 100...900)))'"
    case 84..<86: return "'nul' || char(0) || 'x'"
    case 86..<90:
      guard features.contains(.brokenTexts) else { return "'è'" }
      return random.choice(
        "CAST(x'4bf66c6e' AS TEXT)",
        "CAST(x'ff' AS TEXT)",
        "CAST(x'c3' AS TEXT)",
        "CAST(x'eda080' AS TEXT)",
        "CAST(x'4f726ce9616e73' AS TEXT)"
      )
    case 90..<96:
      return random.choice("x''", "x'00'", "x'ff00ff'", "x'00112233445566778899aabbccddeeff'")
    default: return "zeroblob(\(random.number(in: 0...4000)))"
    }
  }

  private static let texts = [
    "", "a", "B", "ä", "o\u{308}", "日本", "it''s", "\"q\"", "{", "[1]", "true", "1", "😀",
    "\u{202e}x",
    "tab\t", "line\n", "\u{1b}[31m", "e\u{301}", "Straße", "NULL", "\u{feff}bom", "\\", "%", "=1+1",
  ]
}

extension String {
  /// The name in quotation marks, as SQL.
  var quotedName: String { quoted("\"") }

  /// The text as a literal of SQL.
  var quotedText: String { quoted("'") }

  private func quoted(_ mark: Unicode.Scalar) -> String {
    var text = String.UnicodeScalarView([mark])
    for scalar in unicodeScalars {
      if scalar == mark { text.append(mark) }
      text.append(scalar)
    }
    text.append(mark)
    return String(text)
  }

  /// Whether the name can stand in a condition or an order.
  var isPlainName: Bool {
    let words = [
      "select", "group", "count", "self", "any", "null", "title", "id", "key", "row", "rowid",
    ]
    return !isEmpty && !words.contains(lowercased()) && !lowercased().contains("rowid")
      && utf8.allSatisfy { (97...122).contains($0) || (65...90).contains($0) }
  }
}
