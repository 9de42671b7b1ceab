public import ArgumentParser
public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd

/// `watch`: prints the list, then every change of it, whoever makes it.
public struct WatchVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "watch",
      abstract: "List the \(Program.nouns.many), then print every change.",
      discussion: """
        Changes made by any process appear. With --format jsonl each line is a snapshot or a delta that another \
        program can follow.
        """
    )
  }

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var reader: ReaderOptions
  @OptionGroup var end: WatchEnd
  @Flag(
    help: "Keep the rows and their order as they are now: attributes stay live, deleted rows leave."
  )
  var frozen = false

  /// Makes the verb.
  public init() {}

  /// Watches.
  public func run() async throws {
    let settings = try reader.settings()
    let definition = try list.definition(of: Program.self, for: settings, isFrozen: frozen)
    try await WatchRun<Program>(store: store, output: output, settings: settings)
      .watch(definition, until: end)
  }
}

/// When a watch ends by itself.
public struct WatchEnd: ParsableArguments {
  /// After so many changes.
  @Option(help: "End after so many changes.")
  public var deltas: Int?

  /// After so much time.
  @Option(name: .customLong("for"), help: "End after a time such as 10s.")
  public var time: TimeSpan?

  /// Makes the options with their defaults.
  public init() {}
}

/// Opens a store, lists it and prints its changes: what `watch` and its relatives in a program do.
public struct WatchRun<Program: ListProgram> {
  private let store: StoreOptions
  private let output: OutputOptions
  private let settings: ReaderSettings

  /// A run with the options of a verb.
  public init(store: StoreOptions, output: OutputOptions, settings: ReaderSettings) {
    self.store = store
    self.output = output
    self.settings = settings
  }

  /// Lists a definition, then prints every change of it until its end.
  public func watch(_ definition: ResultsDefinition<Row>, until end: WatchEnd) async throws {
    var display = try ListDisplay<Program>(output, settings)
    let place = try store.place(of: Program.name)
    let opened = try Program.openStore(place)
    let controller = FetchedResultsController(
      definition,
      in: opened,
      options: ResultsOptions(caches: Program.caches(for: place))
    )
    try await controller.performFetch()
    let events = controller.changes
    let timer = end.time.map { span in
      Task {
        try? await Task.sleep(for: span.duration)
        if !Task.isCancelled { controller.cancel() }
      }
    }
    defer { timer?.cancel() }
    var changes = 0
    for await event in events {
      try display.take(event)
      if case .change = event { changes += 1 }
      if let limit = end.deltas, changes >= limit { break }
    }
    // What could not be kept of the list is fetched again the next time.
    _ = try? await controller.saveCache()
    controller.cancel()
    try opened.close()
  }
}
