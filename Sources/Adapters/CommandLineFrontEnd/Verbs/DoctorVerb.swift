package import ArgumentParser
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `doctor`: reports the condition of the store, and repairs it.
package struct DoctorVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "doctor",
      abstract: """
        Report where the store is and whether it is healthy; repair its change log and caches.
        """,
      discussion: Program.discussion(
        "Nothing is changed without --repair or --create-index. Neither touches the \(Program.nouns.many).",
        examples: "doctor",
        "doctor --repair"
      )
    )
  }

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var locale: LocaleOptions
  @Flag(
    help: """
      Rebuild the store's internal data: change log and caches. Your \(Program.nouns.many) are not touched.
      """
  )
  var repair = false
  @Flag(help: "Create the index that lets the list be read without sorting, if there is one.")
  var createIndex = false

  @Flag(
    help: """
      Print what would be created in the database of a server, as SQL for its administrator, and create nothing.
      """
  )
  var statements = false

  /// Creates the verb.
  package init() {}

  /// Prints the report.
  package func run() async throws {
    guard !statements else { return try printStatements() }
    try await DoctorRun<Program>(store: store, settings: try locale.settings())
      .report(repairing: repair, creatingIndex: createIndex)
  }
}

extension DoctorVerb {
  private func printStatements() throws {
    guard let texts = try Program.statements(for: try store.location(of: Program.name)) else {
      throw CommandFailure(
        .usage,
        "--statements is for a database on a server.",
        remedy: "Name one with --store, or leave the option out."
      )
    }
    let output = TerminalOutput.standard
    for text in texts { try output.write(SafeText.lines(text) + ";\n\n") }
    if texts.isEmpty { try output.write("-- Nothing is missing.\n") }
  }
}

/// A run of `doctor`, or of a verb like it: opens a store and prints its condition.
package struct DoctorRun<Program: ListProgram> {
  private let store: ReadingStoreOptions
  private let settings: LocaleSettings

  /// Creates a run with the options of a verb.
  package init(store: ReadingStoreOptions, settings: LocaleSettings) {
    self.store = store
    self.settings = settings
  }

  /// Prints the report, after the changes that were asked for.
  package func report(repairing repair: Bool = false, creatingIndex createIndex: Bool = false)
    async throws
  {
    let changesStore = repair || createIndex
    let location =
      try changesStore
      ? store.existingLocation(of: Program.self) : store.locationToRead(of: Program.self)
    let opened = try Program.openStore(location)
    if repair { try repairStore(opened, at: location) }
    let controller = FetchedResultsController(
      Program.definition(for: settings),
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, wallClock: PresentTime.clock)
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
      lines.append(
        "history    row by row, of this process; changes by others are found by reading again"
      )
    }
    lines += capabilities.captureProblems.map { "compared   \($0)" }
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
    lines += try opened.read { (snapshot) throws(StoreError) in
      try Program.fields.unbalanced(in: snapshot, for: settings)
    }.map { "transfer   \($0)" }
    lines += CacheLines.lines(of: Program.self, at: location, in: opened, for: settings)
    if let explanation = try await controller.explain() {
      lines.append("list       \(explanation.plan.source)")
      if let remedy = explanation.plan.remedy { lines.append("advice     \(remedy)") }
    }
    controller.cancel()
    try opened.close()
    try show(lines)
  }

  private func repairStore(_ opened: any Store, at location: StoreLocation) throws {
    var lines = try Program.repair(opened)
    if let caches = Program.caches(for: location) {
      try caches.removeAll()
      lines.append("repaired   the caches, which are written again when lists are read")
    }
    try show(lines)
  }

  private func show(_ lines: [String]) throws {
    for line in lines { try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n") }
  }
}

/// The report about the caches of a program's lists.
private enum CacheLines {
  /// Returns a line for each cache, and one for the default list if it has none.
  static func lines<Program: ListProgram>(
    of program: Program.Type,
    at location: StoreLocation,
    in store: any Store,
    for settings: LocaleSettings
  ) -> [String] {
    guard let caches = Program.caches(for: location) else { return [] }
    do {
      return try caches.reports(on: [Program.definition(for: settings)], in: store).map { report in
        let rows = report.rowCount.map { ", \($0) \($0 == 1 ? "row" : "rows")" } ?? ""
        return "cache      \(report.name): \(report.outcome.state)\(rows)"
      }
    } catch {
      return ["cache      \(error)"]
    }
  }
}
