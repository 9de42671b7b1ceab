import Foundation
import FoundationAttributes
import ResultsDomain
import Testing

/// R15: periods around the present day, days with names, and the days of `today()`, in time zones.
@Suite struct PeriodGroupingTests {
  private func calendar(_ zone: String) throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    return calendar
  }

  private func instant(_ text: String) throws -> Instant { try #require(Instant(iso8601: text)) }

  private func value(_ text: String) throws -> Value { .integer(try instant(text).microseconds) }

  @Test(arguments: [
    ("2026-11-28T14:59:59Z", "overdue"), ("2026-11-28T15:00:00Z", "today"),
    ("2026-11-29T14:59:59Z", "today"), ("2026-11-29T15:00:00Z", "tomorrow"),
    ("2026-11-30T15:00:00Z", "week"), ("2026-12-05T14:59:59Z", "week"),
    ("2026-12-05T15:00:00Z", "later"), ("1900-01-01T00:00:00Z", "overdue"),
  ])
  func `R15: a date is in the period of its day in the time zone`(
    date: String,
    period: String
  ) throws {
    // It is the 29th in Tokyo already.
    let now = try instant("2026-11-28T20:00:00Z")
    let grouping = PeriodGrouping(.due, calendar: try calendar("Asia/Tokyo"), at: now)
    let group = grouping.group(of: try value(date))
    #expect(group.id == .text(period))
    let (first, next) = (try #require(group.first), try #require(group.next))
    #expect(Value.compare(first, try value(date)) != .descending)
    #expect(Value.compare(try value(date), next) == .ascending)
    #expect(grouping.group(of: first).id == group.id)
    if period != "later" { #expect(grouping.group(of: next).id != group.id) }
  }

  @Test func `R15: null and infinite dates have sections of their own`() throws {
    let grouping = PeriodGrouping(.recent, calendar: try calendar("GMT"))
    #expect(grouping.group(of: .null).id == .null)
    #expect(grouping.group(of: .integer(.max)).id == "infinity")
    #expect(grouping.group(of: .integer(.min)).id == "-infinity")
    #expect(grouping.group(of: .integer(.max - 1)).id == "upcoming")
    #expect(grouping.group(of: .integer(.min + 1)).id == "earlier")
    #expect(grouping.title(of: "week") == "Last 7 days")
  }

  @Test(arguments: [
    // An hour is skipped in the night, and one is repeated.
    ("Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
    ("Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
    // Midnight itself is skipped.
    ("America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
    ("Asia/Kathmandu", "2028-02-28T12:00:00Z", "2028-02-28T18:15:00Z", "2028-02-29T18:15:00Z"),
  ])
  func `R15: the next midnight is that of the time zone`(
    zone: String,
    now: String,
    next: String,
    after: String
  ) throws {
    let calendar = try calendar(zone)
    let grouping = PeriodGrouping(.due, calendar: calendar, at: try instant(now))
    let first = try #require(grouping.nextChange(after: try instant(now)))
    #expect(first == (try instant(next)))
    #expect(grouping.nextChange(after: first) == (try instant(after)))
    let days = CalendarDays(calendar)
    #expect(days.start(ofDay: 1, from: try instant(now)) == first)
    #expect(days.start(ofDay: 0, from: first) == first)
    #expect(days.start(ofDay: -1, from: first) == days.start(ofDay: 0, from: try instant(now)))
  }

  @Test func `R108: a day keeps its id, and is called by where it is from today`() throws {
    let zone = try calendar("Asia/Tokyo")
    let names = NamedDays(calendar: zone, locale: nil, at: try instant("2026-11-28T20:00:00Z"))
    func titles(_ grouping: any SectionGrouping) throws -> [String] {
      try ["2026-11-27", "2026-11-28", "2026-11-29", "2026-11-30"].map {
        let id = grouping.group(of: try value("\($0)T03:00:00Z")).id
        #expect(id == .text($0))
        return grouping.title(of: id)
      }
    }
    #expect(try titles(names) == ["2026-11-27", "Yesterday", "Today", "Tomorrow"])
    let next = names.resolved(
      at: try #require(names.nextChange(after: instant("2026-11-28T20:00:00Z")))
    )
    #expect(try titles(next) == ["2026-11-27", "2026-11-28", "Yesterday", "Today"])
    #expect(next.groupingIdentity == names.groupingIdentity)
    #expect(next.titleIdentity != names.titleIdentity)
  }

  @Test func `R15: the groups are others on another day, and the same on the same day`() throws {
    let grouping = PeriodGrouping(
      .due,
      calendar: try calendar("GMT"),
      at: try instant("2026-11-28T20:00:00Z")
    )
    #expect(
      grouping.resolved(at: try instant("2026-11-28T23:59:59Z")).groupingIdentity
        == grouping.groupingIdentity
    )
    let next = grouping.resolved(at: try instant("2026-11-29T00:00:00Z"))
    #expect(next.groupingIdentity != grouping.groupingIdentity)
    #expect(next.group(of: try value("2026-11-29T12:00:00Z")).id == "today")
  }

  @Test func `R15: days beyond 64 bits are the first and the last instant`() throws {
    let days = CalendarDays(try calendar("GMT"))
    #expect(days.start(ofDay: .max, from: .infinity) == .infinity)
    #expect(days.start(ofDay: .min, from: .negativeInfinity) == .negativeInfinity)
    #expect(days.start(ofDay: .min, from: try instant("1970-01-01T00:00:00Z")) == .negativeInfinity)
    #expect(days.start(ofDay: 200_000_000, from: try instant("2026-11-28T20:00:00Z")) == .infinity)
  }

  @Test func `R15: the clock of the system shows the time, and ends a sleep at once that is over`()
    async throws
  {
    let clock = SystemWallClock.shared
    let before = clock.now
    try await clock.sleep(until: before)
    try await clock.sleep(until: Instant(microseconds: before.microseconds + 20_000))
    #expect(clock.now.microseconds >= before.microseconds + 20_000)
  }
}
