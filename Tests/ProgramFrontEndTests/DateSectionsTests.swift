import Foundation
import FoundationAttributes
import ResultsDomain
import Testing

@testable import ProgramFrontEnd

/// Names in `--section-by` that divide dates by days, months or years.
@Suite struct DateSectionsTests {
  @Test func `a unit and a name are parsed, and other names are not`() {
    #expect(DateSections.parts(of: "day(added)")?.rule == .unit(.day))
    #expect(DateSections.parts(of: "week(added)")?.rule == .unit(.week))
    #expect(DateSections.parts(of: "due(added)")?.rule == .periods("due", .due))
    #expect(DateSections.parts(of: "Recent(added)")?.rule == .periods("recent", .recent))
    #expect(DateSections.parts(of: "Month( order.date )")?.name == "order.date")
    for text in ["day", "day(added", "decade(added)", "(added)", ""] {
      #expect(DateSections.parts(of: text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    (CalendarGrouping.Unit.day, "2026-11-03"), (.month, "2026-11"), (.year, "2026"),
  ])
  func `R102: an instant belongs to the part of its date`(
    _ unit: CalendarGrouping.Unit,
    _ id: String
  ) throws {
    let key = try key(unit, .machine)
    let grouping = try grouping(of: key)
    let instant = try #require(Instant(iso8601: "2026-11-03T23:59:59Z"))
    #expect(grouping.group(of: .integer(instant.microseconds)).id == .text(id))
    let day = try #require(Instant(plainText: "2026-11-03"))
    #expect(grouping.group(of: .integer(day.microseconds)).id == .text(id))
    #expect(grouping.group(of: .null).id == .null)
    #expect(key.title(of: .text(id)) == id)
    #expect(key.title(of: .text("")) == "no date")
    #expect(key.contiguity == .merge)
  }

  @Test func `R15: an instant belongs to its period around today`() throws {
    let date = AttributeDescription("added", .date)
    let key = try DateSections.key(
      .periods("due", .due),
      of: "added",
      .attribute("added"),
      date,
      for: .machine
    )
    let grouping = try grouping(of: key)
    #expect(grouping.group(of: .integer(Instant.now.microseconds)).id == "today")
    #expect(key.title(of: "overdue") == "Overdue")
    #expect(key.title(of: .text("")) == "no date")
  }

  private func key(
    _ unit: CalendarGrouping.Unit,
    _ settings: LocaleSettings
  ) throws -> SectionKey {
    let date = AttributeDescription("added", .date)
    return try DateSections.key(.unit(unit), of: "added", .attribute("added"), date, for: settings)
  }

  private func grouping(of key: SectionKey) throws -> any SectionGrouping {
    guard case .transient("added", let grouping) = key.source else { throw NoGrouping() }
    return grouping
  }

  private struct NoGrouping: Error {}

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
    let grouping = try grouping(of: key(.day, settings))
    let instant = try #require(Instant(iso8601: "2026-11-03T12:00:00Z"))
    #expect(grouping.group(of: .integer(instant.microseconds)).id == .text(id))
    let day = try #require(Instant(plainText: "2026-11-03"))
    #expect(grouping.group(of: .integer(day.microseconds)).id == .text("2026-11-03"))
  }
}
