public import ResultsDomain
import ResultsPresentation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The ledger under two locales, across a time zone, and with the order that is refused, told as it happens.
public enum HouseholdLedgerStory {
  /// Plays the story on a store that holds no movement yet.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`, or what the closure throws.
  public static func tell(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let ledger = HouseholdLedger(store)
    let list = ledger.transactions(calendar: tokyo, locale: japanese)
    try print(
      "A household's ledger: newest first, a section a day, titles in the reader's language.\n"
    )
    try print(
      "1. Five transactions in Tokyo. A day's title is computed from its date and never stored."
    )
    try await store.write { transaction in
      for movement in movements { try transaction.insert(movement) }
    }
    try await list.performFetch()
    var teller = await ResultsNarrator(list, text: text, print: print)
    try teller.list()
    try await changeReader(list, &teller, print)
    try await changeOrder(list, &teller, print)
    list.cancel()
    try sum(in: store, print)
    try await follow(in: store, print)
  }

  private static func changeReader(
    _ list: FetchedResultsController<Transaction>,
    _ teller: inout ResultsNarrator<Transaction>,
    _ print: (String) throws -> Void
  ) async throws {
    try print(
      "2. The reader changes the region. Old lists kept old titles beside new ones, because their cache did"
    )
    try print("   not know the locale: \(mixed(list)).")
    try print("   Here the locale is part of the sections: every title changes, and no row moves.")
    try await list.update {
      $0.sectionKey = HouseholdLedger.days(calendar: tokyo, locale: american)
    }
    try await teller.change()

    try print("3. Years can be counted in another calendar. Again only titles change.")
    try await list.update {
      $0.sectionKey = HouseholdLedger.days(calendar: imperial, locale: japanese)
    }
    try await teller.change()

    try print(
      "4. The reader flies to New York, where all of it happened the evening before. A time zone may move"
    )
    try print("   rows to other days: an ordinary change.")
    try await list.update {
      $0.sectionKey = HouseholdLedger.days(calendar: newYork, locale: american)
    }
    try await teller.change()
    try teller.list()
  }

  private static func changeOrder(
    _ list: FetchedResultsController<Transaction>,
    _ teller: inout ResultsNarrator<Transaction>,
    _ print: (String) throws -> Void
  ) async throws {
    try print(
      "5. The largest amounts first, but still by day? Days would come back again and again, so it is refused,"
    )
    try print("   whatever the data, and what was shown stays:")
    do {
      try await list.update { $0.request.sortDescriptors = [.ascending("amount")] }
    } catch {
      try print("     ! \(error)")
    }
    try print("     still shown: \(list.sections.map(\.title).joined(separator: ", "))\n")

    try print("6. The first remedy, no sections: the same order is fine.")
    try await list.update {
      $0.sectionKey = nil
      $0.request.sortDescriptors = [.ascending("amount")]
    }
    try await teller.change()
    try teller.list()

    try print("7. The second remedy, date first: the largest amounts first within each day.")
    try await list.update {
      $0.sectionKey = HouseholdLedger.days(calendar: tokyo, locale: japanese)
      $0.request.sortDescriptors = [.descending("date"), .ascending("amount")]
    }
    try await teller.change()
    try teller.list()
  }

  private static func sum(in store: any Store, _ print: (String) throws -> Void) throws {
    try print("8. Sums are exact, to the last place:")
    let months = MonthGrouping(calendar: tokyo, locale: japanese)
    for (title, grouping) in [
      ("by category", LedgerTotals.Grouping.category), ("by month", .date(months)),
    ] {
      let totals = try store.read { (snapshot) throws(StoreError) in
        Result { try LedgerTotals(by: grouping, in: snapshot) }
      }.get()
      try print("     \(title)")
      for line in totals.lines { try print("       \(line.title): \(line.sum) (\(line.count))") }
      if case .date = grouping { try print("     balance: \(totals.balance)") }
    }
  }

  private static func follow(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try print(
      "\n9. And they are live: a list in sections by month carries the sum of each in its header."
    )
    var definition = HouseholdLedger.definition(
      Transaction.self,
      calendar: tokyo,
      locale: japanese
    )
    definition.sectionKey = HouseholdLedger.months(calendar: tokyo, locale: japanese)
    definition.aggregates = [HouseholdLedger.sum, SectionAggregate("lowest", .minimum("amount"))]
    definition.cacheName = nil
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    var teller = await ResultsNarrator(list, text: text, print: print)
    try teller.list()
    try print(
      "   A transaction of the month before, and the rent is paid back: the headers change with them."
    )
    try await store.write { transaction in
      try transaction.insert(movement("2026-10-31", -1_000_00, "本屋", "教養"))
      let rent = FetchPredicate.comparison(
        .attribute("category"),
        .equal,
        .literal(.text("住居費"))
      )
      var request = HouseholdLedger.request(ObjectID.self)
      request.predicate = rent
      for id in try transaction.fetch(request) {
        try transaction.delete(id, of: Transaction.entity)
      }
    }
    try await teller.change()
    try print("     in all: \(try list.results.aggregates)")
    list.cancel()
  }

  private static func text(_ transaction: Transaction) -> String {
    "\(transaction.amount) \(transaction.payee) (\(transaction.category))"
  }

  /// What a list would show that kept the title of its first day and made the others anew.
  private static func mixed(_ list: FetchedResultsController<Transaction>) -> String {
    let english = DayGrouping(calendar: tokyo, locale: american)
    let others = list.sections.dropFirst().map { english.title(of: $0.id.value) }
    return (list.sections.prefix(1).map(\.title) + others).joined(separator: ", ")
  }

  private static let japanese = Locale(identifier: "ja_JP")
  private static let american = Locale(identifier: "en_US")
  private static let tokyo = calendar(.gregorian, "Asia/Tokyo")
  private static let imperial = calendar(.japanese, "Asia/Tokyo")
  private static let newYork = calendar(.gregorian, "America/New_York")

  private static func calendar(_ identifier: Calendar.Identifier, _ zone: String) -> Calendar {
    var calendar = Calendar(identifier: identifier)
    calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
    return calendar
  }

  /// Movements at nine in the morning of a day in Tokyo: midnight in London, the evening before in New York.
  private static let movements: [Transaction] = [
    movement("2026-11-01", -88_000_00, "大家さん", "住居費"),
    movement("2026-11-03", 285_000_00, "会社", "収入"),
    movement("2026-11-03", -620_00, "Cafe Übersee", "交際費"),
    movement("2026-11-05", -3_480_00, "スーパー 丸正", "食費"),
    movement("2026-11-05", -1_290_50, "ドラッグストア", "日用品"),
  ]

  private static func movement(
    _ day: String,
    _ units: Int64,
    _ payee: String,
    _ category: String
  ) -> Transaction {
    Transaction(
      date: Instant(iso8601: "\(day)T00:00:00Z") ?? Instant(microseconds: 0),
      amount: ExactDecimal(units: units, scale: Transaction.scale),
      payee: payee,
      category: category
    )
  }
}
