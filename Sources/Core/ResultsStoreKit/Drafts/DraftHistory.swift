import ResultsDomain

/// The history of what a draft shows, limited by the number of changed rows.
struct DraftHistory: Sendable {
  /// A step from one version to the next.
  struct Event: Sendable {
    let origin: CommitOrigin
    let isOwn: Bool
    /// The net changes, by the index of the entity's table.
    let changes: [Int: [CommittedChange]]
    /// The new identities of rows that had others, with those, by the index of the table.
    let formerIDs: [Int: [ObjectID: ObjectID]]
    /// The tables whose changes are unknown.
    let gaps: [Int: GapReason]

    init(
      origin: CommitOrigin = .unnamed,
      isOwn: Bool = true,
      changes: [Int: [CommittedChange]] = [:],
      formerIDs: [Int: [ObjectID: ObjectID]] = [:],
      gaps: [Int: GapReason] = [:]
    ) {
      self.origin = origin
      self.isOwn = isOwn
      self.changes = changes
      self.formerIDs = formerIDs
      self.gaps = gaps
    }

    /// The event's share of the capacity: its rows, and one for itself.
    fileprivate var weight: Int { changes.values.reduce(1) { $0 + $1.count } }
  }

  /// The version after the last event.
  private(set) var version: StoreVersion
  private let capacity: Int
  private var events: [Event] = []
  /// The index of the oldest event that has not been dropped.
  private var start = 0
  private var weight = 0

  /// Creates an empty history.
  init(epoch: UInt64, capacity: Int) {
    version = StoreVersion(epoch: epoch, sequence: 0)
    self.capacity = max(0, capacity)
  }

  /// Appends an event, which creates the next version; one without any change is ignored.
  /// - Complexity: O(1), amortized.
  mutating func append(_ event: Event) {
    guard !event.changes.isEmpty || !event.gaps.isEmpty else { return }
    version = StoreVersion(epoch: version.epoch, sequence: version.sequence + 1)
    events.append(event)
    weight += event.weight
    while weight > capacity, start < events.count {
      weight -= events[start].weight
      // Release the rows of a dropped event now, not when the array is shortened.
      events[start] = Event()
      start += 1
    }
    if start > events.count / 2 {
      events.removeSubrange(..<start)
      start = 0
    }
  }

  /// The history of a table between two versions.
  /// - Complexity: O(*k*) for *k* events after the first version.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    ofTable table: Int
  ) -> StoreHistory {
    guard old.epoch == version.epoch, new.epoch == version.epoch, old.sequence <= new.sequence,
      new.sequence <= version.sequence
    else { return .gap(.otherEpoch) }
    let first = version.sequence - UInt64(events.count)
    guard old == new || old.sequence >= first + UInt64(start) else { return .gap(.trimmed) }
    var records: [CommitRecord] = []
    for sequence in old.sequence..<new.sequence {
      let event = events[Int(sequence - first)]
      if let reason = event.gaps[table] { return .gap(reason) }
      guard let changes = event.changes[table] else { continue }
      records.append(
        CommitRecord(
          version: StoreVersion(epoch: version.epoch, sequence: sequence + 1),
          origin: event.origin,
          isOwn: event.isOwn,
          changes: changes,
          formerIDs: event.formerIDs[table] ?? [:]
        )
      )
    }
    return .commits(records)
  }
}
