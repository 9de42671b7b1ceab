import ArgumentParser
import CommandLineFrontEnd

/// The command `household-ledger`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: LedgerProgram.self,
    verbs: ProgramVerbs.all(of: LedgerProgram.self) + [TotalsVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
