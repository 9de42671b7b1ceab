import ArgumentParser
import CommandLineFrontEnd
import HouseholdLedger
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// The program `household-ledger`: what it adds to the shared verbs.
enum LedgerProgram: StoredProgram {
  static let name = "household-ledger"
  static let abstract = "A household ledger: newest first, one section per day."
  static let nouns = (one: "transaction", many: "transactions")
  static let entity = Transaction.entity
  static let columns = ["payee", "category", "amount", "memo"]

  static func definition(for reader: ReaderSettings) -> ResultsDefinition<Row> {
    HouseholdLedger.definition(calendar: reader.calendar, locale: reader.locale)
  }

  static func sectionKey(named name: String, for reader: ReaderSettings) -> SectionKey? {
    switch name {
    case "day": HouseholdLedger.days(calendar: reader.calendar, locale: reader.locale)
    case "month": HouseholdLedger.months(calendar: reader.calendar, locale: reader.locale)
    default: nil
    }
  }

  static func tellStory(
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
    verbs: ProgramVerbs.all(of: LedgerProgram.self) + [TotalsVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
