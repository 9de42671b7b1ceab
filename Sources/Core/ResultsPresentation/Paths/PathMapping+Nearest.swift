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
