import OrderStatistics
import ResultsDomain

/// What two changes in a row did to each row that either of them names.
struct NetRows {
  let first: PathMapping
  let second: PathMapping
  /// Where the sections stand after both changes.
  let sections: PathMapping
  private var entries: [ObjectID: NetRow] = [:]

  init(first: PathMapping, second: PathMapping, sections: PathMapping) {
    self.first = first
    self.second = second
    self.sections = sections
  }

  /// Takes in the first change.
  mutating func add(_ changes: RowChanges) {
    for delete in changes.deletes {
      entries[delete.id] = NetRow(from: delete.from, old: delete.old, wasMoved: true)
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for row in survivors {
        entries[row.id] = NetRow(
          from: row.from,
          between: row.to,
          old: row.old,
          new: row.new,
          changed: row.changed,
          wasMoved: moves
        )
      }
    }
    for insert in changes.inserts {
      entries[insert.id] = NetRow(between: insert.to, new: insert.new, wasMoved: true)
    }
  }

  /// Takes in the second change.
  mutating func add(next changes: RowChanges) throws(DeltaError) {
    for delete in changes.deletes {
      var row = try row(delete.id, at: delete.from)
      if row.isNamedOnce && row.isUntouched { row.old = row.old ?? delete.old }
      row.new = nil
      row.wasMoved = true
      row.isSettled = true
      entries[delete.id] = row
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for survivor in survivors {
        var row = try row(survivor.id, at: survivor.from)
        row.append(survivor)
        row.wasMoved = row.wasMoved || moves
        entries[survivor.id] = row
      }
    }
    for insert in changes.inserts {
      var row = entries[insert.id] ?? NetRow(wasMoved: true)
      guard row.between == nil else { throw .rowTwice(insert.id) }
      row.to = insert.to
      row.new = insert.new
      row.changed = nil
      row.isSettled = true
      entries[insert.id] = row
    }
  }

  /// The entry of a row that the second change names at a place between the two.
  private func row(_ id: ObjectID, at path: OldPath) throws(DeltaError) -> NetRow {
    if let row = entries[id] {
      guard row.between?.path == path.path, !row.isSettled else { throw .rowTwice(id) }
      return row
    }
    guard let from = first.oldPath(for: NewPath(path.path)) else {
      throw .wrongRow(.before, at: path.path, expected: id, found: nil)
    }
    return NetRow(from: from, between: NewPath(path.path), changed: AttributeSet(), wasMoved: false)
  }

  /// Gives the net changes of the rows.
  func collect(into assembler: inout DeltaAssembler) throws(DeltaError) {
    var returned: [Int: [RowChanges.Survivor]] = [:]
    var affectedOld: [Int: [Int]] = [:]
    var affectedNew: [Int: [Int]] = [:]
    for (id, row) in entries {
      var to = row.to
      if !row.isSettled, let between = row.between {
        to = second.newPath(for: OldPath(between.path))
        guard to != nil else {
          throw .wrongRow(.before, at: between.path, expected: id, found: nil)
        }
      }
      if row.wasMoved, let from = row.from {
        affectedOld[from.section, default: []].append(from.row)
      }
      if row.wasMoved, let to { affectedNew[to.section, default: []].append(to.row) }
      switch (row.from, to) {
      case (let from?, let to?):
        let survivor = row.survivor(id, from: from, to: to)
        if sections.newSection(for: from.section) != to.section {
          assembler.moves.append(survivor)
        } else if row.wasMoved {
          returned[from.section, default: []].append(survivor)
        } else if survivor.contentChanged {
          assembler.updates.append(survivor)
        }
      case (let from?, nil):
        assembler.deletes.append(.init(id: id, from: from, old: row.old))
      case (nil, let to?):
        assembler.inserts.append(.init(id: id, to: to, new: row.new))
      case (nil, nil): break
      }
    }
    for (section, rows) in returned {
      let new = rows.first?.to.section ?? 0
      let stays = Set(
        MoveMinimizer.stationarySurvivors(
          oldPositions: rows.map(\.from.row),
          newPositions: rows.map(\.to.row),
          affectedOldPositions: (affectedOld[section] ?? []).sorted(),
          affectedNewPositions: (affectedNew[new] ?? []).sorted()
        )
      )
      for (index, row) in rows.enumerated() {
        if !stays.contains(index) {
          assembler.moves.append(row)
        } else if row.contentChanged {
          assembler.updates.append(row)
        }
      }
    }
  }
}

/// What two changes in a row did to one row.
struct NetRow {
  /// Where it was before both.
  var from: OldPath?
  /// Where it was between the two.
  var between: NewPath?
  /// Where it is after both, if the second names it.
  var to: NewPath?
  var old: Row?
  var new: Row?
  var changed: AttributeSet?
  /// Whether it was ever taken out of the order.
  var wasMoved: Bool
  /// Whether the second change names it.
  var isSettled = false

  /// Whether the first change left its values alone.
  var isUntouched: Bool { changed?.isEmpty ?? false }
  /// Whether it stood in the list before both changes.
  var isNamedOnce: Bool { from != nil }

  /// Adds what the second change says of a row that stayed.
  mutating func append(_ next: RowChanges.Survivor) {
    if isUntouched, from != nil { old = old ?? next.old }
    new = next.new ?? (next.contentChanged ? nil : new)
    to = next.to
    isSettled = true
    changed =
      if isUntouched {
        next.changed
      } else if !next.contentChanged {
        changed
      } else if let earlier = changed, let later = next.changed,
        !earlier.indexes.contains(where: later.contains)
      {
        earlier.union(later)
      } else {
        // An attribute that changed twice may have its first value again.
        nil
      }
  }

  /// The row as one that stayed.
  func survivor(_ id: ObjectID, from: OldPath, to: NewPath) -> RowChanges.Survivor {
    var changed = changed
    if let old, let new, old.values.count == new.values.count {
      changed = new.changes(from: old)
    }
    return RowChanges.Survivor(
      id: id,
      from: from,
      to: to,
      old: old,
      new: new,
      changed: changed
    )
  }
}
