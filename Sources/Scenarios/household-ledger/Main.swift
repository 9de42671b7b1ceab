import ArgumentParser
import CommandLineFrontEnd

/// The command `household-ledger`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: LedgerProgram.name,
    abstract: LedgerProgram.abstract,
    subcommands: ProgramVerbs.all(of: LedgerProgram.self) + [TotalsVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
