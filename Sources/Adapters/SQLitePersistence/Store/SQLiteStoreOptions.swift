import ResultsDomain

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
  /// How long a call waits for another writer before it fails with `StoreError.busy`.
  public var busyTimeout: Duration
  /// How often commits of other processes are looked for; `nil` for never by itself.
  public var pollInterval: Duration?
  /// How many changed rows the history remembers, each commit counted as one more.
  public var historyCapacity: Int
  /// How often a commit is written through to the disk itself.
  public var durability: Durability
  /// Whether the pre-update hook is used where the library has it.
  package var usesPreUpdateHook = true

  /// How a store is opened.
  public init(
    isReadOnly: Bool = false,
    adoptsTables: Bool = false,
    busyTimeout: Duration = .seconds(5),
    pollInterval: Duration? = .seconds(1),
    historyCapacity: Int = 65_536,
    durability: Durability = .normal
  ) {
    self.isReadOnly = isReadOnly
    self.adoptsTables = adoptsTables
    self.busyTimeout = busyTimeout
    self.pollInterval = pollInterval
    self.historyCapacity = historyCapacity
    self.durability = durability
  }
}
