public import ResultsDomain

/// What leads from one generation of a list to a later one, exactly.
///
/// Deletes, moved-from and updated-from places count in the generation before; inserts, moved-to and updated-to places in
/// the one after (C1). Shifts caused by other rows are implied (C5). The laws hold for every delta a controller delivers:
/// - applying it to the content before gives the content after (R26);
/// - two in a row compose (R28), and each has an inverse (R29);
/// - it is never empty (R27).
///
/// Of a controller that observes some rows only (`FetchedResultsController.observedRows`), `rows` names what touches those, and `unobserved`
/// counts the rest. Such a delta is exact as far as it goes, but no content can be led on with it, and it does not compose.
public struct ResultsDelta: Hashable, Sendable {
  private var mark = LifeMark()
  /// The life of the list that made it, in which its generations are counted; it is no part of what makes two deltas equal.
  public var life: ResultsLife {
    get { mark.life }
    set { mark.life = newValue }
  }
  /// The generation it leads from.
  public var from: Int
  /// The generation it leads to.
  public var to: Int
  /// Why the list changed.
  public var cause: DeltaCause
  /// Whether changes of other causes were composed with those of `cause`.
  package var hasOtherCauses = false
  /// Why the list was read again, although the store should have told commit by commit; `nil` if it did.
  public var repair: GapReason?
  /// Who made the commits, oldest first, without repeats; empty for a change that no commit made.
  ///
  /// A commit without a name is `CommitOrigin.unnamed`; of what was found by reading again nobody is known.
  public var origins: [CommitOrigin]
  /// What happened to the sections.
  public var sections: SectionChanges
  /// What happened to the rows.
  public var rows: RowChanges
  /// What happened to rows that are not observed, or `nil` if all are.
  public var unobserved: UnobservedChanges?
  /// How many sections there were before.
  public var oldSectionCount: Int
  /// How many sections there are after.
  public var newSectionCount: Int

  /// What leads from one generation to a later one.
  public init(
    from: Int,
    to: Int,
    cause: DeltaCause,
    origins: [CommitOrigin] = [],
    repair: GapReason? = nil,
    sections: SectionChanges = SectionChanges(),
    rows: RowChanges = RowChanges(),
    oldSectionCount: Int,
    newSectionCount: Int
  ) {
    self.from = from
    self.to = to
    self.cause = cause
    self.origins = origins
    self.repair = repair
    self.sections = sections
    self.rows = rows
    self.oldSectionCount = oldSectionCount
    self.newSectionCount = newSectionCount
  }

  /// Whether nothing happened.
  public var isEmpty: Bool {
    sections.isEmpty && rows.isEmpty && unobserved?.isEmpty ?? true
  }
}

/// Why a list changed.
///
/// Several commits folded into one delta take the first that applies: external, own, clock, locale, definition.
public enum DeltaCause: String, Hashable, Sendable, CaseIterable {
  /// Any other writer of the store.
  case external
  /// This process, through this store object.
  case own
  /// The time that a definition depends on.
  case clock
  /// The locale or time zone of titles and groupings.
  case locale
  /// The request, its window, its sections or its fixed set.
  case definition
}

extension DeltaCause {
  /// The cause of two changes folded into one.
  public func joined(with other: DeltaCause) -> DeltaCause {
    let order = DeltaCause.allCases
    guard let left = order.firstIndex(of: self), let right = order.firstIndex(of: other) else {
      return self
    }
    return order[min(left, right)]
  }
}

// MARK: - Inverse

extension ResultsDelta {
  /// What leads back: applied to the content after, it gives the content before (R29).
  ///
  /// Cause, repair and origins stay: it undoes the same change.
  /// - Complexity: O(*c* log *c*) in the changes.
  public var inverse: ResultsDelta {
    var assembler = DeltaAssembler(
      from: to,
      to: from,
      cause: cause,
      origins: origins,
      oldSectionCount: newSectionCount,
      newSectionCount: oldSectionCount
    )
    assembler.sections = SectionChanges(
      deletes: sections.inserts.map { .init(from: $0.to, old: $0.new) },
      moves: sections.moves.map(\.inverse),
      inserts: sections.deletes.map { .init(to: $0.from, new: $0.old) },
      updates: sections.updates.map(\.inverse)
    )
    assembler.deletes = rows.inserts.map {
      .init(id: $0.id, from: OldPath($0.to.path), old: $0.new)
    }
    assembler.inserts = rows.deletes.map {
      .init(id: $0.id, to: NewPath($0.from.path), new: $0.old)
    }
    assembler.moves = rows.moves.map(\.inverse)
    assembler.updates = rows.updates.map(\.inverse)
    var delta = assembler.delta
    delta.life = life
    delta.repair = repair
    delta.unobserved = unobserved?.inverse
    delta.hasOtherCauses = hasOtherCauses
    return delta
  }
}

