/// The writer of a commit, by the name that it gave.
public struct CommitOrigin: Hashable, Sendable {
  /// The writer's name.
  public let name: String

  /// Creates an origin from a name.
  public init(_ name: String) { self.name = name }

  /// A writer that gave no name.
  public static let unnamed = CommitOrigin("")

  /// Whether two names have the same bytes.
  public static func == (left: CommitOrigin, right: CommitOrigin) -> Bool {
    left.name.hasSameBytes(as: right.name)
  }

  /// Hashes the name's bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(name)) }
}

/// The net change of one row between two versions.
public struct CommittedChange: Hashable, Sendable {
  /// The row's identity.
  public let id: ObjectID
  /// The row before the first commit, or `nil` if it was inserted.
  public let before: Row?
  /// The row after the last commit, or `nil` if it was deleted.
  public let after: Row?

  /// Creates the net change of a row; `before` and `after` differ.
  public init(id: ObjectID, before: Row?, after: Row?) {
    self.id = id
    self.before = before
    self.after = after
  }
}

extension CommittedChange {
  /// The opposite change: from the row after to the row before.
  public var inverse: CommittedChange { CommittedChange(id: id, before: after, after: before) }
}

/// The changes that a commit made to one entity.
///
/// If a store cannot separate the commits of another writer, several consecutive ones form one record. Of two transactions that commute,
/// since neither read or changed what the other wrote, the store chooses which comes first; another process may see the other order.
public struct CommitRecord: Sendable {
  /// The version that the commit created.
  public let version: StoreVersion
  /// The writer, by the name that it gave.
  public let origin: CommitOrigin
  /// Whether the commit was made through this store object.
  public let isOwn: Bool
  /// Net changes, at most one per row: a row that was inserted and deleted, or written with equal values, is absent.
  public let changes: [CommittedChange]
  /// The new identities of rows that had others before this commit, each with the former one: the changes insert the row under the new
  /// identity and delete it under the former one.
  public let formerIDs: [ObjectID: ObjectID]

  /// Creates a record of a commit's changes.
  public init(
    version: StoreVersion,
    origin: CommitOrigin,
    isOwn: Bool = true,
    changes: [CommittedChange],
    formerIDs: [ObjectID: ObjectID] = [:]
  ) {
    self.version = version
    self.origin = origin
    self.isOwn = isOwn
    self.changes = changes
    self.formerIDs = formerIDs
  }
}

/// Why a history has a gap.
public enum GapReason: String, Hashable, Sendable {
  /// Another writer committed, and the store knows only that.
  case otherWriter
  /// The history no longer goes back that far.
  case trimmed
  /// The version belongs to another epoch: the store was restored, replaced or reopened.
  case otherEpoch
  /// A table of the entity was recreated, or its columns changed.
  case schemaChanged
}

// MARK: - Versions

/// A version of a store's content within one process.
///
/// The sequence grows with every commit that the store object made or detected. Versions of different epochs cannot be
/// compared: the store was replaced, restored or reopened. Where a store has no order of its own between transactions that commute,
/// their numbers are its choice; the content of the version after the last of them is the same in every process.
public struct StoreVersion: Hashable, Sendable {
  /// The epoch that the sequence belongs to.
  public let epoch: UInt64
  /// The number of commits made or detected in that epoch.
  public let sequence: UInt64

  /// Creates a version.
  public init(epoch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }
}
