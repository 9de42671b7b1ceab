import FoundationAttributes
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

extension LedgerProgram {
  /// Totals, jumps by date, and moves among the transactions of one date.
  static let commands =
    [
      ListCommand("totals", title: "show the totals", key: "t", scope: .list) { context in
        CommandOutcome("", .lines(title: "totals", try totals(context)))
      }
    ] + ListCommand.dateJumps(by: "date", of: Transaction.entity)
    + ListCommand.moves(in: Transaction.order.description)

  /// The balance, and the sums by month, category and day, of the transactions that the list shows; in each currency.
  private static func totals(_ context: CommandContext) throws -> [String] {
    let settings = context.settings
    let (months, days) = (grouping(.month, settings), grouping(.day, settings))
    let condition = context.predicate
    let groups = try context.store.read { (snapshot) throws(StoreError) in
      Result {
        try [LedgerTotals.Grouping.date(months), .category, .date(days)].map {
          try LedgerTotals.ofEachCurrency(by: $0, where: condition, in: snapshot)
        }
      }
    }.get()
    let all = groups.flatMap(\.self)
    let width = DisplayWidth()
    let titles = all.flatMap(\.lines).map { width.columns(of: $0.title) }.max() ?? 0
    let sums = all.flatMap { $0.lines.map(\.sum) + [$0.balance] }.map { settings.amount($0) }
    let amounts = sums.map { width.columns(of: $0) }.max() ?? 0
    func line(_ title: String, _ amount: ExactDecimal, _ currency: String?) -> String {
      let sum = width.fit(settings.amount(amount), columns: amounts, alignment: .trailing)
      let code = currency.map { " \($0)" } ?? ""
      return width.fit(title, columns: max(titles, 7)) + "  " + sum + code
    }
    var lines = groups[0].map { line("balance", $0.balance, $0.currency) }
    for group in groups {
      lines.append("")
      for total in group {
        lines += total.lines.map { "\(line($0.title, $0.sum, total.currency))  (\($0.count))" }
      }
    }
    return lines
  }
}
