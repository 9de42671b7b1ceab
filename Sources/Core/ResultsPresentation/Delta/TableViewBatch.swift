public import ResultsDomain

/// A change in the form of table and collection views: safe in one batch of updates (R38).
///
/// The rules of these views: deletes, reloads and old paths of moves count before the batch, inserts and new paths of moves after it; no
/// path is named twice; no row operation lies inside a deleted or inserted section. A moved section becomes a deleted and an inserted
/// one, since no row could change in it otherwise; rows that move between such a section and another are inserted or deleted in the
/// other (R37).
public struct TableViewBatch: Hashable, Sendable {
  /// The move of a row.
  public struct Move: Hashable, Sendable {
    /// The row's path before.
    public var from: OldPath
    /// The row's path after.
    public var to: NewPath

    /// Creates the move of a row.
    public init(from: OldPath, to: NewPath) {
      self.from = from
      self.to = to
    }
  }

  /// Old indexes of sections to delete, ascending.
  public var deletedSections: [Int] = []
  /// New indexes of sections to insert, ascending.
  public var insertedSections: [Int] = []
  /// Old paths of rows to delete, ascending.
  public var deletedRows: [OldPath] = []
  /// New paths of rows to insert, ascending.
  public var insertedRows: [NewPath] = []
  /// Rows to move, by ascending new path.
  public var movedRows: [Move] = []
  /// Old paths of rows to reload in the same batch, ascending.
  public var updatedRows: [OldPath] = []
  /// New paths of moved rows whose content changed, to be reconfigured after the batch, ascending.
  public var reconfiguredRows: [NewPath] = []
  /// New indexes of sections whose header changed, to be reconfigured after the batch, ascending.
  public var retitledSections: [Int] = []
}

extension ResultsDelta {
  /// This change as one batch of updates of a table or collection view (R37, R38).
  /// - Complexity: O(*c* log *c*) in the changes.
  public var tableViewBatch: TableViewBatch {
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
  /// Returns the same change without moves of sections: each becomes a delete and an insert, and the rows that stayed in it become
  /// moves (C4).
  ///
  /// Such a delta gives the same content, but it is not canonical: `verify` refuses it.
  /// - Parameter oldRows: Returns the identities of the rows of a section before the change.
  /// - Returns: The change without moves of sections.
  /// - Complexity: O(*c* log *c*) in the changes and O(*m*) in the rows of the moved sections.
  public func withoutSectionMoves(oldRows: (Int) -> [ObjectID]) -> ResultsDelta {
    guard !sections.moves.isEmpty else { return self }
    let mapping = PathMapping(self)
    let moved = Set(sections.moves.map(\.from))
    let named = Set(rows.withOldPaths.map(\.1))
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
    // Groups are not sections of such a view.
    assembler.groups = groups
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
