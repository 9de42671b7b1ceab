import ResultsDomain
import Testing

@Suite
struct ValueTests {
  @Test
  func `values that Swift or SQL might confuse stay apart as section ids R06`() {
    let values: [Value] = [
      .null, "", 0, "0", .blob([]), .blob([0x30]), 0.5, "が", "か\u{3099}", "\u{212B}", "Å", 1,
      .real(1),
    ]
    #expect(Set(values).count == values.count)
    for (index, value) in values.enumerated() {
      #expect(values.firstIndex(of: value) == index)
    }
  }

  @Test
  func `negative zero is zero`() {
    #expect(Value.real(-0.0) == .real(0))
    #expect(Value.real(-0.0).hashValue == Value.real(0).hashValue)
  }

  @Test(
    arguments: [
      (.integer(9_007_199_254_740_993), .real(9_007_199_254_740_992), .descending),
      (.integer(9_007_199_254_740_992), .real(9_007_199_254_740_992), .same),
      (.integer(.max), .real(0x1p63), .ascending), (.integer(.min), .real(-0x1p63), .same),
      (.integer(.min), .real(-0x1.0000000000001p63), .descending),
      (.integer(-1), .real(-0.5), .ascending),
      (.integer(0), .real(0.5), .ascending), (.integer(0), .real(-0.5), .descending),
      (.integer(0), .real(.infinity), .ascending),
      (.integer(0), .real(-.infinity), .descending), (.null, .integer(.min), .ascending),
      (.real(.infinity), .text(""), .ascending), (.text("z"), .blob([]), .ascending),
      (.text("が"), .text("か\u{3099}"), .descending), (.text("a"), .text("a\u{0}"), .ascending),
      (.blob([1, 2]), .blob([1, 3]), .ascending), (.blob([255]), .blob([1, 1]), .descending),
    ] as [(Value, Value, ValueOrder)]
  )
  func `values are compared as a store orders them`(left: Value, right: Value, order: ValueOrder) {
    #expect(Value.compare(left, right) == order)
    #expect(Value.compare(right, left) == order.reversed)
  }

  @Test(
    arguments: [
      ("0", 0, 0), ("-3480.00", -348_000, 2), ("+7", 7, 0), ("0.05", 5, 2),
      ("9223372036854775807", .max, 0), ("-9223372036854775808", .min, 0),
    ] as [(String, Int64, Int)]
  )
  func `a decimal is read exactly`(text: String, units: Int64, scale: Int) throws {
    let number = try #require(ExactDecimal(text))
    #expect(number.units == units)
    #expect(number.scale == scale)
  }

  @Test(arguments: ["", "-", ".5", "5.", "1,000", "1 0", "1e3", "9223372036854775808", "٣", "0x1"])
  func `what is not a plain decimal is refused`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }

  @Test
  func `decimals are equal by value and rescaled without loss`() {
    #expect(ExactDecimal(units: 150, scale: 2) == ExactDecimal(units: 15, scale: 1))
    #expect(
      ExactDecimal(units: 150, scale: 2).hashValue == ExactDecimal(units: 15, scale: 1).hashValue
    )
    #expect(ExactDecimal(units: 155, scale: 2).rescaled(to: 1) == nil)
    #expect(ExactDecimal(units: .max, scale: 0).rescaled(to: 1) == nil)
    #expect(ExactDecimal(units: .min, scale: 2).description == "-92233720368547758.08")
    #expect(ExactDecimal(units: -5, scale: 3).description == "-0.005")
  }
}
