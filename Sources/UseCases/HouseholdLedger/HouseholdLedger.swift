public import ResultsDomain
public import ResultsPresentation

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The transactions of a household, newest first, in sections by day: its commands and live queries.
public struct HouseholdLedger: Sendable {
  /// The store with the transactions.
  public let store: any Store

  /// A ledger over a store that has the entity Transaction.
  public init(_ store: any Store) { self.store = store }

  /// The request for the ledger: newest first.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Transaction.entity,
      sortedBy: [.descending("date")],
      fetchBatchSize: 20
    )
  }

  /// The sum of a section's amounts.
  public static let sum = SectionAggregate("sum", .sum("amount"))

  /// Sections by day, in the time zone of a calendar, with titles in a locale.
  public static func days(calendar: Calendar, locale: Locale?) -> SectionKey {
    let days = DayGrouping(calendar: calendar, locale: locale)
    var key = SectionKey.transient(source: "date", grouping: days)
    key.contiguity = days.contiguity
    return key
  }

  /// Sections by month, in the time zone of a calendar, with titles in a locale.
  public static func months(calendar: Calendar, locale: Locale?) -> SectionKey {
    let months = MonthGrouping(calendar: calendar, locale: locale)
    var key = SectionKey.transient(source: "date", grouping: months)
    key.contiguity = months.contiguity
    return key
  }

  /// All transactions in sections by day, cached under the name `transactionSortedByDate`.
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

  /// The live list of all transactions, in sections by day.
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

  /// Adds one transaction.
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - origin: The name of the commit.
  /// - Returns: The transaction's id.
  /// - Throws: `StoreError`.
  @discardableResult
  public func add(
    _ transaction: Transaction,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> ObjectID {
    try store.commit(origin: origin) { try $0.insert(transaction) }.result
  }
}
