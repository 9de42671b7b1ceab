import OrderStatistics
import ResultsDomain

/// Finds the delta between two generations by looking only at the rows that a commit touched.
///
/// Old and new places are exact and come from ranks in the two key lists, which share all that did not change. Besides
/// the touched rows only those are looked at that slid over an edge of the window, which lie within as many places of the edge as
/// rows were touched.
struct IncrementalDelta {
  let old: ResultsSnapshot
  let next: ResultsSnapshot
  let change: ListChange
  let places: any KeyPlaces

  init(
    from old: ResultsSnapshot,
    to next: ResultsSnapshot,
    _ change: ListChange,
    _ places: any KeyPlaces
  ) {
    self.old = old
    self.next = next
    self.change = change
    self.places = places
  }

  /// A touched row with its places counted over all sections of the windows.
  private struct Placed {
    var row: AffectedRow
    var from: Int?
    var to: Int?
  }

  /// Works out the section lengths of the new generation and the delta that leads to it.
  /// - Returns: `nil` if sections cannot be followed one by one, and must be read off the keys.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  func assemble(into next: inout ResultsSnapshot) throws(StoreError) -> ResultsDelta? {
    var placed: [Placed] = []
    var touched: [[UInt8]] = []
    for row in change.affected {
      let from = try placeBefore(row)
      let to = try placeAfter(row)
      if let key = row.oldKey { touched.append(key) }
      if let key = row.newKey, row.keyChanged { touched.append(key) }
      guard from != nil || to != nil else { continue }
      placed.append(Placed(row: row, from: from, to: to))
    }
    for row in try WindowSlide(from: old, to: self.next, change, places).rows() {
      touched.append(row.oldKey ?? [])
      placed.append(Placed(row: row, from: try placeBefore(row), to: try placeAfter(row)))
    }
    guard let sections = SectionFollower(from: old, to: self.next).follow(touched) else {
      return nil
    }
    next.counts = sections.counts
    return try assemble(placed, sections, next)
  }

  private func assemble(
    _ placed: [Placed],
    _ sections: SectionFollower.Result,
    _ next: ResultsSnapshot
  ) throws(StoreError) -> ResultsDelta? {
    var assembler = DeltaAssembler(
      from: old.generation,
      to: next.generation,
      cause: change.cause,
      origins: change.origins,
      oldSectionCount: old.sectionCount,
      newSectionCount: next.sectionCount
    )
    assembler.sections = sections.changes(old, next)
    let stationary = stationaryRows(placed, sections, next)
    let rows = try change.rowsNeeded(placed.map { ($0.row, $0.to != nil) }, old.plan)
    for (index, placed) in placed.enumerated() {
      let id = placed.row.id
      let row = rows[index]
      switch (path(of: placed.from, in: old), path(of: placed.to, in: next)) {
      case (let from?, let to?):
        let survivor = RowChanges.Survivor(
          id: id,
          from: OldPath(from),
          to: NewPath(to),
          old: row.before,
          new: row.after,
          changed: row.changed
        )
        if !stationary[index] {
          assembler.moves.append(survivor)
        } else if survivor.contentChanged {
          assembler.updates.append(survivor)
        }
      case (let from?, nil):
        assembler.deletes.append(RowChanges.Delete(id: id, from: OldPath(from), old: row.before))
      case (nil, let to?):
        assembler.inserts.append(RowChanges.Insert(id: id, to: NewPath(to), new: row.after))
      case (nil, nil): break
      }
    }
    return assembler.delta
  }

  private func path(of position: Int?, in snapshot: borrowing ResultsSnapshot) -> RowPath? {
    guard let position else { return nil }
    return snapshot.path(ofFlatPosition: position)
  }

  /// Which of the rows stay in place: those whose key is the same, and the largest set of others that may (C6).
  private func stationaryRows(
    _ placed: [Placed],
    _ sections: SectionFollower.Result,
    _ next: ResultsSnapshot
  ) -> [Bool] {
    var stays = placed.map { !$0.row.keyChanged }
    var (survivors, oldPositions, newPositions) = ([Int](), [Int](), [Int]())
    var (affectedOld, affectedNew) = ([Int](), [Int]())
    for (index, placed) in placed.enumerated() {
      if let from = placed.from, let to = placed.to {
        if stays[index] { continue }
        if let oldSection = old.counts.run(containing: from)?.run,
          let newSection = next.counts.run(containing: to)?.run,
          sections.newSection(ofOld: oldSection) == newSection
        {
          survivors.append(index)
          oldPositions.append(from)
          newPositions.append(to)
        }
      }
      if let from = placed.from { affectedOld.append(from) }
      if let to = placed.to { affectedNew.append(to) }
    }
    guard !survivors.isEmpty else { return stays }
    let kept = MoveMinimizer.stationarySurvivors(
      oldPositions: oldPositions,
      newPositions: newPositions,
      affectedOldPositions: affectedOld.sorted(),
      affectedNewPositions: affectedNew.sorted()
    )
    for place in kept { stays[survivors[place]] = true }
    return stays
  }

  private func placeBefore(_ row: AffectedRow) throws(StoreError) -> Int? {
    guard let key = row.oldKey, let position = try places.oldPosition(of: key) else { return nil }
    return old.window.contains(position) ? position - old.window.lowerBound : nil
  }

  private func placeAfter(_ row: AffectedRow) throws(StoreError) -> Int? {
    guard let key = row.newKey, let position = try places.newPosition(of: key) else { return nil }
    return next.window.contains(position) ? position - next.window.lowerBound : nil
  }
}

extension ListChange {
  /// Completes rows with the values that a delta carries: those of rows that are in the list now and whose image is missing.
  func rowsNeeded(
    _ rows: [(row: AffectedRow, isShown: Bool)],
    _ plan: ListPlan
  ) throws(StoreError) -> [AffectedRow] {
    var completed = rows.map(\.row)
    guard plan.carriesRows else { return completed }
    let missing = rows.indices.filter { rows[$0].row.after == nil && rows[$0].row.newKey != nil }
    guard !missing.isEmpty else { return completed }
    let found = try self.rows(missing.map { completed[$0].id.key })
    for (index, row) in zip(missing, found) {
      completed[index].after = row
      // A row that only slid over the window's edge is the same before and after.
      if completed[index].changed?.isEmpty == true, completed[index].oldKey != nil {
        completed[index].before = row
      }
    }
    return completed
  }
}
