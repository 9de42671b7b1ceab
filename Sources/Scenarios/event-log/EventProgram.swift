import CommandLineFrontEnd
import InMemoryPersistence
import EventLog
import ResultsDomain
import ResultsPresentation
import SQLitePersistence

/// What `event-log` adds to the shared verbs.
enum EventProgram: ListProgram {
  static let name = "event-log"
  static let abstract = "A log of events, newest first."
  static let nouns = (one: "event", many: "events")
  static let entity = Event.entity
  static let columns = ["id", "timeStamp"]

  static func definition(for reader: ReaderSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest(entity: entity, sortedBy: [.descending("timeStamp")], fetchBatchSize: 20)
    )
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
    try await EventLogStory.tell(in: store, print)
  }
}
