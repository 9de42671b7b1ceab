/// The mapping of paths and section indexes between two generations (R42).
///
/// Create it once for a delta and use it as often as needed; rows that the delta does not name are found by counting.
public struct PathMapping: Sendable {
  let sections: IndexShift
  private let movedSections: [Int: Int]
  private let movedSectionsBack: [Int: Int]
  private let removedRows: [Int: [Int]]
  private let insertedRows: [Int: [Int]]
  private let moved: [OldPath: NewPath]
  private let movedBack: [NewPath: OldPath]

  /// Creates the mapping of a delta.
  /// - Complexity: O(*c* log *c*) in the changes.
  public init(_ delta: ResultsDelta) {
    let patch = ListPatch(delta)
    sections = IndexShift(
      removed: (patch.deletedSections + patch.movedSections.map(\.from)).sorted(),
      inserted: (patch.insertedSections + patch.movedSections.map(\.to)).sorted()
    )
    movedSections = Dictionary(
      patch.movedSections.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    movedSectionsBack = Dictionary(
      patch.movedSections.map { ($0.to, $0.from) },
      uniquingKeysWith: { first, _ in first }
    )
    removedRows = PathMapping.rows(of: patch.removedRows.map(\.path))
    insertedRows = PathMapping.rows(of: patch.insertedRows.map(\.path))
    moved = Dictionary(
      delta.rows.moves.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    movedBack = Dictionary(
      delta.rows.moves.map { ($0.to, $0.from) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static func rows(of paths: [RowPath]) -> [Int: [Int]] {
    Dictionary(grouping: paths, by: \.section).mapValues { $0.map(\.row).sorted() }
  }

  /// Returns the new index of a section, or `nil` if it was deleted.
  /// - Complexity: O(log *c*) in the changes.
  public func newSection(for section: Int) -> Int? {
    movedSections[section] ?? sections.newIndex(ofOld: section)
  }

  /// Returns the old index of a section, or `nil` if it is new.
  /// - Complexity: O(log *c*) in the changes.
  public func oldSection(for section: Int) -> Int? {
    movedSectionsBack[section] ?? sections.oldIndex(ofNew: section)
  }

  /// Returns the new path of a row, or `nil` if it was deleted.
  /// - Complexity: O(log *c*) in the changes.
  public func newPath(for path: OldPath) -> NewPath? {
    if let to = moved[path] { return to }
    guard let section = newSection(for: path.section),
      let row = shift(old: path.section, new: section).newIndex(ofOld: path.row)
    else { return nil }
    return NewPath(section: section, row: row)
  }

  /// Returns the old path of a row, or `nil` if it is new.
  /// - Complexity: O(log *c*) in the changes.
  public func oldPath(for path: NewPath) -> OldPath? {
    if let from = movedBack[path] { return from }
    guard let section = oldSection(for: path.section),
      let row = shift(old: section, new: path.section).oldIndex(ofNew: path.row)
    else { return nil }
    return OldPath(section: section, row: row)
  }

  /// Returns the shift of the rows of a surviving section; moved rows count as removed and inserted.
  func shift(old: Int, new: Int) -> IndexShift {
    IndexShift(removed: removedRows[old] ?? [], inserted: insertedRows[new] ?? [])
  }

  /// Returns the number of rows inserted into a section.
  func insertedCount(inNew section: Int) -> Int { insertedRows[section]?.count ?? 0 }
}

extension ResultsDelta {
  /// Returns the new path of a row of the generation before, or `nil` if it was deleted (R42).
  ///
  /// To map many rows, create a `PathMapping` once.
  ///
  /// ```swift
  /// let to = change.delta.newPath(for: OldPath(section: 0, row: 4))
  /// ```
  /// - Complexity: O(*c* log *c*) in the changes.
  public func newPath(for path: OldPath) -> NewPath? { PathMapping(self).newPath(for: path) }

  /// Returns the old path of a row of the generation after, or `nil` if it is new (R42).
  ///
  /// To map many rows, create a `PathMapping` once.
  /// - Complexity: O(*c* log *c*) in the changes.
  public func oldPath(for path: NewPath) -> OldPath? { PathMapping(self).oldPath(for: path) }
}

// MARK: - The nearest survivor

extension PathMapping {
  /// Returns the new path of a cursor: its own row if that survived, else the nearest row that did (R42).
  ///
  /// For a deleted row: the next stationary row of its section, else the previous one, else any row of the section, else the first row
  /// of the next surviving section, else the last row of the previous one, else the first row of all. `nil` only if no row is left.
  /// - Parameters:
  ///   - path: The row's path in the generation before.
  ///   - oldSectionCount: The number of sections before.
  ///   - newSectionCount: The number of sections after.
  ///   - newRowCount: Returns the number of rows of a section after.
  /// - Returns: The path in the generation after.
  /// - Complexity: O(log *c*) in the changes, and O(*s* log *c*) in the sections if the row's section has none left.
  public func nearestSurvivor(
    of path: OldPath,
    oldSectionCount: Int,
    newSectionCount: Int,
    newRowCount: (Int) -> Int
  ) -> NewPath? {
    if let to = newPath(for: path), to.section < newSectionCount, to.row < newRowCount(to.section) {
      return to
    }
    return nearestNeighbour(
      of: path,
      oldSectionCount: oldSectionCount,
      newSectionCount: newSectionCount,
      newRowCount: newRowCount
    )
  }

  /// Returns the new path of the row that takes a cursor's position when the cursor's own row is deleted or leaves it by a move (R42).
  ///
  /// It is the row that `nearestSurvivor` defines for a deleted row. The parameters are the same.
  /// - Complexity: O(log *c*) in the changes, and O(*s* log *c*) in the sections if the row's section has none left.
  public func nearestNeighbour(
    of path: OldPath,
    oldSectionCount: Int,
    newSectionCount: Int,
    newRowCount: (Int) -> Int
  ) -> NewPath? {
    if let section = newSection(for: path.section),
      let row = nearestRow(to: path, in: section, count: newRowCount(section))
    {
      return NewPath(section: section, row: row)
    }
    if path.section < oldSectionCount {
      for old in max(path.section, -1) + 1..<max(oldSectionCount, path.section + 1) {
        if let section = newSection(for: old), newRowCount(section) > 0 {
          return NewPath(section: section, row: 0)
        }
      }
    }
    for old in stride(from: min(path.section, oldSectionCount) - 1, through: 0, by: -1) {
      if let section = newSection(for: old), newRowCount(section) > 0 {
        return NewPath(section: section, row: newRowCount(section) - 1)
      }
    }
    return (0..<max(newSectionCount, 0)).first { newRowCount($0) > 0 }
      .map { NewPath(section: $0, row: 0) }
  }

  private func nearestRow(to path: OldPath, in section: Int, count: Int) -> Int? {
    guard count > 0 else { return nil }
    let shift = shift(old: path.section, new: section)
    let stationary = count - insertedCount(inNew: section)
    guard stationary > 0 else { return 0 }
    // The number of stationary rows before the cursor is the rank of the first one after it.
    let rank = min(max(shift.rank(ofOld: path.row), 0), stationary - 1)
    return shift.newIndex(ofRank: rank)
  }
}

extension ResultsDelta {
  /// Returns the new path of a cursor: its own row if that survived, else the nearest row that did (R42).
  ///
  /// `PathMapping.nearestSurvivor` defines which row is nearest. `newRowCount` returns the number of rows of a section after.
  ///
  /// ```swift
  /// let cursor = change.delta.nearestSurvivor(of: OldPath(section: 0, row: 4)) { section in
  ///   change.after.section(at: section)?.count ?? 0
  /// }
  /// ```
  /// - Complexity: O(*c* log *c*) in the changes, and O(*s*) in the sections if the row's section has none left.
  public func nearestSurvivor(of path: OldPath, newRowCount: (Int) -> Int) -> NewPath? {
    PathMapping(self).nearestSurvivor(
      of: path,
      oldSectionCount: oldSectionCount,
      newSectionCount: newSectionCount,
      newRowCount: newRowCount
    )
  }
}

// MARK: - Shifts

/// The shift of indexes when some elements of a sequence are removed and others inserted.
///
/// Stationary elements keep their order: the `k`-th before is the `k`-th after. An index is mapped by its rank, the number of stationary
/// elements before it.
struct IndexShift {
  /// Ascending old indexes of removed elements.
  var removed: [Int] = []
  /// Ascending new indexes of inserted elements.
  var inserted: [Int] = []

  /// Returns the number of stationary elements before an old index.
  func rank(ofOld index: Int) -> Int { index &- IndexShift.count(below: index, in: removed) }

  /// Returns the number of stationary elements before a new index.
  func rank(ofNew index: Int) -> Int { index &- IndexShift.count(below: index, in: inserted) }

  /// Returns the new index of the element at an old one, or `nil` if it was removed.
  func newIndex(ofOld index: Int) -> Int? {
    IndexShift.contains(index, in: removed)
      ? nil : IndexShift.index(ofRank: rank(ofOld: index), skipping: inserted)
  }

  /// Returns the old index of the element at a new one, or `nil` if it was inserted.
  func oldIndex(ofNew index: Int) -> Int? {
    IndexShift.contains(index, in: inserted)
      ? nil : IndexShift.index(ofRank: rank(ofNew: index), skipping: removed)
  }

  /// Returns the new index of the stationary element of a rank.
  func newIndex(ofRank rank: Int) -> Int { IndexShift.index(ofRank: rank, skipping: inserted) }

  /// Returns how many of the ascending indexes are below one.
  static func count(below index: Int, in indexes: [Int]) -> Int {
    var (low, high) = (0, indexes.count)
    while low < high {
      let middle = (low + high) / 2
      if indexes[middle] < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func contains(_ index: Int, in indexes: [Int]) -> Bool {
    let count = count(below: index, in: indexes)
    return count < indexes.count && indexes[count] == index
  }

  /// Returns the index that is not in the list and has `rank` indexes before it that are not in the list.
  private static func index(ofRank rank: Int, skipping taken: [Int]) -> Int {
    var (low, high) = (0, taken.count)
    while low < high {
      let middle = (low + high) / 2
      // `taken[i] - i` free indexes precede the i-th taken one, and that number never decreases.
      if taken[middle] &- middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank &+ low
  }
}
