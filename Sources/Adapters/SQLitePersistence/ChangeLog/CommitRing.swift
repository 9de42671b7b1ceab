import ResultsDomain

/// The latest commits of this store object, so that it need not read from the log what it has just written.
struct CommitRing: Sendable {
  /// One commit, and between which numbers of the log it stands.
  struct Entry: Sendable {
    let before: UInt64
    let sequence: UInt64
    let origin: CommitOrigin
    /// Net changes by the place of their table.
    let changes: [Int: [CommittedChange]]
  }

  private let capacity: Int
  private var entries: [Entry] = []
  private var start = 0
  private var changeCount = 0

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Remembers a commit; the oldest ones leave until the limit is kept.
  /// - Complexity: O(1), amortised.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    changeCount += entry.weight
    while changeCount > capacity, start < entries.count {
      changeCount -= entries[start].weight
      // The rows must not stay in memory until the array is shortened.
      entries[start] = Entry(before: 0, sequence: 0, origin: .unnamed, changes: [:])
      start += 1
    }
    if start > entries.count / 2 {
      entries.removeSubrange(..<start)
      start = 0
    }
  }

  /// Forgets everything.
  mutating func removeAll() { self = CommitRing(capacity: capacity) }

  /// What happened to a table between two versions, or `nil` if others committed between, or it was too long ago.
  /// - Complexity: O(*k*) for *k* commits.
  func records(
    after old: UInt64,
    through new: UInt64,
    epoch: UInt64,
    ofTable table: Int
  ) -> [CommitRecord]? {
    var expected = new
    var records: [CommitRecord] = []
    var place = entries.count
    while expected > old {
      place -= 1
      guard place >= start else { return nil }
      let entry = entries[place]
      // A version in the past is asked for while later commits are remembered already.
      if entry.sequence > new { continue }
      guard entry.sequence == expected, entry.before >= old else { return nil }
      expected = entry.before
      guard let changes = entry.changes[table] else { continue }
      records.append(
        CommitRecord(
          version: StoreVersion(epoch: epoch, sequence: entry.sequence),
          origin: entry.origin,
          changes: changes
        )
      )
    }
    return records.reversed()
  }
}

extension CommitRing.Entry {
  fileprivate var weight: Int { changes.values.reduce(1) { $0 + $1.count } }
}
