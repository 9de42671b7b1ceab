import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import StudentRoster
import Synchronization
import TerminalFrontEnd

/// `simulate`: adds, changes and removes random students; with `--watch` it prints the list and its changes.
struct SimulateVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Add, change and remove random students; the same seed gives the same operations.",
    discussion: RosterProgram.discussion(
      """
      With --watch --format jsonl it prints the list as one snapshot and a delta for each change. On fresh stores the \
      same seed prints the same bytes.
      """,
      takesList: true,
      examples: "simulate --store roster.sqlite --seed 7 --operations 500",
      "simulate --store roster.sqlite --for 10s --rate 5 --watch"
    )
  )

  @Option(help: "The seed of the random operations.")
  var seed: UInt64 = 1
  @Option(
    parsing: .unconditional,
    help: "Number of operations (default: 100, or unlimited with --for).",
    transform: WholeNumber.parse
  )
  var operations: Int?
  @Option(parsing: .unconditional, help: "Operations per second (default: unlimited).")
  var rate: Double?
  @Option(
    name: .customLong("for"),
    parsing: .unconditional,
    help: "Stop after a time such as 10s; a number alone is seconds."
  )
  var time: TimeSpan?
  @Flag(help: "Print the list, then every change.")
  var watch = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: ChangeOutputOptions
  @OptionGroup var locale: LocaleOptions

  func validate() throws {
    guard store.path != nil else {
      throw ValidationError(
        "simulate changes and removes the students in the store, so it needs --store with a separate file."
      )
    }
    guard rate.map({ $0 > 0 && $0 <= 1_000_000 }) ?? true else {
      throw ValidationError("--rate must be above 0 and at most 1000000.")
    }
    guard operations.map({ $0 >= 0 }) ?? true else {
      throw ValidationError("--operations must be 0 or more, not \(operations ?? 0).")
    }
  }

  func run() async throws {
    let settings = try locale.settings(for: output.listFormat)
    let opened = try RosterProgram.openStore(try store.location(of: RosterProgram.name))
    let hasEnded = EndFlag()
    let outcome = await InterruptibleWork.outcome(
      endingBy: { hasEnded.set() },
      { try await simulate(in: opened, settings) { hasEnded.isSet } }
    )
    try opened.close()
    let done = try outcome.get()
    if !watch { try TerminalOutput.standard.write("\(done) operations\n") }
  }

  /// Performs the operations one by one.
  /// - Returns: The number of operations.
  private func simulate(
    in store: any Store,
    _ settings: LocaleSettings,
    until hasEnded: () -> Bool
  ) async throws -> Int {
    var follower = try await watch ? Follower(self, settings, store) : nil
    defer { follower?.end() }
    var simulation = try RosterSimulation(seed: seed, in: store)
    let clock = ContinuousClock()
    let start = clock.now
    let end = time.map { start.advanced(by: $0.duration) }
    let limit = operations ?? (time == nil ? 100 : .max)
    var done = 0
    while done < limit, !hasEnded() {
      if let end, clock.now >= end { break }
      try simulation.step()
      done += 1
      try await follower?.follow()
      if let rate {
        try await clock.sleep(until: start.advanced(by: .seconds(Double(done) / rate)))
      }
    }
    return done
  }
}

/// A flag by which another thread ends the simulation.
private final class EndFlag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

/// Prints a list, and after every operation its changes.
private struct Follower {
  private let controller: FetchedResultsController<Row>
  private var live: LiveDisplay<RosterProgram>

  init(_ verb: SimulateVerb, _ settings: LocaleSettings, _ store: any Store) async throws {
    let display = try ListDisplay<RosterProgram>(verb.output, settings)
    let definition = try verb.list.definition(of: RosterProgram.self, for: settings)
    // The same seed must print the same bytes, so the seed is also the name of the list's life.
    let life = ResultsLife("simulation-\(verb.seed)")
    controller = FetchedResultsController(
      definition,
      in: store,
      options: ResultsOptions(life: life)
    )
    try await controller.performFetch()
    live = try await LiveDisplay(controller, on: display)
  }

  /// Prints the changes up to now before the next operation begins, so that each operation has its own delta.
  mutating func follow() async throws {
    try await controller.refresh()
    let latest = try controller.results.generation
    while live.generation < latest, try await live.showNext() != nil {}
  }

  func end() { controller.cancel() }
}
