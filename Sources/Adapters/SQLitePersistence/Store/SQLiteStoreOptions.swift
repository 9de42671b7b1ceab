public import ResultsDomain
import ResultsStoreKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options with which a store is opened.
public struct SQLiteStoreOptions: Sendable {
  /// When commits are flushed to the disk.
  public enum Durability: String, Hashable, Sendable {
    /// At checkpoints: a power failure may undo the last commits, but never a part of one.
    case normal
    /// At every commit.
    case full
  }

  /// Whether the store never writes; the file must exist.
  public var isReadOnly: Bool
  /// Whether existing tables, created by an application, are used as they are.
  public var adoptsTables: Bool
  /// Whether missing tables of entities are created.
  ///
  /// `nil` means yes for a store's own file, and no for a database of an application (`adoptsTables`, or a borrowed GRDB writer), where a
  /// missing table is more likely a mistyped name: opening it fails with `OpenFailure.missingTable`.
  public var createsTables: Bool?
  /// Whether opening fails for tables of an application whose dates are not in microseconds, judging by a sample of rows.
  ///
  /// Without the check such values are read as dates near 1970.
  public var checksDates: Bool
  /// How long a call waits for another writer before it fails with `StoreError.busy`.
  public var busyTimeout: Duration
  /// How long a commit of another process may go unnoticed while the store has listeners; `nil` never watches for others.
  ///
  /// Where the system reports changes of files, as Linux does, a commit is noticed at once, and this is only the interval of a check that
  /// none was missed.
  public var pollInterval: Duration?
  /// The number of changed rows that the history remembers, each commit counted as one more.
  public var historyCapacity: Int
  /// When commits are flushed to the disk.
  public var durability: Durability
  /// Whether the database records every change of every writer in a change log, so that the history covers all of them.
  ///
  /// `nil` means yes for a store's own file, and no for tables of an application (`adoptsTables`, or a borrowed GRDB writer), to which
  /// nothing is added by default.
  public var maintainsChangeLog: Bool?
  /// The number of log entries that are retained at least: commits of stores, and rows that other programs changed.
  public var logCapacity: Int
  /// The approximate number of bytes of the log that are retained at most, unless a reader still needs them.
  public var logByteLimit: Int
  /// How to move the values of attributes that entities had in earlier versions of the program.
  ///
  /// Without a replacement, a file that has an attribute which its entity lacks, and lacks one which the entity has, is refused: the
  /// attribute may have been renamed. Replacements apply to a store's own tables only, not to those of an application.
  public var attributeReplacements: [AttributeReplacement] = []
  /// The time in seconds since 1970, for leases on the log.
  package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  /// Whether the store is opened only to read a writable file: nothing is written that reading does not need.
  package var onlyReads = false
  /// The size in bytes up to which a file with a rollback journal is copied to be read (`ForeignFile`).
  package var copyLimit: Int64 = 256 << 20
  /// Whether the entities describe the database as it is, with any values, keys and views (`SQLiteStore(discovered:entities:)`).
  var isDiscovered = false
  /// Whether the store may write on its own account, such as to trim its log.
  var maintainsFile: Bool { !isReadOnly && !onlyReads }
  /// Whether the pre-update hook is used where the library has it.
  package var usesPreUpdateHook = true

  /// Creates options; the defaults suit a store's own file.
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
    logByteLimit: Int = 16 << 20
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
