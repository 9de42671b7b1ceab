public import ResultsDomain

/// Sums of a ledger, exact to the last place.
public struct LedgerTotals: Sendable {
  /// By what movements are summed.
  public enum Grouping: Sendable {
    /// By the groups of their dates.
    case date(any SectionGrouping)
    /// By category.
    case category
  }

  /// The sum of one group.
  public struct Line: Hashable, Sendable {
    /// What the group is called.
    public let title: String
    /// How many movements it has.
    public let count: Int
    /// Their sum.
    public let sum: ExactDecimal
  }

  /// One line a group: dates newest first, categories in the order of their bytes.
  public let lines: [Line]
  /// The sum of everything.
  public let balance: ExactDecimal

  /// Sums the movements of a version of a store.
  /// - Throws: `StoreError`, or `LedgerOverflow` if a sum is beyond what 64 bits hold.
  /// - Complexity: O(*n* log *n*) in the movements.
  public init(
    by grouping: Grouping,
    where predicate: FetchPredicate = .all,
    in snapshot: any StoreSnapshot
  ) throws {
    var request = HouseholdLedger.request(Transaction.self)
    request.predicate = predicate
    if case .category = grouping { request.sortDescriptors = [.ascending("category")] }
    var lines: [(id: Value, title: String, count: Int, units: Int64)] = []
    var balance: Int64 = 0
    var group: SectionGroup?
    for transaction in try snapshot.fetch(request) {
      let id: Value
      switch grouping {
      case .category: id = .text(transaction.category)
      case .date(let days):
        let instant = transaction.date.attributeValue
        if let known = group, let first = known.first, Value.compare(first, instant) != .descending
        {
          id = known.id
        } else {
          let found = days.group(of: instant)
          group = found
          id = found.id
        }
      }
      let units = transaction.amount.units
      balance = try LedgerTotals.sum(balance, units)
      if let last = lines.indices.last, lines[last].id == id {
        lines[last].count += 1
        lines[last].units = try LedgerTotals.sum(lines[last].units, units)
      } else {
        lines.append((id, LedgerTotals.title(of: id, grouping), 1, units))
      }
    }
    self.lines = lines.map { line in
      Line(
        title: line.title,
        count: line.count,
        sum: ExactDecimal(units: line.units, scale: Transaction.scale)
      )
    }
    self.balance = ExactDecimal(units: balance, scale: Transaction.scale)
  }

  private static func title(of id: Value, _ grouping: Grouping) -> String {
    switch grouping {
    case .category: id.text ?? ""
    case .date(let days): days.title(of: id)
    }
  }

  private static func sum(_ left: Int64, _ right: Int64) throws(LedgerOverflow) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    guard !overflow else { throw LedgerOverflow() }
    return sum
  }
}

/// A sum that is beyond what 64 bits hold.
public struct LedgerOverflow: Error, CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "The sum is beyond 92,233,720,368,547,758.07. Sum a part of the ledger with --where."
  }
}
