import CommandLineFrontEnd
import EventLog
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// What `event-log` adds to the shared verbs.
enum EventProgram: StoredProgram {
  static let name = "event-log"
  static let abstract = "A log of events, newest first."
  static let nouns = (one: "event", many: "events")
  static let entity = Event.entity
  static let columns = ["id", "timeStamp"]

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    StoreManager.definition(entity, sortedBy: "timeStamp")
  }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await EventLogStory.tell(in: store, print)
  }
}
