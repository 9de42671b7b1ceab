import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Works out the next generation of a list of which only the limit or the offset differs (R76).
///
/// The list knows the keys outside of its window, so none is read but, over an index, those of the rows that enter or leave.
struct WindowMove {
  private let old: ResultsSnapshot
  private(set) var next: ResultsSnapshot
  /// The rows that both windows show, as positions among all keys.
  private let common: Range<Int>

  /// Finds the sections of the next window; their aggregates are still those of the old one.
  /// - Parameters:
  ///   - old: The present generation.
  ///   - plan: The plan with another window.
  /// - Throws: `StoreError.request` if rows of one section stand apart in the next window; the store's error.
  /// - Complexity: O(*k* + *r* log *s*) for *k* rows and *r* sections that enter or leave; O(*s*) over an index.
  init(from old: ResultsSnapshot, to plan: ListPlan) throws(StoreError) {
    self.old = old
    let window = plan.window(of: old.keys.count)
    common = old.window.clamped(to: window)
    var next = old
    next.update { fields in
      fields.generation += 1
      fields.plan = plan
      fields.span = ContentSpan(old.version)
      fields.counts.moveWindow(from: old.window, to: window, of: old)
      fields.window = window
    }
    if let failure = try next.identifySections() { throw .request(failure) }
    self.next = next
  }

  /// The sections of which both windows show rows: the first in each generation, and their number.
  private var shared: (old: Int, new: Int, count: Int) {
    if case .single = old.rule { return (0, 0, 1) }
    guard !common.isEmpty else {
      guard !old.window.isEmpty, !next.window.isEmpty else { return (0, 0, 0) }
      // Two windows without a common row can still show parts of one section.
      let isBelow = next.window.lowerBound >= old.window.upperBound
      let (from, to) = isBelow ? (old.sectionCount - 1, 0) : (0, next.sectionCount - 1)
      let isSame = old.header(ofSection: from)?.id == next.header(ofSection: to)?.id
      return (from, to, isSame ? 1 : 0)
    }
    let first = old.counts.run(containing: common.lowerBound - old.window.lowerBound)?.run ?? 0
    let last = old.counts.run(containing: common.upperBound - 1 - old.window.lowerBound)?.run ?? 0
    let new = next.counts.run(containing: common.lowerBound - next.window.lowerBound)?.run ?? 0
    return (first, new, last - first + 1)
  }

  /// Whether a section leaves the window, and other rows of the same section, which stand apart from its own, come into it.
  ///
  /// Where ids do not come first in the keys, as in groups by an expression, rows of one section may stand apart as long as no window shows
  /// both. Such a section stays, with other rows.
  /// - Complexity: O(*r*) in the sections that enter or leave.
  var movesWithinSections: Bool {
    if case .columns(_, idColumn: 0) = old.rule { return false }
    let changes = sections(shared)
    let left = Set(changes.deletes.map(\.old.id))
    return changes.inserts.contains { left.contains($0.new.id) }
  }

  /// Completes the aggregates of the next generation, and finds the delta to it.
  /// - Parameter store: The store in the generation's version, as the list reads it.
  /// - Returns: The delta, which is empty if nothing visible differs.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* log *s*) for *k* rows that enter or leave, which are read.
  mutating func assemble(in store: any StoreSnapshot) throws(StoreError) -> ResultsDelta {
    var assembler = DeltaAssembler(
      from: old.generation,
      to: next.generation,
      cause: .definition,
      origins: [],
      oldSectionCount: old.sectionCount,
      newSectionCount: next.sectionCount
    )
    let shared = shared
    try completeAggregates(shared, in: store)
    assembler.sections = sections(shared)
    for (id, position, row) in try rows(of: old, outside: next.window, in: store) {
      guard let path = old.path(ofFlatPosition: position) else { continue }
      assembler.deletes.append(.init(id: id, from: OldPath(path), old: row))
    }
    for (id, position, row) in try rows(of: next, outside: old.window, in: store) {
      guard let path = next.path(ofFlatPosition: position) else { continue }
      assembler.inserts.append(.init(id: id, to: NewPath(path), new: row))
    }
    return assembler.delta
  }

  private func sections(_ shared: (old: Int, new: Int, count: Int)) -> SectionChanges {
    var changes = SectionChanges()
    for from in (0..<old.sectionCount).excluding(shared.old..<shared.old + shared.count) {
      guard let header = old.header(ofSection: from) else { continue }
      changes.deletes.append(.init(from: from, old: header))
    }
    for to in (0..<next.sectionCount).excluding(shared.new..<shared.new + shared.count) {
      guard let header = next.header(ofSection: to) else { continue }
      changes.inserts.append(.init(to: to, new: header))
    }
    guard next.aggregates != nil else { return changes }
    for offset in edges(of: shared.count) {
      let (from, to) = (shared.old + offset, shared.new + offset)
      guard let before = old.header(ofSection: from), let after = next.header(ofSection: to),
        before != after
      else { continue }
      changes.updates.append(.init(from: from, to: to, old: before, new: after))
    }
    return changes
  }

