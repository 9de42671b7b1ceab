public import ResultsDomain
public import ResultsPresentation

/// The delta between two contents, computed by the obvious, slow algorithm, as a reference for fast ones (R33).
///
/// It shares no code with the library: it searches positions one by one, and finds the rows that stay in place by trying every
/// predecessor.
public struct ReferenceDelta {
  /// The change of a row that is in both contents.
  public struct Change: Sendable {
    /// The changed attributes: empty if none changed, `nil` if they are unknown.
    public var changed: AttributeSet?
    /// Whether a sort or section value changed, so that the row may be the one that moves (C6).
    public var keyChanged: Bool

    /// Creates a change.
    public init(changed: AttributeSet?, keyChanged: Bool) {
      self.changed = changed
      self.keyChanged = keyChanged
    }

    /// No change.
    public static let none = Change(changed: AttributeSet(), keyChanged: false)
  }

  /// Returns the canonical, minimal delta.
  ///
  /// If rows with unchanged keys are in another order, the query itself has changed, and any row of that section may be the one
  /// that moves.
  /// - Complexity: O(*n*²) in the rows.
  public static func computed(
    from old: ResultsContent,
    to new: ResultsContent,
    generation: Int = 1,
    cause: DeltaCause = .own,
    rows: (ObjectID) -> (old: Row?, new: Row?) = { _ in (nil, nil) },
    change: (ObjectID) -> Change
  ) -> ResultsDelta {
    var delta = ResultsDelta(
      from: generation,
      to: generation + 1,
      cause: cause,
      oldSectionCount: old.sections.count,
      newSectionCount: new.sections.count
    )
    delta.sections = sectionChanges(from: old, to: new)
    for (section, content) in old.sections.enumerated().reversed() {
      for (row, id) in content.rows.enumerated().reversed() where path(of: id, in: new) == nil {
        let from = OldPath(section: section, row: row)
        delta.rows.deletes.append(.init(id: id, from: from, old: rows(id).old))
      }
    }
    for (section, content) in new.sections.enumerated() {
      let source = old.sections.firstIndex { $0.header.id == content.header.id }
      let stayers = source.map {
        stayingRows(from: old.sections[$0].rows, to: content.rows, change)
      }
      for (row, id) in content.rows.enumerated() {
        let to = NewPath(section: section, row: row)
        guard let from = path(of: id, in: old) else {
          delta.rows.inserts.append(.init(id: id, to: to, new: rows(id).new))
          continue
        }
        let survivor = RowChanges.Survivor(
          id: id,
          from: OldPath(from),
          to: to,
          old: rows(id).old,
          new: rows(id).new,
          changed: change(id).changed
        )
        if from.section != source || stayers?.contains(id) != true {
          delta.rows.moves.append(survivor)
        } else if survivor.contentChanged {
          delta.rows.updates.append(survivor)
        }
      }
    }
    return delta
  }

  private static func sectionChanges(
    from old: ResultsContent,
    to new: ResultsContent
  ) -> SectionChanges {
    var changes = SectionChanges()
    for (from, section) in old.sections.enumerated().reversed()
    where !new.sections.contains(where: { $0.header.id == section.header.id }) {
      changes.deletes.append(.init(from: from, old: section.header))
    }
    let sources = new.sections.map { section in
      old.sections.firstIndex { $0.header.id == section.header.id }
    }
    let stayers = Set(longestAscent(bySource: sources.compactMap { $0 }))
    for (to, section) in new.sections.enumerated() {
      guard let from = sources[to] else {
        changes.inserts.append(.init(to: to, new: section.header))
        continue
      }
      let move = SectionChanges.Move(
        from: from,
        to: to,
        old: old.sections[from].header,
        new: section.header
      )
      if !stayers.contains(from) {
        changes.moves.append(move)
      } else if move.old != move.new {
        changes.updates.append(move)
      }
    }
    return changes
  }

  /// Returns the rows of a section that stay in place.
  private static func stayingRows(
    from old: [ObjectID],
    to new: [ObjectID],
    _ change: (ObjectID) -> Change
  ) -> Set<ObjectID> {
    let common = new.filter(old.contains)
    let sources = common.map { old.firstIndex(of: $0) ?? 0 }
    let fixed = common.indices.filter { !change(common[$0]).keyChanged }
    let fixedAscend = zip(fixed, fixed.dropFirst()).allSatisfy { sources[$0] < sources[$1] }
    let candidates = common.indices.filter { index in
      guard fixedAscend else { return true }
      return fixed.allSatisfy { other in
        other == index || (other < index) == (sources[other] < sources[index])
      }
    }
    return Set(longestAscent(bySource: candidates.map { sources[$0] }).map { old[$0] })
  }

  /// Returns the longest ascending subsequence of old indexes in new order; among equally long ones, the smallest old indexes.
  private static func longestAscent(bySource sources: [Int]) -> [Int] {
    // The best ascending subsequence that starts at each index.
    var best = sources.map { [$0] }
    for index in sources.indices.reversed() {
      for later in sources.indices.dropFirst(index + 1) where sources[later] > sources[index] {
        best[index] = better(best[index], [sources[index]] + best[later])
      }
    }
    return best.reduce([]) { better($0, $1) }
  }

  private static func better(_ left: [Int], _ right: [Int]) -> [Int] {
    if left.count != right.count { return left.count > right.count ? left : right }
    return left.lexicographicallyPrecedes(right) ? left : right
  }

  private static func path(of id: ObjectID, in content: ResultsContent) -> RowPath? {
    for (section, rows) in content.sections.map(\.rows).enumerated() {
      if let row = rows.firstIndex(of: id) { return RowPath(section: section, row: row) }
    }
    return nil
  }
}
