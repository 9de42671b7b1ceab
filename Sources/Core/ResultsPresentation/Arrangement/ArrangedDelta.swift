import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Turns a change of the rows and sections that the keys have into one of those that an arrangement shows.
///
/// A row that the change names is shown before, after, both or neither. Besides those rows only such matter that others pushed over the
/// limit of their section or drew into it; they are next to the limit, and no more than there are named rows in the section. So a change
/// costs what it touches, however many rows are hidden.
struct ArrangedDelta {
  private let old: ResultsSnapshot
  private let next: ResultsSnapshot
  private let before: ArrangedSections
  private let stored: ResultsDelta
  private let mapping: PathMapping
  /// The rows with another key than before, which alone can move within their section.
  private let movable: Set<ObjectID>

  /// - Parameters:
  ///   - old: The generation before, as the keys have it.
  ///   - next: The generation after, likewise.
  ///   - before: The sections that were shown before.
  ///   - stored: The delta between the two, which names every row whose key or content changed.
  ///   - change: The change, or `nil` where no row changed its key.
  init(
    from old: ResultsSnapshot,
    to next: ResultsSnapshot,
    _ before: ArrangedSections,
    _ stored: ResultsDelta,
    _ change: ListChange?
  ) {
    (self.old, self.next, self.before, self.stored) = (old, next, before, stored)
    mapping = PathMapping(stored)
    movable = Set(change?.affected.lazy.filter(\.keyChanged).map(\.id) ?? [])
  }

  /// A row of the change, with its flat positions among the shown ones.
  private struct ShownRow {
    var survivor: RowChanges.Survivor
    var ends: RowPositions
  }

  /// Arranges the next generation, and finds the delta to it.
  /// - Parameters:
  ///   - store: The store in a version that has the change, as the list reads it.
  ///   - rows: Reads rows as they are after the change, in the order of the keys.
  /// - Returns: The sections after, and the delta, which is empty if nothing that is shown differs.
  /// - Throws: The store's error.
  /// - Complexity: O(*c* log *n*) for *c* named rows and sections.
  func assemble(
    in store: any StoreSnapshot,
    reading rows: (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]
  ) throws(StoreError) -> (sections: ArrangedSections, delta: ResultsDelta) {
    let named = NamedRows(stored, mapping)
    let touched = named.sections.union(stored.sections.updates.map(\.to))
    let (after, shift) = before.advanced(by: stored.sections, touching: touched, to: next)
    let (oldShown, newShown) = (old.arranged(by: before), next.arranged(by: after))
    var assembler = DeltaAssembler(
      from: old.generation,
      to: next.generation,
      cause: stored.cause,
      origins: stored.origins,
      oldSectionCount: oldShown.sectionCount,
      newSectionCount: newShown.sectionCount
    )
    assembler.sections = sections(shift, touched, oldShown, newShown, after)
    var shown = self.rows(oldShown, newShown)
    let first = shown.count
    for section in named.sections {
      try slide(section, named, after, oldShown, newShown, in: store, into: &shown)
    }
    try complete(&shown, from: first, reading: rows)
    collect(shown, shift, oldShown, newShown, into: &assembler)
    return (after, assembler.delta)
  }

  // MARK: Rows that are named

  private func rows(_ oldShown: ResultsSnapshot, _ newShown: ResultsSnapshot) -> [ShownRow] {
    var rows: [ShownRow] = []
    func append(_ survivor: RowChanges.Survivor, from: OldPath?, to: NewPath?) {
      let from = from.flatMap { oldShown.flatPosition(ofStored: $0.path) }
      let to = to.flatMap { newShown.flatPosition(ofStored: $0.path) }
      guard from != nil || to != nil else { return }
      rows.append(ShownRow(survivor: survivor, ends: RowPositions(old: from, new: to)))
    }
    let none = (old: OldPath(section: 0, row: 0), new: NewPath(section: 0, row: 0))
    for row in stored.rows.deletes {
      let survivor = RowChanges.Survivor(
        id: row.id,
        from: row.from,
        to: none.new,
        old: row.old,
        changed: AttributeSet()
      )
      append(survivor, from: row.from, to: nil)
    }
    for row in stored.rows.inserts {
      let survivor = RowChanges.Survivor(
        id: row.id,
        from: none.old,
        to: row.to,
        new: row.new,
        changed: AttributeSet()
      )
      append(survivor, from: nil, to: row.to)
    }
    for row in stored.rows.moves + stored.rows.updates { append(row, from: row.from, to: row.to) }
    return rows
  }

  /// The rows that the change names, by section: their row numbers, ascending.
  private struct NamedRows {
    /// By the section after; sections that left are not among them.
    private(set) var sections: Set<Int> = []
    private(set) var old: [Int: [Int]] = [:]
    private(set) var new: [Int: [Int]] = [:]

