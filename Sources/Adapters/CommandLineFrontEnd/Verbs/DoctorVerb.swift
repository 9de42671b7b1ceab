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
      abstract: """
        Report where the store is and whether it is healthy; repair its change log and caches.
        """,
      discussion: """
        Nothing is changed without --repair or --create-index. Neither touches the \(Program.nouns.many).
        """
    )
  }

  @OptionGroup var store: StoreOptions
  @OptionGroup var locale: LocaleOptions
  @Flag(
    help: """
      Rebuild the store's internal data: change log and caches. Your \(Program.nouns.many) are not touched.
      """
  )
  var repair = false
  @Flag(help: "Create the index that lets the list be read without sorting, if there is one.")
  var createIndex = false

  /// Makes the verb.
  public init() {}

  /// Examines.
  public func run() async throws {
    let settings = try locale.settings()
    let changesStore = repair || createIndex
    let place =
      try changesStore
      ? store.existingLocation(of: Program.self) : store.locationToRead(of: Program.self)
    let opened = try Program.openStore(place)
    if repair { try mend(opened, at: place) }
    let controller = FetchedResultsController(
      Program.definition(for: settings),
      in: opened,
      detectsExternalChanges: false,
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
      lines.append("list       \(explanation.plan.source)")
      if let remedy = explanation.plan.remedy { lines.append("would help \(remedy)") }
    }
    controller.cancel()
    try opened.close()
    try show(lines)
  }

  private func mend(_ opened: any Store, at place: StoreLocation) throws {
    var lines = try Program.repair(opened)
    if let caches = Program.caches(for: place) {
      try caches.removeAll()
      lines.append("repaired   the caches, which are written again when lists are read")
    }
    try show(lines)
  }

  private func show(_ lines: [String]) throws {
    for line in lines { try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n") }
  }
}

/// Says of each cache of a program's lists whether it is of use, and why not.
enum CacheLines {
  /// One line a cache, and one for the program's own list if it has none.
  static func lines<Program: ListProgram>(
    of program: Program.Type,
    at place: StoreLocation,
    in store: any Store,
    for settings: LocaleSettings
  ) -> [String] {
    guard let caches = Program.caches(for: place) else { return [] }
    do {
      return try caches.reports(on: [Program.definition(for: settings)], in: store).map { report in
        let rows = report.rowCount.map { ", \($0) \($0 == 1 ? "row" : "rows")" } ?? ""
        return "cache      \(report.name): \(report.outcome)\(rows)"
      }
    } catch {
      return ["cache      \(error)"]
    }
  }
}