extension SectionChanges.Move {
  fileprivate var inverse: Self { Self(from: to, to: from, old: new, new: old) }
}

extension RowChanges.Survivor {
  fileprivate var inverse: Self {
    Self(
      id: id,
      from: OldPath(to.path),
      to: NewPath(from.path),
      old: new,
      new: old,
      changed: changed
    )
  }
}

extension UnobservedChanges {
  fileprivate var inverse: UnobservedChanges {
    var inverse = UnobservedChanges(oldRows: newRows, newRows: oldRows)
    inverse.above = above.inverse
    inverse.below = below.inverse
    return inverse
  }
}

extension UnobservedChanges.Counts {
  fileprivate var inverse: UnobservedChanges.Counts {
    var inverse = self
    (inverse.removed, inverse.inserted) = (inserted, removed)
    return inverse
  }
}

// MARK: - Observed rows

extension ResultsDelta {
  /// The delta as someone is told who observes only some rows: others are counted, not named.
  ///
  /// A move is named if one of its places is observed. Sections are told as ever.
  /// - Parameters:
  ///   - rows: The observed rows of the generation before, counted over all sections.
  ///   - old: The generation before.
  ///   - new: The generation after.
  /// - Returns: The delta, with what is not named counted.
  /// - Complexity: O(*c* log *s*) in the changes and the sections.
  func observing(
    _ rows: Range<Int>,
    from old: ResultsSnapshot,
    to new: ResultsSnapshot
  ) -> ResultsDelta {
    let deletes = self.rows.deletes.map { old.flatPosition(of: $0.from.path) ?? 0 }
    let inserts = self.rows.inserts.map { new.flatPosition(of: $0.to.path) ?? 0 }
    let moves = self.rows.moves.map {
      (old.flatPosition(of: $0.from.path) ?? 0, new.flatPosition(of: $0.to.path) ?? 0)
    }
    let start =
      sections.moves.isEmpty
      ? ResultsDelta.start(
        behind: rows.lowerBound,
        removed: deletes + moves.map(\.0),
        inserted: inserts + moves.map(\.1)
      )
      : rows.lowerBound
    var unobserved = UnobservedChanges(oldRows: rows, newRows: start..<start + rows.count)
    let newRows = unobserved.newRows
    var told = RowChanges()
    for (change, place) in zip(self.rows.deletes, deletes) {
      if rows.contains(place) { told.deletes.append(change) } else { unobserved.remove(place) }
    }
    for (change, place) in zip(self.rows.inserts, inserts) {
      if newRows.contains(place) { told.inserts.append(change) } else { unobserved.insert(place) }
    }
    for (change, (from, to)) in zip(self.rows.moves, moves) {
      if rows.contains(from) || newRows.contains(to) {
        told.moves.append(change)
      } else {
        unobserved.move(from, to)
      }
    }
    for change in self.rows.updates {
      let place = new.flatPosition(of: change.to.path) ?? 0
      if newRows.contains(place) { told.updates.append(change) } else { unobserved.change(place) }
    }
    var delta = self
    delta.rows = told
    delta.unobserved = unobserved
    return delta
  }

  /// Where rows begin after a change that began at a place before it.
  ///
  /// As many rows stand before the place as before, apart from those that came and left; what came just there is behind it.
  private static func start(behind place: Int, removed: [Int], inserted: [Int]) -> Int {
    var start = place - removed.count { $0 < place }
    for position in inserted.sorted() {
      guard position < start else { break }
      start += 1
    }
    return start
  }
}

extension UnobservedChanges {
  fileprivate mutating func remove(_ place: Int) {
    if place < oldRows.lowerBound { above.removed += 1 } else { below.removed += 1 }
  }

  fileprivate mutating func insert(_ place: Int) {
    if place < newRows.lowerBound { above.inserted += 1 } else { below.inserted += 1 }
  }

  fileprivate mutating func change(_ place: Int) {
    if place < newRows.lowerBound { above.changed += 1 } else { below.changed += 1 }
  }

  fileprivate mutating func move(_ from: Int, _ to: Int) {
    guard (from < oldRows.lowerBound) != (to < newRows.lowerBound) else { return change(to) }
    remove(from)
    insert(to)
  }
}
