import ResultsDomain

/// The state of a draft: its rows over one version of its base, and the history of what it shows.
struct DraftContent: Sendable {
  /// The state in which a version of the base was last shown, for readers that have a snapshot of it.
  struct View: Sendable {
    let overlay: DraftOverlay
    let base: StoreVersion
    let version: StoreVersion
    /// How often edits had been discarded or decided.
    let decisions: Int
  }

  /// The number of earlier versions of the base for which readers can find the draft's rows.
  private static let viewLimit = 32

  let entities: [EntityDescription]
  private(set) var overlay: DraftOverlay
  /// The base's version; `nil` before the base was read.
  private(set) var base: StoreVersion?
  private(set) var history: DraftHistory
  /// The number of changes of any edit or its state.
  private(set) var editChanges = 0
  /// The rows of a commit that the draft may not have found in the base yet.
  var landed: LandedRows?
  private var decisions = 0
  private var earlier: [View] = []

  init(entities: [EntityDescription], epoch: UInt64, historyCapacity: Int) {
    self.entities = entities
    overlay = DraftOverlay(tableCount: entities.count)
    history = DraftHistory(epoch: epoch, capacity: historyCapacity)
  }

  /// The index of an entity's table, or `nil` if the base does not have the entity.
  func table(named name: String) -> Int? {
    entities.firstIndex { $0.name.hasSameBytes(as: name) }
  }

  private func view(over base: StoreVersion) -> View {
    View(overlay: overlay, base: base, version: history.version, decisions: decisions)
  }
}

// MARK: - Following the base

extension DraftContent {
  /// The draft as it was shown over a version of the base; the draft is advanced to a later one.
  /// - Returns: `nil` for an earlier version that is not remembered.
  /// - Throws: The base's error; the draft is then as it was.
  mutating func view(in snapshot: any StoreSnapshot) throws(StoreError) -> View? {
    if try advance(to: snapshot) { return view(over: snapshot.version) }
    return earlier.last { $0.base == snapshot.version }
  }

  /// Advances to a version of the base.
  /// - Returns: Whether the draft is at that version; it stays at a later one.
  /// - Throws: The base's error; the draft is then as it was.
  mutating func advance(to snapshot: any StoreSnapshot) throws(StoreError) -> Bool {
    let version = snapshot.version
    guard let since = base, since != version else {
      base = version
      endCommit(at: version)
      return true
    }
    guard since.epoch != version.epoch || since.sequence < version.sequence else { return false }
    let changes = try BaseChanges(since: since, in: snapshot, of: entities, under: overlay)
    earlier.append(view(over: since))
    if earlier.count > DraftContent.viewLimit { earlier.removeFirst() }
    base = version
    let hadEdits = !overlay.isEmpty
    for commit in changes.commits {
      var shown: [Int: [CommittedChange]] = [:]
      var formerIDs: [Int: [ObjectID: ObjectID]] = [:]
      for (table, changes) in commit.changes {
        let visible = changes.flatMap { overlay.rebase($0, inTable: table, landed) }
        guard !visible.isEmpty else { continue }
        shown[table] = visible
        guard landed != nil || !commit.formerIDs.isEmpty else { continue }
        let deleted = Set(visible.lazy.filter { $0.after == nil }.map(\.id))
        for change in visible where change.before == nil {
          let draftKey = landed?.draftKey(of: change.id.key, inTable: table)
          let former =
            draftKey.map { ObjectID(entity: change.id.entity, key: $0) }
            ?? commit.formerIDs[change.id]
          guard let former, deleted.contains(former) else { continue }
          formerIDs[table, default: [:]][change.id] = former
        }
      }
      history.append(
        DraftHistory.Event(
          origin: commit.origin,
          isOwn: commit.isOwn,
          changes: shown,
          formerIDs: formerIDs
        )
      )
    }
    overlay.rebaseRows(after: changes, landed)
    history.append(DraftHistory.Event(gaps: changes.gaps))
    if hadEdits { editChanges += 1 }
    endCommit(at: version)
    return true
  }

