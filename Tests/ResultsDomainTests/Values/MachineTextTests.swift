import ResultsDomain
import Testing

@Suite
struct MachineTextTests {
  @Test(
    arguments: [
      (.integer64, "-9223372036854775808", .integer(.min)), (.integer16, "32767", 32767),
      (.boolean, "true", 1), (.boolean, "false", 0), (.decimal(scale: 2), "-3480.00", -348_000),
      (.decimal(scale: 0), "7", 7), (.real, "1.5", 1.5), (.real, "1e+300", 1e300),
      (.real, "-inf", .real(-.infinity)),
      (.date, "2024-02-29T08:30:00.5Z", .integer(1_709_195_400_500_000)),
      (.date, "1969-12-31T23:59:59.999999Z", .integer(-1)), (.text, " 'a'\n", " 'a'\n"),
      (.text, "", ""),
      (.blob, "", .blob([])), (.blob, "Zg==", .blob([0x66])), (.blob, "Zm8=", .blob([0x66, 0x6F])),
      (.blob, "+/+/", .blob([251, 255, 191])),
    ] as [(AttributeType, String, Value)]
  )
  func `a value is written and read back`(type: AttributeType, text: String, value: Value) {
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
  func `what is not of the type is refused`(type: AttributeType, text: String) {
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
  func `a date is read with its offset`(text: String, microseconds: Int64?) {
    #expect(Instant(iso8601: text)?.microseconds == microseconds)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `every instant and blob is read back`(seed: UInt64) {
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
