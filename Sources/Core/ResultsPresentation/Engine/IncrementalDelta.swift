import OrderStatistics
import ResultsDomain

/// Finds the delta between two generations by looking only at the rows that a commit touched.
///
/// Old and new places are exact and come from ranks in the two key lists, which share all that did not change. Besides
/// the touched rows only those are looked at that slid over an edge of the window, which lie within as many places of the edge as
/// rows were touched.
struct IncrementalDelta {
  private let generations: GenerationPair
  let change: ListChange
  let touched: TouchedKeys
  let places: any KeyPlaces

  private var old: ResultsSnapshot { generations.old }

  init(
    between generations: GenerationPair,
    _ change: ListChange,
    _ touched: TouchedKeys,
    _ places: any KeyPlaces
  ) {
    self.generations = generations
    self.change = change
    self.touched = touched
    self.places = places
  }

  /// Rows that stand in a window, with their places counted over all sections of it.
  private struct Placed {
    var rows: [AffectedRow] = []
    var from: [Int?] = []
    var to: [Int?] = []

    init(capacity: Int) {
      rows.reserveCapacity(capacity)
      from.reserveCapacity(capacity)
      to.reserveCapacity(capacity)
    }

    mutating func append(_ row: AffectedRow, _ from: Int?, _ to: Int?) {
      guard from != nil || to != nil else { return }
      rows.append(row)
      self.from.append(from)
      self.to.append(to)
    }
  }

  /// Works out the section lengths of the new generation and the delta that leads to it.
  /// - Returns: `nil` if sections cannot be followed one by one, and must be read off the keys.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  func assemble(into next: inout ResultsSnapshot) throws(StoreError) -> ResultsDelta? {
    var placed = Placed(capacity: change.affected.count)
    let (shown, shownNext) = (old.window, generations.next.window)
    let all = places.places(of: touched, rowCount: change.affected.count)
    for (index, row) in change.affected.enumerated() {
      placed.append(
        row,
        shown.offset(of: all[index].before),
        shownNext.offset(of: all[index].after)
      )
    }
    var keys = touched.keys
    for row in try WindowSlide(between: generations, change, places).rows() {
      guard let key = row.oldKey else { continue }
      keys.insert(key)
      let (before, after) = (try places.oldPosition(of: key), try places.newPosition(of: key))
      placed.append(row, shown.offset(of: before), shownNext.offset(of: after))
    }
    guard let sections = SectionFollower(generations).follow(keys) else {
      return nil
    }
    next.counts = sections.counts
    return try assemble(placed, sections, next)
  }

  private func assemble(
    _ placed: Placed,
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
    let rows = try change.rowsNeeded(placed.rows, old.plan)
    // In the order in which the delta has them: numbers are sorted faster than rows.
    var order = rows.indices.map { (index: $0, to: placed.to[$0] ?? .max) }
    if order.count > 1 { order.sort { $0.to < $1.to } }
    for (index, _) in order {
      let row = rows[index]
      switch (path(of: placed.from[index], in: old), path(of: placed.to[index], in: next)) {
      case (let from?, let to?):
        let survivor = RowChanges.Survivor(
          id: row.id,
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
        let delete = RowChanges.Delete(id: row.id, from: OldPath(from), old: row.before)
        assembler.deletes.append(delete)
      case (nil, let to?):
        assembler.inserts.append(RowChanges.Insert(id: row.id, to: NewPath(to), new: row.after))
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
    _ placed: Placed,
    _ sections: SectionFollower.Result,
    _ next: ResultsSnapshot
  ) -> [Bool] {
    var stays = placed.rows.map { !$0.keyChanged }
    var (survivors, oldPositions, newPositions) = ([Int](), [Int](), [Int]())
    for (index, isStationary) in stays.enumerated() where !isStationary {
      guard let from = placed.from[index], let to = placed.to[index],
        let oldSection = old.counts.run(containing: from)?.run,
        let newSection = next.counts.run(containing: to)?.run,
        sections.newSection(ofOld: oldSection) == newSection
      else { continue }
      survivors.append(index)
      oldPositions.append(from)
      newPositions.append(to)
    }
    guard !survivors.isEmpty else { return stays }
    let affected = stays.indices.filter { index in
      !stays[index] || placed.from[index] == nil || placed.to[index] == nil
    }
    let kept = MoveMinimizer.stationarySurvivors(
      oldPositions: oldPositions,
      newPositions: newPositions,
      affectedOldPositions: affected.compactMap { placed.from[$0] }.sorted(),
      affectedNewPositions: affected.compactMap { placed.to[$0] }.sorted()
    )
    for place in kept { stays[survivors[place]] = true }
    return stays
  }
}

extension Range<Int> {
  /// How far behind the lower bound a position is, or `nil` outside of the range.
  fileprivate func offset(of position: Int?) -> Int? {
    guard let position, contains(position) else { return nil }
    return position - lowerBound
  }
}

extension ListChange {
  /// Completes rows with the values that a delta carries: those of rows that are in the list now and whose image is missing.
  func rowsNeeded(_ rows: [AffectedRow], _ plan: ListPlan) throws(StoreError) -> [AffectedRow] {
    guard plan.carriesRows else { return rows }
    let missing = rows.indices.filter { rows[$0].after == nil && rows[$0].newKey != nil }
    guard !missing.isEmpty else { return rows }
    var completed = rows
    let found = try self.rows(missing.map { completed[$0].id.key })
    for (index, row) in zip(missing, found) {
      completed[index].after = row
      // A row that only slid over the window's edge is the same before and after; one whose key changed is not, even if no attribute that
      // is shown did.
      if completed[index].changed?.isEmpty == true, completed[index].oldKey != nil,
        !completed[index].keyChanged
      {
        completed[index].before = row
      }
    }
    return completed
  }
}
