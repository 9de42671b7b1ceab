import ArgumentParser
import CommandLineFrontEnd

/// The command `book-catalog`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: CatalogProgram.self,
    verbs: ProgramVerbs.all(of: CatalogProgram.self) + [DemoVerb.self, DumpVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
