import CommandLineFrontEnd
import InMemoryPersistence
import HouseholdLedger
import ResultsDomain
import ResultsPresentation
import SQLitePersistence

/// What `household-ledger` adds to the shared verbs.
enum LedgerProgram: ListProgram {
  static let name = "household-ledger"
  static let abstract = "A household's ledger: newest first, a section a day."
  static let nouns = (one: "movement", many: "movements")
  static let entity = Transaction.entity
  static let columns = ["payee", "category", "amount", "memo"]

  static func definition(for reader: ReaderSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(
      HouseholdLedger.request(),
      sectionedBy: HouseholdLedger.days(calendar: reader.calendar, locale: reader.locale)
    )
  }

  static func sectionKey(named name: String, for reader: ReaderSettings) -> SectionKey? {
    switch name {
    case "day": HouseholdLedger.days(calendar: reader.calendar, locale: reader.locale)
    case "month": HouseholdLedger.months(calendar: reader.calendar, locale: reader.locale)
    default: nil
    }
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
    try await HouseholdLedgerStory.tell(in: store, print)
  }
}
