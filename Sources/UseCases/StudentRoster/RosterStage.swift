import ResultsDomain
import ResultsPresentation

/// Three tables beside one list: one that does all it is told, and two that make a mistake each.
struct RosterStage {
  private let controller: FetchedResultsController<Student>
  private var events: ResultsChanges<Student>.AsyncIterator
  private var generation = 0
  private let right = RosterTable()
  private let careless = [
    ("forgets sections", RosterTable(forgetsSections: true)),
    ("moves only", RosterTable(forgetsMovedCells: true)),
  ]

  /// Puts the tables before a list that has been fetched.
  init(_ controller: FetchedResultsController<Student>) async {
    self.controller = controller
    events = controller.changes.makeAsyncIterator()
    if case .snapshot(let present) = await events.next() {
      generation = present.generation
      for table in [right] + careless.map(\.1) { table.reload(present) }
    }
  }

  /// Lets the tables hear everything up to now; every change is proved first.
  /// - Returns: What the list shows.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`.
  mutating func follow() async throws -> ResultsList<Student> {
    try await controller.refresh()
    let results = try controller.results
    while generation < results.generation, let event = await events.next() {
      guard case .change(let change) = event else { continue }
      generation = change.after.generation
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      for table in [right] + careless.map(\.1) { change.deliver(to: table) }
    }
    return results
  }

  /// Loads the careless tables anew.
  func reload(_ results: ResultsList<Student>) {
    for (_, table) in careless { table.reload(results) }
  }

  /// Tells the callbacks, and what the tables show after them.
  /// - Parameters:
  ///   - print: Takes each line.
  ///   - tellsRows: Whether the right table's lines are told.
  /// - Throws: As `follow()`, or what the closure throws.
  mutating func tell(_ print: (String) throws -> Void, tellsRows: Bool = true) async throws {
    let results = try await follow()
    for call in right.calls { try print("     \(call)") }
    if tellsRows { for line in right.lines { try print("       \(line)") } }
    let shown = try RosterStage.lines(of: results)
    let isRight = right.complaint == nil && right.lines.elementsEqual(shown, by: RosterStage.same)
    try print("     the right table shows \(isRight ? "exactly" : "NOT") what the list holds")
    for (name, table) in careless {
      if let complaint = table.complaint {
        try print("     the table that \(name): \(complaint)")
      } else if let (wrong, line) = zip(table.lines, shown).first(where: {
        !RosterStage.same($0, $1)
      }) {
        try print("     the table that \(name): “\(wrong)” where the list has “\(line)”")
      }
    }
    reload(results)
    try print("")
  }

  private static func lines(of results: ResultsList<Student>) throws -> [String] {
    try results.sections.flatMap { section in
      [section.title] + (try section.map { "  \(try $0.object.line)" })
    }
  }

  private static func same(_ left: String, _ right: String) -> Bool { left.hasSameBytes(as: right) }
}
