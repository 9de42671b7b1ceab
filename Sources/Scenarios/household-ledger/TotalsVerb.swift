import ArgumentParser
import CommandLineFrontEnd
import FoundationAttributes
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `totals`: sums by a span of dates, category or payee, and the balance.
struct TotalsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "totals",
    abstract: "Print sums by day, week, month, year, category or payee, and the balance.",
    discussion: LedgerProgram.discussion(
      """
      On a terminal it prints a table, elsewhere tab-separated lines. tsv, csv and jsonl are the same in every locale. \
      A week is one of ISO 8601, such as 2026-W45. Sums of several currencies are never added. Attributes for \
      --where: \(LedgerProgram.entity.attributes.map(\.name).joined(separator: ", ")).
      """,
      examples: "totals",
      "totals --by category --where \"date >= '2026-01-01'\"",
      "totals --by payee --since 2026-11 --format csv"
    )
  )

  enum Period: String, ExpressibleByArgument, CaseIterable {
    case day
    case week
    case month
    case year
    case category
    case payee
  }

  @Option(help: "What to sum by.")
  var by: Period = .month
  @Option(help: "The output format (default: table on a terminal, tsv elsewhere).")
  var format: ReportFormat?
  @Option(
    name: .customLong("where"),
    parsing: .unconditional,
    help: "Only transactions that match this condition (see 'help where')."
  )
  var predicate: String?

  @OptionGroup var times: TimeOptions<LedgerProgram>
  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var locale: LocaleOptions

  func run() async throws {
    let form = OutputFormat(rawValue: (format ?? .usual).rawValue) ?? .tsv
    let settings = try locale.settings(for: form)
    let condition = try [
      predicate.map { try Condition.predicate($0, of: LedgerProgram.self, for: settings) },
      times.condition(for: settings),
    ].compactMap(\.self).reduce(.all, &&).resolvedNow(in: LedgerProgram.entity)
    let opened = try LedgerProgram.openStore(try store.locationToRead(of: LedgerProgram.self))
    let grouping = grouping(for: settings)
    let result = try opened.read { (snapshot) throws(StoreError) in
      Result { try LedgerTotals.ofEachCurrency(by: grouping, where: condition, in: snapshot) }
    }
    try opened.close()
    do {
      try print(try result.get(), settings)
    } catch let error as LedgerOverflow {
      throw CommandFailure(.badData, error.description)
    }
  }

  private func grouping(for settings: LocaleSettings) -> LedgerTotals.Grouping {
    switch by {
    case .category: .category
    case .payee: .payee
    case .day, .week, .month, .year:
      .date(LedgerProgram.grouping(CalendarGrouping.Unit(rawValue: by.rawValue) ?? .day, settings))
    }
  }

  private func print(_ totals: [LedgerTotals], _ settings: LocaleSettings) throws {
    let currencies = totals.count > 1 ? ["currency"] : []
    var report = ReportOutput(
      format ?? .usual,
      columns: ([by.rawValue] + currencies).map { ($0, false) } + [("sum", true), ("count", true)]
    )
    for total in totals {
      let code = currencies.map { _ in total.currency ?? "" }
      let currency = currencies.map { ($0, total.currency.map { Value.text($0) } ?? .null) }
      for line in total.lines {
        try report.write(
          [line.title] + code + [settings.amount(line.sum), String(line.count)],
          [(by.rawValue, .text(line.title))] + currency
            + [("sum", .text("\(line.sum)")), ("count", .integer(Int64(line.count)))]
        )
      }
      try report.write(
        ["balance"] + code + [settings.amount(total.balance), ""],
        [("balance", .text("\(total.balance)"))] + currency
      )
    }
    try report.end()
  }
}
