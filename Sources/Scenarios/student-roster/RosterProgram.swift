import CommandLineFrontEnd
import InMemoryPersistence
import StudentRoster
import ResultsDomain
import ResultsPresentation
import SQLitePersistence

/// What `student-roster` adds to the shared verbs.
enum RosterProgram: ListProgram {
  static let name = "student-roster"
  static let abstract = "A roster of students by age."
  static let nouns = (one: "student", many: "students")
  static let entity = Student.entity
  static let columns = ["studentId", "studentName", "studentAge"]

  static func definition(for reader: ReaderSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(StudentRoster.request(), sectionedBy: StudentRoster.sectionKey)
  }

  static func openStore(_ place: StorePlace) throws -> any Store {
    guard !place.isInMemory else { return try InMemoryStore(entities: [entity]) }
    return try SQLiteStore(
      at: place.path,
      entities: [entity],
      options: SQLiteStoreOptions(
        isReadOnly: place.isReadOnly,
        busyTimeout: place.busyTimeout,
        historyCapacity: place.historyCapacity
      )
    )
  }

  static func diagnose(_ store: any Store) throws -> [String] {
    try (store as? SQLiteStore)?.check().lines ?? []
  }

  static func tellStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await StudentRosterStory.tell(in: store, print)
  }
}
