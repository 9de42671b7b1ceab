import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing
import WireFormat

@Suite("The JSON reader of the wire form")
struct JSONParserTests {
  @Test(
    arguments: [
      "null", "true", "false", "0", "-0", "12", "-3.50", "1e5", "1E+05", "9223372036854775808",
      "\"\"", "\"日本 が か゛ 👍🏽\"", "\"\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u007f\\u009f\"", "[]",
      "[[],[1,null]]",
      "{}", "{\"b\":1,\"a\":{\"b\":[]}}",
    ]
  )
  func `R46: what was read is written again byte for byte`(text: String) throws {
    #expect(Array(try JSONValue(parsing: text).text.utf8) == Array(text.utf8))
  }

  @Test(
    arguments: zip(
      [" [ 1 , 2 ] \n", "\"\\u304c\\ud83d\\udc4d\\/\"", "{\"\\u0061\" :\t1}"],
      ["[1,2]", "\"が👍/\"", "{\"a\":1}"]
    )
  )
  func `spaces and needless escapes go`(text: String, expected: String) throws {
    #expect(try JSONValue(parsing: text).text == expected)
  }

  @Test(
    arguments: zip(
      [
        "", " ", "nul", "[1", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "1 2", "01", "1.", "1e",
        "-",
        "+1", "\"", "\"\n\"", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
        "\"\\u12\"", "\"\\u12g4\"", "{\"a\":1,\"a\":2}", "]", "\"\\",
      ],
      [
        JSONError(.unexpectedEnd, column: 1), JSONError(.unexpectedEnd, column: 2),
        JSONError(.unexpectedEnd, column: 4), JSONError(.unexpectedEnd, column: 3),
        JSONError(.unexpectedCharacter, column: 4), JSONError(.unexpectedCharacter, column: 5),
        JSONError(.unexpectedCharacter, column: 8), JSONError(.unexpectedCharacter, column: 2),
        JSONError(.trailingCharacters, column: 3), JSONError(.invalidNumber, column: 1),
        JSONError(.invalidNumber, column: 3), JSONError(.invalidNumber, column: 3),
        JSONError(.invalidNumber, column: 1), JSONError(.unexpectedCharacter, column: 1),
        JSONError(.unexpectedEnd, column: 2), JSONError(.invalidString, column: 2),
        JSONError(.invalidString, column: 2), JSONError(.invalidString, column: 8),
        JSONError(.invalidString, column: 2), JSONError(.invalidString, column: 2),
        JSONError(.invalidString, column: 2), JSONError(.invalidString, column: 2),
        JSONError(.repeatedName, column: 8), JSONError(.unexpectedCharacter, column: 1),
        JSONError(.unexpectedEnd, column: 3),
      ]
    )
  )
  func `R46: what is not JSON is refused, with the position of the error`(
    text: String,
    error: JSONError
  ) {
    #expect(throws: error) { try JSONValue(parsing: text) }
  }

  /// Text is compared by bytes: names that are equal only after normalisation are two names.
  @Test func `names that differ only in normalisation are two members`() throws {
    let text = "{\"\u{304C}\":1,\"\u{304B}\u{3099}\":2}"
    let value = try JSONValue(parsing: text)
    #expect(value["\u{304C}"] == .number("1"))
    #expect(value["\u{304B}\u{3099}"] == .number("2"))
  }

  @Test func `R46: depth and length are limited`() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError(.tooDeep, column: 65)) { try JSONValue(parsing: deep) }
    #expect(throws: JSONError(.tooLong, column: 11)) {
      try JSONValue(parsing: deep, maximumBytes: 10)
    }
    #expect(throws: Never.self) {
      try JSONValue(parsing: String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
    }
  }

  @Test func `R46: bytes that are not UTF-8 are refused`() {
    #expect(throws: JSONError(.invalidUTF8, column: 1)) {
      try JSONValue(parsing: [0x22, 0xFF, 0x22])
    }
    #expect(throws: JSONError(.unexpectedCharacter, column: 1)) { try JSONValue(parsing: [0xFF]) }
  }

  static let line =
    #"{"v":1,"t":"delta","from":1,"to":2,"cause":"own","sections":[{"op":"move","from":1,"#
    + #""to":0,"id":"が\u0007","title":"B"}],"rows":[{"op":"move","id":41,"from":[0,0],"to":[1,0],"#
    + #""changed":["kind"],"row":{"id":41,"x":-1.5e-3,"y":null,"z":{"base64":"AP8Q"}}}]}"#

  /// Bytes changed, taken out, doubled and cut off at random: every outcome is an answer.
  @Test(arguments: 1...20)
  func `R46: no bytes whatever trap the reader`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let alphabet = Array("{}[]\",:\\u0123eE.-+ntf\u{1}".utf8) + [0xE3, 0x81, 0xFF]
    var replay = WireReplay()
    try replay.apply(
      line: #"{"v":1,"t":"snapshot","generation":1,"rows":1,"sections":[{"id":"A","title":"A","#
        + #""rows":[{"id":41}]},{"id":"が\u0007","title":"B","rows":[]}]}"#
    )
    for _ in 0..<300 {
      var bytes = Array(JSONParserTests.line.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[position] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: position)
        case 2: bytes.insert(bytes[position], at: position)
        default:
          bytes.replaceSubrange(position..<min(position + 2, bytes.count), with: alphabet.prefix(2))
        }
      }
      do throws(WireError) {
        var copy = replay
        try copy.apply(WireDecoder().message(bytes: bytes))
      } catch {
        #expect(!error.description.isEmpty, "seed \(seed)")
      }
    }
    try replay.apply(line: JSONParserTests.line)
    #expect(replay.list?.sections.map(\.title) == ["B", "A"])
  }
}
