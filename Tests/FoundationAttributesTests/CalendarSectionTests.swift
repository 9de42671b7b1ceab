import Foundation
import FoundationAttributes
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@Suite struct CalendarSectionTests {
  private struct Note: Entity {
    var id: Int64?
    var written = Date(timeIntervalSince1970: 0)
    var printed: Date?

    static let schema = EntitySchema<Note>("Note", identity: \.id) {
      Attribute(\.written, "written")
      Attribute(\.printed, "printed", as: .dateText(digits: 0))
    }
  }

  /// Every hour from one evening to another.
  private static func store(
    from first: String,
    to last: String
  ) throws -> InMemoryStore {
    let store = try InMemoryStore(entities: [Note.entity])
    let start = try #require(Instant(iso8601: first)).microseconds / 1_000_000
    let end = try #require(Instant(iso8601: last)).microseconds / 1_000_000
    try store.write { transaction in
      for second in stride(from: start, through: end, by: 3600) {
        let date = Date(timeIntervalSince1970: Double(second))
        try transaction.insert(Note(written: date, printed: date))
      }
    }
    return store
  }

  private func sections(
    _ unit: CalendarGrouping.Unit,
    _ zone: String,
    _ store: InMemoryStore,
    locale: String? = nil
  ) async throws -> [String] {
    let calendar = try calendar(zone)
    let locale = locale.map(Locale.init(identifier:))
    let list = FetchedResultsController(
      FetchRequest<Note>(sortedBy: [.ascending(\.written)]),
      sectionedBy: .calendar(unit, of: \.written, in: calendar, locale: locale),
      in: store
    )
    try await list.performFetch()
    return list.sections.map { "\($0.title): \($0.count)" }
  }

  @Test(arguments: [
    // Clocks go forward by an hour, back by an hour, and a day that Samoa skipped.
    (
      "Europe/Berlin", "2026-03-28T12:00:00Z",
      ["2026-03-28: 11", "2026-03-29: 23", "2026-03-30: 15"]
    ),
    (
      "Europe/Berlin", "2026-10-24T12:00:00Z",
      ["2026-10-24: 10", "2026-10-25: 25", "2026-10-26: 14"]
    ),
    (
      "America/New_York", "2026-10-31T12:00:00Z",
      ["2026-10-31: 16", "2026-11-01: 25", "2026-11-02: 8"]
    ),
    (
      "Pacific/Apia", "2011-12-29T12:00:00Z", ["2011-12-29: 22", "2011-12-31: 24", "2012-01-01: 3"]
    ),
  ])
  func `R205: a day has all its hours when clocks change`(
    zone: String,
    first: String,
    expected: [String]
  ) async throws {
    let start = try #require(Instant(iso8601: first)).microseconds
    let last = Instant(microseconds: start + 48 * 3_600_000_000).iso8601
    let store = try Self.store(from: first, to: last)
    #expect(try await sections(.day, zone, store) == expected)
  }

  @Test(
    arguments: [
      (CalendarGrouping.Unit.month, nil, ["2025-12: 13", "2026-01: 12"]),
      (.year, nil, ["2025: 13", "2026: 12"]),
      (.week, "de_DE", ["2026-W01: 25"]),
      (.month, "en_US", ["December 2025: 13", "January 2026: 12"]),
      (.year, "ja_JP", ["2025年: 13", "2026年: 12"]),
      (.day, "de_DE", ["31.12.2025: 13", "1.1.2026: 12"]),
    ] as [(CalendarGrouping.Unit, String?, [String])]
  )
  func `R205: weeks, months and years consist of the days of the zone, with titles in a locale`(
    unit: CalendarGrouping.Unit,
    locale: String?,
    expected: [String]
  ) async throws {
    let store = try Self.store(from: "2025-12-31T02:00:00Z", to: "2026-01-01T02:00:00Z")
    #expect(try await sections(unit, "Asia/Tokyo", store, locale: locale) == expected)
  }

  @Test(
    arguments: [CalendarGrouping.Unit.day, .week, .month, .year],
    ["Asia/Tokyo", "Europe/Berlin"]
  )
  func `R263: infinite dates have sections of their own, the last dates before them too`(
    unit: CalendarGrouping.Unit,
    zone: String
  ) throws {
    let grouping = CalendarGrouping(
      unit,
      calendar: try calendar(zone),
      locale: Locale(identifier: "de_DE")
    )
    for (value, text) in [(Int64.min, "-infinity"), (.max, "infinity")] {
      let group = grouping.group(of: .integer(value))
      #expect(group == SectionGroup(id: .text(text)))
      #expect(grouping.title(of: group.id) == text)
    }
    let (first, last) = (
      grouping.group(of: .integer(.min + 1)), grouping.group(of: .integer(.max - 1))
    )
    #expect(first.first == .integer(.min + 1))
    #expect(last.next == .integer(.max))
  }

  @Test func `R205: another time zone or locale of a live list is an ordinary change`() async throws
  {
    let store = try Self.store(from: "2026-11-01T21:00:00Z", to: "2026-11-02T02:00:00Z")
    let tokyo = try calendar("Asia/Tokyo")
    let list = FetchedResultsController(
      FetchRequest<Note>(sortedBy: [.descending(\.written)]),
      sectionedBy: .calendar(.day, of: \.written, in: tokyo, locale: nil),
      in: store
    )
    try await list.performFetch()
    #expect(list.sections.map(\.title) == ["2026-11-02"])
    for (zone, expected) in [
      ("Europe/Berlin", ["2026-11-02", "2026-11-01"]), ("America/New_York", ["2026-11-01"]),
    ] {
      var events = list.changes.makeAsyncIterator()
      _ = await events.next()
      let calendar = try calendar(zone)
      try await list.update {
        $0.sectionKey = .calendar(.day, of: "written", in: calendar, locale: nil)
      }
      guard case .change(let change) = await events.next() else {
        Issue.record("no change for \(zone)")
        return
      }
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      #expect(list.sections.map(\.title) == expected)
    }
  }

  @Test func `R205: dates in the form of another application are divided by the same days`()
    async throws
  {
    let store = try Self.store(from: "2026-10-24T12:00:00Z", to: "2026-10-26T12:00:00Z")
    let berlin = try calendar("Europe/Berlin")
    let list = FetchedResultsController(
      FetchRequest<Note>(sortedBy: [.ascending(\.printed)]),
      sectionedBy: .calendar(.day, of: \.printed, in: berlin, locale: nil),
      in: store
    )
    try await list.performFetch()
    #expect(list.sections.map(\.count) == [10, 25, 14])
  }

  @Test func `R205: sections are merged only where a date without a time can stand apart`() throws {
    for (zone, contiguity) in [
      ("Europe/Berlin", SectionContiguity.error), ("Asia/Tokyo", .error),
      ("Pacific/Pago_Pago", .merge),
    ] {
      let key = SectionKey.calendar(.day, of: "written", in: try calendar(zone), locale: nil)
      #expect(key.contiguity == contiguity, "\(zone)")
    }
  }
}
