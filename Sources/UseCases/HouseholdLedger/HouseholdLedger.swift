public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation

/// The transactions of a household, newest first, in sections by day: its commands and live queries.
public struct HouseholdLedger: Sendable {
  /// The store with the transactions.
  public let store: any Store

  /// The entities of a ledger's store: transactions and their accounts.
  public static let entities = [Transaction.entity, Account.entity]

  /// A ledger over a store that has its entities.
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

  /// The sum of a section's amounts, in a ledger of one currency.
  public static let sum = SectionAggregate("sum", .sum("amount"))

  /// Returns the currencies of the transactions, those of their accounts, in byte order; at least one.
  ///
  /// `nil` is the household's own one, without a code. The condition of each holds in the snapshot, and names no related object, so that every store finds its transactions by an index.
  static func currencies(
    in snapshot: any StoreSnapshot,
    where predicate: FetchPredicate = .all
  ) throws(StoreError) -> [(code: String?, condition: FetchPredicate)] {
    let account = FetchExpression.attribute("accountID")
    var keys: [Value: [Value]] = [:]
    for one in try snapshot.fetch(
      FetchRequest<Account>(entity: Account.entity, sortedBy: [.ascending("name")])
    ) {
      guard let code = one.currency, let id = one.id else { continue }
      keys[.text(code), default: []].append(.integer(id))
    }
    let coded = keys.values.flatMap(\.self)
    guard !coded.isEmpty else { return [(nil, .all)] }
    let own = FetchPredicate.isNull(account) || .not(.membership(account, coded))
    let codes = keys.keys.compactMap(\.text)
    let currencies: [(code: String?, condition: FetchPredicate)] =
      [(nil, own)]
      + codes.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { code in
        (code, .membership(account, keys[.text(code)] ?? []))
      }
    var used: [(code: String?, condition: FetchPredicate)] = []
    for currency in currencies {
      var request = Self.request(ObjectID.self)
      (request.predicate, request.fetchLimit) = (currency.condition && predicate, 1)
      if try !snapshot.fetch(request).isEmpty { used.append(currency) }
    }
    return used.isEmpty ? Array(currencies.prefix(1)) : used
  }

  /// The sums of a section's amounts: one for each currency, at most three, and the number of transactions in others (R291).
  /// - Throws: `StoreError`.
  /// - Complexity: O(*a* log *a*) in the accounts.
  public func sums(where predicate: FetchPredicate = .all) throws(StoreError) -> [SectionAggregate]
  {
    let currencies = try store.read { snapshot throws(StoreError) in
      try Self.currencies(in: snapshot, where: predicate)
    }
    var sums: [SectionAggregate] = []
    var others = FetchPredicate.all
    let currency = FetchExpression.related(["account"], .attribute("currency"))
    let reserved = ["sum", "in other currencies"]
    for code in currencies.prefix(3).map(\.code) {
      let isIn = code.map { FetchPredicate.comparison(currency, .equal, .literal(.text($0))) }
      // Without a code on any account there is one currency, which needs no look at accounts.
      let condition = isIn ?? (currencies[0].condition == .all ? .all : .isNull(currency))
      let name = code.map { reserved.contains($0) ? "currency \($0)" : $0 } ?? "sum"
      sums.append(SectionAggregate(name, FetchAggregate.sum("amount").matching(condition)))
      others = others && .not(condition)
    }
    guard currencies.count > 3 else { return sums }
    return sums + [
      SectionAggregate("in other currencies", FetchAggregate.count("amount").matching(others))
    ]
  }

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
