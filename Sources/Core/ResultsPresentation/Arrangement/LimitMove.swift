import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Works out the next generation of a list of which only the limits of sections differ (R79, R80).
///
/// The list knows all rows of its sections, so none is read but those that come or go.
struct LimitMove {
  private let old: ResultsSnapshot
  /// The generation as it will be shown.
  let next: ResultsSnapshot
  private let changed: [Int]

  /// Finds the sections with another limit.
  /// - Parameters:
  ///   - old: The present generation as the keys have it.
  ///   - present: The sections as they are shown, or `nil` for those of the keys.
  ///   - plan: The plan with other limits.
  /// - Complexity: O(*k* log *n*) for *k* sections with another limit of their own; O(*s*) where that of all sections differs.
  init(from old: ResultsSnapshot, _ present: ArrangedSections?, to plan: ListPlan) {
    let present = present ?? ArrangedSections(.none, nil, of: old)
    self.old = old.arranged(by: present)
    var next = old
    next.update { fields in
      fields.generation += 1
      fields.plan = plan
      fields.span = ContentSpan(old.version)
    }
    let (sections, changed) = present.limited(by: plan.arrangement ?? .none, in: next)
    self.next = next.arranged(by: sections)
    self.changed = changed
  }

  /// Finds the delta to the next generation.
  /// - Parameter store: The store in the generation's version, as the list reads it.
  /// - Returns: The delta, which is empty if nothing visible differs.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* log *n*) for *k* rows that come or go, which are read.
  func assemble(in store: any StoreSnapshot) throws(StoreError) -> ResultsDelta {
    var assembler = DeltaAssembler(
      from: old.generation,
      to: next.generation,
      cause: .definition,
      origins: [],
      oldSectionCount: old.sectionCount,
      newSectionCount: next.sectionCount
    )
    var (left, came): ([(ObjectID, RowPath)], [(ObjectID, RowPath)]) = ([], [])
    for section in changed {
      let (before, after) = (old.counts[section], next.counts[section])
      left += try ids(of: old, section, from: after, to: before, in: store)
      came += try ids(of: next, section, from: before, to: after, in: store)
      guard let old = old.header(ofSection: section), let new = next.header(ofSection: section),
        old != new
      else { continue }
      assembler.sections.updates.append(.init(from: section, to: section, old: old, new: new))
    }
    var rows: ArraySlice<Row?> = []
    if next.plan.carriesRows, !left.isEmpty || !came.isEmpty {
      rows = try store.rows((left + came).map(\.0.key), of: next.entity)[...]
    }
    for (id, path) in left {
      assembler.deletes.append(.init(id: id, from: OldPath(path), old: rows.popFirst() ?? nil))
    }
    for (id, path) in came {
      assembler.inserts.append(.init(id: id, to: NewPath(path), new: rows.popFirst() ?? nil))
    }
    return assembler.delta
  }

  private func ids(
    of snapshot: ResultsSnapshot,
    _ section: Int,
    from first: Int,
    to end: Int,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [(ObjectID, RowPath)] {
    guard first < end else { return [] }
    let ids = try snapshot.objectIDs(ofSection: section, rows: first..<end, in: store)
    return zip(first..., ids).map { ($1, RowPath(section: section, row: $0)) }
  }
}

extension ListEngine {
  /// Gives the sections of the list other limits, as an ordinary step.
  ///
  /// The list must have been advanced to the store's version, and the plan may differ in limits of sections only.
  /// - Returns: The step, or `nil` if the list shows the same as before.
  /// - Throws: The store's error; the list is then as it was.
  /// - Complexity: O(*k* log *n*) for *k* rows that come or go; O(*s*) where the limit of all sections differs.
  mutating func moveLimits(
    to plan: ListPlan,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    let move = LimitMove(from: snapshot, arrangement, to: plan)
    let delta = try move.assemble(in: plan.view(store))
    let sections = plan.arrangement == nil ? nil : move.next.arrangement
    let step = try commit(move.next.stored, delta, sections)
    self.plan = plan
    return step
  }
}
