import CommandLineFrontEnd
import StudentRoster
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// What `student-roster` adds to the shared verbs.
enum RosterProgram: StoredProgram {
  static let name = "student-roster"
  static let abstract = "A roster of students by age."
  static let nouns = (one: "student", many: "students")
  static let entity = Student.entity
  static let columns = ["studentId", "studentName", "studentAge"]
  static let examples = ProgramExamples(
    condition: "studentAge >= 18",
    sort: "-studentAge,studentName",
    assignments: "studentId=17 studentName=Ann studentAge=20",
    change: "studentAge=21",
    file: "students.csv"
  )

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    StudentRoster.definition()
  }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await StudentRosterStory.tell(in: store, print)
  }
}