  /// The first and the last of some sections, which alone a window can cut.
  private func edges(of count: Int) -> [Int] {
    count < 2 ? Array(0..<count) : [0, count - 1]
  }

  private mutating func completeAggregates(
    _ shared: (old: Int, new: Int, count: Int),
    in store: any StoreSnapshot
  ) throws(StoreError) {
    guard var table = next.aggregates else { return }
    table.apply(sections(shared))
    let inserted = (0..<next.sectionCount).excluding(shared.new..<shared.new + shared.count)
    let cut = edges(of: shared.count).filter { offset in
      old.positions(ofStored: shared.old + offset)
        != next.positions(ofStored: shared.new + offset)
    }
    let computation = AggregateComputation(next, in: store)
    for section in inserted + cut.map({ shared.new + $0 }) {
      let states = try computation.states(ofSection: section, next.plan.aggregates.compiled)
      table.set(states, ofSection: section)
    }
    next.update { $0.aggregates = table }
  }

  /// The rows of a generation that another window does not show, with their flat positions.
  private func rows(
    of snapshot: ResultsSnapshot,
    outside window: Range<Int>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [(id: ObjectID, position: Int, row: Row?)] {
    var found: [(id: ObjectID, position: Int, row: Row?)] = []
    for range in snapshot.window.parts(outside: window) {
      let ids = try snapshot.objectIDs(atKeys: range, in: store)
      found += zip(range, ids).map { ($1, $0 - snapshot.window.lowerBound, nil) }
    }
    guard snapshot.plan.carriesRows, !found.isEmpty else { return found }
    let rows = try store.rows(found.map(\.id.key), of: snapshot.entity)
    for (index, row) in rows.enumerated() { found[index].row = row }
    return found
  }
}

extension ListEngine {
  /// Gives the list another window of the same keys, as an ordinary step (R76).
  ///
  /// The list must have been advanced to the store's version, and the plan may differ in its window only.
  /// - Returns: The step, or `nil` if the list shows the same as before.
  /// - Throws: As `redefine(_:in:)`; the list is then as it was.
  /// - Complexity: O(*k* log *n*) for *k* rows that enter or leave; as `redefine(_:in:)` if other rows of a section that leaves come in.
  mutating func moveWindow(
    to plan: ListPlan,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    var move = try WindowMove(from: snapshot, to: plan)
    guard !move.movesWithinSections else { return try redefine(plan, in: store) }
    let view = plan.view(store)
    let delta = try move.assemble(in: view)
    let step = try commit(move.next, delta, after: nil, in: view)
    self.plan = plan
    return step
  }
}

extension SectionCounts {
  /// Changes the counts of a window to those of another one of the same keys.
  fileprivate mutating func moveWindow(
    from old: Range<Int>,
    to new: Range<Int>,
    of snapshot: ResultsSnapshot
  ) {
    let common = old.clamped(to: new)
    let (keys, rule, layout) = (snapshot.keys, snapshot.rule, snapshot.layout)
    guard case .held = keys, !common.isEmpty, rule.sectionColumns != 0 else {
      self = .counting(keys, new, rule, layout)
      return
    }
    removeRows(common.lowerBound - old.lowerBound, at: { _ in 0 })
    removeRows(old.upperBound - common.upperBound, at: { $0 - 1 })
    // A key that stays is counted with those beside it, since its section may go on there.
    if new.lowerBound < common.lowerBound {
      let above = new.lowerBound..<common.lowerBound + 1
      var lengths = SectionCounts.counting(keys, above, rule, layout).lengths
      add((lengths.popLast() ?? 1) - 1, at: 0)
      for length in lengths.reversed() { insert(length, at: 0) }
    }
    if common.upperBound < new.upperBound {
      let below = common.upperBound - 1..<new.upperBound
      let lengths = SectionCounts.counting(keys, below, rule, layout).lengths
      add((lengths.first ?? 1) - 1, at: count - 1)
      for length in lengths.dropFirst() { insert(length, at: count) }
    }
  }

  /// Takes rows from the runs at one end.
  private mutating func removeRows(_ rows: Int, at run: (_ count: Int) -> Int) {
    var rest = rows
    while rest > 0, count > 0 {
      let end = run(count)
      guard self[end] <= rest else { return add(-rest, at: end) }
      rest -= remove(at: end)
    }
  }
}

extension Range<Int> {
  /// The numbers that are not in another range.
  fileprivate func excluding(_ other: Range<Int>) -> [Int] {
    parts(outside: other).flatMap { Array($0) }
  }

  /// The parts before and after another range.
  fileprivate func parts(outside other: Range<Int>) -> [Range<Int>] {
    let common = clamped(to: other)
    guard !common.isEmpty else { return isEmpty ? [] : [self] }
    return [lowerBound..<common.lowerBound, common.upperBound..<upperBound].filter { !$0.isEmpty }
  }
}
