import OrderStatistics
import ResultsDomain

extension ResultsDelta {
  /// Composes this change and the next one, without any content (R28).
  ///
  /// Only net effects remain (C9): a row that was inserted and deleted again is not named, one that was deleted and inserted again is a
  /// move, an update or nothing, and one that moved away and back is not a move. The changed attributes are named where the rows or
  /// disjoint sets of attributes prove them; otherwise `changed` is `nil`. The result may be empty, and must not be delivered
  /// then (R27).
  /// - Throws: `DeltaError.outOfSync` if the next change does not start where this one ends, `DeltaError.otherLife` if it belongs to
  ///   another list (R44); another `DeltaError` if the two contradict each other.
  /// - Complexity: O(*c* log *c*) in the changes of both, whatever the length of the list.
  public func then(_ next: ResultsDelta) throws(DeltaError) -> ResultsDelta {
    guard unobserved == nil, next.unobserved == nil else { throw .partial }
    guard life == next.life else { throw .otherLife(expected: next.life, found: life) }
    guard to == next.from else { throw .outOfSync(expected: next.from, found: to) }
    guard newSectionCount == next.oldSectionCount else {
      throw .sectionCount(.before, expected: next.oldSectionCount, found: newSectionCount)
    }
    var assembler = DeltaAssembler(
      from: from,
      to: next.to,
      cause: cause.joined(with: next.cause),
      origins: origins
        + next.origins.filter { other in
          !origins.contains { $0.name.hasSameBytes(as: other.name) }
        },
      oldSectionCount: oldSectionCount,
      newSectionCount: next.newSectionCount
    )
    let (first, second) = (PathMapping(self), PathMapping(next))
    assembler.sections = try NetHeaders.changes(sections, then: next.sections)
    if !groups.isEmpty || !next.groups.isEmpty {
      assembler.groups = try NetHeaders.changes(groups, then: next.groups)
    }

    var rows = NetRows(first: first, second: second, sections: PathMapping(assembler.delta))
    rows.add(self.rows)
    try rows.add(next: next.rows)
    try rows.collect(into: &assembler)
    var delta = assembler.delta
    delta.rows.readLate = rows.readLate
    delta.rows.name(next.rows.formerIDs.after(self.rows.formerIDs))
    delta.life = life
    delta.repair = repair ?? next.repair
    delta.hasOtherCauses = hasOtherCauses || next.hasOtherCauses || cause != next.cause
    return delta
  }
}

// MARK: - Sections and groups

/// The net effect of two consecutive changes on each section or group that either of them names.
private struct NetHeaders<Header: DeltaHeader> {
  private let first: IndexMapping
  private let second: IndexMapping
  private var entries: [Header.ID: Entry] = [:]

  private struct Entry {
    /// The index and header before both changes.
    var old: (index: Int, header: Header)?
    /// The index between the two changes.
    var between: Int?
    /// The index and header after both changes; the index is computed at the end if the second change does not name it.
    var new: (index: Int?, header: Header)?
    /// Whether one of the changes deleted, inserted or moved it.
    var wasMoved: Bool
    var isSettled = false
  }

  /// Composes two changes.
  /// - Returns: The net changes, in any order.
  static func changes(
    _ first: HeaderChanges<Header>,
    then second: HeaderChanges<Header>
  ) throws(DeltaError) -> HeaderChanges<Header> {
    var net = NetHeaders(first: IndexMapping(first), second: IndexMapping(second))
    net.add(first)
    try net.add(next: second)
    return try net.changes()
  }

  private init(first: IndexMapping, second: IndexMapping) {
    self.first = first
    self.second = second
  }

  /// Adds the first change.
  private mutating func add(_ changes: HeaderChanges<Header>) {
    for delete in changes.deletes {
      entries[delete.old.id] = Entry(old: (delete.from, delete.old), wasMoved: true)
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for move in survivors {
        entries[move.new.id] = Entry(
          old: (move.from, move.old),
          between: move.to,
          new: (nil, move.new),
          wasMoved: moves
        )
      }
    }
    for insert in changes.inserts {
      let old = entries[insert.new.id]?.old
      entries[insert.new.id] = Entry(
        old: old,
        between: insert.to,
        new: (nil, insert.new),
        wasMoved: true
      )
    }
  }

