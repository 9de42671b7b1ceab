import ResultsDomain
import Testing

@Suite struct WholeDayValueTests {
  @Test(arguments: [
    (Int64(0), "1970-01-01"), (-1, "1969-12-31"), (20_760, "2026-11-03"), (-719_528, "0000-01-01"),
  ])
  func `a date without a time is a whole day, and is written as it was read`(
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

  @Test func `days beyond what 64 bits hold have no instant`() {
    #expect(Instant(wholeDay: .max) == nil)
    #expect(Instant(wholeDay: .min) == nil)
    #expect(Instant(wholeDay: Int64.max / 86_400_000_000 + 1) == nil)
  }

  @Test func `a whole day lies in the ranges of its date`() throws {
    let days = try #require(Instant(plainText: "2026-11-03"))
    let (start, end) = (Instant(iso8601: "2026-11-03"), Instant(iso8601: "2026-11-04"))
    #expect(try #require(start) <= days && days < #require(end))
  }
}
