package import ArgumentParser
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `story`: plays the program's scenario step by step on a fresh store.
package struct StoryVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "story",
      abstract: "Play the program's scenario step by step on a fresh store.",
      discussion: Program.discussion(
        """
        The store is in memory, unless --store names a file, which must not exist yet, or a database without \
        \(Program.nouns.many).
        """,
        examples: "story"
      )
    )
  }

  @Option(
    name: .customLong("store"),
    help: """
      A file that does not exist yet, or the URL of a database, for the story's store (default: in memory).
      """
  )
  var path: String?

  @Flag(help: "Print more about a failure.")
  var verbose = false

  /// Creates the verb.
  package init() {}

  /// Plays the story.
  package func run() async throws {
    let address = try path.map { (path) throws(CommandFailure) in try StoreAddress(path) }
    let location = StoreLocation(
      address ?? .memory,
      isReadOnly: false,
      busyTimeout: StoreOptions.usualBusyTimeout
    )
    try refuseUsed(location)
    let opened = try Program.openStore(location)
    try await Program.playStory(in: opened) { line in
      try TerminalOutput.standard.write(SafeText.lines(line) + "\n")
    }
    try opened.close()
  }

  /// Refuses a file that exists, and a database that has objects.
  private func refuseUsed(_ location: StoreLocation) throws {
    switch location.address {
    case .memory: return
    case .file(let path):
      guard FileManager.default.fileExists(atPath: path) else { return }
      throw CommandFailure(
        .cannotCreate,
        "\(path) exists already, and a story needs a fresh store.",
        remedy: "Name a file that does not exist yet; this one was not touched."
      )
    case .database:
      guard let count = try Program.objectCount(at: location), count > 0 else { return }
      throw CommandFailure(
        .cannotCreate,
        "\(location.address.title) has objects already, and a story needs a fresh store.",
        remedy: "Name an empty database; this one was not touched."
      )
    }
  }
}

extension ListProgram {
  /// Counts the objects of all entities in a database, without making anything in it.
  /// - Returns: The number, or `nil` if the database has none of the tables yet.
  /// - Throws: `StoreError` if the database cannot be read.
  static func objectCount(at location: StoreLocation) throws -> Int? {
    var location = StoreLocation(
      location.address,
      isReadOnly: true,
      busyTimeout: location.busyTimeout
    )
    location.onlyReads = true
    let opened: any Store
    do {
      opened = try openStore(location)
    } catch StoreError.cannotOpen(_, .missingTable) {
      return nil
    }
    let count = try opened.read { (snapshot) throws(StoreError) in
      var count = 0
      for entity in opened.entities { count += try snapshot.count(of: entity, where: .all) }
      return count
    }
    try opened.close()
    return count
  }
}