  /// Adds the second change.
  private mutating func add(next changes: HeaderChanges<Header>) throws(DeltaError) {
    for delete in changes.deletes {
      var entry = try entry(of: delete.old, at: delete.from)
      entry.new = nil
      entry.wasMoved = true
      entry.isSettled = true
      entries[delete.old.id] = entry
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for move in survivors {
        var entry = try entry(of: move.old, at: move.from)
        entry.new = (move.to, move.new)
        entry.wasMoved = entry.wasMoved || moves
        entry.isSettled = true
        entries[move.old.id] = entry
      }
    }
    for insert in changes.inserts {
      var entry = entries[insert.new.id] ?? Entry(wasMoved: true)
      guard entry.between == nil || entry.isSettled && entry.new == nil else {
        throw Header.duplicate(.after, at: insert.to)
      }
      entry.new = (insert.to, insert.new)
      entry.isSettled = true
      entries[insert.new.id] = entry
    }
  }

  /// Returns the entry of a header that the second change names at an index between the two.
  private func entry(of header: Header, at index: Int) throws(DeltaError) -> Entry {
    if let entry = entries[header.id] {
      guard entry.between == index, !entry.isSettled else {
        throw Header.duplicate(.before, at: index)
      }
      return entry
    }
    guard let old = first.oldIndex(ofNew: index) else { throw Header.missing(.before, at: index) }
    return Entry(old: (old, header), between: index, wasMoved: false)
  }

  /// The net changes, in any order.
  private func changes() throws(DeltaError) -> HeaderChanges<Header> {
    var changes = HeaderChanges<Header>()
    var moved: [HeaderChanges<Header>.Move] = []
    for entry in entries.values {
      var index = entry.new?.index
      if !entry.isSettled, let between = entry.between {
        guard let found = second.newIndex(ofOld: between) else {
          throw Header.missing(.before, at: between)
        }
        index = found
      }
      switch (entry.old, entry.new, index) {
      case (let old?, let new?, let index?):
        let move = HeaderChanges<Header>.Move(
          from: old.index,
          to: index,
          old: old.header,
          new: new.header
        )
        if entry.wasMoved {
          moved.append(move)
        } else if move.old != move.new {
          changes.updates.append(move)
        }
      case (let old?, _, _):
        changes.deletes.append(.init(from: old.index, old: old.header))
      case (nil, let new?, let index?):
        changes.inserts.append(.init(to: index, new: new.header))
      default: break
      }
    }
    changes.add(survivors: moved)
    return changes
  }
}

extension HeaderChanges {
  /// Adds survivors that left their position before or may have: as few as possible move, and of the others those with another header
  /// are updates.
  ///
  /// Everything that was deleted or inserted is known already.
  mutating func add(survivors: [Move]) {
    let stays = Set(
      MoveMinimizer.stationarySurvivors(
        oldPositions: survivors.map(\.from),
        newPositions: survivors.map(\.to),
        affectedOldPositions: (survivors.map(\.from) + deletes.map(\.from)).sorted(),
        affectedNewPositions: (survivors.map(\.to) + inserts.map(\.to)).sorted()
      )
    )
    for (index, move) in survivors.enumerated() {
      if !stays.contains(index) {
        moves.append(move)
      } else if move.old != move.new {
        updates.append(move)
      }
    }
  }
}

/// The mapping of the indexes of sections or groups between two generations.
struct IndexMapping {
  private let shift: IndexShift
  private let moved: [Int: Int]
  private let movedBack: [Int: Int]

