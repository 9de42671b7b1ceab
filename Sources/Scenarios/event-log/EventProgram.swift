import ArgumentParser
import CommandLineFrontEnd
import EventLog
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// The program `event-log`: what it adds to the shared verbs.
enum EventProgram: StoredProgram {
  static let name = "event-log"
  static let abstract = "A log of events, newest first."
  static let nouns = (one: "event", many: "events")
  static var entity: EntityDescription { CustomColumns.extending(Event.entity) }
  static let entities = [Event.entity, LogSource.entity]
  static let timeAttribute: String? = "timeStamp"
  static let columns = ["timeStamp", "level", "message", "source"]
  static let examples = ProgramExamples(
    condition: "level >= 'error' AND timeStamp >= '2026-11-03'",
    sort: "timeStamp",
    assignments: "timeStamp=2026-11-03T09:00Z level=warning message='disk almost full'",
    change: "timeStamp=2026-11-03T10:00Z",
    file: "events.csv"
  )

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    StoreManager.definition(entity, sortedBy: "timeStamp")
  }

  static func openStore(_ location: StoreLocation) throws -> any Store {
    // Stores of earlier versions have no followed files, and reading needs none.
    try openStore(location, of: location.isReadOnly ? [entity] : entities)
  }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await EventLogStory.play(in: store, print)
  }
}

/// The command `event-log`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: EventProgram.self,
    verbs: ProgramVerbs.all(of: EventProgram.self) + [
      StampVerb.self, FollowVerb.self, RemoveAtVerb.self, PruneVerb.self,
    ]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
