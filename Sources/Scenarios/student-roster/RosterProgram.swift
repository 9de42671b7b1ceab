import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import StudentRoster

/// The program `student-roster`: what it adds to the shared verbs.
enum RosterProgram: StoredProgram {
  static let name = "student-roster"
  static let abstract = "A roster of students by age."
  static let nouns = (one: "student", many: "students")
  static var entity: EntityDescription { CustomColumns.extending(Student.entity) }
  static let columns = ["studentId", "studentName", "studentAge"]
  static let examples = ProgramExamples(
    condition: "studentAge >= 18",
    sort: "-studentAge,studentName",
    assignments: "studentId=17 studentName=Ann studentAge=20",
    change: "studentAge=21",
    file: "students.csv",
    numbers: ["18", "21"]
  )

  /// The averages of the first four columns of numbers that the user has added, such as marks.
  static var headerAggregates: [SectionAggregate] {
    customAttributes.filter { [.integer64, .decimal(scale: 2)].contains($0.type) }.prefix(4)
      .flatMap(AverageAggregates.of)
  }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    CustomColumns.extending(StudentRoster.definition())
  }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await StudentRosterStory.play(in: store, print)
  }
}

/// The command `student-roster`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: RosterProgram.self,
    verbs: ProgramVerbs.all(of: RosterProgram.self) + [
      AddRandomVerb.self, RemoveAtVerb.self, SimulateVerb.self,
    ]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
