import ArgumentParser
import CommandLineFrontEnd
import FoundationAttributes
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import TerminalFrontEnd

/// `totals`: sums by day, month or category, and the balance.
struct TotalsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "totals",
    abstract: "Print sums by day, month or category, and the balance.",
    discussion: LedgerProgram.discussion(
      """
      On a terminal it prints a table, elsewhere tab-separated lines that are the same in every locale. Attributes for \
      --where: \(LedgerProgram.entity.attributes.map(\.name).joined(separator: ", ")).
      """,
      examples: "totals",
      "totals --by category --where \"date >= '2026-01-01'\""
    )
  )

  enum Period: String, ExpressibleByArgument, CaseIterable {
    case day
    case month
    case category
  }

  @Option(help: "What to sum by.")
  var by: Period = .month
  @Option(
    name: .customLong("where"),
    parsing: .unconditional,
    help: "Only transactions that match this condition (see 'help where')."
  )
  var predicate: String?

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var locale: LocaleOptions

  func run() async throws {
    let settings = try locale.settings(
      for: TerminalOutput.standard.isTerminal ? .table : .tsv
    )
    let condition = try predicate.map { try Condition.predicate($0, of: LedgerProgram.self) }
    let grouping: LedgerTotals.Grouping =
      switch by {
      case .day: .date(LedgerProgram.grouping(.day, settings))
      case .month: .date(LedgerProgram.grouping(.month, settings))
      case .category: .category
      }
    let opened = try LedgerProgram.openStore(try store.locationToRead(of: LedgerProgram.self))
    let result = try opened.read { (snapshot) throws(StoreError) in
      Result { try LedgerTotals(by: grouping, where: condition ?? .all, in: snapshot) }
    }
    try opened.close()
    do {
      try print(try result.get(), settings)
    } catch let error as LedgerOverflow {
      throw CommandFailure(.badData, error.description)
    }
  }

  private func print(_ totals: LedgerTotals, _ settings: LocaleSettings) throws {
    let output = TerminalOutput.standard
    var table = TableWriter(
      columns: [
        TableColumn(by.rawValue), TableColumn("sum", alignment: .trailing),
        TableColumn("count", alignment: .trailing),
      ],
      options: TableWriter.Options(
        format: output.isTerminal ? .table : .tsv,
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
}
