/// What a store can and cannot do, said instead of discovered.
public struct StoreCapabilities: Hashable, Sendable {
  /// Whose commits the store's history tells row by row.
  public enum HistoryCoverage: String, Hashable, Sendable {
    /// Every commit, whoever made it: nobody else can write.
    case everyWriter
    /// Commits made through this store object; others appear as gaps and are answered by reading again.
    case thisStore
  }

  /// Whose commits the history tells row by row.
  public var historyCoverage: HistoryCoverage
  /// Whether the content is there after the process ends.
  public var isDurable: Bool
  /// Whether nothing can be written.
  public var isReadOnly: Bool

  /// What a store can do.
  public init(historyCoverage: HistoryCoverage, isDurable: Bool, isReadOnly: Bool = false) {
    self.historyCoverage = historyCoverage
    self.isDurable = isDurable
    self.isReadOnly = isReadOnly
  }
}
