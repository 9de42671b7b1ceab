extension ResultsDelta {
  /// The delta as someone is told who observes only some rows: others are counted, not named.
  ///
  /// A move is named if one of its places is observed. Sections are told as ever.
  /// - Parameters:
  ///   - rows: The observed rows of the generation before, counted over all sections.
  ///   - old: The generation before.
  ///   - new: The generation after.
  /// - Returns: The delta, with what is not named counted.
  /// - Complexity: O(*c* log *s*) in the changes and the sections.
  func observing(
    _ rows: Range<Int>,
    from old: ResultsSnapshot,
    to new: ResultsSnapshot
  ) -> ResultsDelta {
    let deletes = self.rows.deletes.map { old.flatPosition(of: $0.from.path) ?? 0 }
    let inserts = self.rows.inserts.map { new.flatPosition(of: $0.to.path) ?? 0 }
    let moves = self.rows.moves.map {
      (old.flatPosition(of: $0.from.path) ?? 0, new.flatPosition(of: $0.to.path) ?? 0)
    }
    let start =
      sections.moves.isEmpty
      ? ResultsDelta.start(
        behind: rows.lowerBound,
        removed: deletes + moves.map(\.0),
        inserted: inserts + moves.map(\.1)
      )
      : rows.lowerBound
    var unobserved = UnobservedChanges(oldRows: rows, newRows: start..<start + rows.count)
    let newRows = unobserved.newRows
    var told = RowChanges()
    for (change, place) in zip(self.rows.deletes, deletes) {
      if rows.contains(place) { told.deletes.append(change) } else { unobserved.remove(place) }
    }
    for (change, place) in zip(self.rows.inserts, inserts) {
      if newRows.contains(place) { told.inserts.append(change) } else { unobserved.insert(place) }
    }
    for (change, (from, to)) in zip(self.rows.moves, moves) {
      if rows.contains(from) || newRows.contains(to) {
        told.moves.append(change)
      } else {
        unobserved.move(from, to)
      }
    }
    for change in self.rows.updates {
      let place = new.flatPosition(of: change.to.path) ?? 0
      if newRows.contains(place) { told.updates.append(change) } else { unobserved.change(place) }
    }
    var delta = self
    delta.rows = told
    delta.unobserved = unobserved
    return delta
  }

  /// Where rows begin after a change that began at a place before it.
  ///
  /// As many rows stand before the place as before, apart from those that came and left; what came just there is behind it.
  private static func start(behind place: Int, removed: [Int], inserted: [Int]) -> Int {
    var start = place - removed.count { $0 < place }
    for position in inserted.sorted() {
      guard position < start else { break }
      start += 1
    }
    return start
  }
}

extension UnobservedChanges {
  fileprivate mutating func remove(_ place: Int) {
    if place < oldRows.lowerBound { above.removed += 1 } else { below.removed += 1 }
  }

  fileprivate mutating func insert(_ place: Int) {
    if place < newRows.lowerBound { above.inserted += 1 } else { below.inserted += 1 }
  }

  fileprivate mutating func change(_ place: Int) {
    if place < newRows.lowerBound { above.changed += 1 } else { below.changed += 1 }
  }

  fileprivate mutating func move(_ from: Int, _ to: Int) {
    guard (from < oldRows.lowerBound) != (to < newRows.lowerBound) else { return change(to) }
    remove(from)
    insert(to)
  }
}
