import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The sections of one generation as an arrangement shows them, and which sections of the keys they stand for.
///
/// In this folder a *stored* section is one that the keys have, so it has rows; a *shown* one is one that the list has. A shown section
/// stands for one stored section, or for none while it is empty. Only the section of rows without an object can stand for several, one
/// after the other.
///
/// A class, since every generation has it, and most have the one before or none at all.
final class ArrangedSections: Sendable {
  /// How shown sections correspond to stored ones where they are not the same.
  private enum Order: Sendable {
    case fixed(FixedOrder)
    case objects(ObjectOrder)
  }

  let plan: ArrangementPlan
  /// The number of shown rows of each shown section.
  let counts: SectionCounts
  /// How shown sections correspond to stored ones; `nil` where they are the same.
  private let order: Order?

  /// Whether the shown sections are the stored ones.
  var keepsSections: Bool { order == nil }

  /// The related objects that are the sections, or `nil` for other sections.
  var objects: SectionObjects? {
    if case .objects(let order) = order { order.objects } else { nil }
  }

  /// Arranges the sections of a generation.
  /// - Parameters:
  ///   - plan: The arrangement.
  ///   - objects: The related objects that are the sections, or `nil` for other sections.
  ///   - snapshot: The generation as the keys have it.
  /// - Complexity: O(*s* + *f* log *n*) for *s* sections and *f* fixed ones, or limits of single sections; where sections are objects,
  ///   O(*s* log *n*), and O(*n*) in the objects if those without rows are shown.
  convenience init(
    _ plan: ArrangementPlan,
    _ objects: SectionObjects?,
    of snapshot: ResultsSnapshot
  ) {
    var order: Order?
    var lengths: [Int]?
    if let objects {
      let found = ObjectOrder.make(objects, of: snapshot)
      (order, lengths) = (.objects(found.order), found.lengths)
    } else if !plan.keepsSections {
      order = .fixed(FixedOrder(plan, of: snapshot))
    }
    self.init(plan, order, of: snapshot, lengths)
  }

  /// The sections of a generation, of which the numbers of rows without limits may be known.
  private init(
    _ plan: ArrangementPlan,
    _ order: Order?,
    of snapshot: ResultsSnapshot,
    _ known: [Int]? = nil
  ) {
    self.plan = plan
    self.order = order
    let limits = plan.limits
    guard order != nil || !limits.isEmpty else {
      counts = snapshot.storedCounts
      return
    }
    var lengths: [Int]
    if case .objects(let order) = order {
      lengths = known ?? order.matchingCounts(in: snapshot)
      if let all = limits.all { lengths = lengths.map { min(all, $0) } }
      for (id, limit) in limits.overrides where id.occurrence == 0 {
        guard let section = order.shown(ofID: id.value) else { continue }
        let count = order.matchingCount(ofShown: section, in: snapshot)
        lengths[section] = limit.map { min($0, count) } ?? count
      }
      counts = SectionCounts(lengths)
      return
    }
    lengths = snapshot.storedCounts.lengths
    if let all = limits.all { lengths = lengths.map { min(all, $0) } }
    for (id, limit) in limits.overrides {
      guard let stored = snapshot.storedSection(of: id) else { continue }
      let count = snapshot.storedCounts[stored]
      lengths[stored] = limit.map { min($0, count) } ?? count
    }
    guard case .fixed(let order) = order else {
      counts = SectionCounts(lengths)
      return
    }
    counts = SectionCounts(
      (0..<order.count).map { shown in order.stored(ofShown: shown).map { lengths[$0] } ?? 0 }
    )
  }

  private init(_ plan: ArrangementPlan, _ counts: SectionCounts, _ order: Order?) {
    (self.plan, self.counts, self.order) = (plan, counts, order)
  }
}

// MARK: - Sections

