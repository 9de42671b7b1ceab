import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Finds the delta between any two generations by matching all identities.
///
/// It serves where a definition changed and where sections are read from the keys again, and it is the oracle of `IncrementalDelta`
/// (R57). Expected O(*n*), and O(*n* log *n*) for moves.
struct FullDelta {
  private let old: ResultsSnapshot
  private let next: ResultsSnapshot
  private let change: ListChange
  /// Whether both generations have the same definition, so that a row with the same key may not move (C6).
  private let sameOrder: Bool

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
    let sections = try SectionMatch(from: old, to: next, sameOrder: sameOrder)
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
    var rows: [Candidate] = []
    for position in matched.deletions {
      guard let id = old.objectID(atFlatPosition: position) else { continue }
      let row = touched[id] ?? AffectedRow(unchanged: id)
      rows.append(Candidate(row: row, from: position, to: nil))
    }
    for position in matched.insertions {
      guard let id = next.objectID(atFlatPosition: position) else { continue }
      let row = touched[id] ?? AffectedRow(unchanged: id)
      rows.append(Candidate(row: row, from: nil, to: position))
    }
    let oldSections = old.sectionsOfRows()
    let newSections = next.sectionsOfRows()
    var survivors: [[Candidate]] = Array(repeating: [], count: old.sectionCount)
    for pair in matched.survivors {
      let isTouched = touched.isEmpty ? false : isTouched(pair.old, touched)
      let section = oldSections[pair.old]
      let sharesSection = sections.newSection[section] == newSections[pair.new]
      guard !sharesSection || isTouched || !sameOrder else { continue }
      guard let id = old.objectID(atFlatPosition: pair.old) else { continue }
      let row = touched[id] ?? AffectedRow(unchanged: id)
      let candidate = Candidate(row: row, from: pair.old, to: pair.new)
      if sharesSection { survivors[section].append(candidate) } else { rows.append(candidate) }
    }
    markStationary(&survivors, others: rows)
    let namesAllKeys = next.plan.namesChangedKeys && sameOrder
    rows += survivors.joined().filter { candidate in
      !candidate.isStationary || candidate.row.changed?.isEmpty != true
        || namesAllKeys && candidate.row.keyChanged
    }
    try collect(rows, into: &assembler)
    return assembler.delta
  }

  /// A row that the delta may name.
  private struct Candidate {
    var row: AffectedRow
    var from: Int?
    var to: Int?
    var isStationary = false

    init(row: AffectedRow, from: Int?, to: Int?) {
      self.row = row
      self.from = from
      self.to = to
    }
  }

  private func isTouched(_ position: Int, _ touched: [ObjectID: AffectedRow]) -> Bool {
    old.objectID(atFlatPosition: position).map { touched[$0] != nil } ?? false
  }

  /// Decides, section by section, which rows do not move.
  private func markStationary(_ survivors: inout [[Candidate]], others: [Candidate]) {
    guard sameOrder else {
      for section in survivors.indices {
        survivors[section].sort { ($0.from ?? 0) < ($1.from ?? 0) }
        let stationary = longestIncreasingSubsequence(of: survivors[section].map { $0.to ?? 0 })
        for index in stationary { survivors[section][index].isStationary = true }
      }
      return
    }
    let moving = survivors.joined().filter(\.row.keyChanged) + others
    let affectedOld = moving.compactMap(\.from).sorted()
    let affectedNew = moving.compactMap(\.to).sorted()
    for section in survivors.indices {
      for index in survivors[section].indices where !survivors[section][index].row.keyChanged {
        survivors[section][index].isStationary = true
      }
      let candidates = survivors[section].indices.filter { !survivors[section][$0].isStationary }
      guard let first = candidates.first,
        let newRange = survivors[section][first].to.flatMap(newSectionRange(containing:))
      else { continue }
      let oldStart = old.counts.start(of: section)
      let oldRange = oldStart..<oldStart + old.counts[section]
      let newStart = newRange.lowerBound
      let stationary = MoveMinimizer.stationarySurvivors(
        oldPositions: candidates.map { (survivors[section][$0].from ?? 0) - oldStart },
        newPositions: candidates.map { (survivors[section][$0].to ?? 0) - newStart },
        affectedOldPositions: affectedOld.filter(oldRange.contains).map { $0 - oldStart },
        affectedNewPositions: affectedNew.filter(newRange.contains).map { $0 - newStart }
      )
      for index in stationary { survivors[section][candidates[index]].isStationary = true }
    }
  }

  private func newSectionRange(containing position: Int) -> Range<Int>? {
    guard let run = next.counts.run(containing: position)?.run else { return nil }
    let start = next.counts.start(of: run)
    return start..<start + next.counts[run]
  }

  private func collect(
    _ rows: [Candidate],
    into assembler: inout DeltaAssembler
  ) throws(StoreError) {
    let completed = try sameOrder ? completed(rows) : redefined(rows)
    for (candidate, row) in zip(rows, completed) {
      let from = candidate.from.flatMap(old.path(ofFlatPosition:)).map(OldPath.init)
      let to = candidate.to.flatMap(next.path(ofFlatPosition:)).map(NewPath.init)
      if let from, let to {
        let survivor = RowChanges.Survivor(
          id: row.id,
          from: from,
          to: to,
          old: row.before,
          new: row.after,
          changed: row.changed
        )
        if candidate.isStationary {
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

  /// Completes the rows of another definition, which changes no row: all are the same before and after, deleted ones included, but for
  /// those that another writer has changed meanwhile.
  private func redefined(_ rows: [Candidate]) throws(StoreError) -> [AffectedRow] {
    var affected = rows.map(\.row)
    guard next.plan.carriesRows, !affected.isEmpty else { return affected }
    for (index, row) in try change.rows(affected.map(\.id.key)).enumerated()
    where Value.text(affected[index].id.entity) == .text(next.entity.name) {
      affected[index].before = affected[index].changed == nil ? nil : row
      affected[index].after = row
    }
    return affected
  }

  private func completed(_ rows: [Candidate]) throws(StoreError) -> [AffectedRow] {
    try change.completed(
      rows.map { candidate in
        var row = candidate.row
        row.newKey = candidate.to == nil ? row.newKey : row.newKey ?? []
        row.oldKey = candidate.from == nil ? row.oldKey : row.oldKey ?? []
        return row
      },
      next.plan
    )
  }
}

// MARK: - Matching rows

extension FullDelta {
  /// Matches the rows of the two windows by identity.
  private func match() throws(StoreError) -> KeyedDifference {
    guard old.plan.storeDefinition.entity == next.plan.storeDefinition.entity else {
      // Objects of different entities are never the same, though their keys may be.
      let (oldCount, newCount) = (Int64(old.rowCount), Int64(next.rowCount))
      return try match(Array(0..<oldCount), Array(oldCount..<oldCount + newCount))
    }
    if case .integer = next.entity.identity {
      return try match(old.integerKeys(), next.integerKeys())
    }
    let (oldKeys, newKeys) = (try old.identityKeys(), try next.identityKeys())
    do {
      return try KeyedDifference(from: oldKeys, to: newKeys)
    } catch {
      throw failure(error)
    }
  }

  private func match(_ oldKeys: [Int64], _ newKeys: [Int64]) throws(StoreError) -> KeyedDifference {
    do {
      return try KeyedDifference(from: oldKeys, to: newKeys)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: DuplicateIdentityError) -> StoreError {
    let snapshot = error.side == .old ? old : next
    guard let id = snapshot.objectID(atFlatPosition: error.firstPosition) else {
      return .unexpected(path: next.entity.name, detail: "an identity occurs twice in one list")
    }
    return .request(
      .duplicateIdentity(id, first: error.firstPosition, second: error.secondPosition)
    )
  }
}

extension ResultsSnapshot {
  /// The integer keys of the rows in the window.
  fileprivate func integerKeys() throws(StoreError) -> [Int64] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(rowCount)
    let column = KeyColumn(.integer)
    try forEachShownKey { key in
      let identity = UnsafeRawBufferPointer(rebasing: key[layout.identityStart(in: key)...])
      numbers.append(KeyReader.value(of: column, in: identity).integer ?? 0)
    }
    return numbers
  }

  /// The identity bytes of the rows in the window.
  fileprivate func identityKeys() throws(StoreError) -> KeyBatch {
    var batch = KeyBatch()
    try forEachShownKey { key in
      batch.append(UnsafeRawBufferPointer(rebasing: key[layout.identityStart(in: key)...]))
    }
    return batch
  }

  /// The section of every row in the window.
  fileprivate func sectionsOfRows() -> [Int] {
    var sections: [Int] = []
    sections.reserveCapacity(rowCount)
    for section in 0..<sectionCount {
      sections.append(contentsOf: repeatElement(section, count: counts[section]))
    }
    return sections
  }
}

// MARK: - Matching sections

/// The sections that two generations share, and the changes to the others.
private struct SectionMatch {
  /// The index of each old section in the new generation, or -1 if it was deleted.
  let newSection: [Int]
  private(set) var changes = SectionChanges()

  /// Matches sections by id.
  /// - Parameters:
  ///   - old: The generation before.
  ///   - next: The generation after.
  ///   - sameOrder: Whether both have the same definition, so that a section with the same key may not move (C6).
  /// - Throws: The store's error.
  /// - Complexity: O(*s* log *n*) in the sections.
  init(
    from old: ResultsSnapshot,
    to next: ResultsSnapshot,
    sameOrder: Bool
  ) throws(StoreError) {
    let oldHeaders = (0..<old.sectionCount).compactMap(old.header(ofSection:))
    let newHeaders = (0..<next.sectionCount).compactMap(next.header(ofSection:))
    var indexes: [SectionID: Int] = [:]
    for (index, header) in newHeaders.enumerated() { indexes[header.id] = index }
    let newSection = oldHeaders.map { indexes[$0.id] ?? -1 }
    self.newSection = newSection
    let survivors = newSection.indices.filter { newSection[$0] >= 0 }
    var stays = Array(repeating: false, count: oldHeaders.count)
    if sameOrder, old.sectionIdentities != nil, next.sectionIdentities != nil {
      var rekeyed: [(old: Int, new: Int)] = []
      for from in survivors {
        let positions = (old.positions(ofStored: from), next.positions(ofStored: newSection[from]))
        stays[from] = true
        if try old.sectionExtent(at: positions.0.lowerBound)
          != next.sectionExtent(at: positions.1.lowerBound)
        {
          rekeyed.append((from, newSection[from]))
        }
      }
      let kept = Set(survivors.map { newSection[$0] })
      let moved = [RowPositions].movedSections(
        rekeyed,
        left: newSection.indices.filter { newSection[$0] < 0 },
        came: newHeaders.indices.filter { !kept.contains($0) }
      )
      for (from, _) in moved { stays[from] = false }
    } else {
      let stationary = longestIncreasingSubsequence(of: survivors.map { newSection[$0] })
      for index in stationary { stays[survivors[index]] = true }
    }
    var known = Set<Int>()
    for (from, to) in newSection.enumerated() {
      guard to >= 0 else {
        changes.deletes.append(SectionChanges.Delete(from: from, old: oldHeaders[from]))
        continue
      }
      known.insert(to)
      let move = SectionChanges.Move(
        from: from,
        to: to,
        old: oldHeaders[from],
        new: newHeaders[to]
      )
      if !stays[from] {
        changes.moves.append(move)
      } else if move.old != move.new {
        changes.updates.append(move)
      }
    }
    for to in newHeaders.indices where !known.contains(to) {
      changes.inserts.append(SectionChanges.Insert(to: to, new: newHeaders[to]))
    }
    changes.deletes.reverse()
    changes.moves.sort { $0.to < $1.to }
    changes.updates.sort { $0.to < $1.to }
  }
}
