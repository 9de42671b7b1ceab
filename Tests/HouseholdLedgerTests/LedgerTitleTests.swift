import Foundation
import FoundationAttributes
import HouseholdLedger
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
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
    let days = CalendarGrouping(.day, calendar: calendar, locale: locale)
    let months = CalendarGrouping(.month, calendar: calendar, locale: locale)
    #expect(days.group(of: instant).id == "2026-11-03")
    #expect(days.title(of: "2026-11-03") == day)
    #expect(months.title(of: months.group(of: instant).id) == month)
  }

  @Test func `the identities include everything that titles and days depend on`() throws {
    let tokyo = try calendar("Asia/Tokyo")
    let japanese = CalendarGrouping(.day, calendar: tokyo, locale: Locale(identifier: "ja_JP"))
    let american = CalendarGrouping(.day, calendar: tokyo, locale: Locale(identifier: "en_US"))
    let imperial = CalendarGrouping(
      .day,
      calendar: try calendar("Asia/Tokyo", .japanese),
      locale: Locale(identifier: "ja_JP")
    )
    let paris = CalendarGrouping(
      .day,
      calendar: try calendar("Europe/Paris"),
      locale: Locale(identifier: "ja_JP")
    )
    #expect(japanese.titleIdentity != american.titleIdentity)
    #expect(japanese.titleIdentity != imperial.titleIdentity)
    #expect(japanese.groupingIdentity == american.groupingIdentity)
    #expect(japanese.groupingIdentity != paris.groupingIdentity)
    #expect(
      CalendarGrouping(.month, calendar: tokyo, locale: nil).groupingIdentity
        != japanese.groupingIdentity
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
      $0.sectionKey = .calendar(
        .day,
        of: "date",
        in: calendar,
        locale: Locale(identifier: "en_US")
      )
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
    try await list.update { $0.sectionKey = .calendar(.day, of: "date", in: calendar, locale: nil) }
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
    for entities in [store, try InMemoryStore(entities: HouseholdLedger.entities)] {
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
    let store = try InMemoryStore(entities: HouseholdLedger.entities)
    try await store.write { transaction in
      // Nine in the morning in Tokyo, the evening before in New York.
      for (date, units) in [("2026-11-01", -100), ("2026-11-03", 250), ("2026-11-03", -50)] {
        try transaction.insert(movement("\(date)T00:00:00Z", Int64(units)))
      }
    }
    let list = HouseholdLedger(store).transactions(
      sectionedBy: .calendar(
        .day,
        of: "date",
        in: try calendar("Asia/Tokyo"),
        locale: Locale(identifier: "ja_JP")
      )
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

/// A Gregorian calendar of a zone.
func calendar(
  _ zone: String,
  _ identifier: Calendar.Identifier = .gregorian
) throws -> Calendar {
  var calendar = Calendar(identifier: identifier)
  calendar.timeZone = try #require(TimeZone(identifier: zone))
  return calendar
}
