import CommandLineFrontEnd
import Foundation
import FoundationAttributes
import HouseholdLedger
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// A story: a ledger in two locales, three calendars and two time zones, with an order that is refused.
enum HouseholdLedgerStory {
  /// Plays the story on a store without transactions.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`, or what the closure throws.
  static func play(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let ledger = HouseholdLedger(store)
    let list = ledger.transactions(
      sectionedBy: .calendar(.day, of: "date", in: tokyo, locale: japanese)
    )
    try print(
      "A household ledger: newest first, one section per day, titles in the user's language.\n"
    )
    try print(
      "1. Five transactions in Tokyo. The title of a day is computed from its date and never stored."
    )
    try await store.write { transaction in
      for entry in entries { try transaction.insert(entry) }
    }
    try await list.performFetch()
    var narrator = await ResultsNarrator(list, text: text, print: print)
    try narrator.printList()
    try await changeLocale(list, &narrator, print)
    try await changeOrder(list, &narrator, print)
    list.cancel()
    try sum(in: store, print)
    try await follow(in: store, print)
  }

  private static func changeLocale(
    _ list: FetchedResultsController<Transaction>,
    _ narrator: inout ResultsNarrator<Transaction>,
    _ print: (String) throws -> Void
  ) async throws {
    try print(
      "2. The user changes the region. A list whose cache ignores the locale shows old titles beside new ones:"
    )
    try print("   \(mixed(list)).")
    try print(
      "   Here the locale is part of the section key: every title changes, and no row moves."
    )
    try await list.update {
      $0.sectionKey = .calendar(.day, of: "date", in: tokyo, locale: american)
    }
    try await narrator.printChanges()

    try print("3. Years can be counted in another calendar. Again, only titles change.")
    try await list.update {
      $0.sectionKey = .calendar(.day, of: "date", in: imperial, locale: japanese)
    }
    try await narrator.printChanges()

    try print(
      "4. The user flies to New York, where all of this happened the evening before. Another time zone may"
    )
    try print("   move rows to other days: an ordinary change.")
    try await list.update {
      $0.sectionKey = .calendar(.day, of: "date", in: newYork, locale: american)
    }
    try await narrator.printChanges()
    try narrator.printList()
  }

  private static func changeOrder(
    _ list: FetchedResultsController<Transaction>,
    _ narrator: inout ResultsNarrator<Transaction>,
    _ print: (String) throws -> Void
  ) async throws {
    try print(
      "5. Sort by amount, but still by day? The rows of one day would not stand together, so this is refused,"
    )
    try print("   whatever the data, and the list stays as it was:")
    do {
      try await list.update { $0.request.sortDescriptors = [.ascending("amount")] }
    } catch {
      try print("     ! \(error)")
    }
    try print("     still shown: \(list.sections.map(\.title).joined(separator: ", "))\n")

    try print("6. The first remedy is a list without sections: there, the same order is fine.")
    try await list.update {
      $0.sectionKey = nil
      $0.request.sortDescriptors = [.ascending("amount")]
    }
    try await narrator.printChanges()
    try narrator.printList()

    try print(
      "7. The second remedy is to sort by date first: amounts are in order within each day."
    )
    try await list.update {
      $0.sectionKey = .calendar(.day, of: "date", in: tokyo, locale: japanese)
      $0.request.sortDescriptors = [.descending("date"), .ascending("amount")]
    }
    try await narrator.printChanges()
    try narrator.printList()
  }

  private static func sum(in store: any Store, _ print: (String) throws -> Void) throws {
    try print("8. Sums are exact to the last decimal place:")
    let months = CalendarGrouping(.month, calendar: tokyo, locale: japanese)
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
      "\n9. And they are live: in a list by month, the header of each section carries its sum."
    )
    var definition = HouseholdLedger.definition(
      Transaction.self,
      sectionedBy: .calendar(.month, of: "date", in: tokyo, locale: japanese)
    )
    definition.aggregates = [HouseholdLedger.sum, SectionAggregate("lowest", .minimum("amount"))]
    definition.cacheName = nil
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    var narrator = await ResultsNarrator(list, text: text, print: print)
    try narrator.printList()
    try print(
      "   A transaction in the previous month is added, and the rent is deleted: the sums change with them."
    )
    try await store.write { transaction in
      try transaction.insert(entry("2026-10-31", -1_000_00, "本屋", "教養"))
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
    try await narrator.printChanges()
    try print("     total: \(try list.results.aggregates)")
    list.cancel()
  }

  private static func text(_ transaction: Transaction) -> String {
    "\(transaction.amount) \(transaction.payee) (\(transaction.category))"
  }

  /// The titles of a list that takes the first one from an old cache and computes the others.
  private static func mixed(_ list: FetchedResultsController<Transaction>) -> String {
    let english = CalendarGrouping(.day, calendar: tokyo, locale: american)
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

  /// Transactions at nine in the morning in Tokyo: midnight in London, the evening before in New York.
  private static let entries: [Transaction] = [
    entry("2026-11-01", -88_000_00, "大家さん", "住居費"),
    entry("2026-11-03", 285_000_00, "会社", "収入"),
    entry("2026-11-03", -620_00, "Cafe Übersee", "交際費"),
    entry("2026-11-05", -3_480_00, "スーパー 丸正", "食費"),
    entry("2026-11-05", -1_290_50, "ドラッグストア", "日用品"),
  ]

  private static func entry(
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
