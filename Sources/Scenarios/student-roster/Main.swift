import ArgumentParser
import CommandLineFrontEnd

/// The command `student-roster`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: RosterProgram.self,
    verbs: ProgramVerbs.all(of: RosterProgram.self) + [
      AddRandomVerb.self, RemoveAtVerb.self, SimulateVerb.self,
    ]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
