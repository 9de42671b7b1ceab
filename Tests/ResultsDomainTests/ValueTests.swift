import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite
struct ValueTests {
  @Test
  func `values that Swift or SQL might confuse are different section ids R06`() {
    let values: [Value] = [
      .null, "", 0, "0", .blob([]), .blob([0x30]), 0.5, "が", "か\u{3099}", "\u{212B}", "Å", 1,
      .real(1),
    ]
    #expect(Set(values).count == values.count)
    for (index, value) in values.enumerated() {
      #expect(values.firstIndex(of: value) == index)
    }
  }

  @Test func `R189: a text that is not UTF-8 is a text among others, by its bytes`() throws {
    let texts: [[UInt8]] = [
      [], [0x4B], [0x4B, 0x6C], [0x4B, 0xC3, 0xB6], [0x4B, 0xE4], [0x4B, 0xF6, 0x6C], [0xE9],
    ]
    let values = texts.map { Value(textBytes: $0) }
    #expect(values.map { $0.text == nil } == [false, false, false, false, true, true, true])
    for (left, first) in zip(values, texts) {
      #expect(left.storage == .text)
      for (right, second) in zip(values, texts) {
        let order = Value.compare(left, right)
        #expect((order == .same) == (left == right))
        #expect((order == .ascending) == first.lexicographicallyPrecedes(second))
      }
      #expect(Value.compare(left, .integer(1)) == .descending)
      #expect(Value.compare(left, .blob([])) == .ascending)
      #expect(ObjectKey(parts: [left], of: .text(column: "k"))?.parts == [left])
    }
    #expect(Set(values).count == texts.count)
    #expect(IllFormedText([0x4B]) == nil)
    #expect(IllFormedText([0xE9, 0x41])?.repaired == "\u{FFFD}A")
    #expect(values[5].readableText == "K\u{FFFD}l" && Value.blob([0x41]).readableText == nil)
    #expect(AttributeType.text.accepts(values[5]) && String(attributeValue: values[5]) == nil)
    var digests: Set<UInt64> = []
    for value in values + [.blob([0xE9])] {
      var digest = RowDigest()
      digest.add(value)
      digests.insert(digest.value)
    }
    #expect(digests.count == texts.count + 1)
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
  func `a decimal is parsed exactly`(text: String, units: Int64, scale: Int) throws {
    let number = try #require(ExactDecimal(text))
    #expect(number.units == units)
    #expect(number.scale == scale)
  }

  @Test(arguments: ["", "-", ".5", "5.", "1,000", "1 0", "1e3", "9223372036854775808", "٣", "0x1"])
  func `text that is not a plain decimal is refused`(text: String) {
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

@Suite struct WholeDayValueTests {
  @Test(arguments: [
    (Int64(0), "1970-01-01"), (-1, "1969-12-31"), (20_760, "2026-11-03"), (-719_528, "0000-01-01"),
  ])
  func `a date without a time is a whole day, and is formatted as it was parsed`(
    day: Int64,
    text: String
  ) throws {
    let instant = try #require(Instant(wholeDay: day))
    #expect(instant.wholeDay == day)
    #expect(instant.plainText == text)
    #expect(Instant(plainText: text) == instant)
    #expect(Instant(iso8601: instant.iso8601) == instant)
    let value = try #require(AttributeType.date.value(parsing: text))
    #expect(AttributeType.date.machineText(of: value) == text)
    #expect(value == instant.attributeValue)
  }

  @Test(arguments: ["2026-11-03T10:00:00Z", "2026-11-03T12:00:00Z", "2026-11-03T00:00:00Z"])
  func `a time of day makes an instant, at any hour`(text: String) throws {
    let instant = try #require(Instant(plainText: text))
    #expect(instant.wholeDay == nil)
    #expect(instant.plainText == text)
  }

  @Test func `days beyond 64 bits have no instant`() {
    #expect(Instant(wholeDay: .max) == nil)
    #expect(Instant(wholeDay: .min) == nil)
    #expect(Instant(wholeDay: Int64.max / 86_400_000_000 + 1) == nil)
  }

  @Test func `a whole day is within the range of its date`() throws {
    let days = try #require(Instant(plainText: "2026-11-03"))
    let (start, end) = (Instant(iso8601: "2026-11-03"), Instant(iso8601: "2026-11-04"))
    #expect(try #require(start) <= days && days < #require(end))
  }
}

@Suite
struct MachineTextTests {
  @Test(
    arguments: [
      (.integer64, "-9223372036854775808", .integer(.min)), (.integer16, "32767", 32767),
      (.boolean, "true", 1), (.boolean, "false", 0), (.decimal(scale: 2), "-3480.00", -348_000),
      (.decimal(scale: 0), "7", 7), (.real, "1.5", 1.5), (.real, "1e+300", 1e300),
      (.real, "-inf", .real(-.infinity)),
      (.date, "2024-02-29T08:30:00.5Z", .integer(1_709_195_400_500_000)),
      (.date, "1969-12-31T23:59:59.999999Z", .integer(-1)), (.date, "infinity", .integer(.max)),
      (.date, "-infinity", .integer(.min)), (.text, " 'a'\n", " 'a'\n"),
      (.text, "", ""),
      (.blob, "", .blob([])), (.blob, "Zg==", .blob([0x66])), (.blob, "Zm8=", .blob([0x66, 0x6F])),
      (.blob, "+/+/", .blob([251, 255, 191])),
    ] as [(AttributeType, String, Value)]
  )
  func `R263: a value is formatted and parsed back`(type: AttributeType, text: String, value: Value)
  {
    #expect(type.machineText(of: value) == text)
    #expect(type.value(parsing: text) == value)
  }

  @Test(
    arguments: [
      (.integer16, "32768"), (.integer32, "2147483648"), (.integer64, "1.0"), (.integer64, ""),
      (.integer64, " 1"), (.integer64, "١"), (.boolean, "2"), (.boolean, "yes"),
      (.decimal(scale: 2), "1.005"),
      (.decimal(scale: 2), "1,5"), (.decimal(scale: 18), "10"), (.real, "1e999"), (.real, "nan"),
      (.real, "0x1p3"),
      (.real, "1_0"), (.real, ""), (.date, "2024-02-30"), (.date, "2024-02-29T08:30:00"),
      (.date, "2024-1-1"),
      (.date, "2024-02-29T24:00:00Z"), (.date, "2024-02-29T08:30:00+24:00"), (.date, "-0000-01-01"),
      (.date, "2024-02-29Z"), (.date, "999999-01-01T00:00:00Z"), (.blob, "Zg="), (.blob, "Zh=="),
      (.blob, "Z g="),
      (.blob, "===="), (.blob, "Zg==Zg=="),
    ] as [(AttributeType, String)]
  )
  func `text that is not of the type is refused`(type: AttributeType, text: String) {
    #expect(type.value(parsing: text) == nil)
  }

  @Test(
    arguments: [
      ("2024-02-29", 1_709_164_800_000_000), ("2024-02-29T09:00+09:00", 1_709_164_800_000_000),
      ("2024-02-28T19:30:00-0430", 1_709_164_800_000_000),
      ("2024-02-29 01:00:00+01", 1_709_164_800_000_000),
      ("2024-02-29t00:00:00.1234567891z", 1_709_164_800_123_456),
      ("0000-03-01", -62_162_035_200_000_000),
      ("TRUE", nil),
    ] as [(String, Int64?)]
  )
  func `a date is parsed with its offset`(text: String, microseconds: Int64?) {
    #expect(Instant(iso8601: text)?.microseconds == microseconds)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `every instant and blob is parsed back`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var instants = [Int64.min, .min + 1, .min + 775_808, .min + 775_809, .max, 0, -1]
    instants += (0..<200).map { _ in Int64(bitPattern: generator.next()) }
    instants += (0..<200).map { _ in Int64(generator.below(1 << 52)) - 1 << 51 }
    for microseconds in instants {
      let text = Instant(microseconds: microseconds).iso8601
      #expect(Instant(iso8601: text)?.microseconds == microseconds, "seed \(seed): \(text)")
    }
    for count in 0..<20 {
      let bytes = (0..<count).map { _ in UInt8(generator.below(256)) }
      let text = AttributeType.blob.machineText(of: .blob(bytes))
      #expect(AttributeType.blob.value(parsing: text) == .blob(bytes), "seed \(seed)")
    }
  }
}
