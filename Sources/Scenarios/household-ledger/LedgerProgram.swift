import ArgumentParser
import CommandLineFrontEnd
import FoundationAttributes
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// The program `household-ledger`: what it adds to the shared verbs.
enum LedgerProgram: StoredProgram {
  static let name = "household-ledger"
  static let abstract = "A household ledger: newest first, one section per day."
  static let nouns = (one: "transaction", many: "transactions")
  static var entity: EntityDescription { CustomColumns.extending(Transaction.entity) }
  static let entities = HouseholdLedger.entities
  static let declaredFields = ObjectFields(
    of: Transaction.entity,
    naming: [(relationship: "account", attribute: "name")],
    qualifying: ["account": "currency"],
    linking: LinkedRows(
      by: "transfer",
      amount: "amount",
      common: ["date", "memo"],
      party: "account",
      // The other side of a payment is its category.
      sides: .comparison(.attribute("category"), .equal, .literal(.text("")))
    )
  )
  static let columns = ["payee", "category", "amount", "memo"]
  static let examples = ProgramExamples(
    condition: "amount < 0 AND date >= '2026-11-01'",
    sort: "-date",
    assignments: "date=2026-11-20 amount=-12.50 payee=Cafe category=food",
    change: "category=travel",
    file: "bank.csv",
    numbers: ["-99.50", "-10"]
  )
  static let sectionKeyNames = ["day", "month"]
  static let timeAttribute: String? = "date"
  static let headerAggregates = [HouseholdLedger.sum]
  static let runningColumn: RunningColumn? = RunningColumn("balance", along: "date")
  static func headerAggregates(
    in store: any Store,
    where predicate: FetchPredicate
  ) throws -> [SectionAggregate] { try HouseholdLedger(store).sums(where: predicate) }
  static let rankedOrder: RankedOrderDescription? = Transaction.order.description
  static let importDefaults = [ImportDefault("category", like: "payee", otherwise: "unsorted")]

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    CustomColumns.extending(HouseholdLedger.definition(sectionedBy: sections(.day, settings)))
  }

  static func sectionKey(named name: String, for settings: LocaleSettings) -> SectionKey? {
    switch name {
    case "day": sections(.day, settings)
    case "month": sections(.month, settings)
    default: nil
    }
  }

  private static func sections(
    _ unit: CalendarGrouping.Unit,
    _ settings: LocaleSettings
  ) -> SectionKey {
    .calendar(unit, of: "date", in: settings.calendar, locale: settings.locale)
  }

  /// The days or months of a user's time zone, with titles in the user's locale.
  static func grouping(
    _ unit: CalendarGrouping.Unit,
    _ settings: LocaleSettings
  ) -> CalendarGrouping {
    CalendarGrouping(unit, calendar: settings.calendar, locale: settings.locale)
  }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await HouseholdLedgerStory.play(in: store, print)
  }
}

/// The command `household-ledger`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: LedgerProgram.self,
    verbs: ProgramVerbs.all(of: LedgerProgram.self)
      + [TransferVerb<LedgerProgram>.self, TotalsVerb.self, AccountsVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
