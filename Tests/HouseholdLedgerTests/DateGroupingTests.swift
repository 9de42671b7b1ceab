import FoundationEssentials
import HouseholdLedger
import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import ResultsTesting
import Testing

/// R05: id, order and title of a day are independent, and only the title depends on the locale.
@Suite struct LedgerTitleTests {
  @Test(arguments: [
    (nil, Calendar.Identifier.gregorian, "2026-11-03", "2026-11"),
    ("ja_JP", .gregorian, "2026/11/3", "2026年11月"),
    ("en_US", .gregorian, "11/3/2026", "November 2026"),
    ("de_DE", .gregorian, "3.11.2026", "November 2026"),
    ("ja_JP", .japanese, "R8/11/03", "令和8年11月"),
  ])
  func `titles have the short form of the locale, ids are the same in every locale`(
    locale: String?,
    identifier: Calendar.Identifier,
    day: String,
    month: String
  ) throws {
    let calendar = try calendar("Asia/Tokyo", identifier)
    let locale = locale.map(Locale.init(identifier:))
    let instant = try #require(Instant(iso8601: "2026-11-02T15:00:00Z")).attributeValue
    let days = DayGrouping(calendar: calendar, locale: locale)
    let months = MonthGrouping(calendar: calendar, locale: locale)
    #expect(days.group(of: instant).id == "2026-11-03")
    #expect(days.title(of: "2026-11-03") == day)
    #expect(months.title(of: months.group(of: instant).id) == month)
  }

  @Test func `the identities include everything that titles and days depend on`() throws {
    let tokyo = try calendar("Asia/Tokyo")
    let japanese = DayGrouping(calendar: tokyo, locale: Locale(identifier: "ja_JP"))
    let american = DayGrouping(calendar: tokyo, locale: Locale(identifier: "en_US"))
    let imperial = DayGrouping(
      calendar: try calendar("Asia/Tokyo", .japanese),
      locale: Locale(identifier: "ja_JP")
    )
    let paris = DayGrouping(
      calendar: try calendar("Europe/Paris"),
      locale: Locale(identifier: "ja_JP")
    )
    #expect(japanese.titleIdentity != american.titleIdentity)
    #expect(japanese.titleIdentity != imperial.titleIdentity)
    #expect(japanese.groupingIdentity == american.groupingIdentity)
    #expect(japanese.groupingIdentity != paris.groupingIdentity)
    #expect(
      MonthGrouping(calendar: tokyo, locale: nil).groupingIdentity != japanese.groupingIdentity
    )
  }

  @Test func `another locale on a live list changes all titles and nothing else (R05, R30, N33)`()
    async throws
  {
    let (store, list) = try await ledger()
    let ids = list.sections.map(\.id)
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    let calendar = try calendar("Asia/Tokyo")
    try await list.update {
      $0.sectionKey = HouseholdLedger.days(calendar: calendar, locale: Locale(identifier: "en_US"))
    }
    let change = try await change(of: list, &events)
    #expect(change.delta.rows.isEmpty)
    #expect(change.delta.sections.updates.count == 2)
    #expect(change.delta.sections.inserts.isEmpty && change.delta.sections.deletes.isEmpty)
    #expect(change.delta.cause == .locale)
    #expect(list.sections.map(\.id) == ids)
    #expect(list.sections.map(\.title) == ["11/3/2026", "11/1/2026"])
    // Titles that are cached by section position would mix two forms of a date.
    try store.commit(origin: .unnamed) {
      try $0.insert(movement("2026-11-05T00:00:00Z", 1))
    }
    try await list.refresh()
    #expect(list.sections.map(\.title) == ["11/5/2026", "11/3/2026", "11/1/2026"])
  }

  @Test func `another time zone moves rows in an ordinary delta (R16, R26)`() async throws {
    let (_, list) = try await ledger()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    let calendar = try calendar("America/New_York")
    try await list.update { $0.sectionKey = HouseholdLedger.days(calendar: calendar, locale: nil) }
    let change = try await change(of: list, &events)
    try change.delta.verify(
      from: change.before.snapshot.content,
      to: change.after.snapshot.content
    )
    #expect(list.sections.map(\.title) == ["2026-11-02", "2026-10-31"])
  }

  @Test func `sections by day refuse another primary sort order, on any data (R03)`() async throws {
    let (store, list) = try await ledger()
    var definition = list.definition
    definition.request.sortDescriptors = [.ascending("amount"), .descending("date")]
    for entities in [store, try InMemoryStore(entities: [Transaction.entity])] {
      let refused = FetchedResultsController(definition, in: entities)
      let error = await #expect(throws: StoreError.self) { try await refused.performFetch() }
      guard case .request(.transientSectionNotFirst("date", "amount", _)) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      let text = try #require(error).description
      #expect(text.contains("Sort by date first") && text.contains("without sections"))
    }
    definition.sectionKey = nil
    let plain = FetchedResultsController(definition, in: store)
    try await plain.performFetch()
    #expect(plain.sections.map(\.count) == [3])
  }

  @Test
  func
    `R191: the error names two rows of a day that are not adjacent, or says that there are none`()
    async throws
  {
    let (store, list) = try await ledger()
    var definition = list.definition
    definition.request.sortDescriptors = [.ascending("amount")]
    // -1.00 on the first, then -0.50 and 2.50 on the third: the rows of each day are adjacent.
    #expect(try await refusedRows(definition, store) == [])
    // 1.00 on the first is sorted between those of the third.
    try store.commit(origin: .unnamed) {
      try $0.insert(movement("2026-11-01T00:00:00Z", 100))
    }
    let rows = try await refusedRows(definition, store)
    #expect(rows.map(\.key) == [.integer(1), .integer(4)])
  }

  private func refusedRows(
    _ definition: ResultsDefinition<Transaction>,
    _ store: any Store
  ) async throws -> [ObjectID] {
    let refused = FetchedResultsController(definition, in: store)
    let error = await #expect(throws: StoreError.self) { try await refused.performFetch() }
    guard case .request(.transientSectionNotFirst(_, _, let rows)) = try #require(error) else {
      throw NoChange()
    }
    let text = try #require(error).description
    let found = try #require(rows)
    if found.count == 2 {
      #expect(text.contains("not adjacent (such as \(found[0]) and \(found[1]))"))
    } else {
      #expect(text.contains("not adjacent (at present they are, but any change can separate them)"))
    }
    return found
  }

  private func ledger() async throws -> (
    any Store, FetchedResultsController<Transaction>
  ) {
    let store = try InMemoryStore(entities: [Transaction.entity])
    try await store.write { transaction in
      // Nine in the morning in Tokyo, the evening before in New York.
      for (date, units) in [("2026-11-01", -100), ("2026-11-03", 250), ("2026-11-03", -50)] {
        try transaction.insert(movement("\(date)T00:00:00Z", Int64(units)))
      }
    }
    let list = HouseholdLedger(store).transactions(
      calendar: try calendar("Asia/Tokyo"),
      locale: Locale(identifier: "ja_JP")
    )
    try await list.performFetch()
    return (store, list)
  }

  private func change(
    of list: FetchedResultsController<Transaction>,
    _ events: inout ResultsChanges<Transaction>.AsyncIterator
  ) async throws -> ResultsChange<Transaction> {
    guard try list.results.generation == 2, case .change(let change) = await events.next() else {
      throw NoChange()
    }
    return change
  }

  private struct NoChange: Error {}
}

