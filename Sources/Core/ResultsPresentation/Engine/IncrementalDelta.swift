import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Two consecutive generations of a list.
struct GenerationPair {
  let old: ResultsSnapshot
  let next: ResultsSnapshot
}

/// Finds the delta between two generations by looking only at the rows that a commit touched.
///
/// Old and new positions are exact: they are ranks in the two key lists, which share everything that did not change. Besides
/// the touched rows only those matter that crossed an edge of the window, and they are no further from the edge than there are
/// touched rows.
struct IncrementalDelta {
  private let generations: GenerationPair
  private let change: ListChange
  private let touched: TouchedKeys
  private let positions: any KeyPositions

  private var old: ResultsSnapshot { generations.old }

  init(
    between generations: GenerationPair,
    _ change: ListChange,
    _ touched: TouchedKeys,
    _ positions: any KeyPositions
  ) {
    self.generations = generations
    self.change = change
    self.touched = touched
    self.positions = positions
  }

  /// Rows inside a window, with their flat positions in it.
  private struct LocatedRows {
    var rows: [AffectedRow] = []
    var ends: [RowPositions] = []

    /// Collects those rows that are in one of two windows.
    init(
      _ all: [AffectedRow],
      at positions: [RowPositions],
      in windows: (old: Range<Int>, new: Range<Int>)
    ) {
      ends = positions.map {
        RowPositions(old: windows.old.offset(of: $0.old), new: windows.new.offset(of: $0.new))
      }
      // Copying rows is costly, and mostly all of them are in a window.
      guard !ends.allSatisfy({ $0.old != nil || $0.new != nil }) else {
        rows = all
        return
      }
      let located = ends
      ends = []
      for (row, ends) in zip(all, located) { append(row, ends.old, ends.new) }
    }

    mutating func append(_ row: AffectedRow, _ from: Int?, _ to: Int?) {
      guard from != nil || to != nil else { return }
      rows.append(row)
      ends.append(RowPositions(old: from, new: to))
    }
  }

