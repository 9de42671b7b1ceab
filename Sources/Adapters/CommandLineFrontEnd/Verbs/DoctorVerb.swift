public import ArgumentParser
import Foundation
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// `doctor`: says how the store is.
public struct DoctorVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "doctor",
      abstract: "Say where the store is and how it is; repair what it keeps for itself.",
      discussion: """
        Nothing is changed without --repair or --create-index. Neither touches the \(Program.nouns.many).
        """
    )
  }

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions
  @Flag(help: "Make anew what the store keeps for itself: its log of changes, its caches.")
  var repair = false
  @Flag(help: "Make the index that would spare the list its sorting, if one would.")
  var createIndex = false

  /// Makes the verb.
  public init() {}

  /// Examines.
  public func run() async throws {
    let settings = try reader.settings()
    let place = try store.place(of: Program.name, onlyReads: !repair && !createIndex)
    let opened = try Program.openStore(place)
    if repair { try mend(opened, at: place) }
    let controller = FetchedResultsController(
      Program.definition(for: settings),
      in: opened,
      findsOtherWriters: false,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await controller.performFetch()
    if createIndex, let explanation = try await controller.explain() {
      try show(try Program.createIndex(serving: explanation.definition, in: opened))
    }
    var lines = ["store      \(opened.identity.name)"]
    lines.append("identity   \(opened.identity.uniqueName)")
    let capabilities = opened.capabilities
    lines.append("durable    \(capabilities.isDurable ? "yes" : "no")")
    lines.append("writable   \(capabilities.isReadOnly ? "no" : "yes")")
    switch capabilities.historyCoverage {
    case .everyWriter: lines.append("history    row by row, of every writer")
    case .thisStore:
      lines.append("history    row by row, of this process; others are found by reading again")
    }
    for entity in opened.entities {
      let count = try opened.read { (snapshot) throws(StoreError) in
        try snapshot.count(of: entity, where: .all)
      }
      let width = entity.attributes.count
      lines.append(
        "entity     \(entity.name), \(count) \(count == 1 ? "object" : "objects"), "
          + "\(width) \(width == 1 ? "attribute" : "attributes")"
      )
    }
    lines.append("locale     \(settings.locale?.identifier ?? "C, plain forms")")
    lines.append("time zone  \(settings.timeZone.identifier)")
    lines += try Program.diagnose(opened)
    lines += CacheLines.lines(of: Program.self, at: place, in: opened, for: settings)
    if let explanation = try await controller.explain() {
      lines.append("list       keys from \(explanation.plan.source)")
      if let remedy = explanation.plan.remedy { lines.append("would help \(remedy)") }
    }
    controller.cancel()
    try opened.close()
    try show(lines)
  }

  private func mend(_ opened: any Store, at place: StorePlace) throws {
    var lines = try Program.repair(opened)
    if let caches = Program.caches(for: place) {
      try caches.removeAll()
      lines.append("repaired   the caches, which are made anew when lists are read")
    }
    try show(lines)
  }

  private func show(_ lines: [String]) throws {
    for line in lines { try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n") }
  }
}
