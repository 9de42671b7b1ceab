import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Finds the groups of the next generation and the changes to them, from the change of the sections (R11).
///
/// Only sections that came, left or moved are looked at, and those whose title or rows decide the group and changed. What is left of the
/// groups are runs of other lengths. Headers are compared of the groups that have a changed section or row.
struct GroupUpdate {
  private let old: ResultsSnapshot
  private let next: ResultsSnapshot
  private let delta: ResultsDelta
  /// The sections after that `sectionsToRegroup(after:_:)` gives.
  private let touched: Set<Int>

  /// - Parameters:
  ///   - old: The generation before, as it is shown, with its groups.
  ///   - next: The generation after, likewise.
  ///   - delta: The change of sections and rows between the two, which names all rows.
  ///   - touched: The sections after that may have another group though the change of sections does not name them.
  init(
    from old: ResultsSnapshot,
    to next: ResultsSnapshot,
    _ delta: ResultsDelta,
    touching touched: Set<Int> = []
  ) {
    (self.old, self.next, self.delta, self.touched) = (old, next, delta, touched)
  }

  /// Finds the groups and the changes to them.
  /// - Returns: `nil` if the next generation has no groups; the changes in canonical order.
  /// - Throws: `RequestError.groupNotContiguous` if the sections of one group are not adjacent.
  /// - Complexity: O(*c* log *s*) for *c* changed sections and rows, and the headers of their groups; O(*g*) where a group comes or goes;
  ///   O(*s*) where the rule differs, or is an expression and sections are split.
  func assemble() throws(RequestError) -> (table: GroupTable?, changes: GroupChanges) {
    guard let rule = next.plan.groups else { return (nil, replacement) }
    if let table = old.groups, let before = old.plan.groups, rule.hasGroups(of: before),
      !rule.isExpression || !next.plan.numbersSections
    {
      return try advanced(table)
    }
    let table = try GroupTable(counting: next)
    return (table, GroupUpdate(from: old, to: next.grouped(by: table), delta).replacement)
  }

  /// The changes between the groups of two generations, both of which are known.
  /// - Complexity: O(*g* log *g*) in the groups, and their headers.
  var replacement: GroupChanges {
    var changes = GroupChanges()
    guard old.groups != nil || next.groups != nil else { return changes }
    let (before, after) = (old.groupHeaders, next.groupHeaders)
    var indexes: [Value: Int] = [:]
    for (index, header) in after.enumerated() { indexes[header.id] = index }
    var survivors: [GroupChanges.Move] = []
    for (from, header) in before.enumerated() {
      if let to = indexes.removeValue(forKey: header.id) {
        survivors.append(.init(from: from, to: to, old: header, new: after[to]))
      } else {
        changes.deletes.append(.init(from: from, old: header))
      }
    }
    for to in indexes.values { changes.inserts.append(.init(to: to, new: after[to])) }
    changes.add(survivors: survivors)
    return changes.canonical
  }

  // MARK: Following sections

  private func advanced(
    _ before: GroupTable
  ) throws(RequestError) -> (table: GroupTable?, changes: GroupChanges) {
    var table = before
    let relocated = regrouped
    let removed =
      delta.sections.deletes.map(\.from) + delta.sections.moves.map(\.from)
      + relocated.map(\.from)
    let inserted =
      delta.sections.inserts.map(\.to) + delta.sections.moves.map(\.to)
      + relocated.map(\.to)
    /// The groups before that a section left.
    var left: Set<Int> = []
    for section in removed.sorted(by: >) {
      guard let group = table.counts.run(containing: section)?.run else { continue }
      table.counts.add(-1, at: group)
      left.insert(group)
    }
    var came: [Int] = []
    for section in inserted.sorted() {
      if let group = try table.insert(section, next) { came.append(group) }
    }
    // Groups without sections are still runs of length 0.
    let shift = IndexShift(inserted: came)
    let emptied = left.filter { table.counts[shift.newIndex(ofOld: $0) ?? $0] == 0 }.sorted()
    let empty = emptied.compactMap(shift.newIndex(ofOld:))
    for group in empty.reversed() {
      table.counts.remove(at: group)
      table.ids.remove(at: group)
    }
    came = came.map { $0 - IndexShift.count(below: $0, in: empty) }
    try table.checkIDs(ofNew: came, next)
    let changes = changes(
      to: next.grouped(by: table),
      IndexShift(removed: emptied, inserted: came),
      relocated
    )
    return (table, changes)
  }

  /// The sections that did not move and have another group.
  private var regrouped: [(from: Int, to: Int)] {
    switch next.plan.groups?.source {
    case nil, .ids: return []
    case .titles(let grouping):
      return delta.sections.updates
        .filter { update in
          grouping.group(of: .text(update.old.title)).id
            != grouping.group(of: .text(update.new.title)).id
        }
        .map { ($0.from, $0.to) }
    case .expression:
      let mapping = PathMapping(delta)
      let named = Set(delta.sections.moves.map(\.to) + delta.sections.inserts.map(\.to))
      return touched.subtracting(named)
        .compactMap { to in
          guard let from = mapping.oldSection(for: to),
            old.groupID(ofSection: from) != next.groupID(ofSection: to)
          else { return nil }
          return (from, to)
        }
    }
  }

