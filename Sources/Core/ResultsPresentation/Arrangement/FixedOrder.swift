import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// How shown sections correspond to stored ones where some are fixed (R08, R09).
struct FixedOrder: Sendable {
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
  func advanced(by shift: SectionShift, inserting fixed: Int?) -> FixedOrder {
    var stored = storedOfFixed.map { $0.flatMap(shift.newIndex(ofOld:)) }
    if let fixed, let section = shift.inserted.first { stored[fixed] = section }
    let count = storedCount - shift.removed.count + shift.inserted.count
    return FixedOrder(plan, stored, storedCount: count)
  }

  /// The order after stored sections came or left.
  /// - Complexity: O(*f* log *k*) for *f* fixed sections and *k* that came or left.
  func advanced(by shift: SectionShift, to next: ResultsSnapshot) -> FixedOrder {
    var stored = storedOfFixed.map { $0.flatMap(shift.newIndex(ofOld:)) }
    for section in shift.inserted {
      guard let id = next.storedHeader(ofSection: section)?.id, id.occurrence == 0,
        let fixed = plan.indexes[id.value]
      else { continue }
      stored[fixed] = section
    }
    return FixedOrder(plan, stored, storedCount: next.storedCounts.count)
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
    let index = FixedOrder.lowerBound(of: shownFixed.count) { shownFixed[$0] < fixed }
    guard index < shownFixed.count, shownFixed[index] == fixed else { return nil }
    return fixedStart + index
  }

  func stored(ofShown section: Int) -> Int? {
    if let fixed = fixed(ofShown: section) { return storedOfFixed[fixed] }
    let rank = section - othersStart
    guard rank >= 0, rank < othersCount else { return nil }
    // `present[index].stored - index` other sections come before the present one of that index.
    let skipped = FixedOrder.lowerBound(of: present.count) { present[$0].stored - $0 <= rank }
    return rank + skipped
  }

  func shown(ofStored section: Int) -> Int? {
    let index = FixedOrder.lowerBound(of: present.count) { present[$0].stored < section }
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