  /// Removes the entries of a commit that succeeded, where what became of their rows in the base could not be followed.
  private mutating func endCommit(at version: StoreVersion) {
    guard let reached = landed?.version,
      version.epoch != reached.epoch || version.sequence >= reached.sequence
    else { return }
    var shown: [Int: [CommittedChange]] = [:]
    for (table, key) in landed?.draftKeys ?? [] {
      guard let entry = overlay[table, key] else { continue }
      overlay[table, key] = nil
      let id = ObjectID(entity: entities[table].name, key: key)
      if entry.mine != entry.base {
        shown[table, default: []].append(
          CommittedChange(id: id, before: entry.mine, after: entry.base)
        )
      }
    }
    landed = nil
    history.append(DraftHistory.Event(changes: shown))
  }
}

// MARK: - Editing

extension DraftContent {
  /// Publishes the rows of a transaction.
  /// - Parameters:
  ///   - made: The transaction's rows.
  ///   - origin: The writer.
  ///   - path: The draft's name, for errors.
  ///   - snapshot: The base in the version of this content, if that is not the transaction's.
  /// - Returns: The draft's version with them, or `nil` if the base's version is another one.
  /// - Throws: `StoreError.writeConflict` if edits were discarded or decided meanwhile, and the base's error.
  mutating func publish(
    _ made: DraftTransaction.Outcome,
    _ origin: CommitOrigin,
    path: String,
    in snapshot: (any StoreSnapshot)? = nil
  ) throws(StoreError) -> StoreVersion? {
    guard made.view.decisions == decisions else { throw .writeConflict(path: path) }
    var next = made.overlay
    if made.view.base != base {
      guard let snapshot, snapshot.version == base else { return nil }
      next.rebase(
        onto: try BaseChanges(since: made.view.base, in: snapshot, of: entities, under: next)
      )
    }
    var shown: [Int: [CommittedChange]] = [:]
    for (table, key) in made.touched {
      let (old, new) = (overlay[table, key], next[table, key])
      let before = if let old { old.mine } else { new?.base }
      let after = if let new { new.mine } else { old?.base }
      guard before != after else { continue }
      let id = ObjectID(entity: entities[table].name, key: key)
      shown[table, default: []].append(CommittedChange(id: id, before: before, after: after))
    }
    overlay = next
    if !made.touched.isEmpty { editChanges += 1 }
    history.append(DraftHistory.Event(origin: origin, changes: shown))
    return history.version
  }

  /// Removes all edits.
  /// - Returns: Whether there were any.
  mutating func discard() -> Bool {
    let removed = overlay.entries
    overlay.removeAll()
    return decide(removed.map { ($0.table, $0.key, $0.entry, nil) })
  }

  /// Bases edits on rows that were read before.
  /// - Returns: Whether there was an edit of one.
  mutating func setAncestors(_ rows: some Sequence<Row>) -> Bool {
    var changes: [(table: Int, key: ObjectKey, old: DraftEntry, new: DraftEntry?)] = []
    for row in rows {
      guard let table = table(named: row.id.entity), let entry = overlay[table, row.id.key] else {
        continue
      }
      let next = entry.based(on: row)
      overlay[table, row.id.key] = next
      changes.append((table, row.id.key, entry, next))
    }
    return decide(changes)
  }

  /// Decides a conflict.
  /// - Returns: Whether there was one.
  mutating func decide(
    _ id: ObjectID,
    _ decision: (DraftEntry) -> DraftEntry?
  ) -> Bool {
    guard let table = table(named: id.entity), let entry = overlay[table, id.key], entry.isConflict
    else { return false }
    let next = decision(entry)
    overlay[table, id.key] = next
    return decide([(table, id.key, entry, next)])
  }

  private mutating func decide(
    _ changes: [(table: Int, key: ObjectKey, old: DraftEntry, new: DraftEntry?)]
  ) -> Bool {
    guard !changes.isEmpty else { return false }
    var shown: [Int: [CommittedChange]] = [:]
    for (table, key, old, new) in changes {
      let after = if let new { new.mine } else { old.base }
      guard old.mine != after else { continue }
      let id = ObjectID(entity: entities[table].name, key: key)
      shown[table, default: []].append(CommittedChange(id: id, before: old.mine, after: after))
    }
    decisions += 1
    editChanges += 1
    history.append(DraftHistory.Event(changes: shown))
    return true
  }
}
