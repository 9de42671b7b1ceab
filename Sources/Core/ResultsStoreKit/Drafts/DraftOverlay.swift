import ResultsDomain

/// The rows that a draft changes, over one version of its base.
struct DraftOverlay: Sendable {
  /// The entries of each entity's table, by key.
  private(set) var tables: [[ObjectKey: DraftEntry]]
  private var lastNumber = 0
  /// The last temporary key of each table.
  private var lastTemporary: [Int64]

  init(tableCount: Int) {
    tables = Array(repeating: [:], count: tableCount)
    lastTemporary = Array(repeating: 0, count: tableCount)
  }

  /// Whether the draft changes nothing.
  var isEmpty: Bool { tables.allSatisfy(\.isEmpty) }

  /// All entries with their tables, in the order of their first changes.
  /// - Complexity: O(*n* log *n*)
  var entries: [(table: Int, key: ObjectKey, entry: DraftEntry)] {
    tables.indices.flatMap { table in tables[table].map { (table, $0.key, $0.value) } }
      .sorted { $0.entry.number < $1.entry.number }
  }

  /// The entry of a row, or `nil` if the draft does not change it.
  subscript(table: Int, key: ObjectKey) -> DraftEntry? {
    get { tables[table][key] }
    set { tables[table][key] = newValue }
  }

  /// Removes all entries; temporary keys are not used again.
  mutating func removeAll() { tables = Array(repeating: [:], count: tables.count) }

  /// Sets a row as the draft has it.
  /// - Parameters:
  ///   - mine: The row, or `nil` to delete it.
  ///   - table: The index of the entity's table.
  ///   - key: The row's key.
  ///   - shown: The row as the draft had it.
  ///   - isTemporary: Whether the key is only the draft's.
  mutating func set(
    _ mine: Row?,
    inTable table: Int,
    _ key: ObjectKey,
    replacing shown: Row?,
    isTemporary: Bool = false
  ) {
    var entry: DraftEntry
    if let known = tables[table][key] {
      entry = known.edited(to: mine)
    } else {
      lastNumber += 1
      entry = DraftEntry(
        editing: shown,
        to: mine,
        number: lastNumber,
        isTemporary: isTemporary
      )
    }
    tables[table][key] = entry.isUnnecessary ? nil : entry
  }

  /// The next temporary key of a table, which no entry has had.
  mutating func nextTemporaryKey(inTable table: Int) -> ObjectKey {
    lastTemporary[table] -= 1
    return .integer(lastTemporary[table])
  }
}

// MARK: - Changes of the base

/// What happened to the base between two versions, as far as a draft needs to know it.
struct BaseChanges: Sendable {
  /// A commit, with its changes by the index of the entity's table.
  struct Commit: Sendable {
    let version: StoreVersion
    let origin: CommitOrigin
    let isOwn: Bool
    var changes: [Int: [CommittedChange]]
    /// The new identities of rows that had others, with those: the base may be a draft itself.
    var formerIDs: [ObjectID: ObjectID]
  }

  /// The commits, oldest first.
  private(set) var commits: [Commit] = []
  /// The tables whose changes are unknown, with the reason.
  private(set) var gaps: [Int: GapReason] = [:]
  /// The rows of those tables that the draft changes, as they are in the later version.
  private(set) var rows: [Int: [(key: ObjectKey, row: Row?)]] = [:]

