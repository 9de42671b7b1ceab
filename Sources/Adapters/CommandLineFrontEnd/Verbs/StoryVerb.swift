public import ArgumentParser
import Foundation
public import ProgramFrontEnd
import ResultsDomain
import TerminalFrontEnd

/// `story`: plays the program's scenario step by step on a fresh store.
public struct StoryVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "story",
      abstract: "Play the program's scenario step by step on a fresh store.",
      discussion: Program.discussion(
        "The store is in memory, unless --store names a file, which must not exist yet.",
        examples: "story"
      )
    )
  }

  @Option(
    name: .customLong("store"),
    help: "A file that does not exist yet, for the story's store (default: in memory)."
  )
  var path: String?

  @Flag(help: "Print more about a failure.")
  var verbose = false

  /// Creates the verb.
  public init() {}

  /// Plays the story.
  public func run() async throws {
    if let path, path != ":memory:", FileManager.default.fileExists(atPath: path) {
      throw CommandFailure(
        .cannotCreate,
        "\(path) exists already, and a story needs a fresh store.",
        remedy: "Name a file that does not exist yet; this one was not touched."
      )
    }
    let opened = try Program.openStore(
      StoreLocation(
        path: path ?? ":memory:",
        isReadOnly: false,
        busyTimeout: StoreOptions.usualBusyTimeout
      )
    )
    try await Program.playStory(in: opened) { line in
      try TerminalOutput.standard.write(SafeText.lines(line) + "\n")
    }
    try opened.close()
  }
}
