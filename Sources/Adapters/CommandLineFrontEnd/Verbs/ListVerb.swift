public import ArgumentParser
public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd

/// `list`: prints what the store holds.
public struct ListVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "List the \(Program.nouns.many).",
      discussion: """
        Examples:
          \(Program.name) list --section-by none --limit 20
          \(Program.name) list --format jsonl
        """
    )
  }

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locale: LocaleOptions
  @Flag(help: "Exit with status 1 if the list is empty.")
  var failIfEmpty = false
  @Flag(help: "Explain how the list is computed (index, cache, cost) instead of printing it.")
  var explain = false

  /// Makes the verb.
  public init() {}

  /// Lists.
  public func run() async throws {
    let settings = try locale.settings()
    let definition = try list.definition(of: Program.self, for: settings)
    guard !explain else { return try await say(definition) }
    try await ListRun<Program>(store: store, output: output, settings: settings)
      .print(definition, failIfEmpty: failIfEmpty)
  }

  private func say(_ definition: ResultsDefinition<Row>) async throws {
    let place = try store.locationToRead(of: Program.self)
    let opened = try Program.openStore(place)
    let controller = FetchedResultsController(
      definition,
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, caches: Program.caches(for: place))
    )
    try await controller.performFetch()
    for line in try await controller.explain()?.lines ?? [] {
      try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    }
    // What is being kept meanwhile would else be left half written.
    _ = try? await controller.saveCache()
    controller.cancel()
    try opened.close()
  }
}

/// Opens a store, fetches once and prints: what `list` and its relatives in a program do.
public struct ListRun<Program: ListProgram> {
  private let store: StoreOptions
  private let output: OutputOptions
  private let settings: LocaleSettings

  /// A run with the options of a verb.
  public init(store: StoreOptions, output: OutputOptions, settings: LocaleSettings) {
    self.store = store
    self.output = output
    self.settings = settings
  }

  /// Opens the store, fetches a definition once and prints it.
  public func print(_ definition: ResultsDefinition<Row>, failIfEmpty: Bool = false) async throws {
    let columns = try output.columns(of: Program.self)
    let place = try store.locationToRead(of: Program.self)
    let opened = try Program.openStore(place)
    let count = try await print(definition, columns, in: opened, Program.caches(for: place))
    try opened.close()
    if failIfEmpty, count == 0 { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }

  /// Fetches a definition once from a store that is open, and prints it.
  public func print(_ definition: ResultsDefinition<Row>, in opened: any Store) async throws {
    let caches = Program.caches(for: try store.location(of: Program.name))
    _ = try await print(definition, try output.columns(of: Program.self), in: opened, caches)
  }

  private func print(
    _ definition: ResultsDefinition<Row>,
    _ columns: [ListColumn],
    in opened: any Store,
    _ caches: (any SectionCacheStorage)?
  ) async throws -> Int {
    let controller = FetchedResultsController(
      definition,
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, caches: caches)
    )
    try await controller.performFetch()
    let printer = ListPrinter(
      columns: columns,
      format: output.resolvedFormat,
      isColored: output.isColored,
      settings: settings,
      nouns: Program.nouns,
      output: .standard
    )
    let count = try TerminalOutput.standard.withoutWaiting {
      try controller.withOneVersion { reading in
        try printer.print(ListContent(reading))
        return reading.results.count
      }
    }
    // The list has been printed: what could not be cached of it is fetched again the next time.
    _ = try? await controller.saveCache()
    controller.cancel()
    return count
  }
}
