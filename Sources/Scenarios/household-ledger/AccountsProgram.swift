import ArgumentParser
import CommandLineFrontEnd
import HouseholdLedger
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// The list of accounts, of the same store as the list of transactions.
enum AccountsProgram: StoredProgram {
  static let name = LedgerProgram.name
  static let command = "household-ledger accounts"
  static let abstract = "The accounts, with the balance of each."
  static let nouns = (one: "account", many: "accounts")
  static let entity = Account.entity
  static let entities = HouseholdLedger.entities
  static let namedValues = [NamedValue("balance", Account.balance)]
  static let columns = ["id", "name", "kind", "balance", "currency"]
  static let examples = ProgramExamples(
    condition: "currency == 'EUR'",
    sort: "-name",
    assignments: "name=cash currency=EUR",
    change: "kind=liability",
    id: "1",
    file: "accounts.csv"
  )

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(FetchRequest(entity: entity, sortedBy: [.ascending("name")]))
  }
}

/// `accounts`: the list of accounts, with the verbs that all lists have.
struct AccountsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "List the accounts with their balances, or change one.",
    discussion: LedgerProgram.discussion(
      """
      Without a verb behind it, the list is printed; it takes the options of 'list'. A transaction that names a new account \
      makes it: 'add … account=bank currency=EUR'. The currency of a transaction is that of its account.
      """,
      examples: "accounts",
      "accounts --where \"currency == 'EUR'\"",
      "accounts edit 1 kind=liability"
    ),
    subcommands: [
      ListVerb<AccountsProgram>.self, WatchVerb<AccountsProgram>.self,
      BrowseVerb<AccountsProgram>.self, ShowVerb<AccountsProgram>.self,
      AddVerb<AccountsProgram>.self, EditVerb<AccountsProgram>.self,
      RemoveVerb<AccountsProgram>.self, ExportVerb<AccountsProgram>.self,
    ],
    defaultSubcommand: ListVerb<AccountsProgram>.self
  )
}
