import CommandLineFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import StudentRoster

/// A story: the delegate callbacks of a roster, and two mistakes of well-known example code.
enum StudentRosterStory {
  /// Plays the story on a store without students.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`, or what the closure throws.
  static func play(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let controller = StudentRoster(store).students()
    try await controller.performFetch()
    var tables = await TableComparison(controller)
    try print(
      "A roster: sections by age, sorted by number. Three tables receive the same delegate callbacks. One"
    )
    try print(
      "handles all of them. Two repeat mistakes of well-known example code: one ignores section changes, and"
    )
    try print("one moves cells without redrawing them. These two are reloaded after each step.\n")
    try await changeStudents(store, &tables, print)
    try await fillUp(store, &tables, print)
    controller.cancel()
  }

  private static func changeStudents(
    _ store: any Store,
    _ tables: inout TableComparison,
    _ print: (String) throws -> Void
  ) async throws {
    try print("1. Three students of two ages are inserted: sections first, then rows.")
    let ids = try await store.write { transaction in
      try [
        transaction.insert(Student(studentId: 7, studentName: "ann", studentAge: 12)),
        transaction.insert(Student(studentId: 3, studentName: "bo", studentAge: 12)),
        transaction.insert(Student(studentId: 5, studentName: "cy", studentAge: 14)),
      ]
    }
    try await tables.printStep(print)

    try print(
      "2. ann gets number 1 and moves up. A move implies that the content may have changed; no update follows."
    )
    try print("   A table that only moves the cell shows the old number.")
    try await edit(ids[0], in: store) { $0.studentId = 1 }
    try await tables.printStep(print)

    try print(
      "3. bo turns 13, an age without a section. A table that does not insert the section has no position for"
    )
    try print("   the row: a real table view stops the program here.")
    try await edit(ids[1], in: store) { $0.studentAge = 13 }
    try await tables.printStep(print)

    try print(
      "4. cy gets another name, which is not part of the sort order: the row stays and is redrawn."
    )
    try await edit(ids[2], in: store) { $0.studentName = "cyd" }
    try await tables.printStep(print)

    try print("5. cyd is deleted, and with the last row of its age the section.")
    let last = ids[2]
    try await store.write { try $0.delete(last, of: Student.entity) }
    try await tables.printStep(print)
  }

  private static func fillUp(
    _ store: any Store,
    _ tables: inout TableComparison,
    _ print: (String) throws -> Void
  ) async throws {
    try print("6. Three hundred random students are inserted. The list shows at most two hundred.")
    try StudentRoster(store).addRandom(300, seed: 7)
    let results = try await tables.applyChanges()
    tables.reload(results)
    try print("     \(results.count) of \(results.matchingCount) students, in sections")
    try print(
      "     \(results.sections.map { "\($0.title) (\($0.count))" }.joined(separator: ", "))"
    )
    let titles = results.sectionIndexTitles.titles
    try print(
      "     index titles: \(titles.joined(separator: " ")), because no title begins with a letter\n"
    )

    try print(
      "7. One more is inserted at the top. The limit holds while the list is live: the last row leaves the list."
    )
    try await store.write {
      try $0.insert(Student(studentId: 0, studentName: "dee", studentAge: 10))
    }
    try await tables.printStep(print, includesRows: false)
    let after = try await tables.applyChanges()
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

/// Three tables beside one list: a correct one, and two that make one mistake each.
private struct TableComparison {
  private let controller: FetchedResultsController<Student>
  private var events: ResultsChanges<Student>.AsyncIterator
  private var generation = 0
  private let correct = RosterTable()
  private let careless = [
    ("ignores section changes", RosterTable(forgetsSections: true)),
    ("only moves cells", RosterTable(forgetsMovedCells: true)),
  ]

  /// Tables that show a list which has been fetched.
  init(_ controller: FetchedResultsController<Student>) async {
    self.controller = controller
    events = controller.changes.makeAsyncIterator()
    if case .snapshot(let results) = await events.next() {
      generation = results.generation
      for table in [correct] + careless.map(\.1) { table.reload(results) }
    }
  }

  /// Passes every change up to now to the tables, after checking its delta.
  /// - Returns: The current list.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`.
  mutating func applyChanges() async throws -> ResultsList<Student> {
    try await controller.refresh()
    let results = try controller.results
    while generation < results.generation, let event = await events.next() {
      guard case .change(let change) = event else { continue }
      generation = change.after.generation
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      for table in [correct] + careless.map(\.1) { change.deliver(to: table) }
    }
    return results
  }

  /// Reloads the two careless tables.
  func reload(_ results: ResultsList<Student>) {
    for (_, table) in careless { table.reload(results) }
  }

  /// Prints the callbacks of the changes up to now, and what the tables show after them.
  /// - Parameters:
  ///   - print: Takes each line.
  ///   - includesRows: Whether the rows of the correct table are printed.
  /// - Throws: As `applyChanges()`, or what the closure throws.
  mutating func printStep(
    _ print: (String) throws -> Void,
    includesRows: Bool = true
  ) async throws {
    let results = try await applyChanges()
    for call in correct.calls { try print("     \(call)") }
    if includesRows { for line in correct.lines { try print("       \(line)") } }
    let expected = try lines(of: results)
    let isCorrect =
      correct.complaint == nil && correct.lines.elementsEqual(expected) { $0.hasSameBytes(as: $1) }
    try print("     the correct table shows \(isCorrect ? "exactly" : "NOT") what the list holds")
    for (name, table) in careless {
      if let complaint = table.complaint {
        try print("     the table that \(name): \(complaint)")
      } else if let (wrong, line) = zip(table.lines, expected).first(where: {
        !$0.hasSameBytes(as: $1)
      }) {
        try print("     the table that \(name): “\(wrong)” where the list has “\(line)”")
      }
    }
    reload(results)
    try print("")
  }

  private func lines(of results: ResultsList<Student>) throws -> [String] {
    try results.sections.flatMap { section in
      [section.title] + (try section.map { "  \(try $0.object.line)" })
    }
  }
}
