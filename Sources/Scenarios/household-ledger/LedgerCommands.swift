import Foundation
import FoundationAttributes
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

extension LedgerProgram {
  /// Totals, jumps by date, and moves among the transactions of one date.
  static let commands =
    [
      ListCommand("totals", title: "show the totals", key: "t", scope: .list) { context in
        CommandOutcome("", .lines(title: "totals", try totals(context)))
      },
      ListCommand("today", title: "go to today", key: "T", scope: .list) { context in
        CommandOutcome("today", .jump(to: row(at: context.now)))
      },
      ListCommand("earlier-month", title: "go to the month before", key: "[", scope: .rows) {
        context in
        try jump(by: -1, from: context)
      },
      ListCommand("later-month", title: "go to the month after", key: "]", scope: .rows) {
        context in
        try jump(by: 1, from: context)
      },
    ] + ListCommand.moves(in: Transaction.order.description)

  /// The balance, and the sums by month, category and day, of the transactions that the list shows.
  private static func totals(_ context: CommandContext) throws -> [String] {
    let settings = context.settings
    let (months, days) = (grouping(.month, settings), grouping(.day, settings))
    let condition = context.predicate
    let groups = try context.store.read { (snapshot) throws(StoreError) in
      Result {
        try [LedgerTotals.Grouping.date(months), .category, .date(days)].map {
          try LedgerTotals(by: $0, where: condition, in: snapshot)
        }
      }
    }.get()
    let width = DisplayWidth()
    let titles = groups.flatMap(\.lines).map { width.columns(of: $0.title) }.max() ?? 0
    let sums = groups.flatMap(\.lines).map { settings.amount($0.sum) }
    let balance = groups.first.map { settings.amount($0.balance) } ?? ""
    let amounts = (sums + [balance]).map { width.columns(of: $0) }.max() ?? 0
    func line(_ title: String, _ amount: String) -> String {
      width.fit(title, columns: max(titles, 7)) + "  "
        + width.fit(amount, columns: amounts, alignment: .trailing)
    }
    var lines = [line("balance", balance)]
    for group in groups {
      lines.append("")
      lines += group.lines.map { "\(line($0.title, settings.amount($0.sum)))  (\($0.count))" }
    }
    return lines
  }

  /// A jump to the newest transaction of a month before or after that of the row at the cursor.
  private static func jump(by months: Int, from context: CommandContext) throws -> CommandOutcome {
    let rows = try context.store.read { (snapshot) throws(StoreError) in
      try snapshot.rows(context.ids.prefix(1).map(\.key), of: entity)
    }
    let calendar = context.settings.calendar
    guard case .some(.some(let row)) = rows.first, let date = row["date"].integer,
      let month = calendar.dateInterval(
        of: .month,
        for: Date(timeIntervalSince1970: Double(date) / 1_000_000)
      ),
      let target = calendar.date(byAdding: .month, value: months, to: month.start),
      let end = calendar.dateInterval(of: .month, for: target)?.end
    else { return CommandOutcome("there is no such month") }
    let last = Int64((end.timeIntervalSince1970 * 1_000_000).rounded()) - 1
    return CommandOutcome("", .jump(to: Self.row(at: Instant(microseconds: last))))
  }

  /// A row that stands where a transaction of some time would stand.
  private static func row(at instant: Instant) -> Row {
    let id = ObjectID(entity: entity.name, key: .integer(.min))
    let values = entity.attributes.map { attribute in
      attribute.name == "date" ? instant.attributeValue : Value.null
    }
    return Row(entity: entity, id: id, values: values)
  }
}
