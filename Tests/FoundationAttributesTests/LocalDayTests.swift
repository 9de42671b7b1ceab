import Foundation
import FoundationAttributes
import ResultsDomain
import ResultsTesting
import Testing

/// R03, R205: the day of an instant is the last day that has begun.
@Suite struct LocalDayTests {
  /// Zones and dates near which clocks change around midnight, or a day is skipped or repeated.
  static let turns: [(zone: String, around: String)] = [
    ("America/St_Johns", "2006-10-29"), ("America/St_Johns", "2009-11-01"),
    ("America/Sao_Paulo", "2016-10-16"), ("America/Sao_Paulo", "2016-02-21"),
    ("Pacific/Apia", "2011-12-30"), ("Pacific/Kwajalein", "1993-08-21"),
    ("America/Havana", "2015-11-01"), ("Asia/Beirut", "2022-03-27"),
    ("Asia/Beirut", "2022-10-30"), ("Africa/Cairo", "2014-07-31"),
    ("Asia/Tehran", "2021-09-21"), ("Atlantic/Azores", "2025-10-26"),
    ("Asia/Tokyo", "2026-11-03"), ("America/New_York", "2026-11-01"),
  ]

  @Test func `weeks are those of ISO 8601, from Monday to Sunday`() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let weeks = CalendarGrouping(.week, calendar: calendar, locale: nil)
    for day in stride(from: Int64(-36_600), through: 47_500, by: 1) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
      let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear, .weekday], from: date)
      let week = try #require(parts.weekOfYear)
      let year = try #require(parts.yearForWeekOfYear)
      let weekday = Int64((try #require(parts.weekday) + 5) % 7)
      let group = weeks.group(of: .integer(day * 86_400_000_000 + 43_200_000_000))
      let first = (day - weekday) * 86_400_000_000
      #expect(group.id == .text("\(year)-W\(week < 10 ? "0" : "")\(week)"))
      #expect(group.first == .integer(first) && group.next == .integer(first + 7 * 86_400_000_000))
    }
  }

  @Test(arguments: turns)
  func `every minute around a clock change is in the last day that has begun`(
    zone: String,
    around: String
  ) throws {
    let calendar = try calendar(zone)
    let days = CalendarGrouping(.day, calendar: calendar, locale: nil)
    let months = CalendarGrouping(.month, calendar: calendar, locale: nil)
    let years = CalendarGrouping(.year, calendar: calendar, locale: nil)
    let noon = try #require(Instant(iso8601: around + "T12:00:00Z")).microseconds / 1_000_000
    var latest = Int64.min
    var began: [Int64: Int64] = [:]
    for second in stride(from: noon - 259_200, through: noon + 172_800, by: 60) {
      let date = Date(timeIntervalSince1970: Double(second))
      let local = second + Int64(calendar.timeZone.secondsFromGMT(for: date))
      let day = local / 86_400
      if day > latest {
        latest = day
        began[day] = second
      }
      guard second >= noon - 129_600, let first = began[latest] else { continue }
      let text = Instant(microseconds: latest * 86_400_000_000).iso8601.prefix(10)
      let group = days.group(of: .integer(second * 1_000_000))
      let month = months.group(of: .integer(second * 1_000_000))
      #expect(group.id == .text(String(text)))
      #expect(group.first == .integer(first * 1_000_000))
      #expect(month.id == .text(String(text.prefix(7))))
      #expect(years.group(of: .integer(second * 1_000_000)).id == .text(String(text.prefix(4))))
    }
  }

  @Test func `the repeated minutes in St John's belong to the day that had begun`() throws {
    let days = CalendarGrouping(.day, calendar: try calendar("America/St_Johns"), locale: nil)
    // 00:00:30 on the 29th; then the clocks went back from 00:01 to 23:01, and 02:40 is 23:10 again.
    for time in ["02:30:30", "02:40:00", "03:45:00"] {
      let instant = try #require(Instant(iso8601: "2006-10-29T\(time)Z"))
      #expect(days.group(of: instant.attributeValue).id == "2006-10-29")
    }
    let before = try #require(Instant(iso8601: "2006-10-29T02:29:59Z"))
    #expect(days.group(of: before.attributeValue).id == "2006-10-28")
  }

  @Test(arguments: [
    "America/St_Johns", "Pacific/Apia", "Africa/Casablanca", "Europe/Dublin", "GMT",
  ])
  func `groups follow each other without gaps, for any instants`(zone: String) throws {
    let calendar = try calendar(zone)
    let groupings: [any SectionGrouping] = [
      CalendarGrouping(.day, calendar: calendar, locale: nil),
      CalendarGrouping(.month, calendar: calendar, locale: nil),
      CalendarGrouping(.year, calendar: calendar, locale: nil),
    ]
    var generator = SeededGenerator(seed: 11)
    for grouping in groupings {
      for _ in 0..<2_000 {
        // Most are between 1880 and 2100, some anywhere in the range of a stored integer.
        let wide = generator.happens(percent: 10)
        let range: ClosedRange<Int> =
          wide
          ? -9_000_000_000_000_000_000...9_000_000_000_000_000_000
          : -2_840_000_000_000_000...4_102_444_800_000_000
        let value = Int64(generator.number(in: range))
        let group = grouping.group(of: .integer(value))
        guard case .integer(let first) = group.first, case .integer(let next) = group.next else {
          Issue.record("\(value) has no extent, seed \(generator.seed)")
          continue
        }
        #expect(first <= value && value < next, "\(value), seed \(generator.seed)")
        #expect(grouping.group(of: .integer(first)) == group, "\(value), seed \(generator.seed)")
        #expect(grouping.group(of: .integer(next - 1)) == group, "\(value), seed \(generator.seed)")
        let after = grouping.group(of: .integer(next))
        #expect(
          after.first == group.next && after.id != group.id,
          "\(value), seed \(generator.seed)"
        )
      }
    }
  }

  @Test(arguments: [Int64.min, .min + 1, .max - 1, .max])
  func `no stored integer is too large to be in a day`(value: Int64) throws {
    let calendar = try calendar("Asia/Tokyo")
    let days = CalendarGrouping(.day, calendar: calendar, locale: Locale(identifier: "ja_JP"))
    let months = CalendarGrouping(.month, calendar: calendar, locale: Locale(identifier: "ja_JP"))
    let years = CalendarGrouping(.year, calendar: calendar, locale: Locale(identifier: "ja_JP"))
    for grouping in [days, months, years] {
      let group = grouping.group(of: .integer(value))
      #expect(group.id.text?.isEmpty == false)
      #expect(!grouping.title(of: group.id).isEmpty)
    }
  }

  @Test func `a row without a date has a separate group`() throws {
    let days = CalendarGrouping(.day, calendar: try calendar("GMT"), locale: nil)
    #expect(days.group(of: .null).id == .null)
    #expect(days.title(of: .null).isEmpty)
  }
}

/// A Gregorian calendar of a zone.
func calendar(
  _ zone: String,
  _ identifier: Calendar.Identifier = .gregorian
) throws -> Calendar {
  var calendar = Calendar(identifier: identifier)
  calendar.timeZone = try #require(TimeZone(identifier: zone))
  return calendar
}
