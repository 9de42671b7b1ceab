public import ResultsDomain
public import ResultsPresentation

/// What one program adds to the verbs and options that all programs share.
///
/// The type itself is the program: its requirements are static, so that every verb can be generic over it. A program names its
/// entity and says how its store is opened; this module knows no store and no use case.
public protocol ListProgram: Sendable {
  /// The command's name, such as `book-catalog`.
  static var name: String { get }
  /// One line that says what it is for.
  static var abstract: String { get }
  /// What one object is called, and what several are, such as `book` and `books`.
  static var nouns: (one: String, many: String) { get }
  /// The entity that is listed and changed.
  static var entity: EntityDescription { get }
  /// Attributes computed from a row, which can be columns.
  static var transients: [TransientAttribute] { get }
  /// The columns of a table unless told otherwise.
  static var columns: [String] { get }
  /// What is listed unless told otherwise.
  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row>
  /// A section key that the program knows by a name that is no attribute, or `nil`.
  static func sectionKey(named name: String, for settings: LocaleSettings) -> SectionKey?
  /// Opens the store.
  static func openStore(_ place: StoreLocation) throws -> any Store
  /// Where the caches of a store's lists are kept, or `nil` for nowhere.
  static func caches(for place: StoreLocation) -> (any SectionCacheStorage)?
  /// Lines about a store's condition, for `doctor`.
  static func diagnose(_ store: any Store) throws -> [String]
  /// Makes anew what a store keeps for itself beside the objects.
  /// - Returns: Lines that say what was done.
  static func repair(_ store: any Store) throws -> [String]
  /// Makes the index that would spare a list its sorting.
  /// - Returns: Lines that say what was done.
  static func createIndex(serving definition: OrderDefinition, in store: any Store) throws
    -> [String]
  /// Turns a record of a file into an object to add.
  static func object(from record: Record, for settings: LocaleSettings) throws(RecordError)
    -> ImportedObject
  /// The attribute that an imported object is recognised by, where it has a value.
  static var identifier: String? { get }
  /// Takes an imported object into a transaction, for a program that knows better than by comparing values what is the same.
  /// - Returns: What became of the object, or `nil` if it is to be compared and added as any other.
  static func take(_ object: ImportedObject, into transaction: any StoreTransaction)
    throws(StoreError) -> ImportOutcome?
  /// Plays the scenario of the program step by step.
  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws
}

extension ListProgram {
  /// One object with its article, such as `a book` or `an event`.
  static var anyOne: String {
    let isVowel = nouns.one.first.map("aeiou".contains) ?? false
    return "\(isVowel ? "an" : "a") \(nouns.one)"
  }

  /// How a person finds the id of an object.
  static var idHelp: String {
    columns.contains("id")
      ? "as list shows it"
      : "as '\(name) list --columns id,\(columns.first ?? "")' shows it"
  }

  /// The names of the attributes, for help.
  static var attributeNames: String { entity.attributes.map(\.name).joined(separator: ", ") }

  /// Most programs compute no attribute.
  public static var transients: [TransientAttribute] { [] }

  /// Most programs have no section key but attributes.
  public static func sectionKey(named name: String, for settings: LocaleSettings) -> SectionKey? {
    nil
  }

  /// By default nothing is kept of lists.
  public static func caches(for place: StoreLocation) -> (any SectionCacheStorage)? { nil }

  /// By default a store keeps nothing for itself.
  public static func repair(_ store: any Store) throws -> [String] { [] }

  /// By default a store has no indexes to make.
  public static func createIndex(serving definition: OrderDefinition, in store: any Store) throws
    -> [String]
  { [] }

  /// By default objects are recognised by all their values.
  public static var identifier: String? { nil }

  /// By default objects are compared by key, by identifier or by all their values.
  public static func take(_ object: ImportedObject, into transaction: any StoreTransaction)
    throws(StoreError) -> ImportOutcome?
  { nil }

  /// By default a field belongs to the attribute of its name, whatever its case.
  public static func object(
    from record: Record,
    for settings: LocaleSettings
  ) throws(RecordError) -> ImportedObject {
    try ImportedObject(record, of: entity, aliases: [:], identifiedBy: identifier, for: settings)
  }
}

/// Where a store is.
public struct StoreLocation: Hashable, Sendable {
  /// The file's path, or `:memory:`.
  public let path: String
  /// Whether nothing may be written.
  public let isReadOnly: Bool
  /// How long to wait for another writer.
  public let busyTimeout: Duration
  /// How many changed rows the store remembers; a bulk import, which nothing follows, needs none.
  public var historyCapacity = 65_536

  /// Whether the verb only reads, so that nothing is to be written that reading does not need.
  public var onlyReads = false

  /// Whether the store is gone when the program ends.
  public var isInMemory: Bool { path == ":memory:" }

  /// Where a store is.
  public init(path: String, isReadOnly: Bool, busyTimeout: Duration) {
    self.path = path
    self.isReadOnly = isReadOnly
    self.busyTimeout = busyTimeout
  }
}

/// The version of the programs of this package.
public enum ProgramVersion {
  /// What `--version` prints.
  public static let current = "0.1.0"
}
