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
  func `lines keep their ends and nothing else`(text: String, shown: String) {
    #expect(Array(SafeText.lines(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(
    arguments: [
      ("plain", "plain"), ("a\tb\nc\rd\\e", #"a\tb\nc\rd\\e"#), ("\r\n", #"\r\n"#),
      ("\u{1B}[0m", #"\x1B[0m"#), ("\u{0}\u{7F}\u{9B}", #"\x00\x7F\x9B"#), ("é猫", "é猫"),
      ("\u{202E}", "\u{202E}"), (#"Triga\Verlag"#, #"Triga\\Verlag"#),
    ] as [(String, String)]
  )
  func `a text for a pipe stays on its line and loses nothing`(text: String, shown: String) {
    #expect(Array(SafeText.escaped(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(
    arguments: [
      (#"{"a":"plain 吾輩 ｶﾞ \u0007"}"#, #"{"a":"plain 吾輩 ｶﾞ \u0007"}"#),
      ("\"a\u{202E}b\u{200B}\"\n", "\"a\\u202eb\\u200b\"\n"),
      ("\"\u{7F}\u{9B}\u{FEFF}👨‍👩‍👧\"", "\"\\u007f\\u009b\\ufeff👨‍👩‍👧\""),
    ] as [(String, String)]
  )
  func `JSON on a terminal says the same and hides nothing`(text: String, shown: String) {
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
  func `marks do not pile up without limit`(mark: String) {
    let text = "a" + String(repeating: mark, count: 10_000) + "b"
    let safe = SafeText.oneLine(text)
    #expect(safe.unicodeScalars.count == 33)
    #expect(safe.unicodeScalars.last == "b")
  }
}
