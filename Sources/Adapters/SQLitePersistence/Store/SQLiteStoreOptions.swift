import ResultsDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a store is opened.
public struct SQLiteStoreOptions: Sendable {
  /// How often a commit is written through to the disk itself.
  public enum Durability: String, Hashable, Sendable {
    /// At checkpoints: a power cut may undo the last commits, but never tears one apart.
    case normal
    /// At every commit.
    case full
  }

  /// Whether nothing is ever written; the file must exist.
  public var isReadOnly: Bool
  /// Whether tables that are there already, made by an application of its own, are used as they are.
  public var adoptsTables: Bool
  /// Whether tables of entities are made where they are missing.
  ///
  /// `nil` is yes for a store's own file, and no for a database of an application (`adoptsTables`, or a GRDB writer that is lent),
  /// where a missing table is rather a mistyped one: it is refused with `OpenFailure.missingTable`.
  public var createsTables: Bool?
  /// Whether tables of an application are refused whose dates are not in microseconds, as far as a look at some rows tells.
  ///
  /// Without it a date near 1970 is believed to be one.
  public var checksDates: Bool
  /// How long a call waits for another writer before it fails with `StoreError.busy`.
  public var busyTimeout: Duration
  /// How long a commit of another process may go unheard at most, while somebody listens; `nil` for never listening to others.
  ///
  /// Where the system tells of changes of files, as Linux does, a commit is heard at once, and this is only how often it is
  /// made sure that none was missed.
  public var pollInterval: Duration?
  /// How many changed rows the history remembers, each commit counted as one more.
  public var historyCapacity: Int
  /// How often a commit is written through to the disk itself.
  public var durability: Durability
  /// Whether every change is written down in the database, whoever makes it, so that the history tells of all writers.
  ///
  /// `nil` is yes for a store's own file, and no for tables of an application (`adoptsTables`, or a GRDB writer that is lent),
  /// to which nothing is added unasked.
  public var maintainsChangeLog: Bool?
  /// How many entries of the log are kept at least: commits of stores, and rows that other programs changed.
  public var logCapacity: Int
  /// How many bytes of packed changes are kept about, at most.
  public var logByteLimit: Int
  /// The time in seconds since 1970, for the leases of those who read the log.
  package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  /// Whether the store is opened only to be read, by a file that may be written: nothing is written that reading does not need.
  package var onlyReads = false
  /// Whether the store may write what nobody has asked it for, such as what keeps its log short.
  var maintainsFile: Bool { !isReadOnly && !onlyReads }
  /// Whether the pre-update hook is used where the library has it.
  package var usesPreUpdateHook = true

  /// How a store is opened.
  public init(
    isReadOnly: Bool = false,
    adoptsTables: Bool = false,
    createsTables: Bool? = nil,
    checksDates: Bool = true,
    busyTimeout: Duration = .seconds(5),
    pollInterval: Duration? = .seconds(1),
    historyCapacity: Int = 65_536,
    durability: Durability = .normal,
    maintainsChangeLog: Bool? = nil,
    logCapacity: Int = 10_000,
    logByteLimit: Int = 64 << 20
  ) {
    self.isReadOnly = isReadOnly
    self.adoptsTables = adoptsTables
    self.createsTables = createsTables
    self.checksDates = checksDates
    self.busyTimeout = busyTimeout
    self.pollInterval = pollInterval
    self.historyCapacity = historyCapacity
    self.durability = durability
    self.maintainsChangeLog = maintainsChangeLog
    self.logCapacity = logCapacity
    self.logByteLimit = logByteLimit
  }
}
