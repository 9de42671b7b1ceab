import ArgumentParser
import CommandLineFrontEnd
import EventLog
import Foundation
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `stamp`: adds an event with the current time.
struct StampVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stamp",
    abstract: "Add an event with the present time.",
    discussion: EventProgram.discussion(examples: "stamp")
  )

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let location = try store.location(of: EventProgram.name)
    let managers = StoreManagers(dataFolder: "") { _, _ in try EventProgram.openStore(location) }
    let manager = try managers.manager(of: EventProgram.name, file: location.address.text)
    let event = try manager.new("Event")
    let now = Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    event["timeStamp"] = now.attributeValue
    try manager.save()
    try manager.store.close()
    let id = event.id?.description ?? "an event"
    try TerminalOutput.standard.write("stamped \(id) at \(now.iso8601)\n")
  }
}

/// `remove-at INDEX`: removes the event at a position of the list.
struct RemoveAtVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-at",
    abstract: "Remove the event at a position of the list; positions count from 0.",
    discussion: EventProgram.discussion(
      "--sort, --where and the other list options decide which list is meant.",
      takesList: true,
      examples: "remove-at 0",
      "remove-at 0 --sort timeStamp"
    )
  )

  @Argument(help: "The position in the list, from 0.")
  var index: Int

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions

  func run() async throws {
    let id = try await EventProgram.removeRow(of: list, in: store) { results in
      guard results.rows.indices.contains(index),
        let id = results.rows[index].objectID
      else {
        throw CommandFailure(
          .nothingMatched,
          "There is no event at position \(index): the list \(extent(of: results.count)).",
          remedy: "Nothing was removed."
        )
      }
      return id
    }
    try TerminalOutput.standard.write("removed \(id)\n")
  }

  private func extent(of count: Int) -> String {
    count == 0 ? "is empty" : "has positions 0 to \(count - 1)"
  }
}
