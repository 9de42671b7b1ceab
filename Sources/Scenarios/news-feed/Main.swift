import ArgumentParser
import CommandLineFrontEnd

/// The command `news-feed`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: FeedProgram.name,
    abstract: FeedProgram.abstract,
    subcommands: FeedVerbs.all
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
