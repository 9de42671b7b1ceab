import ResultsDomain

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
