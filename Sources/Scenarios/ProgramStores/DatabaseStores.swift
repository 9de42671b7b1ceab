import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit

#if PostgreSQL
import PostgreSQLPersistence
import Synchronization
import TerminalFrontEnd

/// The programs' stores over PostgreSQL.
enum DatabaseStores {
  /// Opens the store of some of a program's entities in a database.
  /// - Throws: `CommandFailure` for a URL that libpq does not understand, and `StoreError`.
  static func open(
    _ url: String,
    _ entities: [EntityDescription],
    _ location: StoreLocation,
    _ replacements: [AttributeReplacement],
    for program: String
  ) throws -> any Store {
    try PostgreSQLStore(
      url: url,
      entities: entities,
      options: try options(url, location, replacements)
    )
  }

  /// Returns the attributes that users have added to an entity; `nil` for a database that cannot be read.
  static func customAttributes(
    of entity: String,
    _ url: String,
    _ location: StoreLocation
  ) -> [AttributeDescription]? {
    guard let options = try? options(url, location, []) else { return nil }
    return try? PostgreSQLStore.customAttributes(of: entity, url: url, options: options)
  }

  /// Returns the statements that opening the store for writing would run.
  /// - Throws: As opening the store.
  static func statements<Program: StoredProgram>(
    _ url: String,
    _ location: StoreLocation,
    of program: Program.Type
  ) throws -> [String] {
    try PostgreSQLStore.statements(
      url: url,
      entities: Program.entities,
      options: try options(url, location, Program.attributeReplacements)
    )
  }

  private static func options(
    _ url: String,
    _ location: StoreLocation,
    _ replacements: [AttributeReplacement]
  ) throws -> PostgreSQLStoreOptions {
    try check(url, of: "--store: ")
    var options = PostgreSQLStoreOptions(
      isReadOnly: location.isReadOnly,
      busyTimeout: location.busyTimeout
    )
    options.onlyReads = location.onlyReads
    options.attributeReplacements = replacements
    if location.mayAsk {
      options.password = { password(for: $0) }
    }
    return options
  }

  private static func check(_ url: String, of option: String) throws(CommandFailure) {
    guard let reason = ConnectionURL.refusal(of: url) else { return }
    throw CommandFailure(
      .usage,
      "\(option)\(reason).",
      remedy: "A URL is written postgresql://USER@HOST:PORT/DATABASE?PARAMETER=VALUE."
    )
  }

  private static func ask(for name: String) -> String? {
    PasswordPrompt.ask("Password for \(SafeText.oneLine(name)): ")
  }

  /// The passwords that the user has typed, so that a description and the store over it ask once.
  private static let passwords = Mutex<[String: String]>([:])

  private static func password(for name: String) -> String? {
    if let known = passwords.withLock({ $0[name] }) { return known }
    let typed = ask(for: name)
    passwords.withLock { $0[name] = typed }
    return typed
  }

  /// Describes the database of another application.
  /// - Throws: `CommandFailure` for a URL that libpq does not understand, and `StoreError`.
  static func describe(
    _ url: String,
    naming names: [String],
    for program: String,
    busyTimeout: Duration,
    timeLimit: Duration
  ) throws -> any DescribedDatabase {
    try check(url, of: "")
    return try PostgreSQLDatabaseDescription(
      url: url,
      describing: names,
      busyTimeout: busyTimeout,
      timeLimit: timeLimit,
      password: { password(for: $0) }
    )
  }

  /// Returns lines about a store's condition, or `nil` for another kind of store.
  static func diagnose(_ store: any Store) throws -> [String]? {
    guard let store = store as? PostgreSQLStore else { return nil }
    return try store.check().lines
  }

  /// Repairs a store's change log.
  /// - Returns: Whether it is a store of this kind.
  static func repair(_ store: any Store) throws -> Bool {
    guard let store = store as? PostgreSQLStore else { return false }
    try store.repair()
    return true
  }

  /// Creates the index that lets a list be read in order, if there is one.
  /// - Returns: The statement, if one was run; or `nil` for another kind of store.
  static func createIndex(serving definition: OrderDefinition, in store: any Store) throws
    -> String??
  {
    guard let store = store as? PostgreSQLStore else { return nil }
    return .some(try store.createIndex(serving: definition))
  }
}
#else
/// The programs' stores over PostgreSQL, in a build without it.
enum DatabaseStores {
  /// Refuses every database.
  static func open(
    _ url: String,
    _ entities: [EntityDescription],
    _ location: StoreLocation,
    _ replacements: [AttributeReplacement],
    for program: String
  ) throws -> any Store {
    throw refusal(program)
  }

  /// Reads none.
  static func customAttributes(
    of entity: String,
    _ url: String,
    _ location: StoreLocation
  ) -> [AttributeDescription]? { nil }

  /// Refuses every database.
  static func statements<Program: StoredProgram>(
    _ url: String,
    _ location: StoreLocation,
    of program: Program.Type
  ) throws -> [String] {
    throw refusal(Program.name)
  }

  /// Refuses every database.
  static func describe(
    _ url: String,
    naming names: [String],
    for program: String,
    busyTimeout: Duration,
    timeLimit: Duration
  ) throws -> any DescribedDatabase {
    throw refusal(program, "name a file")
  }

  private static func refusal(
    _ program: String,
    _ other: String = "name a file with --store"
  ) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(program) was built without PostgreSQL.",
      remedy: "Build it with 'swift build --traits PostgreSQL', or \(other)."
    )
  }

  /// Knows no store.
  static func diagnose(_ store: any Store) throws -> [String]? { nil }

  /// Knows no store.
  static func repair(_ store: any Store) throws -> Bool { false }

  /// Knows no store.
  static func createIndex(serving definition: OrderDefinition, in store: any Store) throws
    -> String??
  { nil }
}
#endif
