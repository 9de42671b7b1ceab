import ResultsDomain

/// Collects the changes of a list in any order, and builds the delta in canonical order (C2).
struct DeltaAssembler {
  var sections = SectionChanges()
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
    delta.sections = SectionChanges(
      deletes: sections.deletes.ordered { $0.from > $1.from },
      moves: sections.moves.ordered { $0.to < $1.to },
      inserts: sections.inserts.ordered { $0.to < $1.to },
      updates: sections.updates.ordered { $0.to < $1.to }
    )
    delta.rows = RowChanges(
      deletes: deletes.ordered { $0.from > $1.from },
      moves: moves.ordered { $0.to < $1.to },
      inserts: inserts.ordered { $0.to < $1.to },
      updates: updates.ordered { $0.to < $1.to }
    )
    return delta
  }
}

extension Array {
  /// Returns the elements in an order; the array itself if it is in that order already.
  fileprivate func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    let isOrdered = indices.dropFirst().allSatisfy { !precedes(self[$0], self[$0 - 1]) }
    return isOrdered ? self : sorted(by: precedes)
  }
}
