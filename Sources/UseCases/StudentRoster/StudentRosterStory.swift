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
