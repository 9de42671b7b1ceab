import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// What became of a list that was led to a later version.
  enum Progress {
    /// It was of that version already.
    case unmoved
    /// No commit concerns it: only its version was noted, and nothing was asked of the store (R53, R54).
    case noted
    /// What it led to, oldest first; without steps, rows and sections are as they were, but counts may differ.
    case moved([Step])
    /// The content before cannot be led on, so the list was fetched anew.
    case reset(ResultsResetReason)
  }

  /// Leads the list to a later version of the store, each commit with a delta of its own.
  /// - Returns: The steps, oldest first; none if nothing in the list changed, or if it had to be fetched anew.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(to store: any StoreSnapshot) throws(StoreError) -> [Step] {
    guard case .moved(let steps) = try advance(in: SnapshotHistory(store), folding: false) else {
      return []
    }
    return steps
  }

  /// Leads the list to a later version of the store.
  ///
  /// Commits that the store's history tells are placed one by one; whatever else happened is found by reading the keys again.
  /// - Parameters:
  ///   - history: The version to lead to, and the way there.
  ///   - isFolding: Whether all commits are to be one delta.
  /// - Returns: What became of the list.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(
    in history: SnapshotHistory,
    folding isFolding: Bool
  ) throws(StoreError) -> Progress {
    let store = history.snapshot
    guard store.version != snapshot.version else { return .unmoved }
    switch try history.since(snapshot.version, of: plan.entity) {
    case .commits(let records):
      let counted = try countsMayDiffer(in: history)
      let concerning = try concerning(records)
      guard counted || !concerning.isEmpty else {
        note(store)
        return .noted
      }
      let isFolding = isFolding || counted
      if !isFolding || concerning.count == 1 {
        for commit in concerning {
          guard let reason = reasonToCountAnew(after: commit.affected) else { continue }
          return try fetchAnew(reason, in: store)
        }
      }
      let steps = try follow(concerning, folding: isFolding, counting: counted, store)
      guard let steps else { return try fetchAnew(.indexLost, in: store) }
      return .moved(steps)
    case .gap(.otherEpoch): return try fetchAnew(.storeReplaced, in: store)
    case .gap(.schemaChanged): return try fetchAnew(.schemaChanged, in: store)
    case .gap(let reason):
      if case .indexed = snapshot.keys { return try fetchAnew(.historyLost, in: store) }
      return .moved(
        try settling(in: store) { (next) throws(StoreError) in
          try next.repair(reason, in: store)
        } ?? []
      )
    }
  }

  /// Does a piece of work on a copy, so that a failure leaves the engine as it was.
  private mutating func settling(
    in store: any StoreSnapshot,
    _ work: (inout ListEngine) throws(StoreError) -> [Step]?
  ) throws(StoreError) -> [Step]? {
    var next = self
    guard let steps = try work(&next) else { return nil }
    next.note(store)
    self = next
    return steps
  }

  /// Notes that the list is what it is in a later version too.
  private mutating func note(_ store: any StoreSnapshot) {
    snapshot.version = store.version
    if case .indexed(let keys) = snapshot.keys { keys.era.note(store.version) }
    noteBookmark(in: store)
  }

  /// Whether a count alongside may be another than it was.
  private func countsMayDiffer(in history: SnapshotHistory) throws(StoreError) -> Bool {
    for request in plan.additionalCounts.values {
      guard case .commits(let records) = try history.since(snapshot.version, of: request.entity)
      else { return true }
      if !records.isEmpty { return true }
    }
    return false
  }

  /// Those of some commits that changed a row that the list holds, held or will hold, with those rows.
  private func concerning(_ records: [CommitRecord]) throws(StoreError) -> [PlacedCommit] {
    var commits: [PlacedCommit] = []
    for (place, record) in records.enumerated() {
      let affected = try affectedRows(by: record.changes)
      guard !affected.isEmpty else { continue }
      commits.append(
        PlacedCommit(record: record, affected: affected, later: records[(place + 1)...])
      )
    }
    return commits
  }

  /// - Returns: `nil` if the list must be fetched anew.
  private mutating func follow(
    _ commits: [PlacedCommit],
    folding isFolding: Bool,
    counting isCounting: Bool,
    _ store: any StoreSnapshot
  ) throws(StoreError) -> [Step]? {
    let additionalCounts = plan.additionalCounts
    return try settling(in: store) { (next) throws(StoreError) in
      guard isFolding else { return try next.place(commits, in: store) }
      let origins = ListEngine.origins(of: commits.map(\.record))
      var folded: [PlacedCommit] = []
      for record in ListEngine.folded(commits.map(\.record)) {
        let affected =
          commits.count == 1 ? commits[0].affected : try next.affectedRows(by: record.changes)
        folded.append(PlacedCommit(record: record, affected: affected, later: []))
      }
      let steps = try next.place(folded, origins: origins, in: store)
      // A commit that changes no row of the list may change the counts.
      if isCounting {
        next.snapshot.additionalCounts = try ListEngine.counts(additionalCounts, in: store)
      }
      return steps
    }
  }

  /// - Returns: `nil` if the list must be fetched anew.
  private mutating func place(
    _ commits: [PlacedCommit],
    origins: [CommitOrigin]? = nil,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step]? {
    var steps: [Step] = []
    let entity = plan.entity
    var spans: [ListChange.KeySpan] = []
    if case .indexed = snapshot.keys {
      guard let known = ListChange.KeySpan.spans(of: commits.map(\.affected)) else { return nil }
      spans = known
    }
    for (place, commit) in commits.enumerated() {
      let record = commit.record
      var change = ListChange(
        affected: commit.affected,
        version: record.version,
        cause: record.isOwn ? .own : .external,
        origins: origins ?? ListEngine.origins(of: [record])
      ) { (keys) throws(StoreError) in
        try ListEngine.rows(keys, of: entity, before: commit.later, in: store)
      }
      if !spans.isEmpty { change.span = spans[place] }
      change.isPresent = commit.later.isEmpty
      guard let step = try apply(change, in: store) else {
        if case .indexed = snapshot.keys { return nil }
        // The list and the history disagree, so neither is believed: the keys are read again.
        return steps + (try repair(nil, in: store))
      }
      digests?.follow(commit.affected, record.changes, plan.layout)
      if let step = step.step { steps.append(step) }
    }
    return steps
  }

  /// Rows as they were before some later commits, whose images say what those changed.
  private static func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription,
    before later: ArraySlice<CommitRecord>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Row?] {
    var rows = try store.rows(keys, of: entity)
    for record in later.reversed() {
      for change in record.changes {
        for (place, key) in keys.enumerated() where key == change.id.key {
          rows[place] = change.before
        }
      }
    }
    return rows
  }
}

/// A commit, and the rows of a list that it touched.
private struct PlacedCommit {
  let record: CommitRecord
  let affected: [AffectedRow]
  /// All commits after it.
  let later: ArraySlice<CommitRecord>
}
