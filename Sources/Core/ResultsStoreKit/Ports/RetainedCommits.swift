public import ResultsDomain

/// The commits of which a store's history still has all changes, whichever process made them, oldest first (R281).
///
/// A history since a version belongs to one process; this is what the store keeps for later processes as well, such as the rows of its change
/// log. Commits without a name may be absent.
public struct RetainedCommits: Hashable, Sendable {
  /// A commit that is retained.
  public struct Commit: Hashable, Sendable {
    /// The store's number of the commit, which is the same in every process; later commits have greater ones.
    public let number: UInt64
    /// The writer, by the name that it gave.
    public let origin: CommitOrigin

    /// Creates a retained commit.
    public init(number: UInt64, origin: CommitOrigin) {
      (self.number, self.origin) = (number, origin)
    }
  }

  /// The commits, oldest first.
  public var commits: [Commit]
  /// Whether the history is known to reach back to its beginning, so that no earlier commit has been forgotten.
  public var isWhole: Bool

  /// Creates a list of retained commits.
  public init(_ commits: [Commit], isWhole: Bool) {
    (self.commits, self.isWhole) = (commits, isWhole)
  }
}

extension StoreSnapshot {
  /// By default, nothing is retained for other processes.
  public func retainedCommits() throws(StoreError) -> RetainedCommits? { nil }

  /// By default, the history does not go back that far.
  public func history(
    from commit: RetainedCommits.Commit,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory { .gap(.trimmed) }
}
