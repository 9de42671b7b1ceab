import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The sections of one generation as an arrangement shows them, and which sections of the keys they stand for.
///
/// In this file a *stored* section is one that the keys have, so it has rows; a *shown* one is one that the list has. A shown section
/// stands for one stored section, or for none while a fixed one is empty.
///
/// A class, since every generation has it, and most have the one before or none at all.
final class ArrangedSections: Sendable {
  let plan: ArrangementPlan
  /// The number of shown rows of each shown section.
  let counts: SectionCounts
  /// How shown sections correspond to stored ones; `nil` where they are the same.
  private let order: ArrangedOrder?

  /// Arranges the sections of a generation.
  /// - Parameters:
  ///   - plan: The arrangement.
  ///   - snapshot: The generation as the keys have it.
  /// - Complexity: O(*s* + *f* log *n*) for *s* sections and *f* fixed ones, or limits of single sections.
  convenience init(_ plan: ArrangementPlan, of snapshot: ResultsSnapshot) {
    let order = plan.keepsSections ? nil : ArrangedOrder(plan, of: snapshot)
    self.init(plan, order, of: snapshot)
  }

  private init(_ plan: ArrangementPlan, _ order: ArrangedOrder?, of snapshot: ResultsSnapshot) {
    self.plan = plan
    self.order = order
    let limits = plan.limits
    guard order != nil || !limits.isEmpty else {
      counts = snapshot.storedCounts
      return
    }
    var lengths = snapshot.storedCounts.lengths
    if let all = limits.all { lengths = lengths.map { min(all, $0) } }
    for (id, limit) in limits.overrides {
      guard let stored = snapshot.storedSection(of: id) else { continue }
      let count = snapshot.storedCounts[stored]
      lengths[stored] = limit.map { min($0, count) } ?? count
    }
    guard let order else {
      counts = SectionCounts(lengths)
      return
    }
    counts = SectionCounts(
      (0..<order.count).map { shown in order.stored(ofShown: shown).map { lengths[$0] } ?? 0 }
    )
  }

  private init(_ plan: ArrangementPlan, _ counts: SectionCounts, _ order: ArrangedOrder?) {
    (self.plan, self.counts, self.order) = (plan, counts, order)
  }

  /// The stored section that a shown one stands for, or `nil` for an empty one.
  /// - Complexity: O(log *f*) in the fixed sections.
  func stored(ofShown section: Int) -> Int? {
    guard let order else { return section }
    return order.stored(ofShown: section)
  }

  /// The shown section that stands for a stored one, or `nil` if it is hidden.
  /// - Complexity: O(log *f*) in the fixed sections.
  func shown(ofStored section: Int) -> Int? {
    guard let order else { return section }
    return order.shown(ofStored: section)
  }

  /// The fixed section that a shown one is, as its index among the fixed ones.
  func fixed(ofShown section: Int) -> Int? { order?.fixed(ofShown: section) }

  /// The shown section with some id that is fixed, also while it is empty.
  func shown(ofFixed id: SectionID) -> Int? {
    guard id.occurrence == 0, let fixed = plan.indexes[id.value] else { return nil }
    return order?.shown(ofFixed: fixed)
  }

  /// The path of a row that the keys have at a path, or `nil` if it is not shown.
  func path(ofStored path: RowPath) -> RowPath? {
    guard let section = shown(ofStored: path.section), path.row < counts[section] else {
      return nil
    }
    return RowPath(section: section, row: path.row)
  }
}

extension ArrangedSections {
  /// Finds the path at which a row would be shown that would land at a path of the keys (R122).
  /// - Parameters:
  ///   - landing: The path of the keys after the change.
  ///   - id: The section that the row would be in.
  ///   - present: That section as the keys have it now, or `nil` for none.
  ///   - emptied: The section that the row would leave empty, or `nil` for none.
  /// - Returns: `nil` if the row would not be shown.
  func landingPath(
    _ landing: RowPath,
    inSection id: SectionID,
    present: Int?,
    emptying emptied: Int?
  ) -> RowPath? {
    if let limit = plan.limits[id], landing.row >= limit { return nil }
    guard let order else { return landing }
    let shift = SectionShift(
      removed: emptied.flatMap { $0 == present ? nil : [$0] } ?? [],
      inserted: present == nil ? [landing.section] : []
    )
    let fixed = id.occurrence == 0 ? plan.indexes[id.value] : nil
    let next = order.advanced(by: shift, inserting: fixed)
    return next.shown(ofStored: landing.section)
      .map { RowPath(section: $0, row: landing.row) }
  }
}

// MARK: - Advancing

/// How the sections of a list differ from those of the generation before, by index.
struct SectionShift {
  /// The sections of the generation before that left it or moved, ascending.
  var removed: [Int] = []
  /// The sections of the generation after that came or moved, ascending.
  var inserted: [Int] = []

