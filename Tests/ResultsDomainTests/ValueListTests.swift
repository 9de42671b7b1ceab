import ResultsDomain
import ResultsTesting
import Testing

/// R95: a list of values in a row is one value, equal to another one if all its values are.
@Suite("Lists of values")
struct ValueListTests {
  @Test func `a list is a JSON array`() {
    let blob: [UInt8] = [0, 255]
    let list = Value.list([1, 1.0, "a\"b\\\n か", .null, .blob(blob), .real(-.infinity), -0.0])
    #expect(
      list
        == .text(#"[1,1.0,"a\"b\\\u000a か",null,{"base64":"AP8="},-9e999,0.0]"#)
    )
    #expect(Value.list([]) == .text("[]"))
    let latin: [Value] = [Value(textBytes: [0x4B, 0xF6]), "K"]
    #expect(Value.list(latin) == .text(#"[{"text":"S/Y="},"K"]"#))
    #expect(Value.list(latin).elements == latin)
    // UTF-8 has the other form.
    #expect(Value.text(#"[{"text":"Sw=="}]"#).elements == nil)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `random lists are read back exactly`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for step in 0..<500 {
      let values = (0..<generator.number(in: 0...5)).map { _ in Self.value(&generator) }
      #expect(Value.list(values).elements == values, "seed \(seed), step \(step)")
    }
  }

  @Test(
    arguments: [
      "", "[", "]", "[1", "[1,", "[1,]", "[1]x", "[\"a]", "[\"\\u00", "[nul]", "[1 ]", "a", "[[1]]",
      "[{\"base64\":\"A\"}]", "[{\"base64\":\"AP8=\"]",
    ]
  )
  func `anything else is no list`(text: String) {
    #expect(Value.text(text).elements == nil)
    #expect(Value.integer(1).elements == nil)
  }

  private static func value(_ generator: inout SeededGenerator) -> Value {
    let scalars = ["\u{0}", "\u{1F}", "\"", "\\", ",", "]", "か", "e\u{301}", "u"]
      .flatMap { Array($0.unicodeScalars) }
    var text = ""
    for _ in 0..<generator.number(in: 0...6) {
      text.unicodeScalars.append(generator.element(of: scalars) ?? "x")
    }
    return generator.choice(
      .null,
      .integer(Int64(bitPattern: generator.next())),
      .real(Double(Int64(bitPattern: generator.next())) / 7),
      .real(generator.choice(.infinity, 0, 1e300, .leastNonzeroMagnitude)),
      .text(text),
      .blob(Array(text.utf8))
    )
  }
}
