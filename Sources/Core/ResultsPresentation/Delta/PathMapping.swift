/// Where every row and section of one generation stands in another (R42).
///
/// Make it once for a delta and ask it as often as needed; rows the delta does not name are found by counting.
public struct PathMapping: Sendable {
  let sections: PlaceShift
  private let movedSections: [Int: Int]
  private let movedSectionsBack: [Int: Int]
  private let removedRows: [Int: [Int]]
  private let placedRows: [Int: [Int]]
  private let moved: [OldPath: NewPath]
  private let movedBack: [NewPath: OldPath]

  /// The mapping of a delta.
  /// - Complexity: O(*c* log *c*) in the changes.
  public init(_ delta: ResultsDelta) {
    let patch = ListPatch(delta)
    sections = PlaceShift(
      removed: (patch.deletedSections + patch.movedSections.map(\.from)).sorted(),
      placed: (patch.insertedSections + patch.movedSections.map(\.to)).sorted()
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
    placedRows = PathMapping.rows(of: patch.placedRows.map(\.path))
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

  /// Where a section stands now, or `nil` if it is gone.
  /// - Complexity: O(log *c*) in the changes.
  public func newSection(for section: Int) -> Int? {
    movedSections[section] ?? sections.newPlace(ofOld: section)
  }

  /// Where a section stood, or `nil` if it is new.
  /// - Complexity: O(log *c*) in the changes.
  public func oldSection(for section: Int) -> Int? {
    movedSectionsBack[section] ?? sections.oldPlace(ofNew: section)
  }

  /// Where a row stands now, or `nil` if it is gone.
  /// - Complexity: O(log *c*) in the changes.
  public func newPath(for path: OldPath) -> NewPath? {
    if let to = moved[path] { return to }
    guard let section = newSection(for: path.section),
      let row = shift(old: path.section, new: section).newPlace(ofOld: path.row)
    else { return nil }
    return NewPath(section: section, row: row)
  }

  /// Where a row stood, or `nil` if it is new.
  /// - Complexity: O(log *c*) in the changes.
  public func oldPath(for path: NewPath) -> OldPath? {
    if let from = movedBack[path] { return from }
    guard let section = oldSection(for: path.section),
      let row = shift(old: section, new: path.section).oldPlace(ofNew: path.row)
    else { return nil }
    return OldPath(section: section, row: row)
  }

  /// How the rows of a surviving section shift; its moved rows count as taken out and put in.
  func shift(old: Int, new: Int) -> PlaceShift {
    PlaceShift(removed: removedRows[old] ?? [], placed: placedRows[new] ?? [])
  }

  /// The number of rows put into a section.
  func placedCount(inNew section: Int) -> Int { placedRows[section]?.count ?? 0 }
}

extension ResultsDelta {
  /// Where a row of the generation before stands now, or `nil` if it is gone (R42).
  ///
  /// To map many rows, make a `PathMapping` once.
  /// - Complexity: O(*c* log *c*) in the changes.
  public func newPath(for path: OldPath) -> NewPath? { PathMapping(self).newPath(for: path) }

  /// Where a row of the generation after stood, or `nil` if it is new (R42).
  ///
  /// To map many rows, make a `PathMapping` once.
  /// - Complexity: O(*c* log *c*) in the changes.
  public func oldPath(for path: NewPath) -> OldPath? { PathMapping(self).oldPath(for: path) }
}

// MARK: - The nearest survivor

extension PathMapping {
  /// Where a cursor belongs after a change: on its row if that is still there, else on the nearest row that is (R42).
  ///
  /// For a row that is gone: the next row of its section that kept its place, else the previous one, else any row of
  /// the section, else the first row of the next section that survived, else the last row of the previous one, else the
  /// first row of all. `nil` only if no row is left.
  /// - Parameters:
  ///   - path: The row's place in the generation before.
  ///   - oldSectionCount: How many sections there were before.
  ///   - newSectionCount: How many sections there are now.
  ///   - newRowCount: How many rows a section has now.
  /// - Returns: The place in the generation after.
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
    let stayers = count - placedCount(inNew: section)
    guard stayers > 0 else { return 0 }
    // The stayers before the row number the rank of the first one after it.
    let rank = min(max(shift.stayers(beforeOld: path.row), 0), stayers - 1)
    return shift.newPlace(ofRank: rank)
  }
}

extension ResultsDelta {
  /// Where a cursor belongs after this change: on its row if that is still there, else on the nearest row that is (R42).
  ///
  /// `PathMapping.nearestSurvivor` says which row is nearest. `newRowCount` says how many rows a section has now.
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

/// How the places of one row of things shift when some are taken out and others put in.
///
/// Things that stay keep their order: the `k`-th that stays before is the `k`-th that stayed after.
struct PlaceShift {
  /// Ascending old places of what was taken out.
  var removed: [Int] = []
  /// Ascending new places of what was put in.
  var placed: [Int] = []

  /// How many of those that stay stand before an old place.
  func stayers(beforeOld place: Int) -> Int { place &- PlaceShift.rank(of: place, in: removed) }

  /// How many of those that stayed stand before a new place.
  func stayers(beforeNew place: Int) -> Int { place &- PlaceShift.rank(of: place, in: placed) }

  /// Where what stood at an old place stands now, or `nil` if it was taken out.
  func newPlace(ofOld place: Int) -> Int? {
    PlaceShift.contains(place, in: removed)
      ? nil : PlaceShift.place(ofRank: stayers(beforeOld: place), among: placed)
  }

  /// Where what stands at a new place stood, or `nil` if it was put in.
  func oldPlace(ofNew place: Int) -> Int? {
    PlaceShift.contains(place, in: placed)
      ? nil : PlaceShift.place(ofRank: stayers(beforeNew: place), among: removed)
  }

  /// The new place of the stayer of a rank.
  func newPlace(ofRank rank: Int) -> Int { PlaceShift.place(ofRank: rank, among: placed) }

  /// How many of the ascending places are smaller.
  static func rank(of place: Int, in places: [Int]) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func contains(_ place: Int, in places: [Int]) -> Bool {
    let rank = rank(of: place, in: places)
    return rank < places.count && places[rank] == place
  }

  /// The place with `rank` places before it that are not in the list, and that is not in it itself.
  private static func place(ofRank rank: Int, among taken: [Int]) -> Int {
    var (low, high) = (0, taken.count)
    while low < high {
      let middle = (low + high) / 2
      // `taken[i] - i` free places stand before the i-th taken one, and that number never falls.
      if taken[middle] &- middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank &+ low
  }
}
