package import ResultsDomain

/// A ring buffer of the latest commits of a store, limited by the number of changed rows.
///
/// Stores derive `StoreSnapshot.history(since:of:)` from it.
package struct CommitRing: Sendable {
  /// A step from one version to the next.
  package enum Event: Sendable {
    /// A commit, with its net changes by the index of the entity's table.
    case commit(CommitOrigin, [Int: [CommittedChange]])
    /// A step whose changes are unknown.
    case gap(GapReason)

    /// The event's share of the capacity: its rows, and one for itself.
    fileprivate var weight: Int {
      switch self {
      case .commit(_, let changes): changes.values.reduce(1) { $0 + $1.count }
      case .gap: 1
      }
    }
  }

  /// An event, with the sequence numbers of the versions before and after it.
  package struct Entry: Sendable {
    /// The sequence number of the version before the event.
    package let before: UInt64
    /// The sequence number of the version after the event.
    package let sequence: UInt64
    /// The event.
    package let event: Event

    /// Creates an entry.
    package init(before: UInt64, sequence: UInt64, event: Event) {
      self.before = before
      self.sequence = sequence
      self.event = event
    }
  }

  private let capacity: Int
  private var entries: [Entry] = []
  /// The index of the oldest entry that has not been dropped.
  private var start = 0
  private var weight = 0

  /// Creates an empty ring.
  /// - Parameter capacity: The number of changed rows, with each event counted as one more.
  package init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Appends an event, and drops the oldest ones beyond the capacity.
  /// - Complexity: O(1), amortized.
  package mutating func append(_ entry: Entry) {
    entries.append(entry)
    weight += entry.event.weight
    while weight > capacity, start < entries.count {
      weight -= entries[start].event.weight
      // Release the rows of a dropped commit now, not when the array is shortened.
      entries[start] = Entry(before: 0, sequence: 0, event: .gap(.trimmed))
      start += 1
    }
    if start > entries.count / 2 {
      entries.removeSubrange(..<start)
      start = 0
    }
  }

  /// Removes all events.
  package mutating func removeAll() { self = CommitRing(capacity: capacity) }

  /// The history of a table between two versions, or `nil` if the ring does not contain all of it.
  /// - Complexity: O(*k*) for *k* events after the first version.
  package func history(
    after old: UInt64,
    through new: UInt64,
    epoch: UInt64,
    ofTable table: Int
  ) -> StoreHistory? {
    var expected = new
    var firstGap: GapReason?
    var records: [CommitRecord] = []
    var index = entries.count
    while expected > old {
      index -= 1
      guard index >= start else { return nil }
      let entry = entries[index]
      // `new` can be an earlier version than the last one.
      if entry.sequence > new { continue }
      guard entry.sequence == expected, entry.before >= old else { return nil }
      expected = entry.before
      switch entry.event {
      case .gap(let reason): firstGap = reason
      case .commit(let origin, let changes):
        guard let changes = changes[table] else { continue }
        let version = StoreVersion(epoch: epoch, sequence: entry.sequence)
        records.append(CommitRecord(version: version, origin: origin, changes: changes))
      }
    }
    if let firstGap { return .gap(firstGap) }
    return .commits(records.reversed())
  }
}

extension CommitRing {
  /// The commits of which the ring has all changes, up to a version, and whether they are all that there were since a version.
  /// - Complexity: O(*n*) in the events of the ring.
  package func retained(since first: UInt64, through last: UInt64) -> RetainedCommits {
    let entries = entries[start...].prefix { $0.sequence <= last }
    let commits = entries.compactMap { entry -> RetainedCommits.Commit? in
      guard case .commit(let origin, _) = entry.event else { return nil }
      return RetainedCommits.Commit(number: entry.sequence, origin: origin)
    }
    return RetainedCommits(commits, isWhole: (entries.first?.before ?? last) == first)
  }

  /// The sequence number of the version before a retained commit, or `nil` if the ring does not have the commit.
  package func sequence(before commit: RetainedCommits.Commit) -> UInt64? {
    entries[start...].first { $0.sequence == commit.number }?.before
  }
}

/// The history of a store within one epoch, in memory.
package struct InMemoryHistory: Sendable {
  /// The version after the last event.
  package private(set) var version: StoreVersion
  private var ring: CommitRing

  /// Creates the history of an epoch.
  /// - Parameters:
  ///   - epoch: The epoch of all versions.
  ///   - capacity: The capacity of the ring, in changed rows.
  package init(epoch: UInt64, capacity: Int) {
    version = StoreVersion(epoch: epoch, sequence: 0)
    ring = CommitRing(capacity: capacity)
  }

  /// Appends an event, which creates the next version.
  /// - Complexity: O(1), amortized.
  package mutating func append(_ event: CommitRing.Event) {
    let before = version.sequence
    version = StoreVersion(epoch: version.epoch, sequence: before + 1)
    ring.append(CommitRing.Entry(before: before, sequence: before + 1, event: event))
  }

  /// The history of a table between two versions.
  /// - Complexity: O(*k*) for *k* events after the first version.
  package func history(
    after old: StoreVersion,
    through new: StoreVersion,
    ofTable table: Int
  ) -> StoreHistory {
    guard old.epoch == version.epoch, new.epoch == version.epoch, old.sequence <= new.sequence,
      new.sequence <= version.sequence
    else { return .gap(.otherEpoch) }
    return ring.history(
      after: old.sequence,
      through: new.sequence,
      epoch: version.epoch,
      ofTable: table
    ) ?? .gap(.trimmed)
  }

  /// The commits up to a version whose changes are in memory.
  /// - Complexity: O(*n*) in the events.
  package func retained(through last: StoreVersion) -> RetainedCommits {
    ring.retained(since: 0, through: last.sequence)
  }

  /// The version before a retained commit, or `nil` if its changes are no longer in memory.
  package func version(before commit: RetainedCommits.Commit) -> StoreVersion? {
    ring.sequence(before: commit).map { StoreVersion(epoch: version.epoch, sequence: $0) }
  }
}