    init(_ delta: ResultsDelta, _ mapping: PathMapping) {
      func remove(_ path: OldPath) {
        if let section = mapping.newSection(for: path.section) {
          old[section, default: []].append(path.row)
          sections.insert(section)
        }
      }
      func add(_ path: NewPath) {
        new[path.section, default: []].append(path.row)
        sections.insert(path.section)
      }
      for row in delta.rows.deletes { remove(row.from) }
      for row in delta.rows.inserts { add(row.to) }
      for row in delta.rows.moves + delta.rows.updates {
        remove(row.from)
        add(row.to)
      }
      for section in old.keys { old[section]?.sort() }
      for section in new.keys { new[section]?.sort() }
    }
  }

  // MARK: Rows at a limit

  /// Finds the rows of a section that no commit touched but that came into its limit or left it, because others did (C11).
  private func slide(
    _ section: Int,
    _ named: NamedRows,
    _ after: ArrangedSections,
    _ oldShown: ResultsSnapshot,
    _ newShown: ResultsSnapshot,
    in store: any StoreSnapshot,
    into rows: inout [ShownRow]
  ) throws(StoreError) {
    guard let oldSection = mapping.oldSection(for: section),
      let from = before.shown(ofStored: oldSection), let to = after.shown(ofStored: section)
    else { return }
    let (oldNamed, newNamed) = (named.old[section] ?? [], named.new[section] ?? [])
    let (oldCount, newCount) = (before.counts[from], after.counts[to])
    // Rows that are not named keep their order, so it is the last ones that leave, or come.
    let stayed = oldCount - IndexShift.count(below: oldCount, in: oldNamed)
    let staying = newCount - IndexShift.count(below: newCount, in: newNamed)
    if stayed > staying {
      let numbers = last(stayed - staying, below: oldCount, except: oldNamed)
      for (row, id) in try ids(at: numbers, ofSection: from, oldShown, in: store) {
        let position = oldShown.counts.start(of: from) + row
        rows.append(ShownRow(survivor: .init(unchanged: id), ends: RowPositions(old: position)))
      }
    } else if staying > stayed {
      let numbers = last(staying - stayed, below: newCount, except: newNamed)
      for (row, id) in try ids(at: numbers, ofSection: to, newShown, in: store) {
        let position = newShown.counts.start(of: to) + row
        rows.append(ShownRow(survivor: .init(unchanged: id), ends: RowPositions(new: position)))
      }
    }
  }

  /// The greatest numbers below a bound that are not in an ascending list, ascending.
  private func last(_ count: Int, below bound: Int, except taken: [Int]) -> [Int] {
    var found: [Int] = []
    var rest = taken[..<IndexShift.count(below: bound, in: taken)]
    var number = bound - 1
    while found.count < count, number >= 0 {
      if rest.last == number { rest.removeLast() } else { found.append(number) }
      number -= 1
    }
    return found.reversed()
  }

