import ResultsDomain

/// A ring buffer of the latest commits, limited by the number of changed rows.
struct CommitRing: Sendable {
  private struct Entry {
    let version: StoreVersion
    let origin: CommitOrigin
    /// The changes of each entity, by the index of its table.
    let changes: [Int: [CommittedChange]]
    let changeCount: Int
  }

  private let capacity: Int
  private var entries: [Entry] = []
  private var start = 0
  private var changeCount = 0

  /// Creates a ring for a number of changed rows.
  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Appends a commit, and drops the oldest ones beyond the capacity.
  /// - Complexity: O(1), amortised.
  mutating func append(
    _ changes: [Int: [CommittedChange]],
    version: StoreVersion,
    origin: CommitOrigin
  ) {
    let count = changes.values.reduce(0) { $0 + $1.count }
    entries.append(Entry(version: version, origin: origin, changes: changes, changeCount: count))
    changeCount += count
    while changeCount > capacity, start < entries.count {
      changeCount -= entries[start].changeCount
      // Release the rows of a dropped commit now, not when the array is shortened.
      entries[start] = Entry(version: version, origin: origin, changes: [:], changeCount: 0)
      start += 1
    }
    if start > entries.count / 2 {
      entries.removeSubrange(..<start)
      start = 0
    }
  }

  /// The changes of an entity after one version, up to another of the same epoch.
  /// - Complexity: O(*k*) for *k* commits.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    ofTable table: Int
  ) -> StoreHistory {
    guard old.epoch == new.epoch, old.sequence <= new.sequence else { return .gap(.otherEpoch) }
    guard old.sequence < new.sequence else { return .commits([]) }
    // Sequences are consecutive, so an index is a difference of sequences.
    let first = start < entries.count ? entries[start].version.sequence : .max
    guard old.sequence + 1 >= first else { return .gap(.trimmed) }
    let range = start + Int(old.sequence + 1 - first)..<start + Int(new.sequence + 1 - first)
    let records: [CommitRecord] = entries[range].compactMap { entry in
      guard let changes = entry.changes[table] else { return nil }
      return CommitRecord(version: entry.version, origin: entry.origin, changes: changes)
    }
    return .commits(records)
  }
}
