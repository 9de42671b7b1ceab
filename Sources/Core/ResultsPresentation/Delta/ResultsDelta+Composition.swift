import OrderStatistics
import ResultsDomain

extension ResultsDelta {
  /// This change and the next one as one, made without any content (R28).
  ///
  /// Only net effects remain (C9): what came and left is not told, what left and came back is a move, an update or
  /// nothing, and what moved away and back stays. Which attributes changed is told where the rows or disjoint sets of
  /// attributes say it for certain; otherwise `changed` is `nil`. The result may be empty, and then is not to be
  /// delivered (R27).
  /// - Throws: `DeltaError.outOfSync` if the next change does not begin where this one ends, `DeltaError.otherLife` if it is another
  ///   list's (R44); another `DeltaError` if the two contradict each other.
  /// - Complexity: O(*c* log *c*) in the changes of both, whatever the length of the list.
  public func then(_ next: ResultsDelta) throws(DeltaError) -> ResultsDelta {
    guard unobserved == nil, next.unobserved == nil else { throw .partial }
    guard life == next.life else { throw .otherLife(expected: next.life, found: life) }
    guard to == next.from else { throw .outOfSync(expected: next.from, found: to) }
    guard newSectionCount == next.oldSectionCount else {
      throw .sectionCount(.before, expected: next.oldSectionCount, found: newSectionCount)
    }
    var assembler = DeltaAssembler(
      from: from,
      to: next.to,
      cause: cause.joined(with: next.cause),
      origins: origins
        + next.origins.filter { other in
          !origins.contains { $0.name.hasSameBytes(as: other.name) }
        },
      oldSectionCount: oldSectionCount,
      newSectionCount: next.newSectionCount
    )
    let (first, second) = (PathMapping(self), PathMapping(next))
    var sections = NetSections(first: first, second: second)
    try sections.add(self.sections)
    try sections.add(next: next.sections)
    try sections.collect(into: &assembler)

    var rows = NetRows(first: first, second: second, sections: PathMapping(assembler.delta))
    rows.add(self.rows)
    try rows.add(next: next.rows)
    try rows.collect(into: &assembler)
    var delta = assembler.delta
    delta.life = life
    delta.repair = repair ?? next.repair
    delta.hasOtherCauses = hasOtherCauses || next.hasOtherCauses || cause != next.cause
    return delta
  }
}

// MARK: - Sections

/// What two changes in a row did to each section that either of them names.
struct NetSections {
  let first: PathMapping
  let second: PathMapping
  private var entries: [SectionID: Entry] = [:]

  private struct Entry {
    /// Place and header before both changes.
    var old: (place: Int, header: SectionHeader)?
    /// Place between the two changes.
    var between: Int?
    /// Place and header after both changes; the place is filled in at the end if the second names it not.
    var new: (place: Int?, header: SectionHeader)?
    /// Whether it was ever taken out of the order.
    var wasMoved: Bool
    var isSettled = false
  }

  init(first: PathMapping, second: PathMapping) {
    self.first = first
    self.second = second
  }

  /// Takes in the first change.
  mutating func add(_ changes: SectionChanges) throws(DeltaError) {
    for delete in changes.deletes {
      entries[delete.old.id] = Entry(old: (delete.from, delete.old), wasMoved: true)
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for move in survivors {
        entries[move.new.id] = Entry(
          old: (move.from, move.old),
          between: move.to,
          new: (nil, move.new),
          wasMoved: moves
        )
      }
    }
    for insert in changes.inserts {
      let old = entries[insert.new.id]?.old
      entries[insert.new.id] = Entry(
        old: old,
        between: insert.to,
        new: (nil, insert.new),
        wasMoved: true
      )
    }
  }

  /// Takes in the second change.
  mutating func add(next changes: SectionChanges) throws(DeltaError) {
    for delete in changes.deletes {
      var entry = try entry(of: delete.old, at: delete.from)
      entry.new = nil
      entry.wasMoved = true
      entry.isSettled = true
      entries[delete.old.id] = entry
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for move in survivors {
        var entry = try entry(of: move.old, at: move.from)
        entry.new = (move.to, move.new)
        entry.wasMoved = entry.wasMoved || moves
        entry.isSettled = true
        entries[move.old.id] = entry
      }
    }
    for insert in changes.inserts {
      var entry = entries[insert.new.id] ?? Entry(wasMoved: true)
      guard entry.between == nil || entry.isSettled && entry.new == nil else {
        throw .sectionTwice(.after, at: insert.to)
      }
      entry.new = (insert.to, insert.new)
      entry.isSettled = true
      entries[insert.new.id] = entry
    }
  }

  /// The entry of a section that the second change names at a place between the two.
  private func entry(of header: SectionHeader, at place: Int) throws(DeltaError) -> Entry {
    if let entry = entries[header.id] {
      guard entry.between == place, !entry.isSettled else {
        throw .sectionTwice(.before, at: place)
      }
      return entry
    }
    guard let old = first.oldSection(for: place) else { throw .noSection(.before, at: place) }
    return Entry(old: (old, header), between: place, wasMoved: false)
  }

  /// Gives the net changes of the sections.
  func collect(into assembler: inout DeltaAssembler) throws(DeltaError) {
    var moved: [SectionChanges.Move] = []
    for entry in entries.values {
      var place = entry.new?.place
      if !entry.isSettled, let between = entry.between {
        guard let found = second.newSection(for: between) else {
          throw .noSection(.before, at: between)
        }
        place = found
      }
      switch (entry.old, entry.new, place) {
      case (let old?, let new?, let place?):
        let move = SectionChanges.Move(
          from: old.place,
          to: place,
          old: old.header,
          new: new.header
        )
        if entry.wasMoved {
          moved.append(move)
        } else if move.old != move.new {
          assembler.sections.updates.append(move)
        }
      case (let old?, _, _):
        assembler.sections.deletes.append(.init(from: old.place, old: old.header))
      case (nil, let new?, let place?):
        assembler.sections.inserts.append(.init(to: place, new: new.header))
      default: break
      }
    }
    let stays = Set(
      MoveMinimizer.stationarySurvivors(
        oldPositions: moved.map(\.from),
        newPositions: moved.map(\.to),
        affectedOldPositions: (moved.map(\.from) + assembler.sections.deletes.map(\.from))
          .sorted(),
        affectedNewPositions: (moved.map(\.to) + assembler.sections.inserts.map(\.to)).sorted()
      )
    )
    for (index, move) in moved.enumerated() {
      if !stays.contains(index) {
        assembler.sections.moves.append(move)
      } else if move.old != move.new {
        assembler.sections.updates.append(move)
      }
    }
  }
}

// MARK: - Rows

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
