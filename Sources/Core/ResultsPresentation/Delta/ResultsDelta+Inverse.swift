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
