import ArgumentParser
import CommandLineFrontEnd
import EventLog
import Foundation
import ProgramStores
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// `stamp`: notes that something happens now.
struct StampVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stamp",
    abstract: "Note that something happens now."
  )

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let place = try store.place(of: EventProgram.name)
    let managers = StoreManagers(dataFolder: "") { _, _ in try EventProgram.openStore(place) }
    let manager = try managers.manager(of: EventProgram.name, file: place.path)
    let event = try manager.new("Event")
    let now = Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    event["timeStamp"] = now.attributeValue
    try manager.save()
    try manager.store.close()
    let id = event.id?.description ?? "an event"
    try TerminalOutput.standard.write("stamped \(id) at \(now.iso8601)\n")
  }
}

/// `remove-at INDEX`: removes the event at a place of the list.
struct RemoveAtVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-at",
    abstract: "Remove the event at a place of the list as it is listed, from 0."
  )

  @Argument(help: "The place, from 0.")
  var index: Int

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions

  func run() async throws {
    let opened = try EventProgram.openStore(try store.place(of: EventProgram.name))
    let definition = try list.definition(of: EventProgram.self, for: .machine)
    let controller = FetchedResultsController(
      definition,
      in: opened,
      findsOtherWriters: false,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await controller.performFetch()
    let results = try controller.results()
    guard results.fetchedObjects.indices.contains(index),
      let id = results.fetchedObjects[index].id
    else {
      throw CommandFailure(
        .nothingMatched,
        "there is no event at place \(index) of \(results.count).",
        remedy: "Places count from 0 in the order of list."
      )
    }
    _ = try opened.commit(origin: .unnamed) { try $0.delete(id, of: EventProgram.entity) }
    controller.cancel()
    try opened.close()
    try TerminalOutput.standard.write("removed \(id)\n")
  }
}
