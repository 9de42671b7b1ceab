public import ResultsDomain
public import ResultsStoreKit
import ResultsPresentation

/// The sums of a ledger, exact to the last decimal place.
public struct LedgerTotals: Sendable {
  /// The groups of transactions that are summed.
  public enum Grouping: Sendable {
    /// By groups of dates.
    case date(any SectionGrouping)
    /// By category.
    case category
    /// By payee.
    case payee

    /// The attribute whose values are the groups.
    var attribute: String? {
      switch self {
      case .date: nil
      case .category: "category"
      case .payee: "payee"
      }
    }
  }

  /// The sum of one group.
  public struct Line: Hashable, Sendable {
    /// The title of the group.
    public let title: String
    /// The number of transactions.
    public let count: Int
    /// Their sum.
    public let sum: ExactDecimal
  }

  /// The code of the currency; `nil` for the household's own one.
  public private(set) var currency: String?
  /// One line per group: dates newest first, categories and payees in byte order.
  public let lines: [Line]
  /// The sum of all transactions.
  public let balance: ExactDecimal

  /// Sums the transactions of a snapshot, those of each currency for themselves (R291).
  /// - Returns: The sums of each currency that has such transactions; at least one.
  /// - Throws: `StoreError`, or `LedgerOverflow` if a sum does not fit in 64 bits.
  public static func ofEachCurrency(
    by grouping: Grouping,
    where predicate: FetchPredicate = .all,
    in snapshot: any StoreSnapshot
  ) throws -> [LedgerTotals] {
    let totals = try HouseholdLedger.currencies(in: snapshot).map { code, condition in
      var totals = try LedgerTotals(by: grouping, where: predicate && condition, in: snapshot)
      totals.currency = code
      return totals
    }
    let used = totals.filter { !$0.lines.isEmpty }
    return used.isEmpty ? Array(totals.prefix(1)) : used
  }

  /// Sums transactions, of whatever currency; the store aggregates them, so no transaction is read.
  /// - Throws: `StoreError`, or `LedgerOverflow` if a sum does not fit in 64 bits.
  /// - Complexity: O(*n* log *n*) in the transactions, or O(*n*) if an index has their order.
  public init(
    by grouping: Grouping,
    where predicate: FetchPredicate = .all,
    in snapshot: any StoreSnapshot
  ) throws {
    let order = try OrderDefinition(
      entity: Transaction.entity,
      predicate: predicate,
      sortDescriptors: [grouping.attribute.map { .ascending($0) } ?? .descending("date")]
    )
    let sums = try CompiledAggregates([HouseholdLedger.sum.aggregate], in: Transaction.entity)
    var groups: [(id: Value, group: AggregateGroup)] = []
    // Whole days may be sorted among the instants of a neighbouring day, so a group can occur again.
    var indexes: [Value: Int] = [:]
    var total = AggregateGroup(prefix: [], count: 0, states: sums.emptyStates)
    try snapshot.aggregates(sums, of: order, groupedByFirst: 1) { group in
      let value = group.prefix.withUnsafeBytes { order.layout.value(ofColumn: 0, in: $0) }
      let id = LedgerTotals.id(of: value, grouping)
      if let index = indexes[id] {
        groups[index].group.merge(group)
      } else {
        indexes[id] = groups.count
        groups.append((id, group))
      }
      total.merge(group)
      return true
    }
    lines = try groups.map { id, group in
      Line(
        title: LedgerTotals.title(of: id, grouping),
        count: group.count,
        sum: try LedgerTotals.sum(of: group, sums)
      )
    }
    balance = try LedgerTotals.sum(of: total, sums)
  }

  private static func id(of value: Value, _ grouping: Grouping) -> Value {
    switch grouping {
    case .category, .payee: value
    case .date(let days): days.group(of: value).id
    }
  }

  private static func sum(
    of group: AggregateGroup,
    _ sums: CompiledAggregates
  ) throws(LedgerOverflow) -> ExactDecimal {
    let result = group.states[0].result(as: sums.types[0])
    guard !result.isOverflow else { throw LedgerOverflow() }
    return result.decimal ?? ExactDecimal(units: 0, scale: Transaction.scale)
  }

  private static func title(of id: Value, _ grouping: Grouping) -> String {
    switch grouping {
    case .category, .payee: id.text ?? ""
    case .date(let days): days.title(of: id)
    }
  }
}

/// The error for a sum that does not fit in 64 bits.
public struct LedgerOverflow: Error, CustomStringConvertible {
  /// What happened, and the remedy.
  public var description: String {
    "The sum exceeds 92,233,720,368,547,758.07. Sum a part of the ledger with --where."
  }
}