  /// The index after of a section that neither left nor moved.
  func newIndex(ofOld index: Int) -> Int? {
    IndexShift(removed: removed, inserted: inserted).newIndex(ofOld: index)
  }
}

extension ArrangedSections {
  /// Arranges the sections of the next generation.
  /// - Parameters:
  ///   - changes: What changed of the stored sections.
  ///   - touched: The stored sections of the next generation whose number of rows may differ, in any order.
  ///   - next: The next generation as the keys have it.
  /// - Returns: The arranged sections, and which of the shown ones came or left; those that moved did both.
  /// - Complexity: O(*t* log *n*) for *t* touched sections, and O(*f*) for *f* fixed ones where a section came or left.
  func advanced(
    by changes: SectionChanges,
    touching touched: some Sequence<Int>,
    to next: ResultsSnapshot
  ) -> (sections: ArrangedSections, shift: SectionShift) {
    var shift = SectionShift(
      removed: (changes.deletes.map(\.from) + changes.moves.map(\.from)).sorted(),
      inserted: (changes.inserts.map(\.to) + changes.moves.map(\.to)).sorted()
    )
    var nextOrder = order
    if let order, !shift.removed.isEmpty || !shift.inserted.isEmpty {
      let advanced = order.advanced(by: shift, to: next)
      nextOrder = advanced
      let removed = shift.removed.compactMap(order.shown(ofStored:))
      let inserted = shift.inserted.compactMap(advanced.shown(ofStored:))
      // A fixed section that is shown while it is empty neither comes nor leaves.
      shift.removed = removed.filter { !remains(order.fixed(ofShown: $0)) }.sorted()
      shift.inserted = inserted.filter { !remains(advanced.fixed(ofShown: $0)) }.sorted()
    }
    var counts = counts
    for section in shift.removed.reversed() { counts.remove(at: section) }
    for section in shift.inserted { counts.insert(0, at: section) }
    func set(_ count: Int, at section: Int) {
      let difference = count - counts[section]
      if difference != 0 { counts.add(difference, at: section) }
    }
    for delete in changes.deletes {
      // What was a section with rows is empty now.
      guard let fixed = plan.indexes[delete.old.id.value],
        let section = nextOrder?.shown(ofFixed: fixed)
      else { continue }
      set(0, at: section)
    }
    for stored in Set(touched).union(changes.inserts.map(\.to)).union(changes.moves.map(\.to)) {
      guard let section = nextOrder.map({ $0.shown(ofStored: stored) }) ?? stored else { continue }
      let count = next.storedCounts[stored]
      set(limit(ofStored: stored, in: next).map { min($0, count) } ?? count, at: section)
    }
    return (ArrangedSections(plan, counts, nextOrder), shift)
  }

  private func remains(_ fixed: Int?) -> Bool {
    fixed.map { plan.fixed[$0].isShownWhenEmpty } ?? false
  }

  /// The limit of a stored section, or `nil` for none.
  func limit(ofStored section: Int, in snapshot: ResultsSnapshot) -> Int? {
    let limits = plan.limits
    guard !limits.overrides.isEmpty, let id = snapshot.storedHeader(ofSection: section)?.id else {
      return limits.all
    }
    return limits[id]
  }

  /// The same sections with other limits.
  /// - Parameters:
  ///   - plan: An arrangement that differs in limits only.
  ///   - snapshot: The generation as the keys have it.
  /// - Returns: The arranged sections, and the shown ones whose limits differ.
  /// - Complexity: O(*k* log *n*) for *k* sections with another limit of their own; O(*s*) where that of all sections differs.
  func limited(
    by plan: ArrangementPlan,
    in snapshot: ResultsSnapshot
  ) -> (sections: ArrangedSections, changed: [Int]) {
    guard plan.limits.all == self.plan.limits.all else {
      return (ArrangedSections(plan, order, of: snapshot), Array(0..<counts.count))
    }
    let (old, new) = (self.plan.limits.overrides, plan.limits.overrides)
    let ids = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
    var (counts, changed) = (counts, [Int]())
    for id in ids {
      let stored = snapshot.storedSection(of: id)
      guard let section = shown(ofFixed: id) ?? stored.flatMap(shown(ofStored:)) else { continue }
      let count = stored.map { snapshot.storedCounts[$0] } ?? 0
      let limited = plan.limits[id].map { min($0, count) } ?? count
      if limited != counts[section] { counts.add(limited - counts[section], at: section) }
      changed.append(section)
    }
    return (ArrangedSections(plan, counts, order), changed.sorted())
  }
}

// MARK: - Fixed sections

