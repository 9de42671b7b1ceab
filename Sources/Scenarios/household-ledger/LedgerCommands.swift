import Foundation
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsPresentation

extension LedgerProgram {
  /// Totals, and jumps by date.
  static let commands = [
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
    ListCommand("later-month", title: "go to the month after", key: "]", scope: .rows) { context in
      try jump(by: 1, from: context)
    },
  ]

  /// The sums by month and by category, and the balance, of the transactions that the list shows.
  private static func totals(_ context: CommandContext) throws -> [String] {
    let settings = context.settings
    let months = MonthGrouping(calendar: settings.calendar, locale: settings.locale)
    let condition = context.definition.request.predicate
    var lines: [String] = []
    for grouping in [LedgerTotals.Grouping.date(months), .category] {
      let totals = try context.store.read { (snapshot) throws(StoreError) in
        Result { try LedgerTotals(by: grouping, where: condition, in: snapshot) }
      }.get()
      lines += totals.lines.map { line in
        "\(line.title)  \(settings.amount(line.sum))  (\(line.count))"
      }
      lines.append(
        lines.count == totals.lines.count ? "" : "balance  \(settings.amount(totals.balance))"
      )
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
