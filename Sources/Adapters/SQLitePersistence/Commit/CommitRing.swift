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

/// The latest commits, as many as a limit of changed rows permits, and the gaps between them.
struct CommitLog: Sendable {
  /// What is known of one step of the version.
  enum Event: Sendable {
    /// A commit whose rows are known, by the place of their table.
    case commit(CommitOrigin, [Int: [CommittedChange]])
    /// Something that cannot be told.
    case gap(GapReason)
  }

  private(set) var version: StoreVersion
  private let capacity: Int
  private var events: [Event] = []
  /// Where the events that are remembered begin.
  private var start = 0
  private var changeCount = 0

  init(epoch: UInt64, capacity: Int) {
    version = StoreVersion(epoch: epoch, sequence: 0)
    self.capacity = max(0, capacity)
  }

  /// Notes a step; the oldest ones leave until the limit is kept.
  /// - Complexity: O(1), amortised.
  mutating func append(_ event: Event) {
    version = StoreVersion(epoch: version.epoch, sequence: version.sequence + 1)
    events.append(event)
    changeCount += event.weight
    while changeCount > capacity, start < events.count {
      changeCount -= events[start].weight
      // The rows of a commit that left must not stay in memory until the array is shortened.
      events[start] = .gap(.trimmed)
      start += 1
    }
    if start > events.count / 2 {
      events.removeSubrange(..<start)
      start = 0
    }
  }

  /// What happened to the entity of a table after one version, up to another.
  /// - Complexity: O(*k*) for *k* commits.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    ofTable table: Int
  ) -> StoreHistory {
    guard old.epoch == version.epoch, new.epoch == version.epoch, old.sequence <= new.sequence,
      new.sequence <= version.sequence
    else { return .gap(.otherEpoch) }
    // The last event's sequence is the version's, and each is one more than the one before.
    let first = Int(version.sequence) - events.count + 1
    let places = Int(old.sequence) + 1 - first..<Int(new.sequence) + 1 - first
    guard !places.isEmpty else { return .commits([]) }
    guard places.lowerBound >= start else { return .gap(.trimmed) }
    var records: [CommitRecord] = []
    for place in places {
      switch events[place] {
      case .gap(let reason): return .gap(reason)
      case .commit(let origin, let changes):
        guard let changes = changes[table] else { continue }
        let version = StoreVersion(epoch: version.epoch, sequence: UInt64(first + place))
        records.append(CommitRecord(version: version, origin: origin, changes: changes))
      }
    }
    return .commits(records)
  }
}

extension CommitLog.Event {
  /// What the event costs of the limit: its rows, and one for itself.
  fileprivate var weight: Int {
    switch self {
    case .commit(_, let changes): changes.values.reduce(1) { $0 + $1.count }
    case .gap: 1
    }
  }
}
