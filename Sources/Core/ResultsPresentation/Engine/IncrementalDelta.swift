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

/// Two generations of a list, one led on to the other.
///
/// It is an object, since all that works out what lies between them looks at both, and a copy of a generation has many parts.
final class GenerationPair {
  let old: ResultsSnapshot
  let next: ResultsSnapshot

  init(old: ResultsSnapshot, next: ResultsSnapshot) {
    self.old = old
    self.next = next
  }
}

// MARK: - Sections

/// Carries section lengths from one generation to the next by looking only at sections that a commit touched.
struct SectionFollower {
  /// The section lengths of the new generation, and which sections came and went.
  struct Result {
    var counts: SectionCounts
    /// Places of sections that are gone, ascending, in the old generation.
    var deleted: [Int] = []
    /// Places of sections that are new, ascending, in the new generation.
    var inserted: [Int] = []
  }

  private let generations: GenerationPair

  private var old: ResultsSnapshot { generations.old }
  private var next: ResultsSnapshot { generations.next }

  init(_ generations: GenerationPair) { self.generations = generations }

  /// Follows the sections of some touched keys.
  /// - Returns: `nil` if the extent of a section is not known.
  /// - Complexity: O(*t* log *n*) for *t* touched keys.
  func follow(_ touched: SortedKeyList) -> Result? {
    if case .single = next.rule {
      return Result(counts: SectionCounts([next.window.count]))
    }
    guard let extents = extents(of: touched) else { return nil }
    var result = Result(counts: old.counts)
    for extent in extents {
      let before = old.keys.positions(of: extent).clamped(to: old.window)
      let after = next.keys.positions(of: extent).clamped(to: next.window)
      guard !before.isEmpty || !after.isEmpty else { continue }
      // Sections before this one have their new lengths already, so its new start is exact.
      let start = after.isEmpty ? startOfGap(extent) : after.lowerBound - next.window.lowerBound
      let run = result.counts.run(containing: start)?.run ?? result.counts.count
      if before.isEmpty {
        result.counts.insert(after.count, at: run)
        result.inserted.append(run)
      } else {
        guard run < result.counts.count, result.counts[run] == before.count else { return nil }
        if after.isEmpty {
          _ = result.counts.remove(at: run)
          let place = old.counts.run(containing: before.lowerBound - old.window.lowerBound)?.run
          guard let place else { return nil }
          result.deleted.append(place)
        } else if after.count != before.count {
          result.counts.add(after.count - before.count, at: run)
        }
      }
    }
    return result.counts.total == next.window.count ? result : nil
  }

  /// Where a section would start that has no rows in the new window.
  private func startOfGap(_ extent: SectionExtent) -> Int {
    let rank = next.keys.positions(of: extent).lowerBound
    return min(max(rank, next.window.lowerBound), next.window.upperBound) - next.window.lowerBound
  }

  private func extents(of touched: SortedKeyList) -> [SectionExtent]? {
    var extents: [SectionExtent] = []
    // The keys of one section follow each other.
    var last: SectionExtent?
    var isKnown = true
    touched.forEachKey(in: 0..<touched.count) { _, key in
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
}

extension SectionFollower.Result {
  /// Where a section of the old generation is in the new one, or `nil` if it is gone.
  /// - Complexity: O(log *k*) in the sections that came or went.
  func newSection(ofOld section: Int) -> Int? {
    let gone = deleted.partitioningIndex { _, deleted in deleted >= section }
    guard gone == deleted.count || deleted[gone] != section else { return nil }
    let place = section - gone
    // Before the new section of number `index` stand so many that were there already.
    return place + inserted.partitioningIndex { index, inserted in inserted - index > place }
  }

  /// What happened to the sections.
  func changes(_ old: ResultsSnapshot, _ next: ResultsSnapshot) -> SectionChanges {
    SectionChanges(
      deletes: deleted.reversed().compactMap { place in
        old.header(ofSection: place).map { SectionChanges.Delete(from: place, old: $0) }
      },
      inserts: inserted.compactMap { place in
        next.header(ofSection: place).map { SectionChanges.Insert(to: place, new: $0) }
      }
    )
  }
}

extension [Int] {
  /// The first place of which something holds that holds of all later ones too.
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

/// Rows that no commit touched but that came into the window or left it, because others came or went (C11).
struct WindowSlide {
  private let generations: GenerationPair
  private let places: any KeyPlaces
  private let reach: Int
  private let touched: Set<[UInt8]>

  init(
    between generations: GenerationPair,
    _ change: ListChange,
    _ places: any KeyPlaces
  ) {
    self.generations = generations
    self.places = places
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
            key.map { !places.isBehind(windows, $0) } ?? false
          }
      }
    touched =
      reach == 0 ? [] : Set(change.affected.flatMap { [$0.oldKey, $0.newKey].compactMap(\.self) })
  }

  /// The rows that slid over an edge, with the same key before and after.
  ///
  /// No row slides further than as many places as rows were touched, so only rows that near to an edge are looked at.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  func rows() throws(StoreError) -> [AffectedRow] {
    guard reach > 0 else { return [] }
    var rows: [AffectedRow] = []
    let (old, next) = (generations.old.window, generations.next.window)
    for positions in candidates(of: next, beside: old) {
      for key in try places.newKeys(at: positions) where !touched.contains(key) {
        guard let position = try places.oldPosition(of: key) else { continue }
        if !old.contains(position) { collect(key, into: &rows) }
      }
    }
    for positions in candidates(of: old, beside: next) {
      for key in try places.oldKeys(at: positions) where !touched.contains(key) {
        guard let position = try places.newPosition(of: key) else { continue }
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