/// How shown sections correspond to stored ones where some are fixed.
private struct ArrangedOrder: Sendable {
  private let plan: ArrangementPlan
  /// The stored section of each fixed one, or `nil` for an empty one.
  private var storedOfFixed: [Int?]
  /// The fixed sections that are shown, ascending.
  private var shownFixed: [Int] = []
  /// The stored sections that are fixed, ascending, and the fixed ones that they are.
  private var present: [(stored: Int, fixed: Int)] = []
  private let storedCount: Int

  /// - Complexity: O(*f* log *n*) for *f* fixed sections.
  init(_ plan: ArrangementPlan, of snapshot: ResultsSnapshot) {
    let stored = plan.fixed.map { snapshot.storedSection(of: SectionID($0.id)) }
    self.init(plan, stored, storedCount: snapshot.storedCounts.count)
  }

  private init(_ plan: ArrangementPlan, _ storedOfFixed: [Int?], storedCount: Int) {
    (self.plan, self.storedOfFixed, self.storedCount) = (plan, storedOfFixed, storedCount)
    shownFixed.reserveCapacity(storedOfFixed.count)
    for (fixed, stored) in storedOfFixed.enumerated() {
      if let stored { present.append((stored, fixed)) }
      if stored != nil || plan.fixed[fixed].isShownWhenEmpty { shownFixed.append(fixed) }
    }
    present.sort { $0.stored < $1.stored }
  }

  /// The order after one stored section came, which is a fixed one or none, and others left.
  func advanced(by shift: SectionShift, inserting fixed: Int?) -> ArrangedOrder {
    var stored = storedOfFixed.map { $0.flatMap(shift.newIndex(ofOld:)) }
    if let fixed, let section = shift.inserted.first { stored[fixed] = section }
    let count = storedCount - shift.removed.count + shift.inserted.count
    return ArrangedOrder(plan, stored, storedCount: count)
  }

  /// The order after stored sections came or left.
  /// - Complexity: O(*f* log *k*) for *f* fixed sections and *k* that came or left.
  func advanced(by shift: SectionShift, to next: ResultsSnapshot) -> ArrangedOrder {
    var stored = storedOfFixed.map { $0.flatMap(shift.newIndex(ofOld:)) }
    for section in shift.inserted {
      guard let id = next.storedHeader(ofSection: section)?.id, id.occurrence == 0,
        let fixed = plan.indexes[id.value]
      else { continue }
      stored[fixed] = section
    }
    return ArrangedOrder(plan, stored, storedCount: next.storedCounts.count)
  }

  /// The number of shown sections that are not fixed.
  private var othersCount: Int { plan.others == .hidden ? 0 : storedCount - present.count }
  /// The first shown section that is fixed.
  private var fixedStart: Int { plan.others == .before ? othersCount : 0 }
  /// The first shown section that is not fixed.
  private var othersStart: Int { plan.others == .before ? 0 : shownFixed.count }

  /// The number of shown sections.
  var count: Int { shownFixed.count + othersCount }

  func fixed(ofShown section: Int) -> Int? {
    let index = section - fixedStart
    return shownFixed.indices.contains(index) ? shownFixed[index] : nil
  }

  func shown(ofFixed fixed: Int) -> Int? {
    let index = ArrangedOrder.lowerBound(of: shownFixed.count) { shownFixed[$0] < fixed }
    guard index < shownFixed.count, shownFixed[index] == fixed else { return nil }
    return fixedStart + index
  }

  func stored(ofShown section: Int) -> Int? {
    if let fixed = fixed(ofShown: section) { return storedOfFixed[fixed] }
    let rank = section - othersStart
    guard rank >= 0, rank < othersCount else { return nil }
    // `present[index].stored - index` other sections come before the present one of that index.
    let skipped = ArrangedOrder.lowerBound(of: present.count) { present[$0].stored - $0 <= rank }
    return rank + skipped
  }

  func shown(ofStored section: Int) -> Int? {
    let index = ArrangedOrder.lowerBound(of: present.count) { present[$0].stored < section }
    if index < present.count, present[index].stored == section {
      return shown(ofFixed: present[index].fixed)
    }
    return plan.others == .hidden ? nil : othersStart + section - index
  }

  /// The first index below a count for which a condition, which holds up to some index, does not hold.
  private static func lowerBound(of count: Int, where precedes: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if precedes(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

// MARK: - A generation as it is shown

extension ResultsSnapshot {
  /// The same generation as an arrangement shows it; the generation itself if there is none.
  func arranged(by sections: ArrangedSections?) -> ResultsSnapshot {
    guard let sections else { return self }
    var shown = self
    shown.update { $0.arrangement = sections }
    return shown
  }

  /// The same generation as the keys have it.
  var stored: ResultsSnapshot {
    guard arrangement != nil else { return self }
    var stored = self
    stored.update { $0.arrangement = nil }
    return stored
  }
}