  /// Creates the mapping of some changes.
  init<Header>(_ changes: HeaderChanges<Header>) {
    shift = IndexShift(
      removed: (changes.deletes.map(\.from) + changes.moves.map(\.from)).sorted(),
      inserted: (changes.inserts.map(\.to) + changes.moves.map(\.to)).sorted()
    )
    let moves = changes.moves.map { ($0.from, $0.to) }
    moved = Dictionary(moves, uniquingKeysWith: { first, _ in first })
    movedBack = Dictionary(moves.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index after, or `nil` for what was deleted.
  func newIndex(ofOld index: Int) -> Int? { moved[index] ?? shift.newIndex(ofOld: index) }
  /// The index before, or `nil` for what was inserted.
  func oldIndex(ofNew index: Int) -> Int? { movedBack[index] ?? shift.oldIndex(ofNew: index) }
  /// The number of those before an index that stay in their order.
  func rank(ofOld index: Int) -> Int { shift.rank(ofOld: index) }
  /// The number of those before an index that stayed in their order.
  func rank(ofNew index: Int) -> Int { shift.rank(ofNew: index) }
}

// MARK: - Rows

/// The net effect of two consecutive changes on each row that either of them names.
private struct NetRows {
  let first: PathMapping
  let second: PathMapping
  /// The mapping of sections over both changes.
  let sections: PathMapping
  /// The rows that were read late before either change: no net effect takes that back (R201).
  private(set) var readLate: Set<ObjectID> = []
  private var entries: [ObjectID: NetRow] = [:]

  init(first: PathMapping, second: PathMapping, sections: PathMapping) {
    self.first = first
    self.second = second
    self.sections = sections
  }

  /// Adds the first change.
  mutating func add(_ changes: RowChanges) {
    readLate = changes.readLate
    for delete in changes.deletes {
      entries[delete.id] = NetRow(from: delete.from, old: delete.old, wasMoved: true)
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for row in survivors {
        entries[row.id] = NetRow(
          from: row.from,
          between: row.to,
          old: row.old,
          new: row.new,
          changed: row.changed,
          wasMoved: moves
        )
      }
    }
    for insert in changes.inserts {
      entries[insert.id] = NetRow(between: insert.to, new: insert.new, wasMoved: true)
    }
  }

  /// Adds the second change.
  mutating func add(next changes: RowChanges) throws(DeltaError) {
    readLate.formUnion(changes.readLate)
    for delete in changes.deletes {
      var row = try row(delete.id, at: delete.from)
      if row.isNamedOnce && row.isUntouched { row.old = row.old ?? delete.old }
      row.new = nil
      row.wasMoved = true
      row.isSettled = true
      entries[delete.id] = row
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for survivor in survivors {
        var row = try row(survivor.id, at: survivor.from)
        row.append(survivor)
        row.wasMoved = row.wasMoved || moves
        entries[survivor.id] = row
      }
    }
    for insert in changes.inserts {
      var row = entries[insert.id] ?? NetRow(wasMoved: true)
      guard row.between == nil else { throw .duplicateRow(insert.id) }
      row.to = insert.to
      row.new = insert.new
      row.changed = nil
      row.isSettled = true
      entries[insert.id] = row
    }
  }

  /// Returns the entry of a row that the second change names at a path between the two.
  private func row(_ id: ObjectID, at path: OldPath) throws(DeltaError) -> NetRow {
    if let row = entries[id] {
      guard row.between?.path == path.path, !row.isSettled else { throw .duplicateRow(id) }
      return row
    }
    guard let from = first.oldPath(for: NewPath(path.path)) else {
      throw .wrongRow(.before, at: path.path, expected: id, found: nil)
    }
    return NetRow(from: from, between: NewPath(path.path), changed: AttributeSet(), wasMoved: false)
  }

  /// Adds the net changes of rows to a delta.
  func collect(into assembler: inout DeltaAssembler) throws(DeltaError) {
    var returned: [Int: [RowChanges.Survivor]] = [:]
    var affectedOld: [Int: [Int]] = [:]
    var affectedNew: [Int: [Int]] = [:]
    for (id, row) in entries {
      var to = row.to
      if !row.isSettled, let between = row.between {
        to = second.newPath(for: OldPath(between.path))
        guard to != nil else {
          throw .wrongRow(.before, at: between.path, expected: id, found: nil)
        }
      }
      if row.wasMoved, let from = row.from {
        affectedOld[from.section, default: []].append(from.row)
      }
      if row.wasMoved, let to { affectedNew[to.section, default: []].append(to.row) }
      switch (row.from, to) {
      case (let from?, let to?):
        let survivor = row.survivor(id, from: from, to: to, wasReadLate: readLate.contains(id))
        if sections.newSection(for: from.section) != to.section {
          assembler.moves.append(survivor)
        } else if row.wasMoved {
          returned[from.section, default: []].append(survivor)
        } else if survivor.contentChanged {
          assembler.updates.append(survivor)
        }
      case (let from?, nil):
        assembler.deletes.append(.init(id: id, from: from, old: row.old))
      case (nil, let to?):
        assembler.inserts.append(.init(id: id, to: to, new: row.new))
      case (nil, nil): break
      }
    }
    for (section, rows) in returned {
      let new = rows.first?.to.section ?? 0
      let stays = Set(
        MoveMinimizer.stationarySurvivors(
          oldPositions: rows.map(\.from.row),
          newPositions: rows.map(\.to.row),
          affectedOldPositions: (affectedOld[section] ?? []).sorted(),
          affectedNewPositions: (affectedNew[new] ?? []).sorted()
        )
      )
      for (index, row) in rows.enumerated() {
        if !stays.contains(index) {
          assembler.moves.append(row)
        } else if row.contentChanged {
          assembler.updates.append(row)
        }
      }
    }
  }
}

/// What two changes in a row did to one row.
struct NetRow {
  /// Where it was before both.
  var from: OldPath?
  /// Where it was between the two.
  var between: NewPath?
  /// Where it is after both, if the second names it.
  var to: NewPath?
  var old: Row?
  var new: Row?
  var changed: AttributeSet?
  /// Whether it was ever taken out of the order.
  var wasMoved: Bool
  /// Whether the second change names it.
  var isSettled = false

  /// Whether the first change did not touch its values.
  var isUntouched: Bool { changed?.isEmpty ?? false }
  /// Whether it was in the list before both changes.
  var isNamedOnce: Bool { from != nil }

  /// Adds the second change of a row that stayed.
  mutating func append(_ next: RowChanges.Survivor) {
    if isUntouched, from != nil { old = old ?? next.old }
    new = next.new ?? (next.contentChanged ? nil : new)
    to = next.to
    isSettled = true
    changed =
      if isUntouched {
        next.changed
      } else if !next.contentChanged {
        changed
      } else if let earlier = changed, let later = next.changed,
        !earlier.indexes.contains(where: later.contains)
      {
        earlier.union(later)
      } else {
        // An attribute that changed twice may have its first value again, so the net set is not known.
        nil
      }
  }

  /// Returns the net change of a row that stayed.
  func survivor(
    _ id: ObjectID,
    from: OldPath,
    to: NewPath,
    wasReadLate: Bool
  ) -> RowChanges.Survivor {
    var changed = changed
    if wasReadLate {
      changed = nil
    } else if let old, let new, old.values.count == new.values.count {
      changed = new.changes(from: old)
    }
    return RowChanges.Survivor(id: id, from: from, to: to, old: old, new: new, changed: changed)
  }
}

// MARK: - Chains

/// Consecutive deltas, composed just enough to bound the work of composing the rest.
///
/// Each part weighs more than twice as much as the next, so a change is composed about log *n* times, whatever the number of deltas.
/// Composing one after the other would walk through all earlier changes each time. Composition is associative (R28), so any grouping
/// gives the same delta.
struct DeltaChain: Sendable {
  private var parts: [ResultsDelta]
  /// The work done so far: the weights of all deltas that were composed with another.
  private(set) var work = 0

  /// Creates a chain that begins with a delta.
  init(_ first: ResultsDelta) { parts = [first] }

  /// The total weight of the parts.
  var weight: Int { parts.reduce(0) { $0 + DeltaChain.weight(of: $1) } }

  /// Whether the chain is known to be empty; several parts may still cancel each other out.
  var isEmpty: Bool { parts.count == 1 && parts.allSatisfy(\.isEmpty) }

  /// Appends the delta that follows.
  /// - Throws: `DeltaError` if it does not follow, or contradicts the earlier ones; the chain must not be used then.
  /// - Complexity: O(*c* log *c* log *n*), amortised, for *c* changes among *n*.
  mutating func append(_ next: ResultsDelta) throws(DeltaError) {
    if let last = parts.last, last.to != next.from {
      throw .outOfSync(expected: next.from, found: last.to)
    }
    parts.append(next)
    while parts.count > 1 {
      let (large, small) = (parts[parts.count - 2], parts[parts.count - 1])
      guard DeltaChain.weight(of: large) <= 2 * DeltaChain.weight(of: small) else { return }
      try composeLast()
    }
  }

  /// Composes the whole chain into one delta, which may be empty.
  /// - Throws: `DeltaError` if the deltas contradict each other.
  /// - Complexity: O(*n* log *n*) in the changes the first time.
  mutating func composed() throws(DeltaError) -> ResultsDelta {
    while parts.count > 1 { try composeLast() }
    return parts[0]
  }

  private mutating func composeLast() throws(DeltaError) {
    let (large, small) = (parts[parts.count - 2], parts[parts.count - 1])
    work += DeltaChain.weight(of: large) + DeltaChain.weight(of: small)
    parts.removeLast(2)
    parts.append(try large.then(small))
  }

  /// An empty delta counts too, so that no number of them fills the memory.
  private static func weight(of delta: ResultsDelta) -> Int {
    1 + delta.rows.count + delta.sections.count + delta.groups.count
  }
}
