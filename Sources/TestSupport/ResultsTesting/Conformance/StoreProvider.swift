public import ResultsDomain

/// How the conformance kit gets the stores that it examines.
///
/// Only `open` is needed. A case that needs more than a provider has is skipped and says so.
public struct StoreProvider: Sendable {
  /// Opens a new empty store of some entities.
  public var open: @Sendable ([EntityDescription]) throws -> any Store
  /// Closes a store that lasts, and opens its content again.
  public var reopen: (@Sendable (any Store) throws -> any Store)?
  /// Opens the content of a store for reading only; the store itself stays open.
  public var openForReading: (@Sendable (any Store) throws -> any Store)?
  /// Opens a new empty store whose history remembers at most so many changed rows.
  public var openWithHistory: (@Sendable ([EntityDescription], _ rows: Int) throws -> any Store)?
  /// How long something that must happen may take before it counts as not happening.
  public var patience: Duration

  /// A provider of stores.
  public init(
    open: @escaping @Sendable ([EntityDescription]) throws -> any Store,
    reopen: (@Sendable (any Store) throws -> any Store)? = nil,
    openForReading: (@Sendable (any Store) throws -> any Store)? = nil,
    openWithHistory: (@Sendable ([EntityDescription], _ rows: Int) throws -> any Store)? = nil,
    patience: Duration = .seconds(20)
  ) {
    self.open = open
    self.reopen = reopen
    self.openForReading = openForReading
    self.openWithHistory = openWithHistory
    self.patience = patience
  }
}
