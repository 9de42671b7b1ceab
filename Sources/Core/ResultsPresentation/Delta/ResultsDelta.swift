public import ResultsDomain
import ResultsStoreKit

/// The exact difference between one generation of a list and a later one.
///
/// Old paths and indexes count in the generation before, new ones in the generation after (C1). Shifts caused by other rows are implied
/// (C5). The laws hold for every delta a controller delivers:
/// - applying it to the content before gives the content after (R26);
/// - two consecutive deltas compose (R28), and each has an inverse (R29);
/// - it is never empty (R27).
///
/// If a controller observes only some rows (`FetchedResultsController.observedRows`), `rows` names the changes that touch those, and
/// `unobserved` counts the rest. Such a delta is exact for what it names, but it cannot be applied to a content, and does not compose.
public struct ResultsDelta: Hashable, Sendable {
  private var lifeTag = LifeTag()
  /// The life of the list that the delta belongs to, in which its generations are counted; it does not take part in equality.
  public var life: ResultsLife {
    get { lifeTag.life }
    set { lifeTag.life = newValue }
  }
  /// The generation before.
  public var from: Int
  /// The generation after.
  public var to: Int
  /// The cause of the change.
  public var cause: DeltaCause
  /// Whether changes of other causes were composed with those of `cause`.
  package var hasOtherCauses = false
  /// The reason why the list was read again instead of following the history commit by commit; `nil` if it was followed.
  public var repair: GapReason?
  /// The origins of the commits, oldest first, without repeats; empty for a change without a commit.
  ///
  /// A commit without a name is `CommitOrigin.unnamed`; changes found by reading again have no known origin.
  public var origins: [CommitOrigin]
  /// The changes of sections.
  public var sections: SectionChanges
  /// The changes of groups; none in a list without them (R11).
  public var groups: GroupChanges
  /// The changes of rows.
  public var rows: RowChanges
  /// The changes of rows that are not observed, or `nil` if all rows are.
  public var unobserved: UnobservedChanges?
  /// The number of sections before.
  public var oldSectionCount: Int
  /// The number of sections after.
  public var newSectionCount: Int

  /// Creates the difference between two generations.
  public init(
    from: Int,
    to: Int,
    cause: DeltaCause,
    origins: [CommitOrigin] = [],
    repair: GapReason? = nil,
    sections: SectionChanges = SectionChanges(),
    groups: GroupChanges = GroupChanges(),
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
    self.groups = groups
    self.rows = rows
    self.oldSectionCount = oldSectionCount
    self.newSectionCount = newSectionCount
  }

  /// Whether nothing changed.
  public var isEmpty: Bool {
    sections.isEmpty && rows.isEmpty && groups.isEmpty && unobserved?.isEmpty ?? true
  }
}

/// The cause of a change of a list.
///
/// Several commits composed into one delta take the first that applies: external, own, clock, locale, definition.
public enum DeltaCause: String, Hashable, Sendable, CaseIterable {
  /// Another writer of the store.
  case external
  /// This process, through this store object.
  case own
  /// The passing of time, which a definition depends on.
  case clock
  /// Another locale or time zone of titles and groupings.
  case locale
  /// Another request, window, section key or fixed set.
  case definition
}

extension DeltaCause {
  /// Returns the cause of two changes composed into one.
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
  /// The inverse change: applied to the content after, it gives the content before (R29).
  ///
  /// It has the same cause, repair and origins.
  ///
  /// ```swift
  /// let before = try content.applying(change.delta).applying(change.delta.inverse)
  /// ```
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
    assembler.sections = sections.inverse
    assembler.groups = groups.inverse
    assembler.deletes = rows.inserts.map {
      .init(id: $0.id, from: OldPath($0.to.path), old: $0.new)
    }
    assembler.inserts = rows.deletes.map {
      .init(id: $0.id, to: NewPath($0.from.path), new: $0.old)
    }
    assembler.moves = rows.moves.map(\.inverse)
    assembler.updates = rows.updates.map(\.inverse)
    var delta = assembler.delta
    delta.rows.name(
      Dictionary(rows.formerIDs.map { ($0.value, $0.key) }) { first, _ in first }
    )
    delta.life = life
    delta.repair = repair
    delta.unobserved = unobserved?.inverse
    delta.hasOtherCauses = hasOtherCauses
    return delta
  }
}

extension HeaderChanges {
  /// The inverse changes, in any order.
  fileprivate var inverse: HeaderChanges {
    HeaderChanges(
      deletes: inserts.map { .init(from: $0.to, old: $0.new) },
      moves: moves.map(\.inverse),
      inserts: deletes.map { .init(to: $0.from, new: $0.old) },
      updates: updates.map(\.inverse)
    )
  }
}