extension ArrangedSections {
  /// The stored sections for which a shown one stands, in order; none for an empty one.
  /// - Complexity: O(log *n*), and O(*r* log *n*) for *r* stored sections.
  func stored(ofShown section: Int, in snapshot: ResultsSnapshot) -> [Int] {
    switch order {
    case nil: [section]
    case .fixed(let order): order.stored(ofShown: section).map { [$0] } ?? []
    case .objects(let order): order.stored(ofShown: section, in: snapshot)
    }
  }

  /// The number of rows of a shown section, those beyond its limit included.
  /// - Complexity: O(log *n*)
  func matchingCount(ofShown section: Int, in snapshot: ResultsSnapshot) -> Int {
    switch order {
    case nil: snapshot.storedCounts[section]
    case .fixed(let order): order.stored(ofShown: section).map { snapshot.storedCounts[$0] } ?? 0
    case .objects(let order): order.matchingCount(ofShown: section, in: snapshot)
    }
  }

  /// The positions among all keys of some rows of a shown section, in their order.
  /// - Complexity: O(log *n*), and O(*r* log *n*) for *r* stored sections.
  func positions(
    ofShown section: Int,
    rows: Range<Int>,
    in snapshot: ResultsSnapshot
  ) -> [Range<Int>] {
    let stored: Int?
    switch order {
    case nil: stored = section
    case .fixed(let order): stored = order.stored(ofShown: section)
    case .objects(let order):
      return order.positions(ofShown: section, rows: rows, in: snapshot)
    }
    guard let stored else { return [] }
    let start = snapshot.window.lowerBound + snapshot.storedCounts.start(of: stored)
    return [start + rows.lowerBound..<start + rows.upperBound]
  }

  /// The id and title of a shown section that does not have those of a stored one, or `nil`.
  func header(ofShown section: Int, by key: SectionKey?) -> (id: Value, title: String?)? {
    switch order {
    case nil: nil
    case .fixed(let order):
      order.fixed(ofShown: section).map { (plan.fixed[$0].id, plan.fixed[$0].title) }
    case .objects(let order):
      (order.id(ofShown: section), order.title(ofShown: section, by: key))
    }
  }

  /// The shown section with some id, also while it is empty, or `nil` if there is none.
  /// - Complexity: O(log *n*)
  func shown(ofID id: SectionID, in snapshot: ResultsSnapshot) -> Int? {
    switch order {
    case nil: return snapshot.storedSection(of: id)
    case .objects(let order): return id.occurrence == 0 ? order.shown(ofID: id.value) : nil
    case .fixed(let order):
      if let section = shown(ofFixed: id, order) { return section }
      return snapshot.storedSection(of: id).flatMap(order.shown(ofStored:))
    }
  }

  /// The shown section with some id that is fixed, also while it is empty.
  private func shown(ofFixed id: SectionID, _ order: FixedOrder) -> Int? {
    guard id.occurrence == 0, let fixed = plan.indexes[id.value] else { return nil }
    return order.shown(ofFixed: fixed)
  }

  /// The path that a row would have without limits, which the keys have at a path; `nil` for a row of a hidden section.
  /// - Complexity: O(log *n*)
  func unlimitedPath(ofStored path: RowPath, in snapshot: ResultsSnapshot) -> RowPath? {
    switch order {
    case nil: return path
    case .fixed(let order):
      return order.shown(ofStored: path.section).map { RowPath(section: $0, row: path.row) }
    case .objects(let order):
      guard let id = snapshot.storedID(ofSection: path.section),
        let (section, start) = order.location(ofRun: id.value, in: snapshot)
      else { return nil }
      return RowPath(section: section, row: start + path.row)
    }
  }

  /// The path of a row that the keys have at a path, or `nil` if it is not shown.
  func path(ofStored path: RowPath, in snapshot: ResultsSnapshot) -> RowPath? {
    guard let path = unlimitedPath(ofStored: path, in: snapshot), path.row < counts[path.section]
    else { return nil }
    return path
  }
}

