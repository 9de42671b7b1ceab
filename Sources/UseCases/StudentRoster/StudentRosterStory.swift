public import ResultsDomain
import ResultsPresentation

/// The callbacks of the roster while students come, go and move, and the two mistakes of the example everybody copied.
public enum StudentRosterStory {
  /// Plays the story on a store that holds no student yet.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`, or what the closure throws.
  public static func tell(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let controller = StudentRoster(store).students()
    try await controller.performFetch()
    var stage = await RosterStage(controller)
    try print(
      "A roster: sections by age, then by number. Three tables hear the same callbacks. One does all it is"
    )
    try print(
      "told. Two make the mistakes of a well-known example: one forgets section changes, and one moves a"
    )
    try print("cell without drawing it again. After each step the two are loaded anew.\n")
    try await changeStudents(store, &stage, print)
    try await fillUp(store, &stage, print)
    controller.cancel()
  }

  private static func changeStudents(
    _ store: any Store,
    _ stage: inout RosterStage,
    _ print: (String) throws -> Void
  ) async throws {
    try print("1. Three students come, of two ages: sections first, then rows.")
    let ids = try await store.write { transaction in
      try [
        transaction.insert(Student(studentId: 7, studentName: "ann", studentAge: 12)),
        transaction.insert(Student(studentId: 3, studentName: "bo", studentAge: 12)),
        transaction.insert(Student(studentId: 5, studentName: "cy", studentAge: 14)),
      ]
    }
    try await stage.tell(print)

    try print(
      "2. ann gets number 1 and moves up. A move says that its content may have changed; there is no second"
    )
    try print("   report, so whoever only moves the cell keeps the old number.")
    try await edit(ids[0], in: store) { $0.studentId = 1 }
    try await stage.tell(print)

    try print(
      "3. bo turns 13, an age that was not there. Without the new section the row has no place: a real table"
    )
    try print("   view stops the program here.")
    try await edit(ids[1], in: store) { $0.studentAge = 13 }
    try await stage.tell(print)

    try print("4. cy gets another name, which orders nothing: the row stays and is drawn again.")
    try await edit(ids[2], in: store) { $0.studentName = "cyd" }
    try await stage.tell(print)

    try print("5. cyd leaves, and the section of that age goes.")
    let last = ids[2]
    try await store.write { try $0.delete(last, of: Student.entity) }
    try await stage.tell(print)
  }

  private static func fillUp(
    _ store: any Store,
    _ stage: inout RosterStage,
    _ print: (String) throws -> Void
  ) async throws {
    try print("6. Three hundred random students come, of one seed. Two hundred are shown at most.")
    try await store.write { transaction in
      var generator = SplitMix64(state: 7)
      for _ in 0..<300 { try transaction.insert(Student.random(using: &generator)) }
    }
    let results = try await stage.follow()
    stage.reload(results)
    try print("     \(results.count) of \(results.matchingCount) students, in sections")
    try print(
      "     \(results.sections.map { "\($0.title) (\($0.count))" }.joined(separator: ", "))"
    )
    let titles = results.sectionIndexTitles.titles
    try print(
      "     index titles: \(titles.joined(separator: " ")), because no title begins with a letter\n"
    )

    try print(
      "7. One more comes at the top. The limit stays true while the list is live: the last row leaves."
    )
    try await store.write {
      try $0.insert(Student(studentId: 0, studentName: "dee", studentAge: 10))
    }
    try await stage.tell(print, tellsRows: false)
    let after = try await stage.follow()
    try print("     \(after.count) of \(after.matchingCount) students")
  }

  private static func edit(
    _ id: ObjectID,
    in store: any Store,
    _ change: @escaping @Sendable (inout Student) -> Void
  ) async throws {
    try await store.write { transaction in
      guard var student = try transaction.object(id.key, as: Student.self) else {
        throw StoreError.notFound(id)
      }
      change(&student)
      try transaction.update(student)
    }
  }
}

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
  mutating func follow() async throws -> FetchedResults<Student> {
    try await controller.refresh()
    let results = try controller.results()
    while generation < results.generation, let event = await events.next() {
      guard case .change(let change) = event else { continue }
      generation = change.after.generation
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      for table in [right] + careless.map(\.1) { change.tell(table) }
    }
    return results
  }

  /// Loads the careless tables anew.
  func reload(_ results: FetchedResults<Student>) {
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

  private static func lines(of results: FetchedResults<Student>) throws -> [String] {
    try results.sections.flatMap { section in
      [section.title] + (try section.objects.map { "  \(try $0.get().line)" })
    }
  }

  private static func same(_ left: String, _ right: String) -> Bool { left.hasSameBytes(as: right) }
}

