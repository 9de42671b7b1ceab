import ArgumentParser
import CommandLineFrontEnd
import ProgramStores
import ResultsDomain
import ResultsPresentation
import StudentRoster
import TerminalFrontEnd

/// `simulate`: adds, changes and removes random students, and with `--watch` prints its own list meanwhile.
struct SimulateVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Add, change and remove random students; equal seeds do equal things.",
    discussion: """
      With --watch --format jsonl it prints the list as one snapshot and a delta for each change. On fresh stores \
      equal seeds print equal bytes.
      """
  )

  @Option(help: "The seed of what happens.")
  var seed: UInt64 = 1
  @Option(help: "How many things happen.")
  var operations: Int?
  @Option(help: "How many things happen in a second; as fast as possible unless told.")
  var rate: Double?
  @Option(name: .customLong("for"), help: "End after a time such as 10s.")
  var time: TimeSpan?
  @Flag(help: "Print the list, then every change.")
  var watch = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var reader: ReaderOptions

  func validate() throws {
    guard store.path != nil else {
      throw ValidationError(
        "simulate changes what it finds, so it needs --store with a file of its own."
      )
    }
    guard rate.map({ $0 > 0 && $0 <= 1_000_000 }) ?? true else {
      throw ValidationError("--rate must be above 0 and at most 1000000.")
    }
    guard operations.map({ $0 >= 0 }) ?? true else {
      throw ValidationError("--operations must not be below 0.")
    }
  }

  func run() async throws {
    let settings = try reader.settings()
    let opened = try RosterProgram.openStore(try store.place(of: RosterProgram.name))
    var follower = try await watch ? Follower(self, settings, opened) : nil
    var simulation = try RosterSimulation(seed: seed, in: opened)
    let clock = ContinuousClock()
    let start = clock.now
    let end = time.map { start.advanced(by: $0.duration) }
    let limit = operations ?? (time == nil ? 100 : .max)
    var done = 0
    while done < limit {
      if let end, clock.now >= end { break }
      try simulation.step()
      done += 1
      try await follower?.follow()
      if let rate {
        try await clock.sleep(until: start.advanced(by: .seconds(Double(done) / rate)))
      }
    }
    follower?.end()
    try opened.close()
    if !watch { try TerminalOutput.standard.write("\(done) operations\n") }
  }
}

/// Prints a list and, after every operation, what it changed.
private struct Follower {
  private let controller: FetchedResultsController<Row>
  private var events: ResultsChanges<Row>.AsyncIterator
  private var display: ListDisplay<RosterProgram>
  private var generation: Int

  init(_ verb: SimulateVerb, _ settings: ReaderSettings, _ store: any Store) async throws {
    display = try ListDisplay(verb.output, settings)
    let definition = try verb.list.definition(of: RosterProgram.self, for: settings)
    controller = FetchedResultsController(definition, in: store)
    try await controller.performFetch()
    events = controller.changes.makeAsyncIterator()
    generation = 0
    try await follow()
  }

  /// Shows everything up to now before the next operation begins, so that each has a delta of its own.
  mutating func follow() async throws {
    try await controller.refresh()
    let latest = try controller.results().generation
    while generation < latest, let event = await events.next() {
      switch event {
      case .snapshot(let results): generation = results.generation
      case .change(let change): generation = change.after.generation
      case .reset(_, let results): generation = results.generation
      case .failure: break
      }
      try display.take(event)
    }
  }

  func end() { controller.cancel() }
}
