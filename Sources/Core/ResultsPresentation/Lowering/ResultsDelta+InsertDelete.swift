public import ResultsDomain

extension ResultsDelta {
  /// The same change for consumers that know no moves of sections: each becomes a delete and an insert, and the rows
  /// that stayed in it become moves (C4).
  ///
  /// Such a delta leads to the same content, but it is not canonical: `verify` refuses it. `oldRows` gives the identities of the rows of a section before the change.
  /// - Complexity: O(*c* log *c*) in the changes and O(*m*) in the rows of the moved sections.
  public func loweredToInsertDelete(oldRows: (Int) -> [ObjectID]) -> ResultsDelta {
    guard !sections.moves.isEmpty else { return self }
    let mapping = PathMapping(self)
    let moved = Set(sections.moves.map(\.from))
    let named = Set(rows.leaving.map(\.1))
    var assembler = DeltaAssembler(
      from: from,
      to: to,
      cause: cause,
      origins: origins,
      oldSectionCount: oldSectionCount,
      newSectionCount: newSectionCount
    )
    assembler.sections = SectionChanges(
      deletes: sections.deletes + sections.moves.map { .init(from: $0.from, old: $0.old) },
      inserts: sections.inserts + sections.moves.map { .init(to: $0.to, new: $0.new) },
      updates: sections.updates
    )
    assembler.deletes = rows.deletes
    assembler.inserts = rows.inserts
    assembler.updates = rows.updates.filter { !moved.contains($0.from.section) }
    assembler.moves = rows.moves + rows.updates.filter { moved.contains($0.from.section) }
    for section in moved {
      for (row, id) in oldRows(section).enumerated() {
        let from = OldPath(section: section, row: row)
        guard !named.contains(from), let to = mapping.newPath(for: from) else { continue }
        assembler.moves.append(.init(id: id, from: from, to: to, changed: AttributeSet()))
      }
    }
    var delta = assembler.delta
    delta.repair = repair
    delta.hasOtherCauses = hasOtherCauses
    return delta
  }
}
