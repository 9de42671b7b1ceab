import Foundation
import FoundationAttributes
import ProgramFrontEnd
import ResultsDomain
import Testing

@Suite struct TimeWordsTests {
  /// Sunday 2026-11-29 in Tokyo, and still Saturday in UTC.
  private static let now = Instant(iso8601: "2026-11-28T20:00:00Z") ?? Instant(microseconds: 0)

  private func words(
    _ zone: String = "Asia/Tokyo",
    _ days: TimeWords.Days = .local,
    locale: String? = nil
  ) throws -> TimeWords {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    let settings = LocaleSettings(
      locale: locale.map(Locale.init(identifier:)),
      amountLocale: nil,
      calendar: calendar
    )
    return TimeWords(settings, days: days, now: Self.now)
  }

  private func ends(_ period: TimePeriod) -> [String] {
    [period.start, period.end].compactMap(\.self).map { $0.instant(at: Self.now).iso8601 }
  }

  @Test(arguments: [
    ("now", "2026-11-28T20:00:00Z", nil), ("2h-ago", "2026-11-28T18:00:00Z", nil),
    ("90m", "2026-11-28T18:30:00Z", nil), ("-3d", "2026-11-25T20:00:00Z", nil),
    ("1w ago", "2026-11-21T20:00:00Z", nil), ("30s-ago", "2026-11-28T19:59:30Z", nil),
    ("today", "2026-11-28T15:00:00Z", "2026-11-29T15:00:00Z"),
    ("Yesterday", "2026-11-27T15:00:00Z", "2026-11-28T15:00:00Z"),
    ("tomorrow", "2026-11-29T15:00:00Z", "2026-11-30T15:00:00Z"),
    ("sunday", "2026-11-28T15:00:00Z", "2026-11-29T15:00:00Z"),
    ("monday", "2026-11-22T15:00:00Z", "2026-11-23T15:00:00Z"),
    ("this-week", "2026-11-22T15:00:00Z", "2026-11-29T15:00:00Z"),
    ("last week", "2026-11-15T15:00:00Z", "2026-11-22T15:00:00Z"),
    ("this-month", "2026-10-31T15:00:00Z", "2026-11-30T15:00:00Z"),
    ("last-month", "2026-09-30T15:00:00Z", "2026-10-31T15:00:00Z"),
    ("last-year", "2024-12-31T15:00:00Z", "2025-12-31T15:00:00Z"),
    ("2026", "2025-12-31T15:00:00Z", "2026-12-31T15:00:00Z"),
    ("2026-12", "2026-11-30T15:00:00Z", "2026-12-31T15:00:00Z"),
    ("2/2024", "2024-01-31T15:00:00Z", "2024-02-29T15:00:00Z"),
    ("2026-W47", "2026-11-15T15:00:00Z", "2026-11-22T15:00:00Z"),
    ("2026-w53", "2026-12-27T15:00:00Z", "2027-01-03T15:00:00Z"),
    ("2025-W1", "2024-12-29T15:00:00Z", "2025-01-05T15:00:00Z"),
    ("2026-11-03", "2026-11-02T15:00:00Z", "2026-11-03T15:00:00Z"),
    ("2026-11-03T09:00Z", "2026-11-03T09:00:00Z", nil), ("infinity", "infinity", nil),
  ])
  func `R280: what the words mean`(text: String, start: String, end: String?) throws {
    let period = try words().period(of: text)
    let found = [period.start, period.end].compactMap(\.self).map { $0.instant(at: Self.now) }
    #expect(
      found.map { $0.isInfinite ? $0.plainText : $0.iso8601 } == [start, end].compactMap(\.self)
    )
  }

  @Test(arguments: [
    "", "lastweek", "2026-13", "2026-W54", "2025-W53", "0000", "tuesda", "25:00", "3x-ago", "12",
    "2026-11-03T09:00", "last-decade", "2026-11-31",
  ])
  func `R280: a text that is no time is refused with what to write`(text: String) throws {
    do {
      let period = try words().period(of: text)
      Issue.record("\(ends(period))")
    } catch {
      let text = "\(error)"
      #expect(text.contains("last-week") || text.contains("Did you mean"), "\(text)")
    }
  }

  @Test func `R280: dates in a filter are those of UTC, and words those of the time zone`() throws {
    let words = try words("Asia/Tokyo", .utc)
    #expect(
      ends(try words.period(of: "2026-11")) == ["2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"]
    )
    #expect(ends(try words.period(of: "last-month"))[0] == "2026-09-30T15:00:00Z")
  }

  @Test func `R280: the forms of the locale are dates, too`() throws {
    let words = try words("UTC", locale: "de_DE")
    #expect(ends(try words.period(of: "3.11.2026"))[0] == "2026-11-03T00:00:00Z")
  }

  @Test(arguments: [
    "Asia/Tokyo", "UTC", "America/Los_Angeles", "Pacific/Pago_Pago", "Pacific/Kiritimati",
    "Pacific/Auckland", "Pacific/Niue",
  ])
  func `R280: a whole day is in its day, week and month, whatever the time zone`(zone: String)
    throws
  {
    let words = try words(zone)
    for text in ["2026-11-02", "2026-W45", "2026-11", "2026", "last-month"] {
      let period = try words.period(of: text)
      let start = period.start.instant(at: Self.now).microseconds
      let end = try #require(period.end).instant(at: Self.now).microseconds
      let middle = (start + end) / 2 / 86_400_000_000
      let days = (middle - 250...middle + 250).filter { day in
        Instant(wholeDay: day).map { (start..<end).contains($0.microseconds) } ?? false
      }
      let length = (end - start + 43_200_000_000) / 86_400_000_000
      #expect(Int64(days.count) == length, "\(text) \(days.count)")
      let first = try #require(days.first.flatMap { Instant(wholeDay: $0) }).plainText
      let expected = [
        "2026-11-02": "2026-11-02", "2026-W45": "2026-11-02", "2026-11": "2026-11-01",
      ]
      #expect(first == expected[text] ?? first, "\(text)")
    }
  }

  @Test func `R280: a field takes a day or the present time`() throws {
    let words = try words()
    #expect(try words.value(of: "now") == Self.now)
    #expect(try words.value(of: "2h-ago")?.iso8601 == "2026-11-28T18:00:00Z")
    for (text, day) in [
      ("today", "2026-11-29"), ("yesterday", "2026-11-28"), ("monday", "2026-11-23"),
    ] {
      #expect(try words.value(of: text)?.plainText == day)
    }
    #expect(try words.value(of: "2026-11-03") == nil)
    #expect(try words.value(of: "infinity") == nil)
    #expect(throws: (any Error).self) { try words.value(of: "last-week") }
  }

  @Test func `R280: what follows the clock does so in a condition`() throws {
    let words = try words()
    let expression = FetchExpression.attribute("x")
    func text(_ word: String, _ comparison: ComparisonOperator) throws -> String {
      try words.period(of: word).condition(expression, comparison).description
    }
    #expect(try text("2h-ago", .greaterOrEqual) == "x >= now(-2h)")
    #expect(try text("2h-ago", .lessOrEqual) == "x <= now(-2h)")
    #expect(try text("yesterday", .greaterOrEqual) == "x >= today(-1d)")
    #expect(try text("yesterday", .lessOrEqual) == "x < today()")
    #expect(try text("yesterday", .greater) == "x >= today()")
    #expect(try text("today", .less) == "x < today()")
    #expect(try text("today", .equal) == "x >= today() AND x < today(1d)")
    #expect(try !words.period(of: "last-week").condition(expression, .equal).followsClock)
  }
}