extension HeaderChanges.Move {
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
    inverse.isComplete = isComplete
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
  /// Returns the delta for observed rows: changes of other rows are counted, not named.
  ///
  /// A move is named if its old or its new position is observed. Sections are not affected.
  /// - Parameters:
  ///   - observedRows: The observed rows in the generation before.
  ///   - old: The generation before.
  ///   - new: The generation after.
  /// - Returns: The delta with `unobserved` set, and the observed rows in the generation after.
  /// - Complexity: O(*c* log *s*) in the changes and the sections.
  func observing(
    _ observedRows: ObservedRows,
    from old: ResultsSnapshot,
    to new: ResultsSnapshot
  ) -> (delta: ResultsDelta, rows: ObservedRows) {
    let rows = observedRows.range
    let deletes = self.rows.deletes.map { old.flatPosition(of: $0.from.path) ?? 0 }
    let inserts = self.rows.inserts.map { new.flatPosition(of: $0.to.path) ?? 0 }
    let moves = self.rows.moves.map {
      (old.flatPosition(of: $0.from.path) ?? 0, new.flatPosition(of: $0.to.path) ?? 0)
    }
    let next =
      sections.moves.isEmpty
      ? observedRows.shifted(
        removing: deletes + moves.map(\.0),
        inserting: inserts + moves.map(\.1),
        inListOf: new.rowCount
      )
      : observedRows.inList(of: new.rowCount)
    var unobserved = UnobservedChanges(oldRows: rows, newRows: next.range)
    let newRows = unobserved.newRows
    var observed = RowChanges()
    observed.readLate = self.rows.readLate
    for (change, position) in zip(self.rows.deletes, deletes) {
      if rows.contains(position) {
        observed.deletes.append(change)
      } else {
        unobserved.remove(position)
      }
    }
    for (change, position) in zip(self.rows.inserts, inserts) {
      if newRows.contains(position) {
        observed.inserts.append(change)
      } else {
        unobserved.insert(position)
      }
    }
    for (change, (from, to)) in zip(self.rows.moves, moves) {
      if rows.contains(from) || newRows.contains(to) {
        observed.moves.append(change)
      } else {
        unobserved.move(from, to)
      }
    }
    for change in self.rows.updates {
      let position = new.flatPosition(of: change.to.path) ?? 0
      if newRows.contains(position) {
        observed.updates.append(change)
      } else {
        unobserved.change(position)
      }
    }
    observed.name(self.rows.formerIDs)
    var delta = self
    delta.rows = observed
    delta.unobserved = unobserved
    return (delta, next)
  }
}

extension UnobservedChanges {
  fileprivate mutating func remove(_ position: Int) {
    if position < oldRows.lowerBound { above.removed += 1 } else { below.removed += 1 }
  }

  fileprivate mutating func insert(_ position: Int) {
    if position < newRows.lowerBound { above.inserted += 1 } else { below.inserted += 1 }
  }

  fileprivate mutating func change(_ position: Int) {
    if position < newRows.lowerBound { above.changed += 1 } else { below.changed += 1 }
  }

  fileprivate mutating func move(_ from: Int, _ to: Int) {
    guard (from < oldRows.lowerBound) != (to < newRows.lowerBound) else { return change(to) }
    remove(from)
    insert(to)
  }
}

/// The life of a delta, which does not take part in equality: equal transitions give equal deltas in every list (R36).
private struct LifeTag: Hashable, Sendable {
  var life = ResultsLife.unknown

  static func == (left: LifeTag, right: LifeTag) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

// MARK: - Assembling

/// Collects the changes of a list in any order, and builds the delta in canonical order (C2).
struct DeltaAssembler {
  var sections = SectionChanges()
  var groups = GroupChanges()
  var deletes: [RowChanges.Delete] = []
  var moves: [RowChanges.Survivor] = []
  var inserts: [RowChanges.Insert] = []
  var updates: [RowChanges.Survivor] = []
  private let frame: ResultsDelta

  /// Starts a delta between two generations.
  init(
    from: Int,
    to: Int,
    cause: DeltaCause,
    origins: [CommitOrigin],
    oldSectionCount: Int,
    newSectionCount: Int
  ) {
    frame = ResultsDelta(
      from: from,
      to: to,
      cause: cause,
      origins: origins,
      oldSectionCount: oldSectionCount,
      newSectionCount: newSectionCount
    )
  }

  /// The delta of all collected changes.
  /// - Complexity: O(*c* log *c*) in the changes; O(*c*) where they were added in canonical order.
  var delta: ResultsDelta {
    var delta = frame
    delta.sections = sections.canonical
    delta.groups = groups.canonical
    delta.rows = RowChanges(
      deletes: deletes.ordered { $0.from > $1.from },
      moves: moves.ordered { $0.to < $1.to },
      inserts: inserts.ordered { $0.to < $1.to },
      updates: updates.ordered { $0.to < $1.to }
    )
    return delta
  }
}

extension HeaderChanges {
  /// The same changes in canonical order (C2).
  var canonical: HeaderChanges {
    HeaderChanges(
      deletes: deletes.ordered { $0.from > $1.from },
      moves: moves.ordered { $0.to < $1.to },
      inserts: inserts.ordered { $0.to < $1.to },
      updates: updates.ordered { $0.to < $1.to }
    )
  }
}

extension Array {
  /// Returns the elements in an order; the array itself if it is in that order already.
  fileprivate func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    let isOrdered = indices.dropFirst().allSatisfy { !precedes(self[$0], self[$0 - 1]) }
    return isOrdered ? self : sorted(by: precedes)
  }
}