  private func ids(
    at numbers: [Int],
    ofSection section: Int,
    _ shown: ResultsSnapshot,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [(row: Int, id: ObjectID)] {
    guard let first = numbers.first, let last = numbers.last else { return [] }
    let start = shown.positions(ofSection: section).lowerBound
    let ids = try shown.objectIDs(atKeys: start + first..<start + last + 1, in: store)
    return numbers.filter { $0 - first < ids.count }.map { ($0, ids[$0 - first]) }
  }

  /// Reads the rows that crossed a limit, which are the same before and after.
  private func complete(
    _ shown: inout [ShownRow],
    from first: Int,
    reading rows: (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]
  ) throws(StoreError) {
    guard next.plan.carriesRows, first < shown.count else { return }
    let found = try rows(shown[first...].map(\.survivor.id.key))
    for (index, row) in zip(first..., found) {
      shown[index].survivor.old = row
      shown[index].survivor.new = row
    }
  }

  // MARK: Assembling

  private func collect(
    _ rows: [ShownRow],
    _ shift: SectionShift,
    _ oldShown: ResultsSnapshot,
    _ newShown: ResultsSnapshot,
    into assembler: inout DeltaAssembler
  ) {
    let stays = stationaryRows(rows, shift, oldShown, newShown)
    for (index, row) in rows.enumerated() {
      let from = row.ends.old.flatMap(oldShown.path(ofFlatPosition:)).map(OldPath.init)
      let to = row.ends.new.flatMap(newShown.path(ofFlatPosition:)).map(NewPath.init)
      var survivor = row.survivor
      switch (from, to) {
      case (let from?, let to?):
        (survivor.from, survivor.to) = (from, to)
        if !stays[index] {
          assembler.moves.append(survivor)
        } else if survivor.contentChanged {
          assembler.updates.append(survivor)
        }
      case (let from?, nil):
        assembler.deletes.append(.init(id: survivor.id, from: from, old: survivor.old))
      case (nil, let to?):
        assembler.inserts.append(.init(id: survivor.id, to: to, new: survivor.new))
      case (nil, nil): break
      }
    }
  }

  /// Which rows do not move; sections may, so each is looked at by itself.
  private func stationaryRows(
    _ rows: [ShownRow],
    _ shift: SectionShift,
    _ oldShown: ResultsSnapshot,
    _ newShown: ResultsSnapshot
  ) -> [Bool] {
    /// The rows of one section, with their positions in it.
    var sections: [Int: [(index: Int, ends: RowPositions)]] = [:]
    var stays = rows.map { $0.ends.old == nil || $0.ends.new == nil }
    for (index, row) in rows.enumerated() {
      let from = row.ends.old.flatMap(oldShown.counts.run(containing:))
      let to = row.ends.new.flatMap(newShown.counts.run(containing:))
      let section = from.flatMap { newSection(ofShown: $0.run, shift, oldShown, newShown) }
      if let section, section == to?.run {
        sections[section, default: []]
          .append((index, RowPositions(old: from?.offset, new: to?.offset)))
      } else {
        if let section, let from {
          sections[section, default: []].append((index, RowPositions(old: from.offset)))
        }
        if let to { sections[to.run, default: []].append((index, RowPositions(new: to.offset))) }
      }
    }
    for section in sections.values {
      let ends = section.map(\.ends)
      let bound = section.map { !movable.contains(rows[$0.index].survivor.id) }
      for (row, isStationary) in zip(section, ends.stationary(bound: bound) { _, _ in true })
      where row.ends.old != nil && row.ends.new != nil {
        stays[row.index] = isStationary
      }
    }
    return stays
  }

  private func newSection(
    ofShown section: Int,
    _ shift: SectionShift,
    _ oldShown: ResultsSnapshot,
    _ newShown: ResultsSnapshot
  ) -> Int? {
    if let to = shift.newIndex(ofOld: section) { return to }
    // A section that moved is among those that left and came.
    return before.stored(ofShown: section).flatMap(mapping.newSection(for:))
      .flatMap { newShown.arrangement?.shown(ofStored: $0) }
  }

  private func sections(
    _ shift: SectionShift,
    _ touched: Set<Int>,
    _ oldShown: ResultsSnapshot,
    _ newShown: ResultsSnapshot,
    _ after: ArrangedSections
  ) -> SectionChanges {
    var changes = SectionChanges()
    var moved: [Int: Int] = [:]
    for move in stored.sections.moves {
      guard let from = before.shown(ofStored: move.from), let to = after.shown(ofStored: move.to),
        let old = oldShown.header(ofSection: from), let new = newShown.header(ofSection: to)
      else { continue }
      changes.moves.append(.init(from: from, to: to, old: old, new: new))
      moved[from] = to
    }
    let targets = Set(moved.values)
    for from in shift.removed where moved[from] == nil {
      guard let header = oldShown.header(ofSection: from) else { continue }
      changes.deletes.append(.init(from: from, old: header))
    }
    for to in shift.inserted where !targets.contains(to) {
      guard let header = newShown.header(ofSection: to) else { continue }
      changes.inserts.append(.init(to: to, new: header))
    }
    var candidates: Set<Int> = []
    for section in touched.union(stored.sections.inserts.map(\.to)) {
      if let shown = after.shown(ofStored: section) { candidates.insert(shown) }
    }
    for delete in stored.sections.deletes {
      // A fixed section that is shown while it is empty.
      if let shown = after.shown(ofFixed: delete.old.id) { candidates.insert(shown) }
    }
    let inserted = Set(changes.inserts.map(\.to)).union(targets)
    let indexes = IndexShift(removed: shift.removed, inserted: shift.inserted)
    for to in candidates.subtracting(inserted) {
      guard let from = indexes.oldIndex(ofNew: to), let before = oldShown.header(ofSection: from),
        let after = newShown.header(ofSection: to), before != after
      else { continue }
      changes.updates.append(.init(from: from, to: to, old: before, new: after))
    }
    return changes
  }
}

extension RowChanges.Survivor {
  /// A row whose content is the same before and after.
  fileprivate init(unchanged id: ObjectID) {
    self.init(
      id: id,
      from: OldPath(section: 0, row: 0),
      to: NewPath(section: 0, row: 0),
      changed: AttributeSet()
    )
  }
}

extension ResultsSnapshot {
  /// The flat position among the shown rows of a row that the keys have at a path, or `nil` if it is not shown.
  fileprivate func flatPosition(ofStored path: RowPath) -> Int? {
    guard let arrangement else { return flatPosition(of: path) }
    return arrangement.path(ofStored: path).flatMap { flatPosition(of: $0) }
  }
}
