import ResultsDomain

/// The latest commits, as many as a limit of changed rows permits.
///
/// A database without a change log has its whole history here. For one with a log the ring spares reading back what this store object
/// has just written.
struct CommitRing: Sendable {
  /// What is known of a step of the version.
  enum Event: Sendable {
    /// A commit's origin, and its net changes by the index of their table.
    case commit(CommitOrigin, [Int: [CommittedChange]])
    /// A step whose changes are unknown.
    case gap(GapReason)

    /// What the event counts towards the limit: its rows, and one for itself.
    fileprivate var weight: Int {
      switch self {
      case .commit(_, let changes): changes.values.reduce(1) { $0 + $1.count }
      case .gap: 1
      }
    }
  }

  /// An event, and the sequence numbers before and after it.
  struct Entry: Sendable {
    let before: UInt64
    let sequence: UInt64
    let event: Event
  }

  private let capacity: Int
  private var entries: [Entry] = []
  /// The index of the oldest entry that is still remembered.
  private var start = 0
  private var weight = 0

  /// An empty ring.
  /// - Parameter capacity: How many changed rows are remembered, each event counted as one more.
  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Appends an event and drops the oldest ones that exceed the limit.
  /// - Complexity: O(1), amortised.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    weight += entry.event.weight
    while weight > capacity, start < entries.count {
      weight -= entries[start].event.weight
      // Frees the rows now; the array is shortened later.
      entries[start] = Entry(before: 0, sequence: 0, event: .gap(.trimmed))
      start += 1
    }
    if start > entries.count / 2 {
      entries.removeSubrange(..<start)
      start = 0
    }
  }

  /// Drops all events.
  mutating func removeAll() { self = CommitRing(capacity: capacity) }

  /// The history of a table between two versions, or `nil` if the ring does not hold all of it.
  /// - Complexity: O(*k*) for *k* events after the first version.
  func history(
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
      // The end may be a past version, after which more was committed.
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

/// The history of a database without a change log: what this store object committed, and gaps for what others did.
struct InMemoryHistory: Sendable {
  /// The version of everything that was committed or noticed so far.
  private(set) var version: StoreVersion
  private var ring: CommitRing

  init(epoch: UInt64, capacity: Int) {
    version = StoreVersion(epoch: epoch, sequence: 0)
    ring = CommitRing(capacity: capacity)
  }

  /// Appends a step of the version.
  /// - Complexity: O(1), amortised.
  mutating func append(_ event: CommitRing.Event) {
    let before = version.sequence
    version = StoreVersion(epoch: version.epoch, sequence: before + 1)
    ring.append(CommitRing.Entry(before: before, sequence: before + 1, event: event))
  }

  /// The history of a table between two versions.
  /// - Complexity: O(*k*) for *k* steps after the first version.
  func history(
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
}
