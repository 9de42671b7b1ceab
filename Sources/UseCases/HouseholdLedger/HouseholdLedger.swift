public import ResultsDomain
public import ResultsPresentation

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A household's movements of money, newest first, in sections by day: its commands and live queries.
public struct HouseholdLedger: Sendable {
  /// The store the movements are in.
  public let store: any Store

  /// A ledger over a store that was opened with the entity Transaction.
  public init(_ store: any Store) { self.store = store }

  /// What the ledger lists: newest first.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Transaction.entity,
      sortedBy: [.descending("date")],
      fetchBatchSize: 20
    )
  }

  /// What the movements of a section come to.
  public static let sum = SectionAggregate("sum", .sum("amount"))

  /// Sections by the days of a reader.
  public static func days(calendar: Calendar, locale: Locale?) -> SectionKey {
    let days = DayGrouping(calendar: calendar, locale: locale)
    var key = SectionKey.transient(source: "date", grouping: days)
    key.contiguity = days.contiguity
    return key
  }

  /// Sections by the months of a reader.
  public static func months(calendar: Calendar, locale: Locale?) -> SectionKey {
    let months = MonthGrouping(calendar: calendar, locale: locale)
    var key = SectionKey.transient(source: "date", grouping: months)
    key.contiguity = months.contiguity
    return key
  }

  /// All movements in the days of a reader, kept under the name `transactionSortedByDate` where there is a place for caches.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self,
    calendar: Calendar,
    locale: Locale?
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(
      request(kind),
      sectionedBy: days(calendar: calendar, locale: locale),
      cacheName: "transactionSortedByDate"
    )
  }

  /// The live list of all movements, in the days of a reader.
  public func transactions(
    calendar: Calendar,
    locale: Locale?,
    options: ResultsOptions = ResultsOptions()
  ) -> FetchedResultsController<Transaction> {
    FetchedResultsController(
      Self.definition(Transaction.self, calendar: calendar, locale: locale),
      in: store,
      options: options
    )
  }

  /// Adds one movement.
  /// - Returns: The identity it was given.
  /// - Throws: `StoreError`.
  @discardableResult
  public func add(_ transaction: Transaction) throws(StoreError) -> ObjectID {
    try store.commit(origin: .unnamed) { try $0.insert(transaction) }.result
  }
}
