import ArgumentParser
import Testing

@testable import CommandLineFrontEnd

/// R223: which verb is meant where none is named on a terminal.
@Suite struct TerminalVerbTests {
  private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tables",
      subcommands: [List.self, Browse.self],
      defaultSubcommand: List.self
    )
  }

  private struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list")
    @Argument var file: String
    @OptionGroup var list: ListOptions
    @OptionGroup var output: OutputOptions
  }

  private struct Browse: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "browse")
    @Argument var file: String
    @OptionGroup var list: ListOptions
    @Flag var ascii = false
  }

  private struct Printer: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [List.self])
  }

  @Test(arguments: [
    [], ["file"], ["file", "Table"], ["-"], ["file", "--sort", "-name"],
    ["file", "--where=a", "--ascii"],
    ["--ascii", "file", "Table"], ["file", "--", "--format"], ["file", "--where", "--format"],
  ])
  func `a file is browsed, whatever list of it is asked for`(_ arguments: [String]) {
    #expect(
      ProgramRunner.withTerminalVerb(arguments, of: Root.self, takesFile: true) == ["browse"]
        + arguments
    )
  }

  @Test(arguments: [
    ["list", "file"], ["browse", "file"], ["help"], ["--help"], ["--version"], ["file", "-h"],
    ["file", "--format", "csv"], ["file", "--format=csv"], ["file", "--limit", "3"],
    ["--limit=3", "file"],
    ["file", "--ascii", "--frmat", "csv"],
  ])
  func `a verb stays, and an option that only a printed list has means that`(
    _ arguments: [String]
  ) {
    #expect(
      ProgramRunner.withTerminalVerb(arguments, of: Root.self, takesFile: true) == arguments
    )
  }

  @Test func `a program without files browses its own list when nothing is named`() {
    #expect(ProgramRunner.withTerminalVerb([], of: Root.self, takesFile: false) == ["browse"])
    let words = ["file"]
    #expect(ProgramRunner.withTerminalVerb(words, of: Root.self, takesFile: false) == words)
    #expect(ProgramRunner.withTerminalVerb(words, of: Printer.self, takesFile: true) == words)
    #expect(ProgramRunner.withTerminalVerb([], of: Printer.self, takesFile: true) == [])
  }
}
