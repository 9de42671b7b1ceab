/// Who made a commit, as far as the writer said.
public struct CommitOrigin: Hashable, Sendable {
  /// The name the writer gave itself.
  public let name: String

  /// An origin of a name.
  public init(_ name: String) { self.name = name }

  /// A writer that gave no name.
  public static let unnamed = CommitOrigin("")

  /// Whether two names have the same bytes.
  public static func == (left: CommitOrigin, right: CommitOrigin) -> Bool {
    left.name.hasSameBytes(as: right.name)
  }

  /// Feeds the name's bytes into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(name)) }
}

/// The net change of one row between two versions.
public struct CommittedChange: Hashable, Sendable {
  /// The row's identity.
  public let id: ObjectID
  /// The row before the first commit, or `nil` if there was none.
  public let before: Row?
  /// The row after the last commit, or `nil` if there is none.
  public let after: Row?

  /// The net change of one row; `before` and `after` are not both `nil` and not equal.
  public init(id: ObjectID, before: Row?, after: Row?) {
    self.id = id
    self.before = before
    self.after = after
  }
}

/// One commit's changes of one entity.
///
/// Where a store cannot tell the commits of another writer apart, several of them in a row are one record.
public struct CommitRecord: Sendable {
  /// The version the commit made.
  public let version: StoreVersion
  /// Who made it, as far as the writer said.
  public let origin: CommitOrigin
  /// Whether this store object made it.
  public let isOwn: Bool
  /// Net changes, one a row: a row inserted and deleted again, or written with the same values, is absent.
  public let changes: [CommittedChange]

  /// One commit's changes of one entity.
  public init(
    version: StoreVersion,
    origin: CommitOrigin,
    isOwn: Bool = true,
    changes: [CommittedChange]
  ) {
    self.version = version
    self.origin = origin
    self.isOwn = isOwn
    self.changes = changes
  }
}

/// What happened to an entity since a version: the only truth about changes.
public enum StoreHistory: Sendable {
  /// Every commit since, oldest first; commits that did not touch the entity may be absent.
  case commits([CommitRecord])
  /// The commits cannot be told; the content must be read again.
  case gap(GapReason)
}

/// Why a history cannot be told commit by commit.
public enum GapReason: String, Hashable, Sendable {
  /// Somebody else committed, and the store hears only that.
  case otherWriter
  /// The history no longer reaches back so far.
  case trimmed
  /// The version is of another life of the store: it was restored, replaced or opened anew.
  case otherEpoch
  /// A table of the entity was made anew or changed its columns.
  case schemaChanged
}

// MARK: - Versions

/// A version of a store's content, as one process counts it.
///
/// The sequence grows with every commit that this store object made or noticed; another epoch means that the two
/// versions cannot be compared (the store was replaced, restored or opened anew).
public struct StoreVersion: Hashable, Sendable {
  /// Which life of the store the sequence belongs to.
  public let epoch: UInt64
  /// How many commits were made or noticed in that life.
  public let sequence: UInt64

  /// A version of a store's content.
  public init(epoch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }
}

/// A version of a store in a form that outlives the process: what a cache on disk is checked against.
public struct StoreBookmark: Hashable, Sendable {
  /// The store's own name, as `StoreIdentity.uniqueName` has it.
  public let store: String
  /// The number of the last change that the version holds.
  public let sequence: UInt64
  /// A random number that was drawn with that change, so that two pasts of equal length differ.
  public let stamp: UInt64

  /// A version of a store.
  public init(store: String, sequence: UInt64, stamp: UInt64) {
    self.store = store
    self.sequence = sequence
    self.stamp = stamp
  }
}
