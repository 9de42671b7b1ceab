package import ArgumentParser
package import ProgramFrontEnd
package import ResultsDomain
package import ResultsPresentation
package import ResultsStoreKit
import TerminalFrontEnd

/// `list`: prints the list.
package struct ListVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "List the \(Program.nouns.many).",
      discussion: Program.listDiscussion()
    )
  }

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<Program>
  @OptionGroup var output: OutputOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var saved: SavedListOptions
  @Flag(help: "Exit with status 1 if the list is empty.")
  var failIfEmpty = false
  @Flag(help: "Explain how the list is computed (index, cache, cost) instead of printing it.")
  var explain = false

  /// Creates the verb.
  package init() {}

  /// Prints the list.
  package func run() async throws {
    let settings = try locale.settings(for: output.listFormat)
    let definition = try list.definition(of: Program.self, for: settings, within: times)
    let run = ListRun<Program>(output: output, settings: settings)
    guard !explain else { return try await run.printExplanation(of: definition, from: store) }
    try await run.print(definition, from: store, failIfEmpty: failIfEmpty)
  }
}

/// A run of `list`, or of a verb like it: opens a store, fetches once and prints.
package struct ListRun<Program: ListProgram> {
  private let output: OutputOptions
  private let settings: LocaleSettings

  /// Creates a run with the options of a verb.
  package init(output: OutputOptions, settings: LocaleSettings) {
    self.output = output
    self.settings = settings
  }

  /// Opens the store, fetches a definition once and prints it.
  package func print(
    _ definition: ResultsDefinition<Row>,
    from store: ReadingStoreOptions,
    failIfEmpty: Bool = false
  ) async throws {
    let (definition, columns) = try output.rows.narrowed(
      definition,
      of: Program.self,
      inTable: output.listFormat == .table
    )
    let location = try store.locationToRead(of: Program.self)
    let opened = try Program.openStore(location)
    let count = try await print(definition, columns, in: opened, Program.caches(for: location))
    try opened.close()
    if failIfEmpty, count == 0 { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }

  /// Prints how a list is computed and followed with the columns that it shows, instead of the list.
  package func printExplanation(
    of definition: ResultsDefinition<Row>,
    from store: ReadingStoreOptions
  ) async throws {
    let columns = try output.rows.columns(of: Program.self)
    let location = try store.locationToRead(of: Program.self)
    let opened = try Program.openStore(location)
    let controller = FetchedResultsController(
      try Program.summed(definition, in: opened)
        .fetching(columns, observesNames: output.listFormat == .json),
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(
        delivery: .onDemand,
        wallClock: PresentTime.clock,
        caches: Program.caches(for: location)
      )
    )
    try await controller.performFetch()
    for line in try await controller.explain()?.lines ?? [] {
      try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    }
    // The process must not end while the cache is being written.
    _ = try? await controller.saveCache()
    controller.cancel()
    try opened.close()
  }

  /// Fetches a definition once from a store that is open, and prints it.
  package func print(
    _ definition: ResultsDefinition<Row>,
    in opened: any Store,
    at location: StoreLocation
  ) async throws {
    let caches = Program.caches(for: location)
    let columns = try output.rows.columns(
      of: Program.self,
      inTable: output.listFormat == .table
    )
    _ = try await print(definition, columns, in: opened, caches)
  }

  private func print(
    _ definition: ResultsDefinition<Row>,
    _ columns: [ListColumn],
    in opened: any Store,
    _ caches: (any SectionCacheStorage)?
  ) async throws -> Int {
    var definition = definition
    var origin: RunningOrigin?
    if let running = columns.running, output.listFormat != .json {
      let predicate = definition.request.predicate
      definition.aggregates = try Program.headerAggregates(in: opened, where: predicate)
      definition.cacheName = definition.cacheName.map { "\($0)WithAggregates" }
      guard definition.aggregates.count == 1 else {
        throw running.failure(for: definition.aggregates)
      }
      origin = running.origin(in: definition)
      if origin == nil { throw running.otherOrder }
    }
    let controller = FetchedResultsController(
      // One JSON object for the list has exactly the rows that a watch begins with.
      try Program.summed(definition, in: opened)
        .fetching(columns, observesNames: output.listFormat == .json),
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, wallClock: PresentTime.clock, caches: caches)
    )
    try await controller.performFetch()
    let printer = ListPrinter(
      columns: columns,
      format: output.listFormat,
      isColored: output.rows.isColored,
      settings: settings,
      nouns: Program.nouns,
      keyTitle: Program.keyTitle,
      showsKey: Program.showsKey,
      output: .standard
    )
    let count = try await controller.printing(again: output.listFormat == .json) { reading in
      try printer.print(reading, Program.fields, runningFrom: origin)
      return reading.results.count
    }
    // The list has been printed: without its cache, the next run fetches again.
    _ = try? await controller.saveCache()
    controller.cancel()
    return count
  }
}
