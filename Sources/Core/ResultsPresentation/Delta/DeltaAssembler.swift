import ResultsDomain

/// Gathers what happened to a list in any order, and makes the delta in canonical order (C2).
struct DeltaAssembler {
  var sections = SectionChanges()
  var deletes: [RowChanges.Delete] = []
  var moves: [RowChanges.Survivor] = []
  var inserts: [RowChanges.Insert] = []
  var updates: [RowChanges.Survivor] = []
  private let frame: ResultsDelta

  /// An empty delta between two generations.
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

  /// The delta of all that was gathered.
  /// - Complexity: O(*c* log *c*) in the changes.
  var delta: ResultsDelta {
    var delta = frame
    delta.sections = SectionChanges(
      deletes: sections.deletes.sorted { $0.from > $1.from },
      moves: sections.moves.sorted { $0.to < $1.to },
      inserts: sections.inserts.sorted { $0.to < $1.to },
      updates: sections.updates.sorted { $0.to < $1.to }
    )
    delta.rows = RowChanges(
      deletes: deletes.sorted { $0.from > $1.from },
      moves: moves.sorted { $0.to < $1.to },
      inserts: inserts.sorted { $0.to < $1.to },
      updates: updates.sorted { $0.to < $1.to }
    )
    return delta
  }
}
