import ResultsDomain
import ResultsStoreKit
import Testing

@testable import FileFormats

@Suite("JSON lines")
struct JSONLinesTests {
  @Test(
    arguments: [
      (
        #"{"a":"x","b":1,"c":1.5,"d":true,"e":false,"f":null}"#,
        ["1: a@6='x' b@14=1 c@20=1.5 d@28=1 e@37=0 f@47=NULL"]
      ),
      ("\u{FEFF}  { \"題\" : \"猫\" }  \r\n\n{}\n", ["1: 題@11='猫'", "3: "]),
      (#"{"a":"\"\\\/\b\f\n\r\t\u0041\u732B\uD83D\uDC31"}"#, ["1: a@6='\"\\/\u{8}\u{C}\n\r\tA猫🐱'"]),
      (
        #"{"a":9223372036854775807,"b":-9223372036854775808,"c":-0}"#,
        ["1: a@6=9223372036854775807 b@30=-9223372036854775808 c@55=0"]
      ),
      (#"{"a":1e3,"b":1.0,"c":0.1,"d":-2E-2}"#, ["1: a@6=1000.0 b@14=1.0 c@22=0.1 d@30=-0.02"]),
      (#"{"a":{"base64":"AQID"}}"#, ["1: a@6=blob of 3 bytes"]), ("", []), ("\n \n", []),
      ("{\"a\":\"か\u{3099}\",\"b\":1}", ["1: a@6='か\u{3099}' b@15=1"]),
    ] as [(String, [String])]
  )
  func `each line is one record`(text: String, expected: [String]) {
    let found = everything(JSONLinesReader(bytes: Array(text.utf8), source: "f"))
    #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
  }

  @Test(
    arguments: [
      ("[1]", "f:1:1: an object was expected."), (#"{"a":[1]}"#, "f:1:6: a nested value;"),
      (#"{"猫":{"b":1}}"#, "f:1:6: a nested value;"),
      (#"{"a":1,}"#, "f:1:8: a key in quotes was expected."),
      (#"{"a" 1}"#, "f:1:6: “:” was expected."),
      (#"{"a":1 "b":2}"#, "f:1:8: “,” or “}” was expected."),
      (#"{"a":1} x"#, "f:1:9: text after the end of the object."),
      (#"{"a":01}"#, "f:1:6: this is not a JSON number"),
      (#"{"a":1.}"#, "f:1:6: this is not a JSON number"),
      (#"{"a":-}"#, "f:1:6: this is not a JSON number"),
      (#"{"a":1e}"#, "f:1:6: this is not a JSON number"),
      (#"{"a":1e999}"#, "f:1:6: the number 1e999 is out of range."),
      (
        #"{"a":9223372036854775808}"#,
        "f:1:6: the integer 9223372036854775808 does not fit in 64 bits."
      ),
      (#"{"a":1,"a":2}"#, "f:1:8: the key “a” occurs twice."),
      (#"{"a":"x}"#, "f:1:6: a quote opens here"),
      (#"{"a":"\q"}"#, "f:1:7: an unknown escape sequence."),
      (#"{"a":"\uD83D"}"#, "f:1:7: half of a surrogate"),
      (#"{"a":"\uDC31\uD83D"}"#, "f:1:7: half of a surrogate"),
      (#"{"a":"\u12"}"#, "f:1:7: an unknown escape"),
      ("{\"a\":\"\u{1}\"}", "f:1:7: a control character"),
      (#"{"a":tru}"#, "f:1:6: a value was expected."),
      (#"{"a":{"base64":"*"}}"#, "f:1:16: the text is not base64."),
      ("{", "f:1:2: a key in quotes"),
      (#"{"a":{"base64":1}}"#, "f:1:6: a nested value;"),
      (#"{"a":NaN}"#, "f:1:6: a value was expected."),
    ] as [(String, String)]
  )
  func `an error names its column, and the next line is read`(text: String, expected: String) {
    let found = everything(JSONLinesReader(bytes: Array((text + "\n{}").utf8), source: "f"))
    #expect(found.count == 2)
    #expect(found.first?.hasPrefix("? " + expected) == true, "\(found)")
    #expect(found.last == "2: ")
  }

  @Test func `an invalid byte is an error of its line`() {
    let bytes = Array("{\"a\":\"x".utf8) + [0xFF] + Array("\"}\n{}".utf8)
    let found = everything(JSONLinesReader(bytes: bytes, source: "f"))
    #expect(found.first?.hasPrefix("? f:1:8: a byte that is not valid UTF-8.") == true)
    #expect(found.last == "2: ")
  }

  @Test func `keys above the limit are refused`() {
    let keys = (0..<3000).map { "\"k\($0)\":0" }.joined(separator: ",")
    let found = everything(JSONLinesReader(bytes: Array("{\(keys)}\n{}".utf8), source: "f"))
    #expect(found.first?.contains("more than 2048 keys.") == true)
    #expect(found.last == "2: ")
  }

  @Test func `a line above the limit is refused`() {
    let reader = JSONLinesReader(
      bytes: Array("{\"a\":1}\n{}".utf8),
      source: "f",
      maximumLineBytes: 5
    )
    #expect(everything(reader).last == "2: ")
  }

  @Test func `R197: infinity is a text that is not null, as in the wire form`() {
    var writer = JSONLinesWriter()
    _ = writer.begin(columns: ["a", "b", "c"])
    #expect(
      writer.write([.real(.infinity), .real(-.infinity), .real(.nan)])
        == "{\"a\":\"inf\",\"b\":\"-inf\",\"c\":null}\n"
    )
    for text in ["inf", "-inf"] {
      #expect(AttributeType.real.value(parsing: text).map(AttributeType.real.machineText) == text)
    }
  }

  @Test func `R189: a text that is not UTF-8 is written as in the wire form`() {
    var writer = JSONLinesWriter()
    _ = writer.begin(columns: ["a"])
    #expect(
      writer.write([Value(textBytes: [0x4B, 0xF6, 0x6C, 0x6E])])
        == "{\"a\":{\"text\":\"K\u{FFFD}ln\",\"base64\":\"S/Zsbg==\"}}\n"
    )
  }

  @Test func `objects are written with keys in order and printable text unchanged`() {
    var writer = JSONLinesWriter()
    #expect(writer.begin(columns: ["b", "a\"", "c"]).isEmpty)
    #expect(
      writer.write([.text("猫\"\\\n\u{1B}\u{9B}\u{2028}é"), .real(5), .blob([1, 2, 3])])
        == "{\"b\":\"猫\\\"\\\\\\n\\u001b\\u009b\\u2028é\",\"a\\\"\":5.0,\"c\":{\"base64\":\"AQID\"}}\n"
    )
    #expect(
      writer.write([.null, .integer(-1), .real(1e300)])
        == "{\"b\":null,\"a\\\"\":-1,\"c\":1e+300}\n"
    )
    #expect(writer.end().isEmpty)
  }
}