/// A table that is kept by the five callbacks alone, the way a table view is.
///
/// It gathers the reports of one change and applies them at its end: rows out by old paths from behind, sections out and in, rows in by
/// new paths from the front, cells drawn again. `forgetsSections` and `forgetsMovedCells` are the two mistakes of the well-known
/// example code, to show what they do.
final class RosterTable: FetchedResultsControllerDelegate {
  let forgetsSections: Bool
  let forgetsMovedCells: Bool
  private(set) var sections: [(title: String, cells: [String])] = []
  private(set) var calls: [String] = []
  /// What a table view would say of reports that do not add up.
  private(set) var complaint: String?
  private var removedRows: [OldPath] = []
  private var placedRows: [(path: NewPath, id: ObjectID, cell: String?)] = []
  private var removedSections: [Int] = []
  private var placedSections: [(index: Int, title: String)] = []

  init(forgetsSections: Bool = false, forgetsMovedCells: Bool = false) {
    self.forgetsSections = forgetsSections
    self.forgetsMovedCells = forgetsMovedCells
  }

  /// Fills the table anew.
  func reload(_ results: FetchedResults<Student>) {
    complaint = nil
    sections = results.sections.map { section in
      (section.title, section.objects.map { (try? $0.get().line) ?? "?" })
    }
  }

  func controllerWillChangeContent(_ results: FetchedResults<Student>) {
    calls = ["will change"]
    (removedRows, placedRows, removedSections, placedSections) = ([], [], [], [])
  }

  func controller(
    _ results: FetchedResults<Student>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  ) {
    switch type {
    case .insert:
      calls.append("section \(index) (\(section.title)) inserted")
      placedSections.append((index, section.title))
    case .delete:
      calls.append("section \(index) (\(section.title)) deleted")
      removedSections.append(index)
    case .move, .update: calls.append("section \(index) (\(section.title)) changed")
    }
  }

  func controller(
    _ results: FetchedResults<Student>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  ) {
    let cell = newPath.flatMap { try? results.object(at: $0.path).line }
    switch (type, oldPath, newPath) {
    case (.insert, _, let to?):
      calls.append("object inserted at \(to.path)")
      placedRows.append((to, id, cell))
    case (.delete, let from?, _):
      calls.append("object deleted at \(from.path)")
      removedRows.append(from)
    case (.move, let from?, let to?):
      calls.append("object moved from \(from.path) to \(to.path)")
      let stale = sections.indices.contains(from.section) ? cellText(at: from) : nil
      removedRows.append(from)
      placedRows.append((to, id, forgetsMovedCells ? stale : cell))
    case (.update, let from?, let to?):
      calls.append("object updated at \(from.path)")
      removedRows.append(from)
      placedRows.append((to, id, cell))
    default: calls.append("object changed without a path")
    }
  }

  func controllerDidChangeContent(_ results: FetchedResults<Student>) {
    calls.append("did change")
    for path in removedRows.sorted(by: >) {
      guard cellText(at: path) != nil else { return complain("no cell at \(path.path)") }
      sections[path.section].cells.remove(at: path.row)
    }
    if !forgetsSections {
      for index in removedSections.sorted(by: >) { sections.remove(at: index) }
      for section in placedSections.sorted(by: { $0.index < $1.index }) {
        sections.insert((section.title, []), at: section.index)
      }
    }
    for row in placedRows.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(row.path.section),
        row.path.row <= sections[row.path.section].cells.count
      else { return complain("no place for a cell at \(row.path.path)") }
      sections[row.path.section].cells.insert(row.cell ?? "?", at: row.path.row)
    }
    if sections.count != results.sections.count {
      complain("\(sections.count) sections shown, the list has \(results.sections.count)")
    }
  }

  /// The table as lines.
  var lines: [String] {
    sections.flatMap { section in ["\(section.title)"] + section.cells.map { "  \($0)" } }
  }

  private func cellText(at path: OldPath) -> String? {
    guard sections.indices.contains(path.section),
      sections[path.section].cells.indices.contains(path.row)
    else { return nil }
    return sections[path.section].cells[path.row]
  }

  private func complain(_ text: String) { complaint = complaint ?? text }
}
