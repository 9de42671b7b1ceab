public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation

/// The transactions of a household, newest first, in sections by day: its commands and live queries.
public struct HouseholdLedger: Sendable {
  /// The store with the transactions.
  public let store: any Store

  /// A ledger over a store that has the entity Transaction.
  public init(_ store: any Store) { self.store = store }

  /// The request for the ledger: newest first, and the transactions of one date in the order that the user gives them.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Transaction.entity,
      sortedBy: [.descending("date"), Transaction.order.description.sortDescriptor],
      fetchBatchSize: 20
    )
  }

  /// The sum of a section's amounts.
  public static let sum = SectionAggregate("sum", .sum("amount"))

  /// All transactions in sections by `date`, cached under the name `transactionSortedByDate`.
  /// - Parameters:
  ///   - kind: The kind of results.
  ///   - days: The sections, usually the days of a time zone.
  /// - Returns: The definition.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self,
    sectionedBy days: SectionKey
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(
      request(kind),
      sectionedBy: days,
      cacheName: "transactionSortedByDate"
    )
  }

  /// The live list of all transactions, in sections by `date`.
  /// - Parameters:
  ///   - days: The sections, usually the days of a time zone.
  ///   - options: The options of the list.
  /// - Returns: The list, which has not been fetched.
  public func transactions(
    sectionedBy days: SectionKey,
    options: ResultsOptions = ResultsOptions()
  ) -> FetchedResultsController<Transaction> {
    FetchedResultsController(
      Self.definition(Transaction.self, sectionedBy: days),
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