/// A transaction of an amount at an instant.
func movement(_ date: String, _ units: Int64, category: String = "c") throws -> Transaction {
  Transaction(
    date: try #require(Instant(iso8601: date)),
    amount: ExactDecimal(units: units, scale: Transaction.scale),
    payee: "p",
    category: category
  )
}

/// R03, R15 and "Settled": the day of an instant is the last day that has begun.
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

  @Test(arguments: turns)
  func `every minute around a clock change is in the last day that has begun`(
    zone: String,
    around: String
  ) throws {
    let calendar = try calendar(zone)
    let days = DayGrouping(calendar: calendar, locale: nil)
    let months = MonthGrouping(calendar: calendar, locale: nil)
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
    }
  }

  @Test func `the repeated minutes in St John's belong to the day that had begun`() throws {
    let days = DayGrouping(calendar: try calendar("America/St_Johns"), locale: nil)
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
      DayGrouping(calendar: calendar, locale: nil), MonthGrouping(calendar: calendar, locale: nil),
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
    let days = DayGrouping(calendar: calendar, locale: Locale(identifier: "ja_JP"))
    let months = MonthGrouping(calendar: calendar, locale: Locale(identifier: "ja_JP"))
    for grouping in [days, months] as [any SectionGrouping] {
      let group = grouping.group(of: .integer(value))
      #expect(group.id.text?.isEmpty == false)
      #expect(!grouping.title(of: group.id).isEmpty)
    }
  }

  @Test func `a row without a date has a separate group`() throws {
    let days = DayGrouping(calendar: try calendar("GMT"), locale: nil)
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
