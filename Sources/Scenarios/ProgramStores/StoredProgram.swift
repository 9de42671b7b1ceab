public import CommandLineFrontEnd
import InMemoryPersistence
public import ResultsDomain
public import ResultsPresentation
import SQLitePersistence
import SectionCacheFiles

/// A program whose objects lie in an SQLite file, or in memory for a try: what the five programs have in common.
public protocol StoredProgram: ListProgram {}

extension StoredProgram {
  /// Opens the file as a store of the program's one entity.
  public static func openStore(_ place: StoreLocation) throws -> any Store {
    guard !place.isInMemory else { return try InMemoryStore(entities: [entity]) }
    var options = SQLiteStoreOptions(
      isReadOnly: place.isReadOnly,
      busyTimeout: place.busyTimeout,
      historyCapacity: place.historyCapacity
    )
    options.onlyReads = place.onlyReads
    let store = try SQLiteStore(at: place.path, entities: [entity], options: options)
    OpenStores.closeAtEnd(store)
    return store
  }

  /// The caches lie in a folder beside the file; a store in memory has none.
  public static func caches(for place: StoreLocation) -> (any SectionCacheStorage)? {
    guard !place.isInMemory else { return nil }
    return SectionCacheFolder(besideStoreAt: place.path, isReadOnly: place.isReadOnly)
  }

  /// How the file's changes are captured, and what SQLite says of it.
  public static func diagnose(_ store: any Store) throws -> [String] {
    guard let store = store as? SQLiteStore else { return [] }
    return try ["capture    \(store.capture)"] + store.check().lines
  }

  /// Makes the log of changes and its triggers anew; the objects are left alone.
  public static func repair(_ store: any Store) throws -> [String] {
    guard let store = store as? SQLiteStore else { return [] }
    try store.repair()
    return ["repaired   the log of changes and its triggers"]
  }

  /// Makes the index that SQLite would use for a list's order, if there is one.
  public static func createIndex(
    serving definition: OrderDefinition,
    in store: any Store
  ) throws -> [String] {
    let statement = try (store as? SQLiteStore)?.createIndex(serving: definition)
    return [statement.map { "made       \($0)" } ?? "index      none is needed, or none would help"]
  }
}