  /// Reads the changes since an earlier version.
  /// - Throws: The base's error.
  /// - Complexity: O(*c*) for *c* changed rows; where a history has a gap, O(*k* log *n*) for the draft's *k* rows.
  init(
    since version: StoreVersion,
    in snapshot: any StoreSnapshot,
    of entities: [EntityDescription],
    under overlay: DraftOverlay
  ) throws(StoreError) {
    var found: [UInt64: Commit] = [:]
    for (table, entity) in entities.enumerated() {
      switch try snapshot.history(since: version, of: entity) {
      case .commits(let records):
        for record in records where !record.changes.isEmpty {
          let made = Commit(
            version: record.version,
            origin: record.origin,
            isOwn: record.isOwn,
            changes: [:],
            formerIDs: [:]
          )
          found[record.version.sequence, default: made].changes[table] = record.changes
          found[record.version.sequence]?.formerIDs.merge(record.formerIDs) { first, _ in first }
        }
      case .gap(let reason):
        gaps[table] = reason
        let keys = Array(overlay.tables[table].keys)
        rows[table] = zip(keys, try snapshot.rows(keys, of: entity)).map { (key: $0, row: $1) }
      }
    }
    commits = found.values.sorted { $0.version.sequence < $1.version.sequence }
  }
}

extension DraftOverlay {
  /// Merges the changes of the base into all entries.
  mutating func rebase(onto changes: BaseChanges) {
    for commit in changes.commits {
      for (table, changes) in commit.changes {
        for change in changes { _ = rebase(change, inTable: table, nil) }
      }
    }
    rebaseRows(after: changes, nil)
  }

  /// Merges the rows that were read where the history has a gap.
  mutating func rebaseRows(after changes: BaseChanges, _ landed: LandedRows?) {
    for (table, rows) in changes.rows {
      for (key, row) in rows {
        guard let entry = tables[table][key], entry.base != row else { continue }
        tables[table][key] =
          landed?.contains(row, inTable: table, key) == true ? nil : entry.rebased(onto: row)
      }
    }
  }

  /// Merges one change of the base.
  /// - Returns: What it changes of the rows that the draft shows.
  mutating func rebase(
    _ change: CommittedChange,
    inTable table: Int,
    _ landed: LandedRows?
  ) -> [CommittedChange] {
    let key = change.id.key
    var shown: [CommittedChange] = []
    let isLanded = landed?.contains(change.after, inTable: table, key) == true
    if isLanded, let draftKey = landed?.draftKey(of: key, inTable: table),
      let entry = tables[table][draftKey]
    {
      // A new row has its final key from now on.
      tables[table][draftKey] = nil
      let id = ObjectID(entity: change.id.entity, key: draftKey)
      shown.append(CommittedChange(id: id, before: entry.mine, after: nil))
    }
    guard let entry = tables[table][key] else { return shown + [change] }
    let next = isLanded ? nil : entry.rebased(onto: change.after)
    tables[table][key] = next
    let after = if let next { next.mine } else { change.after }
    if entry.mine != after {
      shown.append(CommittedChange(id: change.id, before: entry.mine, after: after))
    }
    return shown
  }
}

// MARK: - Committed rows

/// The rows that the commit of a draft wrote, as the base stored them.
struct LandedRows: Sendable {
  private struct Landed {
    /// The keys that the row had in the draft: two, if a new row got the key of one that was deleted.
    var draftKeys: [ObjectKey] = []
    /// The row, or `nil` if it was deleted.
    let stored: Row?
  }

  private var tables: [Int: [ObjectKey: Landed]] = [:]
  /// The version that has them, once the commit has succeeded.
  var version: StoreVersion?

  /// Adds a row.
  mutating func add(_ stored: Row?, _ key: ObjectKey, for draftKey: ObjectKey, inTable table: Int) {
    tables[table, default: [:]][key, default: Landed(stored: stored)].draftKeys.append(draftKey)
  }

  /// The key that a committed row had in the draft, if it is another one.
  func draftKey(of key: ObjectKey, inTable table: Int) -> ObjectKey? {
    tables[table]?[key]?.draftKeys.first { $0 != key }
  }

  /// Whether the commit wrote just this row.
  func contains(_ row: Row?, inTable table: Int, _ key: ObjectKey) -> Bool {
    guard let landed = tables[table]?[key] else { return false }
    return landed.stored == row
  }

  /// The keys that the committed rows had in the draft, with their tables.
  var draftKeys: [(table: Int, key: ObjectKey)] {
    tables.flatMap { table, rows in rows.values.flatMap(\.draftKeys).map { (table, $0) } }
  }
}
