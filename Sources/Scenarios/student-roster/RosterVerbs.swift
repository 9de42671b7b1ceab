import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import StudentRoster
import TerminalFrontEnd

/// `add-random`: adds a random student.
struct AddRandomVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-random",
    abstract: "Add a student with a random number, name and age.",
    discussion: RosterProgram.discussion(examples: "add-random")
  )

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try RosterProgram.openStore(try store.location(of: RosterProgram.name))
    var generator = SystemRandomNumberGenerator()
    let roster = StudentRoster(RosterProgram.command("added a random student", in: opened))
    let id = try roster.addRandom(using: &generator)
    try opened.close()
    try TerminalOutput.standard.write("added \(id)\n")
  }
}

/// `remove-at SECTION ROW`: removes the student at a path of the list.
struct RemoveAtVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-at",
    abstract: "Remove the student at SECTION and ROW of the list; both count from 0.",
    discussion: RosterProgram.discussion(
      "--sort, --where and the other list options decide which list is meant.",
      takesList: true,
      examples: "remove-at 0 0"
    )
  )

  @Argument(help: "The section, from 0.")
  var section: Int
  @Argument(help: "The row in the section, from 0.")
  var row: Int

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions

  func run() async throws {
    let id = try await RosterProgram.removeRow(of: list, in: store) { results in
      let path = RowPath(section: section, row: row)
      guard let id = results.objectID(at: path) else {
        throw CommandFailure(
          .nothingMatched,
          "There is no student at section \(section), row \(row): \(extent(of: results)).",
          remedy: "Nothing was removed."
        )
      }
      return id
    }
    try TerminalOutput.standard.write("removed \(id)\n")
  }

  /// The bounds that the position exceeds.
  private func extent(of results: ResultsList<Row>) -> String {
    guard results.sections.indices.contains(section) else {
      return results.sections.isEmpty
        ? "the list is empty" : "the list has sections 0 to \(results.sections.count - 1)"
    }
    return "the section has rows 0 to \(results.sections[section].count - 1)"
  }
}
