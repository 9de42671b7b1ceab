import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd

/// The command `live-list`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: TableProgram.name,
    abstract: TableProgram.abstract,
    discussion: """
      The columns, keys and foreign keys are discovered. Nothing is written to the file, unless 'watch --log' is asked to. \
      Without a verb a table is browsed on a terminal, and printed elsewhere; 'list', a format and --limit print it there too.

      Examples:
        live-list music.sqlite
        live-list music.sqlite Track --section-by AlbumId --sort Name
        live-list music.sqlite Track --where "\(TableProgram.examples.condition)"
        live-list list music.sqlite Track
        live-list watch music.sqlite Track

      \(ProgramVerbs.topicsHelp(of: TableProgram.self))
      """,
    version: "\(TableProgram.name) \(ProgramVersion.current)",
    subcommands: [
      TableListVerb.self, TableBrowseVerb.self, TableServeVerb.self, TableWatchVerb.self,
      TablesVerb.self, TableExportVerb.self, TableDoctorVerb.self,
      SavedVerb<TableProgram>.self,
      ProgramVerbs.topics(of: TableProgram.self),
    ],
    defaultSubcommand: TableListVerb.self
  )

  static func main() async { await ProgramRunner.run(Main.self, takesFile: true) }
}

extension TableProgram {
  /// Composes a verb's help below its abstract.
  static func examples(_ parts: String...) -> String {
    let text = parts.filter { !$0.contains(".sqlite") }.joined(separator: "\n\n")
    let lines = parts.filter { $0.contains(".sqlite") }.map { "  \(name) \($0)" }
    return (text.isEmpty ? "" : text + "\n\n") + "Examples:\n" + lines.joined(separator: "\n")
  }
}
