import ArgumentParser
import CommandLineFrontEnd
import FileFormats
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
      A week is one of ISO 8601, such as 2026-W45. Attributes for \
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

  /// The formats of totals.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table
    case plain
    case tsv
    case csv
    case jsonl
  }

  @Option(help: "What to sum by.")
  var by: Period = .month
  @Option(help: "The output format (default: table on a terminal, tsv elsewhere).")
  var format: Format?
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
    let format = format ?? (TerminalOutput.standard.isTerminal ? .table : .tsv)
    let settings = try locale.settings(for: OutputFormat(rawValue: format.rawValue) ?? .tsv)
    let condition = try [
      predicate.map { try Condition.predicate($0, of: LedgerProgram.self, for: settings) },
      times.condition(for: settings),
    ].compactMap(\.self).reduce(.all, &&).resolvedNow(in: LedgerProgram.entity)
    let opened = try LedgerProgram.openStore(try store.locationToRead(of: LedgerProgram.self))
    let grouping = grouping(for: settings)
    let result = try opened.read { (snapshot) throws(StoreError) in
      Result { try LedgerTotals(by: grouping, where: condition, in: snapshot) }
    }
    try opened.close()
    do {
      let totals = try result.get()
      guard let table = TableFormat(rawValue: format.rawValue) else {
        return try printLines(totals)
      }
      try print(totals, settings, as: table)
    } catch let error as LedgerOverflow {
      throw CommandFailure(.badData, error.description)
    }
  }

  private func grouping(for settings: LocaleSettings) -> LedgerTotals.Grouping {
    switch by {
    case .day: .date(LedgerProgram.grouping(.day, settings))
    case .week: .date(LedgerProgram.grouping(.week, settings))
    case .month: .date(LedgerProgram.grouping(.month, settings))
    case .year: .date(LedgerProgram.grouping(.year, settings))
    case .category: .category
    case .payee: .payee
    }
  }

  private func print(
    _ totals: LedgerTotals,
    _ settings: LocaleSettings,
    as format: TableFormat
  ) throws {
    let output = TerminalOutput.standard
    var table = TableWriter(
      columns: [
        TableColumn(by.rawValue), TableColumn("sum", alignment: .trailing),
        TableColumn("count", alignment: .trailing),
      ],
      options: TableWriter.Options(
        format: format,
        lineWidth: output.lineWidth,
        isTerminal: output.isTerminal
      )
    )
    for line in totals.lines {
      try output.write(
        table.row([line.title, settings.amount(line.sum), String(line.count)])
      )
    }
    try output.write(table.row(["balance", settings.amount(totals.balance), ""]))
    try output.write(table.end())
  }

  /// Prints one JSON object for each group, and one for the balance.
  private func printLines(_ totals: LedgerTotals) throws {
    let output = TerminalOutput.standard
    var writer = JSONLinesWriter()
    _ = writer.begin(columns: [by.rawValue, "sum", "count"])
    for line in totals.lines {
      try output.write(
        writer.write([.text(line.title), .text("\(line.sum)"), .integer(Int64(line.count))])
      )
    }
    _ = writer.begin(columns: ["balance"])
    try output.write(writer.write([.text("\(totals.balance)")]))
  }
}