  /// Works out the section lengths of the next generation and the delta to it.
  /// - Returns: `nil` if sections cannot be updated one by one, and must be read from the keys again.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  func assemble(into next: inout ResultsSnapshot) throws(StoreError) -> ResultsDelta? {
    let (oldWindow, newWindow) = (old.window, generations.next.window)
    let all = positions.positions(of: touched, rowCount: change.affected.count)
    var located = LocatedRows(change.affected, at: all, in: (oldWindow, newWindow))
    var keys = touched.keys
    for row in try WindowSlide(between: generations, change, positions).rows() {
      guard let key = row.oldKey else { continue }
      keys.insert(key)
      let from = try positions.oldPosition(of: key)
      let to = try positions.newPosition(of: key)
      located.append(row, oldWindow.offset(of: from), newWindow.offset(of: to))
    }
    guard let sections = SectionUpdate(generations, touching: keys) else { return nil }
    next.update { fields in
      fields.counts = sections.counts
      fields.sectionIdentities = sections.identities
    }
    return try assemble(located, sections, next)
  }

  private func assemble(
    _ located: LocatedRows,
    _ sections: SectionUpdate,
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
    let stationary = stationaryRows(located, sections, next)
    let rows = try change.completed(located.rows, old.plan)
    // Indexes are sorted, not rows, since they are smaller.
    var order = rows.indices.map { (index: $0, to: located.ends[$0].new ?? .max) }
    if order.count > 1 { order.sort { $0.to < $1.to } }
    for (index, _) in order {
      let row = rows[index]
      let ends = located.ends[index]
      switch (path(of: ends.old, in: old), path(of: ends.new, in: next)) {
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
        } else if survivor.contentChanged || old.plan.namesChangedKeys && row.keyChanged {
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

  private func path(of position: Int?, in snapshot: ResultsSnapshot) -> RowPath? {
    guard let position else { return nil }
    return snapshot.path(ofFlatPosition: position)
  }

  private func stationaryRows(
    _ located: LocatedRows,
    _ sections: SectionUpdate,
    _ next: ResultsSnapshot
  ) -> [Bool] {
    let bound = located.rows.map { !$0.keyChanged }
    guard sections.rekeyed.isEmpty else {
      return located.ends.stationary(
        bound: bound,
        inSectionsOf: (old.counts, next.counts),
        sections.newSection(ofOld:)
      )
    }
    return located.ends.stationary(bound: bound) { from, to in
      guard let oldSection = old.counts.run(containing: from)?.run,
        let newSection = next.counts.run(containing: to)?.run
      else { return false }
      return sections.newSection(ofOld: oldSection) == newSection
    }
  }
}

extension [RowPositions] {
  /// Finds the rows that do not move: those that are bound to stay, and the largest set of others that may (C6).
  /// - Parameters:
  ///   - bound: The rows that certainly stay where they have both positions, since they have the same key.
  ///   - sharesSection: Whether two positions, the one before and the one after, are in the same section.
  /// - Returns: For each row, whether it does not move.
  /// - Complexity: O(*k* log *k*) for *k* rows.
  func stationary(bound: [Bool], sharesSection: (_ old: Int, _ new: Int) -> Bool) -> [Bool] {
    var stays = bound
    var (survivors, oldPositions, newPositions) = ([Int](), [Int](), [Int]())
    for (index, isStationary) in stays.enumerated() where !isStationary {
      guard let from = self[index].old, let to = self[index].new, sharesSection(from, to) else {
        continue
      }
      survivors.append(index)
      oldPositions.append(from)
      newPositions.append(to)
    }
    guard !survivors.isEmpty else { return stays }
    let affected = stays.indices.filter { index in
      !stays[index] || self[index].old == nil || self[index].new == nil
    }
    let stationary = MoveMinimizer.stationarySurvivors(
      oldPositions: oldPositions,
      newPositions: newPositions,
      affectedOldPositions: affected.compactMap { self[$0].old }.sorted(),
      affectedNewPositions: affected.compactMap { self[$0].new }.sorted()
    )
    for index in stationary { stays[survivors[index]] = true }
    return stays
  }
}

extension [RowPositions] {
  /// Finds the rows that do not move, each section by itself, since sections may move.
  /// - Parameters:
  ///   - bound: As in `stationary(bound:sharesSection:)`.
  ///   - counts: The sections before and after.
  ///   - newSection: The section after of one before, or `nil` if it left.
  /// - Returns: For each row that is in both generations, whether it does not move.
  /// - Complexity: O(*k* log *k*) for *k* rows.
  func stationary(
    bound: [Bool],
    inSectionsOf counts: (old: SectionCounts, new: SectionCounts),
    _ newSection: (_ old: Int) -> Int?
  ) -> [Bool] {
    /// The rows of one section, with their positions in it.
    var sections: [Int: [(index: Int, ends: RowPositions)]] = [:]
    for (index, ends) in enumerated() {
      let from = ends.old.flatMap(counts.old.run(containing:))
      let to = ends.new.flatMap(counts.new.run(containing:))
      let section = from.flatMap { newSection($0.run) }
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
    var stays = [Bool](repeating: false, count: count)
    for section in sections.values {
      let stationary = section.map(\.ends)
        .stationary(bound: section.map { bound[$0.index] }) { _, _ in true }
      for (row, isStationary) in zip(section, stationary)
      where row.ends.old != nil && row.ends.new != nil {
        stays[row.index] = isStationary
      }
    }
    return stays
  }

  /// Finds the sections that move among others: as few as possible of those with another key (C6).
  /// - Parameters:
  ///   - rekeyed: The sections with another key, by their indexes before and after.
  ///   - left: The sections before that left.
  ///   - came: The sections after that came.
  /// - Returns: Those of the first that move.
  /// - Complexity: O(*k* log *k*) for *k* sections.
  static func movedSections(
    _ rekeyed: [(old: Int, new: Int)],
    left: some Sequence<Int>,
    came: some Sequence<Int>
  ) -> [(old: Int, new: Int)] {
    guard !rekeyed.isEmpty else { return [] }
    let ends =
      rekeyed.map { RowPositions(old: $0.old, new: $0.new) }
      + left.map { RowPositions(old: $0) } + came.map { RowPositions(new: $0) }
    let bound = ends.map { $0.old == nil || $0.new == nil }
    let stays = ends.stationary(bound: bound) { _, _ in true }
    return zip(rekeyed, stays).filter { !$0.1 }.map(\.0)
  }
}

extension Range<Int> {
  /// The offset of a position from the lower bound, or `nil` outside of the range.
  fileprivate func offset(of position: Int?) -> Int? {
    guard let position, contains(position) else { return nil }
    return position - lowerBound
  }
}

// MARK: - Sections

/// The section lengths of the next generation, worked out from those sections only that a change touched.
private struct SectionUpdate {
  let counts: SectionCounts
  private(set) var identities: SectionIdentities?
  /// Indexes in the old generation of the sections whose keys left, ascending.
  private let deleted: [Int]
  /// Indexes in the new generation of the sections whose keys came, ascending.
  private let inserted: [Int]
  /// The sections that are in both with other keys, since their order or group is another: their indexes after by those before.
  private(set) var rekeyed: [Int: Int] = [:]

  /// Updates the sections of the touched keys.
  /// - Returns: `nil` if the extent of a section is not known, or rows of one section stand apart.
  /// - Complexity: O(*t* log *n*) for *t* touched keys.
  init?(_ generations: GenerationPair, touching keys: SortedKeyList) {
    let (old, next) = (generations.old, generations.next)
    if case .single = next.rule {
      counts = SectionCounts([next.window.count])
      (deleted, inserted) = ([], [])
      return
    }
    guard let extents = SectionUpdate.extents(of: keys, in: next) else { return nil }
    var counts = old.counts
    var (deleted, inserted) = ([Int](), [Int]())
    var (left, came) = ([[UInt8]](), [[UInt8]]())
    for extent in extents {
      let before = old.keys.positions(of: extent).clamped(to: old.window)
      let after = next.keys.positions(of: extent).clamped(to: next.window)
      guard !before.isEmpty || !after.isEmpty else { continue }
      // Sections before this one have their new lengths already, so its new start is exact.
      let start =
        after.isEmpty
        ? SectionUpdate.startOfEmpty(extent, in: next) : after.lowerBound - next.window.lowerBound
      let run = counts.run(containing: start)?.run ?? counts.count
      if before.isEmpty {
        counts.insert(after.count, at: run)
        inserted.append(run)
        came.append(extent.lower)
      } else {
        guard run < counts.count, counts[run] == before.count else { return nil }
        if after.isEmpty {
          _ = counts.remove(at: run)
          let index = old.counts.run(containing: before.lowerBound - old.window.lowerBound)?.run
          guard let index else { return nil }
          deleted.append(index)
          left.append(extent.lower)
        } else if after.count != before.count {
          counts.add(after.count - before.count, at: run)
        }
      }
    }
    guard counts.total == next.window.count else { return nil }
    (self.counts, self.deleted, self.inserted) = (counts, deleted, inserted)
    identities = old.sectionIdentities
    guard identify(left, came) else { return nil }
  }

  /// Identifies the sections whose keys came, by the lower bounds of those that left and came.
  /// - Returns: Whether no two sections have one id.
  private mutating func identify(_ left: [[UInt8]], _ came: [[UInt8]]) -> Bool {
    guard var known = identities, !left.isEmpty || !came.isEmpty else { return true }
    identities = nil
    for lower in left { known.remove(lower) }
    for lower in came { known.insert(lower) }
    guard came.allSatisfy(known.isUnique) else { return false }
    let ids = left.map(known.id(ofSectionFrom:))
    let before = Dictionary(zip(ids, deleted)) { first, _ in first }
    for (lower, section) in zip(came, inserted) {
      if let old = before[known.id(ofSectionFrom: lower)] { rekeyed[old] = section }
    }
    identities = known
    return true
  }

  /// The start that a section without rows in the new window would have.
  private static func startOfEmpty(_ extent: SectionExtent, in next: ResultsSnapshot) -> Int {
    let rank = next.keys.positions(of: extent).lowerBound
    return min(max(rank, next.window.lowerBound), next.window.upperBound) - next.window.lowerBound
  }

  private static func extents(
    of keys: SortedKeyList,
    in next: ResultsSnapshot
  ) -> [SectionExtent]? {
    var extents: [SectionExtent] = []
    // The keys of one section are consecutive.
    var last: SectionExtent?
    var isKnown = true
    keys.forEachKey(in: 0..<keys.count) { _, key in
      if let last, last.contains(key) { return }
      guard let extent = next.rule.extent(of: key, next.layout) else {
        isKnown = false
        return
      }
      extents.append(extent)
      last = extent
    }
    return isKnown ? extents : nil
  }

  /// The index of an old section in the new generation, or `nil` if it was deleted.
  /// - Complexity: O(log *k*) in the sections deleted or inserted.
  func newSection(ofOld section: Int) -> Int? {
    if let index = rekeyed[section] { return index }
    let before = deleted.partitioningIndex { _, deleted in deleted >= section }
    guard before == deleted.count || deleted[before] != section else { return nil }
    let remaining = section - before
    // `inserted[index] - index` old sections stand before the inserted section of that index.
    return remaining
      + inserted.partitioningIndex { index, inserted in inserted - index > remaining }
  }

  /// The changes of sections, without those of their headers.
  func changes(_ old: ResultsSnapshot, _ next: ResultsSnapshot) -> SectionChanges {
    let kept = Set(rekeyed.values)
    let deletes = deleted.filter { rekeyed[$0] == nil }
    let inserts = inserted.filter { !kept.contains($0) }
    let moves = [RowPositions].movedSections(
      rekeyed.map { ($0, $1) },
      left: deletes,
      came: inserts
    )
    return SectionChanges(
      deletes: deletes.reversed().compactMap { section in
        old.header(ofSection: section).map { SectionChanges.Delete(from: section, old: $0) }
      },
      moves: moves.compactMap { from, to in
        guard let before = old.header(ofSection: from), let after = next.header(ofSection: to)
        else { return nil }
        return SectionChanges.Move(from: from, to: to, old: before, new: after)
      },
      inserts: inserts.compactMap { section in
        next.header(ofSection: section).map { SectionChanges.Insert(to: section, new: $0) }
      }
    )
  }
}

extension [Int] {
  /// The first index from which on a condition holds for all elements.
  fileprivate func partitioningIndex(_ holds: (_ index: Int, _ element: Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle, self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - The edges of a window

/// Rows that no commit touched but that entered or left the window, because other rows were inserted or deleted (C11).
private struct WindowSlide {
  private let generations: GenerationPair
  private let positions: any KeyPositions
  /// How far a row can slide at most.
  private let reach: Int
  private let touched: Set<[UInt8]>

  init(
    between generations: GenerationPair,
    _ change: ListChange,
    _ positions: any KeyPositions
  ) {
    self.generations = generations
    self.positions = positions
    let windows = (old: generations.old.window, new: generations.next.window)
    let isWhole =
      windows.old.count == generations.old.keys.count
      && windows.new.count == generations.next.keys.count
    reach =
      isWhole
      ? 0
      : change.affected.count { row in
        row.keyChanged
          && [row.oldKey, row.newKey].contains { key in
            key.map { !positions.isBehind(windows, $0) } ?? false
          }
      }
    touched =
      reach == 0 ? [] : Set(change.affected.flatMap { [$0.oldKey, $0.newKey].compactMap(\.self) })
  }

  /// The rows that slid over an edge, with the same key before and after.
  ///
  /// No row slides further than there are touched rows, so only rows that near to an edge are read.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  func rows() throws(StoreError) -> [AffectedRow] {
    guard reach > 0 else { return [] }
    var rows: [AffectedRow] = []
    let (old, next) = (generations.old.window, generations.next.window)
    for range in candidates(of: next, beside: old) {
      for key in try positions.newKeys(at: range) where !touched.contains(key) {
        guard let position = try positions.oldPosition(of: key) else { continue }
        if !old.contains(position) { collect(key, into: &rows) }
      }
    }
    for range in candidates(of: old, beside: next) {
      for key in try positions.oldKeys(at: range) where !touched.contains(key) {
        guard let position = try positions.newPosition(of: key) else { continue }
        if !next.contains(position) { collect(key, into: &rows) }
      }
    }
    return rows
  }

  private func candidates(of window: Range<Int>, beside other: Range<Int>) -> [Range<Int>] {
    let safeLower = other.lowerBound + reach
    let safeUpper = other.upperBound - reach
    guard safeLower < safeUpper else { return [window] }
    let below = window.lowerBound..<max(window.lowerBound, min(window.upperBound, safeLower))
    let above = min(window.upperBound, max(below.upperBound, safeUpper))..<window.upperBound
    return [below, above].filter { !$0.isEmpty }
  }

  private func collect(_ key: [UInt8], into rows: inout [AffectedRow]) {
    guard let id = key.withUnsafeBytes({ generations.next.objectID(of: $0) }) else { return }
    rows.append(AffectedRow(id: id, oldKey: key, newKey: key, changed: AttributeSet()))
  }
}
