extension ResultsDelta {
  /// Verifies that this delta turns one content into another exactly, and obeys the conventions (R26).
  ///
  /// Besides the result it checks the canonical order (C2), that nothing is named twice (R31), that no row or section is moved that
  /// could have stayed (C6, C8), that no section is deleted and inserted again (C4), and that no update is empty (C7). Call it in
  /// debug builds, or for deltas from another process.
  /// - Throws: `DeltaError`: what is wrong, and where.
  /// - Complexity: O(*n*) in the rows and O(*c* log *c*) in the changes.
  public func verify(
    from old: ResultsContent,
    to new: ResultsContent
  ) throws(DeltaError) {
    try verifyOrder()
    let applied = try old.applying(self)
    try ResultsDelta.compare(applied, with: new)
    try verifyMoves()
  }

  private func verifyOrder() throws(DeltaError) {
    let ordered: [(DeltaError.Part, Bool)] = [
      (.sectionDeletes, sections.deletes.map(\.from).descends),
      (.sectionMoves, sections.moves.map(\.to).ascends),
      (.sectionInserts, sections.inserts.map(\.to).ascends),
      (.sectionUpdates, sections.updates.map(\.to).ascends),
      (.groupDeletes, groups.deletes.map(\.from).descends),
      (.groupMoves, groups.moves.map(\.to).ascends),
      (.groupInserts, groups.inserts.map(\.to).ascends),
      (.groupUpdates, groups.updates.map(\.to).ascends),
      (.rowDeletes, rows.deletes.map(\.from).descends),
      (.rowMoves, rows.moves.map(\.to).ascends),
      (.rowInserts, rows.inserts.map(\.to).ascends),
      (.rowUpdates, rows.updates.map(\.to).ascends),
    ]
    for (part, isCanonical) in ordered where !isCanonical { throw .notCanonical(part) }
    for update in rows.updates where !update.contentChanged { throw .emptyUpdate(update.id) }
  }

  private static func compare(
    _ applied: ResultsContent,
    with new: ResultsContent
  ) throws(DeltaError) {
    guard applied.sections.count == new.sections.count else {
      throw .sectionCount(
        .after,
        expected: new.sections.count,
        found: applied.sections.count
      )
    }
    guard applied.groups.count == new.groups.count else {
      throw .groupCount(expected: new.groups.count, found: applied.groups.count)
    }
    for (index, (found, expected)) in zip(applied.groups, new.groups).enumerated()
    where found != expected {
      throw .wrongGroup(.after, at: index, expected: expected, found: found)
    }
    for (index, (found, expected)) in zip(applied.sections, new.sections).enumerated() {
      guard found.header == expected.header else {
        throw .wrongSection(
          .after,
          at: index,
          expected: expected.header,
          found: found.header
        )
      }
      for (row, (found, expected)) in zip(found.rows, expected.rows).enumerated()
      where found != expected {
        throw .wrongRow(
          .after,
          at: RowPath(section: index, row: row),
          expected: expected,
          found: found
        )
      }
      guard found.rows.count == expected.rows.count else {
        throw .rowCount(section: index, expected: expected.rows.count, found: found.rows.count)
      }
    }
  }

  /// Finds needless moves: those within a section, or among the sections, that pass nothing stationary.
  private func verifyMoves() throws(DeltaError) {
    let mapping = PathMapping(self)
    for move in rows.moves where mapping.newSection(for: move.from.section) == move.to.section {
      let shift = mapping.shift(old: move.from.section, new: move.to.section)
      if shift.rank(ofOld: move.from.row) == shift.rank(ofNew: move.to.row) {
        throw .needlessMove(move.id)
      }
    }
    try sections.verifyMoves()
    try groups.verifyMoves()
  }
}

extension HeaderChanges where Header: DeltaHeader {
  /// Finds needless moves, and what was deleted and inserted again.
  fileprivate func verifyMoves() throws(DeltaError) {
    let mapping = IndexMapping(self)
    for move in moves where mapping.rank(ofOld: move.from) == mapping.rank(ofNew: move.to) {
      throw Header.needlessMove(move.old.id)
    }
    let deleted = Set(deletes.map(\.old.id))
    for insert in inserts where deleted.contains(insert.new.id) {
      throw Header.replaced(insert.new.id)
    }
  }
}

extension Array where Element: Comparable {
  fileprivate var ascends: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
  fileprivate var descends: Bool { zip(self, dropFirst()).allSatisfy { $0 > $1 } }
}