extension ArrangedSections {
  /// Finds the path at which a row would be shown that would land at a path of the keys (R122).
  /// - Parameters:
  ///   - landing: The path of the keys after the change.
  ///   - id: The section that the row would be in.
  ///   - present: That section as the keys have it now, or `nil` for none.
  ///   - leaving: The path of the keys that the row leaves, or `nil` for a new one.
  ///   - created: The key of the object that its section would be, if that would be stored with the row.
  ///   - snapshot: The generation as the keys have it.
  /// - Returns: `nil` if the row would not be shown.
  func landingPath(
    _ landing: RowPath,
    inSection id: SectionID,
    present: Int?,
    leaving: RowPath?,
    creating created: [UInt8]? = nil,
    in snapshot: ResultsSnapshot
  ) -> RowPath? {
    switch order {
    case nil: return plan.limits[id].map { landing.row < $0 } ?? true ? landing : nil
    case .objects(let order):
      let before = leaving.flatMap { unlimitedPath(ofStored: $0, in: snapshot) }
      guard
        let path = order.landingPath(
          row: landing.row,
          ofRun: id.value,
          leaving: before,
          creating: created,
          in: snapshot
        )
      else { return nil }
      return plan.limits[SectionID(path.id)].map { path.row < $0 } ?? true
        ? RowPath(section: path.section, row: path.row) : nil
    case .fixed(let order):
      if let limit = plan.limits[id], landing.row >= limit { return nil }
      let emptied = leaving.flatMap { snapshot.storedCounts[$0.section] == 1 ? $0.section : nil }
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

/// The sections of the next generation as they are shown, and how they differ from those before.
struct SectionTransition {
  var sections: ArrangedSections
  /// The shown sections that left, came or moved.
  var shift: SectionShift
  /// Those that moved: their indexes after by those before.
  var moved: [Int: Int] = [:]
  /// The sections after whose header may differ.
  var touched: Set<Int> = []
  /// The ids of stored sections whose rows stand in another shown section, or come or go, though the keys have them as before.
  var regrouped: [Value] = []

  /// The index after of a section before, or `nil` if it left.
  func newSection(ofOld section: Int) -> Int? { moved[section] ?? shift.newIndex(ofOld: section) }

  /// The index before of each section that moved, by the one after.
  var movedBack: [Int: Int] {
    Dictionary(moved.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ArrangedSections {
  /// Arranges the sections of the next generation.
  /// - Parameters:
  ///   - changes: What changed of the stored sections.
  ///   - touched: The stored sections of the next generation whose rows may differ.
  ///   - objects: What changed of the objects that are the sections, or `nil` for nothing.
  ///   - old: This generation as the keys have it.
  ///   - next: The next generation, likewise.
  /// - Returns: The sections of the next generation, and how they differ.
  /// - Complexity: O(*t* log *n*) for *t* touched sections and changed objects, and O(*f*) for *f* fixed sections where a section came or
  ///   left.
  func advanced(
    by changes: SectionChanges,
    touching touched: Set<Int>,
    _ objects: SectionObjectsChange?,
    from old: ResultsSnapshot,
    to next: ResultsSnapshot
  ) -> SectionTransition {
    guard case .objects(let order) = order else {
      return advanced(by: changes, touching: touched, to: next)
    }
    var values = objects?.changed ?? []
    for delete in changes.deletes { values.insert(delete.old.id.value) }
    for insert in changes.inserts { values.insert(insert.new.id.value) }
    for section in touched {
      if let id = next.storedID(ofSection: section) { values.insert(id.value) }
    }
    let step = order.advanced(by: values, to: objects?.objects ?? order.objects, (old, next))
    let moves = [RowPositions].movedSections(step.rekeyed, left: step.left, came: step.came)
    let shift = SectionShift(
      removed: (step.left + moves.map(\.old)).sorted(),
      inserted: (step.came + moves.map(\.new)).sorted()
    )
    var counts = counts
    for section in shift.removed.reversed() { counts.remove(at: section) }
    for section in shift.inserted { counts.insert(0, at: section) }
    for section in step.touched.union(shift.inserted) {
      let count = step.order.matchingCount(ofShown: section, in: next)
      let limit = plan.limits[SectionID(step.order.id(ofShown: section))]
      let difference = (limit.map { min($0, count) } ?? count) - counts[section]
      if difference != 0 { counts.add(difference, at: section) }
    }
    return SectionTransition(
      sections: ArrangedSections(plan, counts, .objects(step.order)),
      shift: shift,
      moved: Dictionary(moves.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first }),
      touched: step.touched,
      regrouped: step.regrouped
    )
  }

  private func advanced(
    by changes: SectionChanges,
    touching touched: Set<Int>,
    to next: ResultsSnapshot
  ) -> SectionTransition {
    var shift = SectionShift(
      removed: (changes.deletes.map(\.from) + changes.moves.map(\.from)).sorted(),
      inserted: (changes.inserts.map(\.to) + changes.moves.map(\.to)).sorted()
    )
    var oldOrder: FixedOrder?
    if case .fixed(let fixed) = order { oldOrder = fixed }
    var nextOrder = oldOrder
    if let order = oldOrder, !shift.removed.isEmpty || !shift.inserted.isEmpty {
      let advanced = order.advanced(by: shift, to: next)
      nextOrder = advanced
      let removed = shift.removed.compactMap(order.shown(ofStored:))
      let inserted = shift.inserted.compactMap(advanced.shown(ofStored:))
      // A fixed section that is shown while it is empty neither comes nor leaves.
      shift.removed = removed.filter { !remains(order.fixed(ofShown: $0)) }.sorted()
      shift.inserted = inserted.filter { !remains(advanced.fixed(ofShown: $0)) }.sorted()
    }
    func shown(_ stored: Int) -> Int? { nextOrder.map { $0.shown(ofStored: stored) } ?? stored }
    var transition = SectionTransition(sections: self, shift: shift)
    for move in changes.moves {
      let from = oldOrder.map { $0.shown(ofStored: move.from) } ?? move.from
      if let from, let to = shown(move.to) { transition.moved[from] = to }
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
      guard let section = nextOrder.flatMap({ self.shown(ofFixed: delete.old.id, $0) }) else {
        continue
      }
      set(0, at: section)
      transition.touched.insert(section)
    }
    for stored in touched.union(changes.inserts.map(\.to)).union(changes.moves.map(\.to)) {
      guard let section = shown(stored) else { continue }
      let count = next.storedCounts[stored]
      set(limit(ofStored: stored, in: next).map { min($0, count) } ?? count, at: section)
      transition.touched.insert(section)
    }
    transition.sections = ArrangedSections(plan, counts, nextOrder.map { .fixed($0) })
    return transition
  }

  private func remains(_ fixed: Int?) -> Bool {
    fixed.map { plan.fixed[$0].isShownWhenEmpty } ?? false
  }

  /// The limit of a stored section, or `nil` for none.
  private func limit(ofStored section: Int, in snapshot: ResultsSnapshot) -> Int? {
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
      guard let section = shown(ofID: id, in: snapshot) else { continue }
      let count = matchingCount(ofShown: section, in: snapshot)
      let limited = plan.limits[id].map { min($0, count) } ?? count
      if limited != counts[section] { counts.add(limited - counts[section], at: section) }
      changed.append(section)
    }
    return (ArrangedSections(plan, counts, order), changed.sorted())
  }
}

// MARK: - A generation as it is shown

extension ResultsSnapshot {
  /// The same generation as an arrangement shows it, with its groups; the generation itself if there is neither.
  func arranged(by sections: ArrangedSections?, _ groups: GroupTable? = nil) -> ResultsSnapshot {
    guard sections != nil || groups != nil else { return self }
    var shown = self
    shown.update { fields in
      fields.arrangement = sections
      fields.groups = groups
    }
    return shown
  }

  /// The same generation as the keys have it.
  var stored: ResultsSnapshot {
    guard arrangement != nil || groups != nil else { return self }
    var stored = self
    stored.update { fields in
      fields.arrangement = nil
      fields.groups = nil
    }
    return stored
  }
}
