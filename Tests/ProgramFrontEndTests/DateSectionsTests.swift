import Foundation
import ResultsDomain
import Testing

@testable import ProgramFrontEnd

/// Names in `--section-by` that divide dates by days, months or years.
@Suite struct DateSectionsTests {
  @Test func `a unit and a name are parsed, and other names are not`() {
    #expect(DateSections.parts(of: "day(added)")?.unit == .day)
    #expect(DateSections.parts(of: "Month( order.date )")?.name == "order.date")
    for text in ["day", "day(added", "week(added)", "(added)", ""] {
      #expect(DateSections.parts(of: text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    (DateSections.Unit.day, "2026-11-03"), (.month, "2026-11"), (.year, "2026"),
  ])
  func `R102: an instant belongs to the part of its date`(
    _ unit: DateSections.Unit,
    _ id: String
  ) throws {
    let grouping = CalendarGrouping(unit, .machine)
    let instant = try #require(Instant(iso8601: "2026-11-03T23:59:59Z"))
    #expect(grouping.group(of: .integer(instant.microseconds)).id == .text(id))
    let day = try #require(Instant(plainText: "2026-11-03"))
    #expect(grouping.group(of: .integer(day.microseconds)).id == .text(id))
    #expect(grouping.group(of: .null).id == .null)
    #expect(grouping.title(of: .text(id)) == id)
    #expect(grouping.title(of: .text("")) == "no date")
  }

  @Test(arguments: [
    ("Pacific/Kiritimati", "2026-11-04"), ("Pacific/Pago_Pago", "2026-11-03"),
    ("GMT", "2026-11-03"),
  ])
  func `R102: an instant belongs to the day of the time zone, and a day to itself`(
    _ zone: String,
    _ id: String
  ) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    let settings = LocaleSettings(locale: nil, amountLocale: nil, calendar: calendar)
    let grouping = CalendarGrouping(.day, settings)
    let instant = try #require(Instant(iso8601: "2026-11-03T12:00:00Z"))
    #expect(grouping.group(of: .integer(instant.microseconds)).id == .text(id))
    let day = try #require(Instant(plainText: "2026-11-03"))
    #expect(grouping.group(of: .integer(day.microseconds)).id == .text("2026-11-03"))
  }
}
