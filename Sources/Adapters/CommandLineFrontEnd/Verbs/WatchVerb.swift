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
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var end: WatchEnd
  @Flag(
    help: "Keep the rows and their order as they are now: attributes stay live, deleted rows leave."
  )
  var frozen = false

  /// Makes the verb.
  public init() {}

  /// Watches.
  public func run() async throws {
    let settings = try locale.settings()
    let definition = try list.definition(of: Program.self, for: settings, isFrozen: frozen)
    try await WatchRun<Program>(store: store, output: output, settings: settings)
      .watch(definition, until: end)
  }
}

/// When a watch ends by itself.
public struct WatchEnd: ParsableArguments {
  /// After so many changes.
  @Option(parsing: .unconditional, help: "Stop after this many changes.")
  public var deltas: Int?

  /// After so much time.
  @Option(
    name: .customLong("for"),
    parsing: .unconditional,
    help: "Stop after a time such as 10s."
  )
  public var time: TimeSpan?

  /// Makes the options with their defaults.
  public init() {}

  /// Refuses a number of changes below zero.
  public func validate() throws {
    guard deltas ?? 0 >= 0 else {
      throw ValidationError("--deltas must be 0 or more, not \(deltas ?? 0).")
    }
  }
}

/// Opens a store, lists it and prints its changes: what `watch` and its relatives in a program do.
public struct WatchRun<Program: ListProgram> {
  private let store: StoreOptions
  private let output: OutputOptions
  private let settings: LocaleSettings

  /// A run with the options of a verb.
  public init(store: StoreOptions, output: OutputOptions, settings: LocaleSettings) {
    self.store = store
    self.output = output
    self.settings = settings
  }

  /// Lists a definition, then prints every change of it until its end, which a signal or the reader of the output may bring.
  public func watch(_ definition: ResultsDefinition<Row>, until end: WatchEnd) async throws {
    let display = try ListDisplay<Program>(output, settings)
    let place = try store.location(of: Program.name)
    let opened = try Program.openStore(place)
    let controller = FetchedResultsController(
      definition,
      in: opened,
      options: ResultsOptions(caches: Program.caches(for: place))
    )
    let outcome = await InterruptibleWork.outcome(endingBy: { controller.cancel() }) {
      try await follow(controller, on: display, until: end)
      // What could not be cached of the list is fetched again the next time.
      _ = try? await controller.saveCache()
    }
    controller.cancel()
    try opened.close()
    try outcome.get()
  }

  private func follow(
    _ controller: FetchedResultsController<Row>,
    on display: ListDisplay<Program>,
    until end: WatchEnd
  ) async throws {
    try await controller.performFetch()
    var live = try LiveDisplay(controller, on: display)
    let timer = end.time.map { span in
      Task {
        try? await Task.sleep(for: span.duration)
        if !Task.isCancelled { controller.cancel() }
      }
    }
    defer { timer?.cancel() }
    var changes = 0
    while changes < end.deltas ?? .max, let isChange = try await live.showNext() {
      if isChange { changes += 1 }
    }
  }
}
