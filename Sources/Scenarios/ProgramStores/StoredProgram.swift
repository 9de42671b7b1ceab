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
  /// The fields of its objects, without the columns that the user has added.
  static var declaredFields: ObjectFields { get }
}

extension StoredProgram {
  /// The entity of the list alone.
  package static var entities: [EntityDescription] { [entity] }

  /// The attributes of the entity.
  package static var declaredFields: ObjectFields {
    ObjectFields(of: entity.withoutCustomAttributes)
  }

  /// The fields, with the columns that the user has added.
  package static var fields: ObjectFields { CustomColumns.extending(declaredFields) }

  /// Nothing to replace.
  package static var attributeReplacements: [AttributeReplacement] { [] }

  /// Opens the store of the program's entities.
  package static func openStore(_ location: StoreLocation) throws -> any Store {
    try openStore(location, of: entities)
  }

  /// Opens the store of some of the program's entities.
  /// - Parameters:
  ///   - location: The location.
  ///   - entities: The entities, as the program declares them.
  ///   - replacements: What becomes of columns that the user removes or renames.
  /// - Returns: The open store.
  /// - Throws: The store's error.
  package static func openStore(
    _ location: StoreLocation,
    of entities: [EntityDescription],
    replacing replacements: [AttributeReplacement] = []
  ) throws -> any Store {
    let entities = entities.map { CustomColumns.extending($0) }
    let replacements = attributeReplacements + replacements
    switch location.address {
    case .memory: return try InMemoryStore(entities: entities)
    case .file(let path): return try openFile(path, entities, location, replacements)
    case .database(let url):
      let store = try DatabaseStores.open(url, entities, location, replacements, for: name)
      OpenStores.closeAtEnd(store)
      return store
    }
  }

  /// Reads the columns that the user has added from the schema of the store.
  ///
  /// A store that cannot be read is found out when it is opened.
  package static func useCustomColumns(of location: StoreLocation) {
    guard let found = customColumns(of: location), !found.isEmpty else { return }
    try? CustomColumns.use(found, of: entity)
  }

  private static func customColumns(of location: StoreLocation) -> [AttributeDescription]? {
    switch location.address {
    case .memory: nil
    case .file(let path): SQLiteStore.customAttributes(of: entity.name, at: path)
    case .database(let url): DatabaseStores.customAttributes(of: entity.name, url, location)
    }
  }

  /// Opens the store and changes the columns that the user has added.
  package static func openStore(
    _ location: StoreLocation,
    changing columns: [CustomColumnChange]
  ) throws -> any Store {
    let declared = entity.withoutCustomAttributes
    var custom = customAttributes
    var replacements: [AttributeReplacement] = []
    for change in columns {
      switch change {
      case .add(let attribute): custom.append(attribute)
      case .rename(let old, let new):
        guard let index = custom.firstIndex(where: { $0.name.hasSameBytes(as: old) }) else {
          continue
        }
        custom[index] = AttributeDescription(new, custom[index].type, isOptional: true)
        let (table, from, to) = (
          declared.name.quotedIdentifier, old.quotedIdentifier, new.quotedIdentifier
        )
        replacements.append(
          AttributeReplacement(
            of: old,
            in: declared.name,
            by: ["UPDATE \(table) SET \(to) = \(from) WHERE \(from) IS NOT NULL"]
          )
        )
      case .remove(let name):
        custom.removeAll { $0.name.hasSameBytes(as: name) }
        replacements.append(AttributeReplacement(of: name, in: declared.name, by: []))
      }
    }
    try CustomColumns.use(custom, of: declared)
    return try openStore(
      location,
      of: entities.map(\.withoutCustomAttributes),
      replacing: replacements
    )
  }

  private static func openFile(
    _ path: String,
    _ entities: [EntityDescription],
    _ location: StoreLocation,
    _ replacements: [AttributeReplacement]
  ) throws -> any Store {
    var options = SQLiteStoreOptions(
      isReadOnly: location.isReadOnly,
      busyTimeout: location.busyTimeout,
      historyCapacity: location.historyCapacity
    )
    options.onlyReads = location.onlyReads
    options.attributeReplacements = replacements
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
