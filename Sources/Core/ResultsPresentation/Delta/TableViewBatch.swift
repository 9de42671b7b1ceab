public import ResultsDomain

/// A change as table and collection views take it: safe in one batch of updates (R38).
///
/// The views' rules: deletes and old places of moves and reloads count before the batch, inserts and new places of moves
/// after it; no place is named twice; no row operation lies inside a deleted or inserted section. A moved section becomes
/// a deleted and an inserted one, as no row could change in it otherwise; rows that move between such a section and
/// another are inserted or deleted there (R37).
public struct TableViewBatch: Hashable, Sendable {
  /// A row that moves.
  public struct Move: Hashable, Sendable {
    /// Where it was.
    public var from: OldPath
    /// Where it is.
    public var to: NewPath

    /// A row that moves.
    public init(from: OldPath, to: NewPath) {
      self.from = from
      self.to = to
    }
  }

  /// Old places of sections to delete, ascending.
  public var deletedSections: [Int] = []
  /// New places of sections to insert, ascending.
  public var insertedSections: [Int] = []
  /// Old places of rows to delete, ascending.
  public var deletedRows: [OldPath] = []
  /// New places of rows to insert, ascending.
  public var insertedRows: [NewPath] = []
  /// Rows to move, by ascending new place.
  public var movedRows: [Move] = []
  /// Old places of rows to reload in the same batch, ascending.
  public var updatedRows: [OldPath] = []
  /// New places of moved rows whose content changed, to be configured again after the batch, ascending.
  public var reconfiguredRows: [NewPath] = []
  /// New places of sections whose header is to be configured again after the batch, ascending.
  public var retitledSections: [Int] = []
}

extension ResultsDelta {
  /// This change as table and collection views take it, in one batch (R37, R38).
  /// - Complexity: O(*c* log *c*) in the changes.
  public var loweredForTableView: TableViewBatch {
    var batch = TableViewBatch()
    batch.deletedSections =
      (sections.deletes.map(\.from) + sections.moves.map(\.from)).sorted()
    batch.insertedSections =
      (sections.inserts.map(\.to) + sections.moves.map(\.to)).sorted()
    batch.retitledSections = sections.updates.map(\.to).sorted()
    let (gone, fresh) = (Set(batch.deletedSections), Set(batch.insertedSections))

    batch.deletedRows = rows.deletes.map(\.from).filter { !gone.contains($0.section) }
    batch.insertedRows = rows.inserts.map(\.to).filter { !fresh.contains($0.section) }
    for move in rows.moves {
      switch (gone.contains(move.from.section), fresh.contains(move.to.section)) {
      case (false, false):
        batch.movedRows.append(TableViewBatch.Move(from: move.from, to: move.to))
        if move.contentChanged { batch.reconfiguredRows.append(move.to) }
      case (true, false): batch.insertedRows.append(move.to)
      case (false, true): batch.deletedRows.append(move.from)
      case (true, true): break
      }
    }
    batch.updatedRows = rows.updates.map(\.from).filter { !gone.contains($0.section) }.sorted()
    batch.deletedRows.sort()
    batch.insertedRows.sort()
    batch.movedRows.sort { $0.to < $1.to }
    batch.reconfiguredRows.sort()
    return batch
  }
}

// MARK: - Without moves of sections

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
