import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import WireFormat
import StudentRoster

/// Replays the output lines of a program that shows a list, and checks each line and each resulting state.
struct ProgramFollower {
  private(set) var replay = WireReplay()
  private(set) var lines = 0
  private(set) var mostRows = 0
  private var invariant: PairInvariant
  private let name: String
  private let startsQuietly: Bool

  /// A follower of a view; `startsQuietly` if no writer is active while the first line is printed.
  init(_ view: TortureView, startsQuietly: Bool = true) {
    name = view.name
    self.startsQuietly = startsQuietly
    invariant = PairInvariant(holdsPairs: view.holdsPairs)
  }

  /// Whether the last commit is shown.
  var isAtEnd: Bool { invariant.isAtEnd }

  /// Applies a line; its generation must follow the previous one, and the state must be one that was committed.
  mutating func take(_ line: String) throws {
    do {
      let message = try WireDecoder().message(line)
      try replay.apply(message)
      let list = replay.list ?? WireList(generation: 0, sections: [])
      switch message {
      case .snapshot where lines == 0:
        // If others write meanwhile, values of a first list that are not part of its order may be newer than the order.
        try invariant.begin(list, isChecked: startsQuietly)
      case .delta(let delta): try invariant.take(delta, to: list)
      default: throw Torn(what: "neither a first list nor a change")
      }
      lines += 1
      mostRows = max(mostRows, invariant.rows.count)
    } catch {
      throw Torn(what: "\(name), line \(lines): \(error): \(line.prefix(300))")
    }
  }

  /// Runs a `watch` until it shows the last commit, then interrupts it.
  static func watch(
    _ view: TortureView,
    in session: ProgramSession,
    isReady: @escaping @Sendable () -> Void
  ) throws -> ProgramFollower {
    let watch = try session.startEndless(
      "student-roster",
      ["watch", "--format", "jsonl", "--store", "s.sqlite"] + view.options
    )
    var follower = ProgramFollower(view)
    while !follower.isAtEnd {
      guard let line = try watch.line(within: 1200) else {
        throw Torn(what: "\(view.name): the watch ended: \(try watch.finish())")
      }
      try follower.take(line)
      if follower.lines == 1 { isReady() }
    }
    watch.send(SIGINT)
    let result = try watch.finish()
    guard result.status == 130, result.output.isEmpty, result.errors.isEmpty else {
      throw Torn(what: "\(view.name): after the last commit: \(result)")
    }
    return follower
  }
}

/// Follows a controller in the test process, and checks each delta and each state.
struct ControllerFollower: Sendable {
  private(set) var replay = WireReplay()
  private(set) var changes = 0
  private var invariant: PairInvariant
  private let encoder = WireEncoder(entity: Student.entity)
  private let name: String

  /// The list after the latest delta.
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
      options: ResultsOptions(inMemoryKeyLimit: holdsKeys ? .max : -1)
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

/// The invariants of every committed state, by which torn states and rows of undone transactions are detected.
///
/// - Pairs: the rows -2k and -2k-1 are always inserted, changed and deleted by one transaction, and have one name and one age.
/// - Poison: rows of this name are only written in transactions that are undone, by a rollback, a savepoint or a killed process.
/// - The beat: a row whose name grows with every commit of one writer, so that no state occurs twice.
struct PairInvariant {
  static let poison = "poison"
  static let beat = -1
  /// The last of three rows that the last commit inserts; every view shows it.
  static let end = 2_000_000_003

  private(set) var rows: [Int: TortureRow] = [:]
  private var lastBeat = ""
  private let holdsPairs: Bool

  /// Whether the last commit is shown.
  var isAtEnd: Bool { rows[Self.end] != nil }

  init(holdsPairs: Bool) { self.holdsPairs = holdsPairs }

  /// Begins with a whole list; `isChecked` says whether its values and its order are of the same version.
  mutating func begin(_ list: WireList, isChecked: Bool) throws(Torn) {
    for section in list.sections {
      for json in section.rows {
        let row = try row(json)
        rows[row.id] = row
        if isChecked { try check(row, in: section) }
      }
    }
    if isChecked { for id in rows.keys { try checkPair(id) } }
  }

  /// Applies a change that resulted in a list, and checks the rows it touched.
  mutating func take(_ delta: WireDelta, to list: WireList) throws(Torn) {
    var touched: [Int] = []
    for change in delta.rows {
      guard let id = change.id.integer else { throw Torn(what: "no id: \(change.id.text)") }
      touched.append(id)
      guard let json = change.row, let path = change.to?.path else {
        rows[id] = nil
        continue
      }
      let row = try row(json)
      rows[id] = row
      try check(row, in: list.sections[path.section])
    }
    for id in touched { try checkPair(id) }
  }

  private func row(_ json: JSONValue) throws(Torn) -> TortureRow {
    guard let row = TortureRow(json) else { throw Torn(what: "a row is \(json.text)") }
    return row
  }

  private mutating func check(_ row: TortureRow, in section: WireList.Section) throws(Torn) {
    if row.name == Self.poison { throw Torn(what: "\(row) was undone") }
    if let age = section.id.integer, age != row.age {
      throw Torn(what: "\(row) is in section \(age)")
    }
    guard row.id == Self.beat else { return }
    guard row.name >= lastBeat else { throw Torn(what: "\(row.name) after \(lastBeat)") }
    lastBeat = row.name
  }

  private func checkPair(_ id: Int) throws(Torn) {
    guard holdsPairs, id < Self.beat else { return }
    let partner = id.isMultiple(of: 2) ? id - 1 : id + 1
    switch (rows[id], rows[partner]) {
    case (nil, nil): return
    case (let row?, let other?):
      guard other.name == row.name, other.age == row.age else {
        throw Torn(what: "\(row) stands beside \(other)")
      }
    case (let row?, nil), (nil, let row?): throw Torn(what: "\(row) is alone")
    }
  }
}
