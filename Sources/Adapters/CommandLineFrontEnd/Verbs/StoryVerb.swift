public import ArgumentParser
import Foundation
import ResultsDomain
import TerminalFrontEnd

/// `story`: plays the program's scenario step by step on a fresh store.
public struct StoryVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "story",
      abstract: "Play the program's scenario step by step on a fresh store.",
      discussion: "The store is in memory unless --store names a file, which must not be there yet."
    )
  }

  @OptionGroup var store: StoreOptions

  /// Makes the verb.
  public init() {}

  /// Tells the story.
  public func run() async throws {
    if let path = store.path, path != ":memory:", FileManager.default.fileExists(atPath: path) {
      throw CommandFailure(
        .cannotCreate,
        "\(path) is there already, and a story needs a fresh store.",
        remedy: "Name a file that is not there yet; this one was not touched."
      )
    }
    let opened = try Program.openStore(
      StoreLocation(
        path: store.path ?? ":memory:",
        isReadOnly: false,
        busyTimeout: store.busyTimeout.duration
      )
    )
    try await Program.playStory(in: opened) { line in
      try TerminalOutput.standard.write(SafeText.lines(line) + "\n")
    }
    try opened.close()
  }
}
