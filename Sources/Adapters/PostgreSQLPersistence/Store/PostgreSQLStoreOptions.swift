#if PostgreSQL
public import ResultsDomain
import ResultsStoreKit

/// The options with which a store over PostgreSQL is opened.
public struct PostgreSQLStoreOptions: Sendable {
  /// How the transactions of several stores over one database run beside each other.
  public enum Writing: Hashable, Sendable {
    /// One after the other, whichever process or machine they belong to: the closure of a transaction runs once, and never fails because
    /// of another store's. Other programs' statements run beside them.
    case inTurn
    /// Side by side; a transaction with a write conflict is rolled back, and its closure is run again, up to a number of attempts.
    ///
    /// The closure must have no other effects.
    case concurrently(attempts: Int)
  }

  /// How the store assigns integer keys.
  public enum KeyAssignment: Hashable, Sendable {
    /// From the table's sequence: a new number, usually one more than the last one assigned.
    case sequence
    /// One more than the largest, as SQLite does; transactions that insert wait for each other.
    case largest
  }

  /// How changes are written into the log.
  public enum Capture: Hashable, Sendable {
    /// By statement where nothing else runs after a row, otherwise by row.
    case automatic
    /// By row.
    case byRow
  }

  /// Whether the store never writes, as on a standby.
  public var isReadOnly: Bool
  /// The schema with the tables of the entities.
  public var schema: String
  /// The schema with the log.
  public var logSchema: String
  /// Whether existing tables that no store has made are used as they are.
  public var adoptsTables: Bool
  /// Whether missing tables are created; `nil` means unless `adoptsTables` is set.
  public var createsTables: Bool?
  /// Whether the database gets a log of changes; `nil` means yes for tables that the store has made, and no for adopted ones, to which
  /// nothing is added unless asked.
  public var maintainsChangeLog: Bool?
  /// How long a call waits for another writer before it fails with `StoreError.busy`.
  public var busyTimeout: Duration
  /// How transactions of several stores run beside each other.
  public var writing: Writing
  /// How integer keys are assigned.
  public var keyAssignment: KeyAssignment
  /// How changes are written into the log.
  public var capture: Capture
  /// How long the log keeps what no reader needs any more, set in the database if its user owns the log; `nil` leaves what is set there,
  /// ten minutes at first.
  public var logRetention: Duration?
  /// The number of bytes beyond which the log drops even what readers still need, set like `logRetention`; one GiB at first.
  public var logByteLimit: Int?
  /// The greatest number of connections that read at once.
  public var connectionLimit: Int
  /// Asks for a password of the store with a name, at most once: when the server wants one and none is known.
  public var password: (@Sendable (_ store: String) -> String?)?
  /// How long a connection is kept that nobody uses; the one that waits for notifications is kept as long as there are listeners.
  var idleTime = Duration.seconds(60)
  /// Whether the store is opened only to read: nothing is created, and no log is installed.
  package var onlyReads = false
  /// The schemas of entities that were discovered, by their names; `nil` for declared ones, which are in `schema`.
  var homes: [String: String]?
  /// Settings of a session beside those that every store makes.
  var session: [ConnectionSettings.Entry] = []
  /// Whether the dates of adopted tables are checked for their unit: numbers that are probably seconds or milliseconds are refused.
  public var checksDates = true
  /// How to move the values of attributes that entities had in earlier versions of the program.
  public var attributeReplacements: [AttributeReplacement] = []

  /// Creates options; the defaults suit a store's own database.
  public init(
    isReadOnly: Bool = false,
    schema: String = "public",
    logSchema: String = "fetched_results",
    adoptsTables: Bool = false,
    createsTables: Bool? = nil,
    maintainsChangeLog: Bool? = nil,
    busyTimeout: Duration = .seconds(5),
    writing: Writing = .inTurn,
    keyAssignment: KeyAssignment = .sequence,
    capture: Capture = .automatic,
    logRetention: Duration? = nil,
    logByteLimit: Int? = nil,
    connectionLimit: Int = 4
  ) {
    self.isReadOnly = isReadOnly
    self.schema = schema
    self.logSchema = logSchema
    self.adoptsTables = adoptsTables
    self.createsTables = createsTables
    self.maintainsChangeLog = maintainsChangeLog
    self.busyTimeout = busyTimeout
    self.writing = writing
    self.keyAssignment = keyAssignment
    self.capture = capture
    self.logRetention = logRetention
    self.logByteLimit = logByteLimit
    self.connectionLimit = connectionLimit
  }
}
#endif
