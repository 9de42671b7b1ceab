public import CommandLineFrontEnd
import InMemoryPersistence
public import ResultsDomain
import SQLitePersistence

/// A program whose objects lie in an SQLite file, or in memory for a try: what the five programs have in common.
public protocol StoredProgram: ListProgram {}

extension StoredProgram {
  /// Opens the file as a store of the program's one entity.
  public static func openStore(_ place: StorePlace) throws -> any Store {
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

  /// What SQLite says of the file.
  public static func diagnose(_ store: any Store) throws -> [String] {
    try (store as? SQLiteStore)?.check().lines ?? []
  }
}
