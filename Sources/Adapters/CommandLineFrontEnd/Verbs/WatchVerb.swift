package import ArgumentParser
package import ProgramFrontEnd
package import ResultsDomain
package import ResultsPresentation
import ResultsStoreKit
import TerminalFrontEnd

/// `watch`: prints the list, then every change of it by any process.
package struct WatchVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "watch",
      abstract: "List the \(Program.nouns.many), then print every change.",
      discussion: Program.watchDiscussion()
    )
  }

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<Program>
  @OptionGroup var output: ChangeOutputOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var end: WatchEnd
  @Flag(
    help: "Keep the present rows and their order: values stay live, deleted rows disappear."
  )
  var frozen = false

  /// Creates the verb.
  package init() {}

  /// Prints the list and its changes.
  package func run() async throws {
    let settings = try locale.settings(for: output.listFormat)
    let definition = try list.definition(
      of: Program.self,
      for: settings,
      within: times,
      isFrozen: frozen
    )
    try await WatchRun<Program>(store: store, output: output, settings: settings)
      .watch(definition, until: end)
  }
}

/// The options that end a watch.
package struct WatchEnd: ParsableArguments {
  /// The number of changes after which the watch stops.
  @Option(
    parsing: .unconditional,
    help: "Stop after this many changes.",
    transform: WholeNumber.parse
  )
  package var deltas: Int?

  /// The time after which the watch stops.
  @Option(
    name: .customLong("for"),
    parsing: .unconditional,
    help: "Stop after a time such as 10s; a number alone is seconds."
  )
  package var time: TimeSpan?

  /// Creates the options with their defaults.
  package init() {}

  /// Refuses a negative number of changes.
  package func validate() throws {
    guard deltas ?? 0 >= 0 else {
      throw ValidationError("--deltas must be 0 or more, not \(deltas ?? 0).")
    }
  }
}

/// A run of `watch`, or of a verb like it: opens a store, prints a list and then its changes.
package struct WatchRun<Program: ListProgram> {
  private let store: ReadingStoreOptions
  private let output: ChangeOutputOptions
  private let settings: LocaleSettings

  /// Creates a run with the options of a verb.
  package init(
    store: ReadingStoreOptions,
    output: ChangeOutputOptions,
    settings: LocaleSettings
  ) {
    self.store = store
    self.output = output
    self.settings = settings
  }

  /// Prints a list and its changes until the end of the watch, a signal, or until the output is closed.
  package func watch(_ definition: ResultsDefinition<Row>, until end: WatchEnd) async throws {
    let display = try ListDisplay<Program>(output, settings)
    let columns = try output.rows.columns(of: Program.self)
    if let running = columns.running { throw running.refusal(by: "watch") }
    let location = try store.location(of: Program.name)
    let opened = try Program.openStore(location)
    let controller = FetchedResultsController(
      try Program.summed(definition, in: opened).fetching(columns),
      in: opened,
      options: ResultsOptions(wallClock: PresentTime.clock, caches: Program.caches(for: location))
    )
    let outcome = await InterruptibleWork.outcome(endingBy: { controller.cancel() }) {
      // Closing waits for a reading, such as that of a view without an end, which a signal ends all the same.
      do {
        try await follow(controller, on: display, until: end)
        // Without its cache, the next run fetches again.
        _ = try? await controller.saveCache()
      } catch {
        controller.cancel()
        try? opened.close()
        throw error
      }
      controller.cancel()
      try opened.close()
    }
    try outcome.get()
  }

  private func follow(
    _ controller: FetchedResultsController<Row>,
    on display: ListDisplay<Program>,
    until end: WatchEnd
  ) async throws {
    try await controller.performFetch()
    var live = try await LiveDisplay(controller, on: display)
    let notes = Task { [isForPrograms = display.isForPrograms] in
      for await problems in controller.captureProblems {
        try ListDisplay<Program>.note(captureProblems: problems, forPrograms: isForPrograms)
      }
    }
    defer { notes.cancel() }
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
