package import CommandLineFrontEnd
import InMemoryPersistence
package import ProgramFrontEnd
package import ResultsDomain
package import ResultsPresentation
package import ResultsStoreKit
import SQLitePersistence
import SectionCacheFiles

/// A program whose objects are in an SQLite file, in a PostgreSQL database, or in memory for a trial: what the five programs have in
/// common.
package protocol StoredProgram: ListProgram {
  /// The entities of its store.
  static var entities: [EntityDescription] { get }
  /// What becomes of attributes that the entities had in earlier versions of the program.
  static var attributeReplacements: [AttributeReplacement] { get }
}

extension StoredProgram {
  /// The entity of the list alone.
  package static var entities: [EntityDescription] { [entity] }

  /// Nothing to replace.
  package static var attributeReplacements: [AttributeReplacement] { [] }

  /// Opens the store of the program's entities.
  package static func openStore(_ location: StoreLocation) throws -> any Store {
    try openStore(location, of: entities)
  }

  /// Opens the store of some of the program's entities.
  package static func openStore(
    _ location: StoreLocation,
    of entities: [EntityDescription]
  ) throws -> any Store {
    switch location.address {
    case .memory: return try InMemoryStore(entities: entities)
    case .file(let path): return try openFile(path, entities, location)
    case .database(let url):
      let store = try DatabaseStores.open(url, entities, location, of: Self.self)
      OpenStores.closeAtEnd(store)
      return store
    }
  }

  private static func openFile(
    _ path: String,
    _ entities: [EntityDescription],
    _ location: StoreLocation
  ) throws -> any Store {
    var options = SQLiteStoreOptions(
      isReadOnly: location.isReadOnly,
      busyTimeout: location.busyTimeout,
      historyCapacity: location.historyCapacity
    )
    options.onlyReads = location.onlyReads
    options.attributeReplacements = attributeReplacements
    let store = try SQLiteStore(at: path, entities: entities, options: options)
    OpenStores.closeAtEnd(store)
    return store
  }

  /// The folder of list caches: beside the file, for a database among the user's caches; `nil` for a store in memory.
  package static func caches(for location: StoreLocation) -> (any SectionCacheStorage)? {
    switch location.address {
    case .memory: nil
    case .file(let path): SectionCacheFolder(besideStoreAt: path, isReadOnly: location.isReadOnly)
    case .database(let url):
      SectionCacheFolder(forStoreNamed: url, of: name, isReadOnly: location.isReadOnly)
    }
  }

  /// Describes how the store captures changes, and the result of SQLite's integrity check or the condition of the server.
  package static func diagnose(_ store: any Store) throws -> [String] {
    if let lines = try DatabaseStores.diagnose(store) { return lines }
    guard let store = store as? SQLiteStore else { return [] }
    return try ["capture    \(store.capture)"] + store.check().lines
  }

  /// Rebuilds the change log and its triggers; the objects are not touched.
  package static func repair(_ store: any Store) throws -> [String] {
    if try DatabaseStores.repair(store) {
      return ["repaired   the log of changes, its functions and its triggers"]
    }
    guard let store = store as? SQLiteStore else { return [] }
    try store.repair()
    return ["repaired   the log of changes and its triggers"]
  }

  /// The statements that opening a database for writing would run; `nil` for a file.
  package static func statements(for location: StoreLocation) throws -> [String]? {
    guard case .database(let url) = location.address else { return nil }
    return try DatabaseStores.statements(url, location, of: Self.self)
  }

  /// Creates the index that lets a list be read in order, if there is one.
  package static func createIndex(
    serving definition: OrderDefinition,
    in store: any Store
  ) throws -> [String] {
    let statement =
      try DatabaseStores.createIndex(serving: definition, in: store)
      ?? (store as? SQLiteStore)?.createIndex(serving: definition)
    return [statement.map { "made       \($0)" } ?? "index      none is needed, or none would help"]
  }

  /// Removes one row of a list: what the verbs `remove-at` have in common.
  /// - Parameters:
  ///   - list: The options that define the list.
  ///   - times: The options that choose the rows of a time, if the verb has them.
  ///   - store: The options that name the store, which must exist.
  ///   - row: Returns the id of the row at the position that the user gave.
  /// - Returns: The id of the removed row.
  /// - Throws: `CommandFailure` if another process has removed the row meanwhile, `StoreError`, `ResultsError`, or what `row` throws.
  package static func removeRow(
    of list: ListOptions,
    within times: TimeOptions<Self>? = nil,
    in store: StoreOptions,
    _ row: (ResultsList<Row>) throws -> ObjectID
  ) async throws -> ObjectID {
    let opened = try openStore(try store.existingLocation(of: Self.self))
    let controller = FetchedResultsController(
      try list.definition(of: Self.self, for: .machine, within: times),
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, wallClock: PresentTime.clock)
    )
    try await controller.performFetch()
    let id = try row(try controller.results)
    let isRemoved = try command("removed \(id)", in: opened).commit(origin: .unnamed) {
      try $0.delete(id, of: entity)
    }.result
    controller.cancel()
    try opened.close()
    guard isRemoved else {
      throw CommandFailure(
        .nothingMatched,
        "\(id) has just been removed by another process.",
        remedy: "Nothing was removed."
      )
    }
    return id
  }
}
