import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Turns a change of the rows and sections that the keys have into one of those that an arrangement shows.
///
/// A row that the change names is shown before, after, both or neither. So is a row of a section that came, left or joined another one
/// because its object changed. Besides those rows only such matter that others pushed over the limit of their section or drew into it; they
/// are next to the limit, and no more than there are named rows in the section. So a change costs what it touches, however many rows are
/// hidden.
struct ArrangedDelta {
  private let old: ResultsSnapshot
  private let next: ResultsSnapshot
  private let before: ArrangedSections
  private let stored: ResultsDelta
  private let mapping: PathMapping
  private let objects: SectionObjectsChange?
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
    objects = change?.objects
    movable = Set(change?.affected.lazy.filter(\.keyChanged).map(\.id) ?? [])
  }

  /// A row of the change, with its flat positions among the shown ones.
  private struct ShownRow {
    var survivor: RowChanges.Survivor
    var ends: RowPositions
    /// Whether its content is the same before and after, and still to be read.
    var isUnread = false
  }

  /// The two generations as they are shown, and the sections of both.
  private struct Shown {
    let old: ResultsSnapshot
    let next: ResultsSnapshot
    let step: SectionTransition
    let movedBack: [Int: Int]

    var after: ArrangedSections { step.sections }

    func newSection(ofOld section: Int) -> Int? { step.newSection(ofOld: section) }

    func oldSection(ofNew section: Int) -> Int? {
      movedBack[section]
        ?? IndexShift(removed: step.shift.removed, inserted: step.shift.inserted)
        .oldIndex(ofNew: section)
    }
  }

  /// Arranges the next generation, and finds the delta to it.
  /// - Parameters:
  ///   - store: The store in a version that has the change, as the list reads it.
  ///   - rows: Reads rows as they are after the change, in the order of the keys.
  /// - Returns: The sections after, and the delta, which is empty if nothing that is shown differs.
  /// - Throws: The store's error.
  /// - Complexity: O(*c* log *n*) for *c* named rows and sections, and shown rows of sections that came, left or joined others.
  func assemble(
    in store: any StoreSnapshot,
    reading rows: (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]
  ) throws(StoreError) -> (sections: ArrangedSections, delta: ResultsDelta) {
    let step = before.advanced(
      by: stored.sections,
      touching: touchedSections,
      objects,
      from: old,
      to: next
    )
    let shown = Shown(
      old: old.arranged(by: before),
      next: next.arranged(by: step.sections),
      step: step,
      movedBack: step.movedBack
    )
    var assembler = DeltaAssembler(
      from: old.generation,
      to: next.generation,
      cause: stored.cause,
      origins: stored.origins,
      oldSectionCount: shown.old.sectionCount,
      newSectionCount: shown.next.sectionCount
    )
    assembler.sections = sections(shown)
    var named = NamedRows()
    var found = namedRows(shown, into: &named)
    if !step.regrouped.isEmpty {
      try regroup(shown, in: store, &named, into: &found)
    }
    for section in named.sections(shown.newSection(ofOld:)) {
      try slide(section, named, shown, in: store, into: &found)
    }
    try complete(&found, reading: rows)
    collect(found, shown, into: &assembler)
    return (step.sections, assembler.delta)
  }

  /// The stored sections after whose rows or aggregates may differ.
  private var touchedSections: Set<Int> {
    var sections = Set(stored.sections.updates.map(\.to))
    func remove(_ path: OldPath) {
      if let section = mapping.newSection(for: path.section) { sections.insert(section) }
    }
    for row in stored.rows.deletes { remove(row.from) }
    for row in stored.rows.inserts { sections.insert(row.to.section) }
    for row in stored.rows.moves + stored.rows.updates {
      remove(row.from)
      sections.insert(row.to.section)
    }
    return sections
  }

  // MARK: Rows that are named

  /// The named rows by section, as their numbers in it without limits, ascending.
  private struct NamedRows {
    private(set) var old: [Int: [Int]] = [:]
    private(set) var new: [Int: [Int]] = [:]

    mutating func remove(_ path: RowPath?) {
      if let path { old[path.section, default: []].append(path.row) }
    }

    mutating func add(_ path: RowPath?) {
      if let path { new[path.section, default: []].append(path.row) }
    }

    /// The sections after with named rows.
    mutating func sections(_ newSection: (_ old: Int) -> Int?) -> Set<Int> {
      for section in old.keys { old[section]?.sort() }
      for section in new.keys { new[section]?.sort() }
      return Set(new.keys).union(old.keys.compactMap(newSection))
    }
  }

  private func namedRows(_ shown: Shown, into named: inout NamedRows) -> [ShownRow] {
    var rows: [ShownRow] = []
    func append(_ survivor: RowChanges.Survivor, from: OldPath?, to: NewPath?) {
      let from = from.flatMap { before.unlimitedPath(ofStored: $0.path, in: old) }
      let to = to.flatMap { shown.after.unlimitedPath(ofStored: $0.path, in: next) }
      named.remove(from)
      named.add(to)
      let ends = RowPositions(
        old: from.flatMap(shown.old.flatPosition(of:)),
        new: to.flatMap(shown.next.flatPosition(of:))
      )
      if ends.old != nil || ends.new != nil {
        rows.append(ShownRow(survivor: survivor, ends: ends))
      }
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

  // MARK: Rows of sections that came, left or joined others

  /// Finds the shown rows of runs that stand in another section than before, or came or went, though the keys have them as before (R106).
  private func regroup(
    _ shown: Shown,
    in store: any StoreSnapshot,
    _ named: inout NamedRows,
    into rows: inout [ShownRow]
  ) throws(StoreError) {
    let namedPaths = Set(
      stored.rows.deletes.map(\.from) + (stored.rows.moves + stored.rows.updates).map(\.from)
    )
    let newPaths = Set(
      stored.rows.inserts.map(\.to) + (stored.rows.moves + stored.rows.updates).map(\.to)
    )
    for value in shown.step.regrouped {
      guard let from = old.storedSection(of: SectionID(value)),
        let to = next.storedSection(of: SectionID(value))
      else { continue }
      let oldStart = before.unlimitedPath(ofStored: RowPath(section: from, row: 0), in: old)
      let newStart = shown.after.unlimitedPath(ofStored: RowPath(section: to, row: 0), in: next)
      let oldIDs = try ids(ofRun: from, old, oldStart, shown.old.counts, in: store)
      let newIDs = try ids(ofRun: to, next, newStart, shown.next.counts, in: store)
      for (row, id) in oldIDs.enumerated() {
        let path = OldPath(section: from, row: row)
        guard !namedPaths.contains(path) else { continue }
        let old = oldStart.map { RowPath(section: $0.section, row: $0.row + row) }
        let new = mapping.newPath(for: path).flatMap { path in
          newStart.map { RowPath(section: $0.section, row: $0.row + path.row) }
        }
        named.remove(old)
        let ends = RowPositions(
          old: old.flatMap(shown.old.flatPosition(of:)),
          new: new.flatMap(shown.next.flatPosition(of:))
        )
        rows.append(ShownRow(survivor: .init(unchanged: id), ends: ends, isUnread: true))
      }
      for (row, id) in newIDs.enumerated() {
        let path = NewPath(section: to, row: row)
        guard !newPaths.contains(path) else { continue }
        let new = newStart.map { RowPath(section: $0.section, row: $0.row + row) }
        named.add(new)
        if let before = mapping.oldPath(for: path), before.row < oldIDs.count { continue }
        let ends = RowPositions(new: new.flatMap(shown.next.flatPosition(of:)))
        rows.append(ShownRow(survivor: .init(unchanged: id), ends: ends, isUnread: true))
      }
    }
  }

  /// The identities of those rows of a run that are within the limit of their section.
  private func ids(
    ofRun section: Int,
    _ snapshot: ResultsSnapshot,
    _ start: RowPath?,
    _ counts: SectionCounts,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [ObjectID] {
    guard let start else { return [] }
    let count = min(snapshot.storedCounts[section], max(0, counts[start.section] - start.row))
    let first = snapshot.positions(ofStored: section).lowerBound
    return try snapshot.objectIDs(atKeys: first..<first + count, in: store)
  }

  // MARK: Rows at a limit

  /// Finds the rows of a section that no commit touched but that came into its limit or left it, because others did (C11).
  private func slide(
    _ section: Int,
    _ named: NamedRows,
    _ shown: Shown,
    in store: any StoreSnapshot,
    into rows: inout [ShownRow]
  ) throws(StoreError) {
    guard let from = shown.oldSection(ofNew: section) else { return }
    let (oldNamed, newNamed) = (named.old[from] ?? [], named.new[section] ?? [])
    let (oldCount, newCount) = (before.counts[from], shown.after.counts[section])
    // Rows that are not named keep their order, so it is the last ones that leave, or come.
    let stayed = oldCount - IndexShift.count(below: oldCount, in: oldNamed)
    let staying = newCount - IndexShift.count(below: newCount, in: newNamed)
    if stayed > staying {
      let numbers = last(stayed - staying, below: oldCount, except: oldNamed)
      for (row, id) in try ids(at: numbers, ofSection: from, shown.old, in: store) {
        let ends = RowPositions(old: shown.old.counts.start(of: from) + row)
        rows.append(ShownRow(survivor: .init(unchanged: id), ends: ends, isUnread: true))
      }
    } else if staying > stayed {
      let numbers = last(staying - stayed, below: newCount, except: newNamed)
      for (row, id) in try ids(at: numbers, ofSection: section, shown.next, in: store) {
        let ends = RowPositions(new: shown.next.counts.start(of: section) + row)
        rows.append(ShownRow(survivor: .init(unchanged: id), ends: ends, isUnread: true))
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
    let ids = try shown.objectIDs(ofSection: section, rows: first..<last + 1, in: store)
    return numbers.filter { $0 - first < ids.count }.map { ($0, ids[$0 - first]) }
  }

  /// Reads the rows that no commit touched, which are the same before and after.
  private func complete(
    _ shown: inout [ShownRow],
    reading rows: (_ keys: [ObjectKey]) throws(StoreError) -> [Row?]
  ) throws(StoreError) {
    let unread = shown.indices.filter { shown[$0].isUnread }
    guard next.plan.carriesRows, !unread.isEmpty else { return }
    let found = try rows(unread.map { shown[$0].survivor.id.key })
    for (index, row) in zip(unread, found) {
      shown[index].survivor.old = row
      shown[index].survivor.new = row
    }
  }

  // MARK: Assembling

  private func collect(
    _ rows: [ShownRow],
    _ shown: Shown,
    into assembler: inout DeltaAssembler
  ) {
    let stays = stationaryRows(rows, shown)
    for (index, row) in rows.enumerated() {
      let from = row.ends.old.flatMap(shown.old.path(ofFlatPosition:)).map(OldPath.init)
      let to = row.ends.new.flatMap(shown.next.path(ofFlatPosition:)).map(NewPath.init)
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
  private func stationaryRows(_ rows: [ShownRow], _ shown: Shown) -> [Bool] {
    rows.map(\.ends).stationary(
      bound: rows.map { !movable.contains($0.survivor.id) },
      inSectionsOf: (shown.old.counts, shown.next.counts),
      shown.newSection(ofOld:)
    )
  }

  private func sections(_ shown: Shown) -> SectionChanges {
    var changes = SectionChanges()
    for (from, to) in shown.step.moved {
      guard let old = shown.old.header(ofSection: from), let new = shown.next.header(ofSection: to)
      else { continue }
      changes.moves.append(.init(from: from, to: to, old: old, new: new))
    }
    for from in shown.step.shift.removed where shown.step.moved[from] == nil {
      guard let header = shown.old.header(ofSection: from) else { continue }
      changes.deletes.append(.init(from: from, old: header))
    }
    let inserted = Set(shown.step.shift.inserted)
    for to in inserted where shown.movedBack[to] == nil {
      guard let header = shown.next.header(ofSection: to) else { continue }
      changes.inserts.append(.init(to: to, new: header))
    }
    for to in shown.step.touched.subtracting(inserted) {
      guard let from = shown.oldSection(ofNew: to), let before = shown.old.header(ofSection: from),
        let after = shown.next.header(ofSection: to), before != after
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
