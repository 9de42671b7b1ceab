import Testing

@testable import TerminalFrontEnd

@Suite("SafeText")
struct SafeTextTests {
  @Test(
    arguments: [
      ("plain", "plain"), ("吾輩は猫", "吾輩は猫"), ("a\tb", "a␉b"), ("a\nb", "a␊b"), ("a\rb", "a␍b"),
      ("a\r\nb", "a␍␊b"), ("\u{1B}[31mred\u{1B}[0m", "␛[31mred␛[0m"),
      ("\u{1B}]52;c;aGk=\u{7}", "␛]52;c;aGk=␇"), ("\u{0}", "␀"), ("\u{7F}", "␡"),
      ("\u{9B}31m", "<U+009B>31m"), ("\u{85}", "<U+0085>"), ("a\u{202E}b", "a<U+202E>b"),
      ("\u{2066}x\u{2069}", "<U+2066>x<U+2069>"), ("\u{2028}", "<U+2028>"), ("👨‍👩‍👧", "👨‍👩‍👧"),
      ("か\u{3099}", "か\u{3099}"), ("a\u{200B}b", "a<U+200B>b"),
      ("\u{206E}\u{FEFF}\u{2060}", "<U+206E><U+FEFF><U+2060>"),
      ("نمی\u{200C}خواهم", "نمی\u{200C}خواهم"),
      ("\u{200F}٣", "\u{200F}٣"), ("\"\u{301}", "\"\u{301}"),
    ] as [(String, String)]
  )
  func `a text is shown on one line and never executed`(text: String, shown: String) {
    #expect(Array(SafeText.oneLine(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(
    arguments: [
      ("a\r\nb\nc", "a\nb\nc"), ("a\rb\u{1B}c", "a␍b␛c"), ("a\r", "a␍"), ("a\tb\n", "a␉b\n"),
    ] as [(String, String)]
  )
  func `line ends stay, and every other control character is shown`(text: String, shown: String) {
    #expect(Array(SafeText.lines(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(
    arguments: [
      ("plain", "plain"), ("a\tb\nc\rd\\e", #"a\tb\nc\rd\\e"#), ("\r\n", #"\r\n"#),
      ("\u{1B}[0m", #"\x1B[0m"#), ("\u{0}\u{7F}\u{9B}", #"\x00\x7F\x9B"#), ("é猫", "é猫"),
      ("\u{202E}", "\u{202E}"), (#"Triga\Verlag"#, #"Triga\\Verlag"#),
    ] as [(String, String)]
  )
  func `a text for a pipe stays on one line and loses nothing`(text: String, shown: String) {
    #expect(Array(SafeText.escaped(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(
    arguments: [
      (#"{"a":"plain 吾輩 ｶﾞ \u0007"}"#, #"{"a":"plain 吾輩 ｶﾞ \u0007"}"#),
      ("\"a\u{202E}b\u{200B}\"\n", "\"a\\u202eb\\u200b\"\n"),
      ("\"\u{7F}\u{9B}\u{FEFF}👨‍👩‍👧\"", "\"\\u007f\\u009b\\ufeff👨‍👩‍👧\""),
    ] as [(String, String)]
  )
  func `JSON on a terminal means the same and hides nothing`(text: String, shown: String) {
    #expect(Array(SafeText.json(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test func `no control character and no override survives in any plane`() {
    let hostile = (0...0x2FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    let text = String(String.UnicodeScalarView(hostile))
    for scalar in SafeText.oneLine(text).unicodeScalars {
      #expect(scalar.properties.generalCategory != .control)
      #expect(!(0x2028...0x202E).contains(scalar.value))
      #expect(!(0x2066...0x2069).contains(scalar.value))
    }
  }

  @Test(arguments: ["\u{301}", "\u{3099}", "\u{FE0F}", "\u{E0061}", "\u{1161}", "\u{A802}"])
  func `combining marks are limited`(mark: String) {
    let text = "a" + String(repeating: mark, count: 10_000) + "b"
    let safe = SafeText.oneLine(text)
    #expect(safe.unicodeScalars.count == 33)
    #expect(safe.unicodeScalars.last == "b")
  }
}

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    arguments: [
      ("か\u{3099}", 2), ("葛\u{E0100}", 2), ("각", 2), ("〜", 2), ("𠮷", 2),
      ("\u{FF76}\u{FF9E}", 2), ("①", 1), ("½", 1), ("…", 1), ("—", 1), ("─", 1), ("★", 1),
      ("→", 1), ("×", 1), ("👨‍👩‍👧‍👦", 2), ("🇯🇵", 2), ("👍🏽", 2), ("❤️", 2), ("©️", 2), ("1️⃣", 2),
      ("🪿", 2), ("🫨", 2), ("नमस्ते", 4), ("ถ้ำ", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("", 0), ("abc", 3), ("吾輩は猫である", 14), ("ﾊﾝｶｸ", 4), ("Ａ", 2), ("e\u{301}", 1),
      ("\u{1B}", 0), ("\t", 0), ("\u{9B}", 0), ("\u{AD}", 0), ("\u{A0}\u{202F}", 2),
      ("\u{200F}\u{61C}\u{200B}\u{2060}\u{FEFF}", 0), ("❤", 1), ("#", 1), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
      ("🧑‍🌾", 2), ("\r\n", 0), ("\u{603}", 1), ("é", 1),
    ] as [(String, Int)]
  )
  func `a text takes the columns of the standard`(text: String, columns: Int) {
    #expect(DisplayWidth().columns(of: text) == columns)
  }

  @Test(
    arguments: [
      ("①", 2), ("½", 2), ("…", 2), ("×", 2), ("a", 1), ("猫", 2), ("ﾊ", 1), ("é", 2), ("ñ", 1),
    ] as [(String, Int)]
  )
  func `ambiguous scalars take two columns if they are set to wide`(text: String, columns: Int) {
    #expect(DisplayWidth(ambiguous: .wide).columns(of: text) == columns)
  }

  @Test(
    arguments: [
      (EastAsianWidthTable.wide, 125, 0x993d_e839_35d9_28f as UInt64),
      (EastAsianWidthTable.ambiguous, 176, 0x5479_3518_23ec_cd99),
    ] as [([ClosedRange<UInt32>], Int, UInt64)]
  )
  func `the tables are those of Unicode 17`(
    table: [ClosedRange<UInt32>],
    count: Int,
    checksum: UInt64
  ) {
    #expect(table.count == count)
    #expect(zip(table, table.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    // Fowler-Noll-Vo 1a, 64 bits, over the bounds as little-endian 32-bit numbers.
    let bounds = table.flatMap { [$0.lowerBound, $0.upperBound] }
    let bytes = bounds.flatMap { bound in
      (0..<4).map { UInt8(truncatingIfNeeded: bound >> ($0 * 8)) }
    }
    let hash = bytes.reduce(14_695_981_039_346_656_037 as UInt64) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    #expect(hash == checksum)
  }

  @Test func `the width of ASCII is the same by the fast path and the slow one`() {
    for value in 0x20..<0x7F as Range<UInt8> {
      let scalar = Unicode.Scalar(value)
      #expect(DisplayWidth().columns(of: scalar) == DisplayWidth().columns(of: String(scalar)))
    }
  }
}

@Suite("Fitting text")
struct FittingTests {
  @Test(
    arguments: [
      ("吾輩は猫である", 8, "吾輩は… "), ("吾輩は猫である", 7, "吾輩は…"), ("吾輩", 4, "吾輩"),
      ("吾輩", 6, "吾輩  "), ("吾輩", 3, "吾…"), ("吾輩", 2, "… "), ("吾輩", 1, "…"), ("吾輩", 0, ""),
      ("abc", 5, "abc  "), ("abcdef", 4, "abc…"), ("", 3, "   "), ("abc", -1, ""),
      ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ] as [(String, Int, String)]
  )
  func `a text is truncated at a cluster and padded to the width`(
    text: String,
    columns: Int,
    expected: String
  ) {
    let fitted = DisplayWidth().fit(text, columns: columns)
    #expect(Array(fitted.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(DisplayWidth().columns(of: fitted) == max(columns, 0))
  }

  @Test func `numbers are padded in front`() {
    #expect(DisplayWidth().fit("1914", columns: 6, alignment: .trailing) == "  1914")
  }

  @Test func `a wide ellipsis that does not fit is a dot`() {
    let width = DisplayWidth(ambiguous: .wide)
    #expect(width.fit("吾輩は猫", columns: 1) == ".")
    #expect(width.fit("吾輩は猫", columns: 5) == "吾… ")
  }

  @Test func `every truncation of a mixed text fills its field exactly`() {
    let text = "Ａb👨‍👩‍👧か\u{3099}c\u{301}ｶﾞ🇯🇵葛\u{E0100}नमस्ते…❤️x"
    for width in [DisplayWidth(), DisplayWidth(ambiguous: .wide)] {
      for columns in 0...40 {
        let fitted = width.fit(text, columns: columns)
        #expect(width.columns(of: fitted) == columns)
        #expect(width.columns(of: width.cut(text, columns: columns)) <= columns)
      }
    }
  }
}
