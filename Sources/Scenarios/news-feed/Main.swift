import ArgumentParser
import CommandLineFrontEnd

/// The command `news-feed`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: FeedProgram.self,
    verbs: FeedVerbs.all
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
