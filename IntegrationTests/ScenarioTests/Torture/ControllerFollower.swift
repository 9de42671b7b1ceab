import ResultsDomain
import ResultsPresentation
import StudentRoster
import WireFormat

/// Follows a controller in the test's own process, and checks each delta and each state.
struct ControllerFollower: Sendable {
  private(set) var replay = WireReplay()
  private(set) var changes = 0
  private var invariant: PairInvariant
  private let encoder = WireEncoder(entity: Student.entity)
  private let name: String

  /// The list that the deltas have led to.
  var list: TortureList { get throws { try TortureList(replay) } }

  private init(_ view: TortureView) {
    name = view.name
    invariant = PairInvariant(holdsPairs: view.holdsPairs)
  }

  /// Follows a definition until it shows the last commit; the store must be quiet until `isReady` is called.
  static func follow(
    _ view: TortureView,
    in store: any Store,
    holdsKeys: Bool,
    isReady: @Sendable () -> Void
  ) async throws -> ControllerFollower {
    let controller = FetchedResultsController(
      view.definition,
      in: store,
      options: ResultsOptions(heldKeysLimit: holdsKeys ? .max : -1)
    )
    try await controller.performFetch()
    if !holdsKeys, case .held = try await controller.explain()?.keys {
      throw Torn(what: "\(view.name): no index has the keys")
    }
    var follower = ControllerFollower(view)
    var generation = 0
    for await event in controller.changes {
      switch event {
      case .snapshot(let results):
        guard generation == 0 else { throw Torn(what: "\(view.name): a second snapshot") }
        generation = results.generation
        try follower.begin(results)
        isReady()
      case .change(let change):
        guard change.before.generation == generation, change.delta.from == generation else {
          throw Torn(what: "\(view.name): \(change.delta.from) after \(generation)")
        }
        generation = change.after.generation
        try follower.take(change)
        if follower.invariant.isAtEnd { controller.cancel() }
      case .reset(let reason, _): throw Torn(what: "\(view.name): a reset: \(reason)")
      case .failure(let error): throw Torn(what: "\(view.name): \(error)")
      }
    }
    return follower
  }

  private mutating func begin(_ results: ResultsList<Row>) throws {
    let sections = try results.sections.map { section in
      WireSection(header: section.header, rows: try section.map { try $0.object })
    }
    try replay.apply(line: encoder.snapshot(at: results.position, sections: sections))
    if let list = replay.list { try invariant.begin(list, isChecked: true) }
  }

  private mutating func take(_ change: ResultsChange<Row>) throws {
    do {
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      let message = try WireDecoder().message(encoder.delta(change.delta))
      try replay.apply(message)
      guard case .delta(let delta) = message, let list = replay.list else {
        throw Torn(what: "no change")
      }
      try invariant.take(delta, to: list)
      changes += 1
    } catch {
      let line = encoder.delta(change.delta).prefix(3000)
      throw Torn(what: "\(name), generation \(change.delta.to): \(error): \(line)")
    }
  }
}
