import OrderStatistics
import ResultsDomain

/// Finds the delta between any two generations by matching all identities.
///
/// It serves where a definition changed and where sections are read off the keys anew, and it is the oracle of the incremental way
/// (R57). Expected O(*n*), and O(*n* log *n*) for moves.
struct FullDelta {
  let old: ResultsSnapshot
  let next: ResultsSnapshot
  let change: ListChange
  /// Whether both generations have the same definition, so that a row with the same key may not move (C6).
  let sameOrder: Bool

  init(
    from old: ResultsSnapshot,
    to next: ResultsSnapshot,
    _ change: ListChange,
    sameOrder: Bool
  ) {
    self.old = old
    self.next = next
    self.change = change
    self.sameOrder = sameOrder
  }

  func assemble() throws(StoreError) -> ResultsDelta {
    let matched = try match()
    let sections = SectionMatch(from: old, to: next)
    var assembler = DeltaAssembler(
      from: old.generation,
      to: next.generation,
      cause: change.cause,
      origins: change.origins,
      oldSectionCount: old.sectionCount,
      newSectionCount: next.sectionCount
    )
    assembler.sections = sections.changes
    let touched = Dictionary(
      change.affected.map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var rows: [Pending] = []
    for position in matched.deletions {
      guard let id = old.objectID(atFlatPosition: position) else { continue }
      rows.append(Pending(row: touched[id] ?? AffectedRow(unchanged: id), from: position, to: nil))
    }
    for position in matched.insertions {
      guard let id = next.objectID(atFlatPosition: position) else { continue }
      rows.append(Pending(row: touched[id] ?? AffectedRow(unchanged: id), from: nil, to: position))
    }
    let oldSections = old.sectionsOfRows()
    let newSections = next.sectionsOfRows()
    var survivors: [[Pending]] = Array(repeating: [], count: old.sectionCount)
    for pair in matched.survivors {
      let isTouched = touched.isEmpty ? false : isTouched(pair.old, touched)
      let section = oldSections[pair.old]
      let stays = sections.newSection[section] == newSections[pair.new]
      guard !stays || isTouched || !sameOrder else { continue }
      guard let id = old.objectID(atFlatPosition: pair.old) else { continue }
      let row = touched[id] ?? AffectedRow(unchanged: id)
      var pending = Pending(row: row, from: pair.old, to: pair.new)
      pending.mayStay = stays
      if stays { survivors[section].append(pending) } else { rows.append(pending) }
    }
    keepInPlace(&survivors, others: rows)
    rows += survivors.joined().filter { !$0.stays || $0.row.changed?.isEmpty != true }
    try collect(rows, into: &assembler)
    return assembler.delta
  }

  /// A row that the delta may name.
  private struct Pending {
    var row: AffectedRow
    var from: Int?
    var to: Int?
    var mayStay = false
    var stays = false

    init(row: AffectedRow, from: Int?, to: Int?) {
      self.row = row
      self.from = from
      self.to = to
    }
  }

  private func isTouched(_ position: Int, _ touched: [ObjectID: AffectedRow]) -> Bool {
    old.objectID(atFlatPosition: position).map { touched[$0] != nil } ?? false
  }

  /// Decides, section by section, which rows stay in place.
  private func keepInPlace(_ survivors: inout [[Pending]], others: [Pending]) {
    guard sameOrder else {
      for section in survivors.indices {
        survivors[section].sort { ($0.from ?? 0) < ($1.from ?? 0) }
        let kept = longestIncreasingSubsequence(of: survivors[section].map { $0.to ?? 0 })
        for place in kept { survivors[section][place].stays = true }
      }
      return
    }
    let moving = survivors.joined().filter(\.row.keyChanged) + others
    let affectedOld = moving.compactMap(\.from).sorted()
    let affectedNew = moving.compactMap(\.to).sorted()
    for section in survivors.indices {
      for place in survivors[section].indices where !survivors[section][place].row.keyChanged {
        survivors[section][place].stays = true
      }
      let candidates = survivors[section].indices.filter { !survivors[section][$0].stays }
      guard let first = candidates.first,
        let newStart = survivors[section][first].to.flatMap(start(of:))
      else { continue }
      let oldStart = old.counts.start(of: section)
      let oldRange = oldStart..<oldStart + old.counts[section]
      let kept = MoveMinimizer.stationarySurvivors(
        oldPositions: candidates.map { (survivors[section][$0].from ?? 0) - oldStart },
        newPositions: candidates.map { (survivors[section][$0].to ?? 0) - newStart.lowerBound },
        affectedOldPositions: affectedOld.filter(oldRange.contains).map { $0 - oldStart },
        affectedNewPositions: affectedNew.filter(newStart.contains).map { $0 - newStart.lowerBound }
      )
      for place in kept { survivors[section][candidates[place]].stays = true }
    }
  }

  private func start(of newPosition: Int) -> Range<Int>? {
    guard let run = next.counts.run(containing: newPosition)?.run else { return nil }
    let start = next.counts.start(of: run)
    return start..<start + next.counts[run]
  }

  private func collect(_ rows: [Pending], into assembler: inout DeltaAssembler) throws(StoreError) {
    let completed = try sameOrder ? completed(rows) : redefined(rows)
    for (pending, row) in zip(rows, completed) {
      let from = pending.from.flatMap(old.path(ofFlatPosition:)).map(OldPath.init)
      let to = pending.to.flatMap(next.path(ofFlatPosition:)).map(NewPath.init)
      if let from, let to {
        let survivor = RowChanges.Survivor(
          id: row.id,
          from: from,
          to: to,
          old: row.before,
          new: row.after,
          changed: row.changed
        )
        if pending.stays {
          assembler.updates.append(survivor)
        } else {
          assembler.moves.append(survivor)
        }
      } else if let from {
        assembler.deletes.append(RowChanges.Delete(id: row.id, from: from, old: row.before))
      } else if let to {
        assembler.inserts.append(RowChanges.Insert(id: row.id, to: to, new: row.after))
      }
    }
  }

  /// Another definition changes no row: all are the same before and after, those that leave the list too, but for those
  /// that another writer has changed meanwhile.
  private func redefined(_ rows: [Pending]) throws(StoreError) -> [AffectedRow] {
    var affected = rows.map(\.row)
    guard next.plan.carriesRows, !affected.isEmpty else { return affected }
    for (place, row) in try change.rows(affected.map(\.id.key)).enumerated()
    where Value.text(affected[place].id.entity) == .text(next.entity.name) {
      affected[place].before = affected[place].changed == nil ? nil : row
      affected[place].after = row
    }
    return affected
  }

  private func completed(_ rows: [Pending]) throws(StoreError) -> [AffectedRow] {
    try change.rowsNeeded(
      rows.map { pending in
        var row = pending.row
        row.newKey = pending.to == nil ? row.newKey : row.newKey ?? []
        row.oldKey = pending.from == nil ? row.oldKey : row.oldKey ?? []
        return row
      },
      next.plan
    )
  }
}

extension AffectedRow {
  /// A row whose content is the same before and after.
  init(unchanged id: ObjectID) {
    self.init(id: id, oldKey: nil, newKey: nil, changed: AttributeSet())
  }
}