  /// The changes to groups of which some came and some left, and others have changed sections or rows.
  private func changes(
    to next: ResultsSnapshot,
    _ shift: IndexShift,
    _ relocated: [(from: Int, to: Int)]
  ) -> GroupChanges {
    var changes = GroupChanges()
    var inserts: [Value: Int] = [:]
    for to in shift.inserted {
      if let id = next.groups?.ids[to] { inserts[id] = to }
    }
    var survivors: [GroupChanges.Move] = []
    for from in shift.removed {
      guard let header = old.header(ofGroup: from) else { continue }
      if let to = inserts.removeValue(forKey: header.id), let new = next.header(ofGroup: to) {
        survivors.append(.init(from: from, to: to, old: header, new: new))
      } else {
        changes.deletes.append(.init(from: from, old: header))
      }
    }
    for to in inserts.values {
      if let header = next.header(ofGroup: to) {
        changes.inserts.append(.init(to: to, new: header))
      }
    }
    changes.add(survivors: survivors)
    var touched = joinedGroups(next)
    touched.formUnion(relocated.compactMap { next.group(ofSection: $0.to) })
    let left = touchedGroups.union(relocated.compactMap { old.group(ofSection: $0.from) })
    touched.formUnion(left.compactMap(shift.newIndex(ofOld:)))
    for to in touched.subtracting(shift.inserted) {
      guard let from = shift.oldIndex(ofNew: to), let before = old.header(ofGroup: from),
        let after = next.header(ofGroup: to), before != after
      else { continue }
      changes.updates.append(.init(from: from, to: to, old: before, new: after))
    }
    return changes.canonical
  }

  /// The groups before with a section or row that left, moved or changed.
  private var touchedGroups: Set<Int> {
    let sections = delta.sections
    var touched = Set(sections.deletes.map(\.from))
    touched.formUnion((sections.moves + sections.updates).map(\.from))
    touched.formUnion(delta.rows.deletes.map(\.from.section))
    touched.formUnion((delta.rows.moves + delta.rows.updates).map(\.from.section))
    return Set(touched.compactMap(old.group(ofSection:)))
  }

  /// The groups after with a section or row that came or moved there.
  private func joinedGroups(_ next: ResultsSnapshot) -> Set<Int> {
    let sections = delta.sections
    var touched = Set(sections.inserts.map(\.to))
    touched.formUnion((sections.moves + sections.updates).map(\.to))
    touched.formUnion(delta.rows.inserts.map(\.to.section))
    touched.formUnion(delta.rows.moves.map(\.to.section))
    return Set(touched.compactMap(next.group(ofSection:)))
  }
}

extension SectionGroups {
  /// Whether groups are the values of an expression, which headers of sections do not show.
  var isExpression: Bool { if case .expression = source { true } else { false } }
}

extension GroupTable {
  /// Inserts a section, of which all sections before it are in the table already.
  /// - Returns: The index of the group that came for it, among those of length 0 too; `nil` if a neighbour is in its group.
  /// - Throws: `RequestError.groupNotContiguous` if it stands amid another group.
  fileprivate mutating func insert(
    _ section: Int,
    _ next: ResultsSnapshot
  ) throws(RequestError) -> Int? {
    let id = next.groupID(ofSection: section)
    let before = counts.run(containing: section - 1)?.run
    let after = counts.run(containing: section)?.run
    for neighbour in [before, after] {
      guard let neighbour, ids[neighbour] == id else { continue }
      counts.add(1, at: neighbour)
      return nil
    }
    if let before, before == after { throw next.groupsApart(ids[before], section - 1, section + 1) }
    let group = before.map { $0 + 1 } ?? 0
    counts.insert(1, at: group)
    ids.insert(id, at: group)
    return group
  }

  /// Checks that groups which came are no others' second runs.
  /// - Throws: `RequestError.groupNotContiguous`
  fileprivate func checkIDs(ofNew groups: [Int], _ next: ResultsSnapshot) throws(RequestError) {
    guard !groups.isEmpty else { return }
    var found: [Value: Int] = [:]
    for group in groups {
      let other = found.updateValue(group, forKey: ids[group])
      if let other { throw apart(other, group, next) }
    }
    for group in ids.indices {
      if let new = found[ids[group]], new != group { throw apart(group, new, next) }
    }
  }

  private func apart(_ first: Int, _ second: Int, _ next: ResultsSnapshot) -> RequestError {
    let (first, second) = (min(first, second), max(first, second))
    let last = counts.start(of: first) + counts[first] - 1
    return next.groupsApart(ids[first], last, counts.start(of: second))
  }
}

// MARK: - Sections that may have another group

extension ResultsSnapshot {
  /// The sections of this generation whose group a change may have changed without naming them (R11).
  ///
  /// A group by an expression is the first column of the keys. So such a section has rows with other keys, or other rows than before, as
  /// where a window hides that its rows are not adjacent.
  /// - Parameters:
  ///   - delta: The change to this generation as the keys have it.
  ///   - affected: The rows that a commit touched, also those that the delta need not name.
  /// - Returns: The indexes of the sections; none where groups are not those of an expression.
  /// - Complexity: O(*c* log *s*) for *c* rows.
  func sectionsToRegroup(after delta: ResultsDelta, _ affected: [AffectedRow]) -> Set<Int> {
    guard let groups = plan.groups, groups.isExpression, !plan.numbersSections else { return [] }
    var sections = Set((delta.rows.inserts.map(\.to) + delta.rows.moves.map(\.to)).map(\.section))
    for case let key? in affected.lazy.filter(\.keyChanged).map(\.newKey) {
      let section = key.withUnsafeBytes { rule.extent(of: $0, layout) }.flatMap(storedSection)
      if let section { sections.insert(section) }
    }
    return sections
  }
}

// MARK: - A generation with its groups

extension ResultsSnapshot {
  /// The same generation with its groups; the generation itself if there are none.
  func grouped(by table: GroupTable?) -> ResultsSnapshot {
    guard let table else { return self }
    var grouped = self
    grouped.update { $0.groups = table }
    return grouped
  }
}
