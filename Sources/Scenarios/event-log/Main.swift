import ArgumentParser
import CommandLineFrontEnd

/// The command `event-log`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: EventProgram.self,
    verbs: ProgramVerbs.all(of: EventProgram.self) + [StampVerb.self, RemoveAtVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
